"""Several learners on one stream: each record is read once, answered by all, then learned by all."""
from __future__ import annotations

from cpython.object cimport PyObject
from libc.stdint cimport int32_t

from ..learners.base cimport Learner
from ..records.dicts cimport DictDoor
from ..records.reader cimport RECORD, Reader, Status
from ..records.record cimport MISSING, Record
from ..records.schema cimport Schema
from .account cimport Account
from .course cimport Course
from .prequential cimport move_record

from ..records.problems import UsageError
from .prequential import PAUSED

cdef int PAUSE = PAUSED


def share_schema(learners) -> Schema:
    """Makes new learners number names, values and labels in one schema, so that a record fits them all.

    All learn the same records in the same order, so each numbers them as it would alone.

    Raises
    ------
    UsageError
        If their `max_values` differ.
    """
    cdef Learner learner
    cdef Schema schema = (<Learner>learners[0]).schema
    for learner in learners:
        if learner.learned or learner.schema.max_values != schema.max_values:
            raise UsageError("models that are compared share max_values; give all of them the same")
        learner.schema = schema
        learner.door = DictDoor(schema)
    return schema


cdef class Contest:
    """Predicts, accounts for and learns records as they are read, with every learner.

    Parameters
    ----------
    learners : list of Learner
        New ones; from here on they share a schema.
    courses : list of Course, optional
        For the figures over the stream, one a learner.
    delay : int
        As `Prequential` has it.
    """

    def __init__(self, list learners not None, list courses=None, delay=0):
        cdef Learner learner
        cdef Account account
        self.schema = share_schema(learners)
        self.learners = list(learners)
        self.accounts = [Account(self.schema, course) for course in courses or [None] * len(learners)]
        self.size = len(learners)
        for learner in self.learners:
            self.learner_at.push_back(<PyObject*>learner)
        for account in self.accounts:
            self.account_at.push_back(<PyObject*>account)
        self.alone.assign(self.size * self.size, 0)
        self.scores.resize(self.size)
        self.predicted.assign(self.size, -1)
        self.p_true.assign(self.size, 0.0)
        self.delay = delay if delay > 1 else 0

    def run(self, Reader reader not None, long long limit):
        """Goes through the records in the reader's buffer; returns why it stopped, as `Prequential.run` does."""
        self.reader = reader
        with nogil:
            status = self.loop(limit)
        return status

    cdef int loop(self, long long limit) except -1 nogil:
        cdef Status status
        cdef size_t i
        cdef Scores* s
        while True:
            if self.records >= limit:
                return PAUSE
            status = self.reader.next(self.record)
            if status != RECORD:
                return status
            if self.delay and self.waiting.size() == self.delay:
                self.settle_first()
                self.schema.refresh(self.record)
            self.records += 1
            for i in range(self.size):
                s = &self.scores[i]
                (<Learner>self.learner_at[i]).answer(self.record, s[0])
                self.predicted[i] = s.predicted
                self.p_true[i] = s.p[self.record.label_code] if self.record.label_code >= 0 else 0.0
                (<Account>self.account_at[i]).predicted_record(
                    s[0], self.reader.missing_cells, self.reader.non_finite_cells)
            if self.delay == 0:
                self.settle(self.record, self.predicted.data(), self.p_true.data())
            else:
                self.record.keep()
                self.waiting.emplace_back()
                move_record(self.waiting.back().record, self.record)
                self.waiting.back().predicted = self.predicted
                self.waiting.back().p_true = self.p_true

    cdef int settle(self, Record& r, const int32_t* predicted, const double* p_true) except -1 nogil:
        """A record's label has come: account for it, learn it."""
        cdef size_t i, j
        cdef bint all_scored = r.label_code != MISSING
        for i in range(self.size):
            (<Account>self.account_at[i]).settled_record(r, predicted[i], p_true[i])
            all_scored = all_scored and predicted[i] >= 0
        if all_scored:
            self.compared += 1
            for i in range(self.size):
                for j in range(self.size):
                    self.alone[i * self.size + j] += predicted[i] == r.label_code and predicted[j] != r.label_code
        if r.label_code != MISSING and r.weight > 0:
            for i in range(self.size):
                (<Learner>self.learner_at[i]).learn(r)
                (<Account>self.account_at[i]).learned_record(r)
        return 0

    cdef int settle_first(self) except -1 nogil:
        self.schema.refresh(self.waiting.front().record)
        self.settle(self.waiting.front().record, self.waiting.front().predicted.data(),
                    self.waiting.front().p_true.data())
        self.waiting.pop_front()
        return 0

    def settle_all(self):
        """The stream has ended: the labels that are still out come in."""
        while self.waiting.size():
            self.settle_first()

    def alone_right(self, size_t i, size_t j) -> int:
        """Records that learner i got right and learner j wrong."""
        return self.alone[i * self.size + j]
