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
    """

    def __init__(self, Learner learner not None, Account account not None, RecordWriter writer=None, delay=0,
                 learning=True):
        self.learner = learner
        self.account = account
        self.writer = writer
        self.printing = writer is not None
        self.delay = delay if delay > 1 else 0
        self.learning = learning

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
        if self.learning and r.label_code != MISSING and r.weight > 0:
            self.learner.learn(r)
            self.account.learned_record(r)
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
