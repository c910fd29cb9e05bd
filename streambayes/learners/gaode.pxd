# GAODE: numeric superparents by co-moments, nominal ones as in HAODE.
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.tables cimport Scores
from .one_dependence cimport OneDependence, Term

cdef class GAODE(OneDependence):
    cdef bint hugin
    cdef vector[double] c_ij        # by pair of numeric attributes (p < q: q (q-1)/2 + p): C_ij of each class
    cdef vector[int32_t] apart      # -1: the pair's moments are its attributes'; else its place in `own`
    cdef vector[double] own         # n, mean_p, mean_q, M2_p, M2_q (rows) over the records that have both
    cdef vector[double] deviations  # scratch: x - mean of each numeric attribute, before and after

    cdef int set_apart(self, size_t p, size_t q) except -1 nogil
    cdef int32_t pair_of(self, size_t p, size_t q) noexcept nogil
    cdef void times_class(self, Term& t, const Scores& s) noexcept nogil
    cdef void times_class_values(self, Term& t, const Record& r) noexcept nogil
    cdef void times_numeric_superparents(self, Term& t, double* scale, double* g) noexcept nogil
    cdef void times_any_regression(self, Term& t, size_t i, size_t j) noexcept nogil
    cdef int set_apart_empty(self, size_t p, size_t q) except -1 nogil
