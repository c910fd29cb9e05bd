"""What a prequential run is judged by: counts, the confusion matrix, the log loss."""
from __future__ import annotations

from cpython.bytes cimport PyBytes_AS_STRING
from libc.math cimport log
from libc.stdint cimport int32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from ..records.record cimport MISSING, Record, Value, Vocabulary
from ..records.schema cimport Schema, exported, object_to_value, read_one, value_to_object
from ..statistics.tables cimport Scores
from .course cimport Course, Forecast, Outcome, Tally

from ..records.problems import ModelFileError
from ..records.schema import vocabulary_bytes

cdef double LEAST_P = 1e-15


cdef class Account:
    """Counts records, and weighs the scored ones: the confusion matrix and -log p of the true label.

    Parameters
    ----------
    schema : Schema
        Whose label codes the records carry.
    course : Course, optional
        Follows the figures over the stream as well.
    """

    def __init__(self, Schema schema not None, Course course=None):
        self.schema = schema
        self.course = course
        self.following = course is not None

    cdef int32_t own_label(self, int32_t code, const Value& v) except -2 nogil:
        cdef int32_t own
        cdef size_t i, old
        cdef vector[double] wider
        cdef const Vocabulary* labels = &self.schema.labels
        if code >= 0 and <size_t>code < self.own.size() and self.own[code] >= 0:
            return self.own[code]
        if code >= 0:
            own = self.labels.intern(labels.entries[code].tag, labels.data(code), labels.entries[code].size)
            if self.own.size() <= <size_t>code:
                self.own.resize(code + 1, -1)
            self.own[code] = own
        else:
            own = self.labels.intern(v.tag, v.data, v.size)
        if self.label_counts.size() < self.labels.size():
            self.label_counts.resize(self.labels.size(), 0)
        if self.labels.size() > self.room:
            old, self.room = self.room, 2 * self.labels.size()
            wider.assign(self.room * self.room, 0.0)
            for i in range(old * old):
                wider[i // old * self.room + i % old] = self.confusion[i]
            self.confusion.swap(wider)
        return own

    cdef int count_label(self, const Record& r) except -1 nogil:
        """Takes note of a record's label."""
        if r.label_code == MISSING:
            return 0
        self.labelled += 1
        self.label_counts[self.own_label(r.label_code, r.label)] += 1
        return 0

    cdef int score(self, const Record& r, int32_t predicted, double p_true) except -1 nogil:
        """Takes note of a labelled record's prediction, and of the probability that its label had."""
        cdef int32_t truth, answer
        cdef Value none
        if r.label_code == MISSING or predicted < 0:
            return 0
        answer = self.own_label(predicted, none)
        truth = self.own_label(r.label_code, r.label)
        self.note(truth, answer, r.weight, p_true)
        return 0

    cdef void note(self, int32_t truth, int32_t answer, double weight, double p_true) noexcept nogil:
        self.scored += 1
        self.correct += truth == answer
        self.confusion[truth * self.room + answer] += weight
        self.log_loss -= weight * log(p_true if p_true > LEAST_P else LEAST_P)

    cdef int predicted_record(self, const Scores& s, long missing, long non_finite) except -1 nogil:
        self.records += 1
        self.missing_values += missing
        self.non_finite_values += non_finite
        self.unpredicted += s.predicted < 0
        if self.following:
            self.foresee(s)
        return 0

    cdef int settled_record(self, const Record& r, int32_t predicted, double p_true) except -1 nogil:
        self.count_label(r)
        self.score(r, predicted, p_true)
        if self.following:
            self.follow(r, predicted, p_true)
        return 0

    cdef int learned_record(self, const Record& r) except -1 nogil:
        self.learned += 1
        self.overflow_values += self.schema.overflowing(r)
        return 0

    cdef int foresee(self, const Scores& s) except -1 nogil:
        """Takes note of an answer, for the course."""
        return self.course.foresee(s, self.schema.labels.size())

    cdef int follow(self, const Record& r, int32_t predicted, double p_true) except -1 nogil:
        """The label of the first record that was foreseen has come, or will never come."""
        cdef Value none
        cdef int32_t answer
        if r.label_code == MISSING:
            self.course.settle()
            return 0
        answer = self.own_label(predicted, none) if predicted >= 0 else -1
        return self.follow_own(self.own_label(r.label_code, r.label), answer, r.weight, p_true)

    cdef int follow_own(self, int32_t truth, int32_t answer, double weight, double p_true) except -1 nogil:
        cdef Outcome o
        o.truth, o.answer, o.weight, o.p_true = truth, answer, weight, p_true
        o.forecast = self.course.settle()
        self.course.take_label(truth, weight)
        return self.course.take(o) if answer >= 0 else 0

    def take(self, y, predicted, dict probabilities not None, double weight=1.0):
        """Accounts for an answer that came from anywhere, its labels as Python objects.

        Parameters
        ----------
        y : str, bool, int, float or None
            The label, None where there is none.
        predicted
            A label, or None.
        probabilities : dict
            Label to probability; {} where there are none: then the answer's is taken as 1.
        weight : float
        """
        cdef Record r
        cdef Scores s
        cdef list keep = []
        cdef int32_t answer = -1, truth
        cdef double p_true = 0.0, p
        cdef Value v
        self.records += 1
        if not probabilities and predicted is not None:
            probabilities = {predicted: 1.0}
        if self.following:
            for p in probabilities.values():
                s.p.push_back(p)
        r.weight = weight
        self.unpredicted += predicted is None
        if self.following:
            if predicted is not None:
                s.p.push_back(probabilities.get(predicted, 0.0))
                s.predicted = <int32_t>s.p.size() - 1
            self.course.foresee(s, len(probabilities))
        if y is None:
            if self.following:
                self.course.settle()
            return
        r.label = object_to_value(y, keep)
        truth = self.own_label(-1, r.label)
        self.labelled += 1
        self.label_counts[truth] += 1
        p_true = probabilities.get(y, 0.0)
        if predicted is not None:
            v = object_to_value(predicted, keep)
            answer = self.own_label(-1, v)
            self.note(truth, answer, weight, p_true)
        if self.following:
            self.follow_own(truth, answer, weight, p_true)

    def state(self) -> dict:
        """All that was counted, as {name: bytes}: what a run that goes on later begins with."""
        cdef size_t i, n = self.labels.size()
        cdef list counters = [
            self.records, self.labelled, self.unpredicted, self.scored, self.correct, self.learned,
            self.skipped_records, self.missing_values, self.non_finite_values, self.overflow_values]
        cdef vector[double] sums
        sums.push_back(self.log_loss)
        for i in range(n * n):
            sums.push_back(self.confusion[i // n * self.room + i % n])
        counters += [self.label_counts[i] for i in range(n)]
        return {"counters": b"".join([(<long long>count).to_bytes(8, "little") for count in counters]),
                "sums": (<const char*>sums.data())[:sums.size() * sizeof(double)],
                **vocabulary_bytes("scored", [exported(self.labels)])}

    def restore(self, dict state not None):
        """The inverse of `state`, for a new account.

        Raises
        ------
        ModelFileError
            If its parts don't fit together.
        """
        cdef bytes counters = state["counters"], sums = state["sums"]
        cdef size_t i, n
        cdef const char* p = PyBytes_AS_STRING(sums)
        read_one("scored", state, self.labels)
        n = self.labels.size()
        if <size_t>len(counters) != 8 * (10 + n) or <size_t>len(sums) != 8 * (1 + n * n):
            raise ModelFileError("its counters don't fit together")
        values = [int.from_bytes(counters[8 * i:8 * i + 8], "little", signed=True) for i in range(10 + n)]
        (self.records, self.labelled, self.unpredicted, self.scored, self.correct, self.learned,
         self.skipped_records, self.missing_values, self.non_finite_values, self.overflow_values) = values[:10]
        self.label_counts = values[10:]
        memcpy(&self.log_loss, p, sizeof(double))
        self.room = n
        self.confusion.resize(n * n)
        if n:
            memcpy(self.confusion.data(), p + 8, n * n * sizeof(double))

    def results(self, list classes not None) -> dict:
        """The sums for `metrics`: labels in the order of `classes`, then those that were scored alone."""
        cdef size_t i, j
        own = [value_to_object(self.labels.entries[i].tag, self.labels.data(i), self.labels.entries[i].size)
               for i in range(self.labels.size())]
        place = {(type(y), y): i for i, y in enumerate(own)}
        known = {(type(y), y) for y in classes}
        scored = [i for i in range(self.labels.size())
                  if any(self.confusion[i * self.room + j] or self.confusion[j * self.room + i]
                         for j in range(self.labels.size())) or self.label_counts[i]]
        order = [place.get((type(y), y), -1) for y in classes]
        order += [i for i in scored if (type(own[i]), own[i]) not in known]
        more = {} if self.course is None else self.course.views(order)
        labels = list(classes) + [own[i] for i in order[len(classes):]]
        matrix = [[self.confusion[<size_t>t * self.room + <size_t>p] if t >= 0 and p >= 0 else 0.0 for p in order]
                  for t in order]
        return {"labels": labels, "matrix": matrix, "log_loss": self.log_loss, "more": more,
                "class_counts": [(labels[at], self.label_counts[<size_t>t]) for at, t in enumerate(order)
                                 if t >= 0 and self.label_counts[<size_t>t]]}
