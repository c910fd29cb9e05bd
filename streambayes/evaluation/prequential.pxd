# Prequential: the one loop. Each record is predicted, accounted for and printed, then learned.
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..learners.base cimport Learner
from ..records.reader cimport Reader, Status
from ..records.record cimport Record
from ..records.writer cimport RecordWriter
from ..statistics.tables cimport Scores
from .account cimport Account

cdef extern from "evaluation/pending.hpp" namespace "streambayes" nogil:
    cdef cppclass Pending:
        Record record
        int32_t predicted
        double p_true
        long file_number
        size_t offset
        size_t line
    cdef cppclass PendingQueue:
        size_t size()
        Pending& at "operator[]" (size_t i)
        Pending& front()
        Pending& back()
        void emplace_back() except +
        void pop_front()

cdef extern from *:
    """
    #include <utility>
    template <class T> static inline void streambayes_move(T &to, T &from) { to = std::move(from); }
    """
    void move_record "streambayes_move" (Record& to, Record& origin) nogil

cdef class Prequential:
    cdef Learner learner
    cdef Account account
    cdef RecordWriter writer
    cdef Reader reader
    cdef Record record
    cdef Scores scores
    cdef PendingQueue pending
    cdef size_t delay
    cdef bint learning
    cdef bint printing

    cdef int loop(self, long long limit) except -1 nogil
    cdef int keep(self, int32_t predicted, double p_true) except -1 nogil
    cdef int settle(self, Record& r, int32_t predicted, double p_true) except -1 nogil
    cdef int settle_first(self) except -1 nogil
