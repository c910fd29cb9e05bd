"""Test, then train: the loop that every record goes through."""
from __future__ import annotations

from libc.stdint cimport int32_t

from ..learners.base cimport Learner
from ..records.reader cimport MALFORMED, MORE, RECORD, Reader, Status
from ..records.record cimport MISSING, UNSEEN, Record
from ..records.writer cimport RecordWriter
from .account cimport Account

from ..records.problems import ModelFileError

cdef size_t FULL = 1 << 16

cdef enum:
    FLUSH = 3
    PAUSE = 4

cdef enum:
    STEADY = 0
    WARNING = 1
    DRIFT = 2

cdef size_t MOST_NOTED = 10_000  # records kept while a warning lasts

NO_CHANGE, WARNED, DRIFTED = STEADY, WARNING, DRIFT
NEEDS_BYTES, IS_MALFORMED, NEEDS_FLUSH, PAUSED, READ_AGAIN = MORE, MALFORMED, FLUSH, PAUSE, RECORD


cdef class Prequential:
    """Predicts, accounts for, prints and learns records as they are read.

    Parameters
    ----------
    learner : Learner
    account : Account
    writer : RecordWriter, optional
        Prints each record; without one nothing is printed.
    delay : int
        The label of record i is learned, and scored, just before record i + delay is predicted; 0 and
        1: right after its own prediction.
    learning : bool
        False: predict and score only.
    fading : float
        What all sums are multiplied by before each record is learned, above 0 and up to 1.
    window : int
        So many of the latest records are remembered, older ones are forgotten; 0: all are remembered. The
        learner has to be empty.
    watcher : object, optional
        Its `saw(wrong, records)` is called for each record that is scored; it answers STEADY, WARNING or
        DRIFT. After a drift the learner starts anew, from the records since the warning.
    """

    def __init__(self, Learner learner not None, Account account not None, RecordWriter writer=None, delay=0,
                 learning=True, fading=1.0, window=0, watcher=None):
        self.learner = learner
        self.account = account
        self.writer = writer
        self.printing = writer is not None
        self.delay = delay if delay > 1 else 0
        self.learning = learning
        self.fading = fading
        self.window_size = window
        self.watcher = watcher
        self.watching = watcher is not None

    def run(self, Reader reader not None, long long limit):
        """Goes through the records in the reader's buffer.

        Returns why it stopped: NEEDS_BYTES, IS_MALFORMED (the reader says what), NEEDS_FLUSH (the writer's
        output is large), PAUSED (so many records were predicted in all).
        """
        self.reader = reader
        with nogil:
            status = self.loop(limit)
        return status

    cdef int loop(self, long long limit) except -1 nogil:
        cdef Status status
        cdef double p_true
        while True:
            if self.printing and self.writer.out.size() >= FULL:
                return FLUSH
            if self.account.records >= limit:
                return PAUSE
            status = self.reader.next(self.record)
            if status != RECORD:
                return status
            if self.delay and self.pending.size() == self.delay:
                self.settle_first()
                self.learner.schema.refresh(self.record)
            self.learner.answer(self.record, self.scores)
            self.account.predicted_record(self.scores, self.reader.missing_cells, self.reader.non_finite_cells)
            if self.printing:
                self.writer.write(self.reader, self.learner.schema, self.scores, self.learner.class_n.data())
            p_true = self.scores.p[self.record.label_code] if self.record.label_code >= 0 else 0.0
            if self.delay == 0:
                self.settle(self.record, self.scores.predicted, p_true)
            else:
                self.keep(self.scores.predicted, p_true)

    cdef int keep(self, int32_t predicted, double p_true) except -1 nogil:
        """The latest record waits for its label."""
        cdef Pending* last
        self.record.keep()
        self.pending.emplace_back()
        last = &self.pending.back()
        move_record(last.record, self.record)
        last.predicted, last.p_true = predicted, p_true
        last.file_number, last.line = self.reader.file_number, self.reader.record_line
        last.offset = self.reader.base + self.reader.record_start
        return 0

    cdef int settle(self, Record& r, int32_t predicted, double p_true) except -1 nogil:
        """A record's label has come: account for it, learn it."""
        self.account.settled_record(r, predicted, p_true)
        if self.watching and predicted >= 0 and r.label_code != MISSING:
            self.watch(r, predicted != r.label_code)
        if self.learning and r.label_code != MISSING and r.weight > 0:
            self.learner.fade_by(self.fading)
            self.learner.learn(r)
            self.account.learned_record(r)
            if self.window_size:
                self.slide(r)
        return 0

    cdef int slide(self, Record& r) except -1 nogil:
        """Takes a learned record into the window (`r` is empty then), and forgets the one that leaves it.

        Once as many were forgotten as the window holds, the sums are made anew from its records, so that
        rounding doesn't add up.
        """
        cdef size_t i
        self.window.emplace_back()
        swap_records(self.window.back(), r)
        if self.window.size() <= self.window_size:
            return 0
        self.forgotten += 1
        if self.forgotten < self.window_size:
            self.learner.schema.refresh(self.window.front())
            self.learner.unlearn(self.window.front())
            swap_records(self.window.front(), r)
            self.window.pop_front()
            return 0
        self.forgotten = 0
        self.window.pop_front()
        with gil:
            self.learner.reset()
        for i in range(self.window.size()):
            self.learner.learn(self.window[i])
        return 0

    cdef int watch(self, Record& r, bint wrong) except -1 nogil:
        """Tells the watcher of a scored record, and does what its answer asks for."""
        cdef int signal
        with gil:
            signal = self.watcher.saw(wrong, self.account.records)
        if signal == DRIFT:
            self.start_anew()
        elif signal == STEADY:
            self.since_warning.clear()
        elif self.learning and r.weight > 0:
            self.note(r)
        return 0

    cdef int note(self, Record& r) except -1 nogil:
        """Keeps a copy of a record that came under a warning."""
        if self.since_warning.size() == MOST_NOTED:
            self.since_warning.pop_front()
        self.since_warning.emplace_back()
        self.since_warning.back().copy(r)
        return 0

    cdef int start_anew(self) except -1 nogil:
        """Forgets all but the records since the warning."""
        cdef size_t i
        with gil:
            self.learner.reset()
        self.window.clear()
        self.forgotten = 0
        for i in range(self.since_warning.size()):
            self.learner.schema.refresh(self.since_warning[i])
            self.learner.fade_by(self.fading)
            self.learner.learn(self.since_warning[i])
            if self.window_size:
                self.slide(self.since_warning[i])
        self.since_warning.clear()
        return 0

    cdef int settle_first(self) except -1 nogil:
        self.learner.schema.refresh(self.pending.front().record)
        self.settle(self.pending.front().record, self.pending.front().predicted, self.pending.front().p_true)
        self.pending.pop_front()
        return 0

    def waiting(self) -> list:
        """(predicted label's code, probability of the true one) of the records whose labels are still out."""
        cdef size_t i
        return [(self.pending.at(i).predicted, self.pending.at(i).p_true) for i in range(self.pending.size())]

    def start_again(self) -> tuple:
        """Where a later run must begin to read: at the first record that waits, else at the latest one."""
        if self.pending.size():
            return self.pending.front().file_number, self.pending.front().offset, self.pending.front().line
        return self.reader.file_number, self.reader.base + self.reader.record_start, self.reader.record_line

    def read_again(self, Reader reader not None, list waiting not None):
        """Reads a record that was answered before; it waits for its label as the first of `waiting` says.

        Returns READ_AGAIN, or why there was none: NEEDS_BYTES, IS_MALFORMED.
        """
        cdef Status status = reader.next(self.record)
        self.reader = reader
        if status == RECORD and waiting:
            predicted, p_true = waiting.pop(0)
            if not -1 <= predicted < <long>self.learner.schema.labels.size():
                raise ModelFileError("a prediction is of no known label")
            self.keep(predicted, p_true)
        return status

    def settle_all(self):
        """The stream has ended: the labels that are still out come in."""
        while self.pending.size():
            self.settle_first()
