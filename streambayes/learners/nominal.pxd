# The counts of nominal attributes, which all learners keep alike: n(c, v) and n(c, A present).
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.tables cimport CountTable
from .base cimport Learner

cdef class NominalCounts(Learner):
    cdef double m                       # the pseudo-counts are in the unit of the sums
    cdef double given_k                 # ... and here in weights
    cdef double given_m
    cdef vector[CountTable] counts      # by attribute; empty tables for numeric ones
    cdef vector[int32_t] nominal        # the attributes of each kind, as first learned
    cdef vector[int32_t] numeric

    cdef int add_values(self, const Record& r, size_t c, double w) except -1 nogil
    cdef int recount(self, size_t a) except -1 nogil
    cdef size_t rows_saved(self, size_t a)
