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
    cdef cppclass RecordQueue:
        size_t size()
        Record& operator[](size_t i)
        Record& front()
        Record& back()
        void emplace_back() except +
        void pop_front()
        void clear()

cdef extern from *:
    """
    #include <utility>
    template <class T> static inline void streambayes_move(T &to, T &from) { to = std::move(from); }
    """
    void move_record "streambayes_move" (Record& to, Record& origin) nogil
    void swap_records "std::swap" (Record& a, Record& b) nogil

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
    cdef double fading              # what all sums are multiplied by before a record is learned
    cdef size_t window_size         # how many records are remembered; 0: all are
    cdef RecordQueue window         # ... these
    cdef size_t forgotten           # records forgotten since the sums were made anew
    cdef object watcher             # is told of each error; None: nobody
    cdef bint watching
    cdef RecordQueue since_warning  # learned anew should the drift come that was warned of

    cdef int loop(self, long long limit) except -1 nogil
    cdef int keep(self, int32_t predicted, double p_true) except -1 nogil
    cdef int settle(self, Record& r, int32_t predicted, double p_true) except -1 nogil
    cdef int settle_first(self) except -1 nogil
    cdef int slide(self, Record& r) except -1 nogil
    cdef int watch(self, Record& r, bint wrong) except -1 nogil
    cdef int start_anew(self) except -1 nogil
    cdef int note(self, Record& r) except -1 nogil
