# Contest: the prequential loop for several learners that share one reading and one schema.
from cpython.object cimport PyObject
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.reader cimport Reader
from ..records.record cimport Record
from ..records.schema cimport Schema
from ..statistics.tables cimport Scores

cdef extern from "evaluation/contest.hpp" namespace "streambayes" nogil:
    cdef cppclass Answered:
        Record record
        vector[int32_t] predicted
        vector[double] p_true
    cdef cppclass AnsweredQueue:
        size_t size()
        Answered& front()
        Answered& back()
        void emplace_back() except +
        void pop_front()

cdef class Contest:
    cdef readonly list learners
    cdef readonly list accounts
    cdef readonly long long records
    cdef readonly long long compared       # records that all learners were scored on
    cdef Schema schema
    cdef size_t size
    cdef vector[PyObject*] learner_at      # borrowed from the lists
    cdef vector[PyObject*] account_at
    cdef vector[long long] alone           # [i, j]: records that i got right and j wrong
    cdef vector[Scores] scores
    cdef vector[int32_t] predicted
    cdef vector[double] p_true
    cdef AnsweredQueue waiting
    cdef Record record
    cdef Reader reader
    cdef size_t delay

    cdef int loop(self, long long limit) except -1 nogil
    cdef int settle(self, Record& r, const int32_t* predicted, const double* p_true) except -1 nogil
    cdef int settle_first(self) except -1 nogil
