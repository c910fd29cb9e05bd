# AODE: the sum over superparents, from the counts of pairs.
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.pair_counts cimport Asked
from ..statistics.tables cimport Scores
from .pairs cimport PairedCounts

cdef class AODE(PairedCounts):
    cdef double limit
    cdef double critical
    cdef bint subsumption
    cdef bint by_information
    cdef vector[vector[double]] information   # by attribute and value: sum over c of n log n, less n(v) log n(v)

    cdef int note_information(self, const Record& r) except -1 nogil
    cdef int refresh_information(self) except -1 nogil
    cdef double mutual_information(self, size_t a) noexcept nogil
    cdef int room_to_score(self, size_t n) noexcept nogil
    cdef void sum_terms(self, const Asked& q, double* term, int64_t* exponent, const int64_t* below_exponent,
                        const double* weight, double* joint, int64_t* most) noexcept nogil
    cdef void weigh_by_information(self, const Asked& q, double* weight) noexcept nogil
    cdef void drop_implied(self, const Asked& q, const double* total, char* left) noexcept nogil
    cdef void score_by_logs(self, const Asked& q, Scores& s, const double* own, const double* present,
                            const double* size, const double* weight, const double* total, const int64_t* unknown,
                            size_t unknowns) noexcept nogil
