# What GAODE and HAODE share: a sum over superparents, each term a product over all other attributes.
# A term is kept as g exp(t), class by class, and the sum is taken in a common scale.
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.children cimport ChildCounts, ChildMoments, Children
from ..statistics.tables cimport CountTable, Scores
from .naive_bayes cimport NaiveBayes

# Where the factors of one term are multiplied up; rows of `stride` classes.
cdef struct Term:
    double* above        # probabilities: products of numerators ...
    double* below        # ... and of denominators
    double* v_above      # variances in units of the attribute's own, likewise
    double* v_below
    double* q            # sum of (x - mu)^2 / variance
    double* extra        # sum of logarithms of factors out of range
    double* nothing      # zeros: the sums of what was never seen
    int64_t* e           # powers of two of above / below
    int64_t* v_e
    bint tame            # no x is so far out that products of two squares overflow, and w isn't tiny
    int64_t few          # how many variances may be multiplied before `divide`
    int64_t densities    # how many normal densities: a (2 pi)^(-1/2) each
    int64_t factors      # how many probabilities

cdef class OneDependence(NaiveBayes):
    cdef double limit
    cdef bint by_mutual_information
    cdef vector[Children] children      # by parent attribute
    cdef vector[int32_t] place          # of an attribute among those of its kind

    # What a record adds to the sums of a parent's children.
    cdef int add_children(self, const Record& r, size_t parent, size_t row, size_t c, double w) except -1 nogil
    # The numeric attributes of a record, by place: x - origin (NaN: missing or constant), 1 / v, and
    # the mean of each class, of all where the class has none. Returns sum of log v.
    cdef double describe(self, const Record& r, double* x, double* one_by_v, double* mu, Term& t) noexcept nogil
    cdef void begin(self, Term& t, Scores& s) noexcept nogil
    cdef void times_joint(self, Term& t, const double* n, double size, double present, int C) noexcept nogil
    cdef void times_numeric_children(self, Term& t, size_t parent, size_t row, const double* x, const double* one_by_v,
                                     const double* mu) noexcept nogil
    cdef void times_nominal_children(self, Term& t, const Record& r, size_t parent, size_t row) noexcept nogil
    cdef void end(self, Term& t, double* scale, double* g, double weight) noexcept nogil
    cdef void sum_terms(self, Scores& s, const double* scale, const double* g, size_t terms, double constant) noexcept nogil
    cdef double mutual_information(self, const CountTable& t) noexcept nogil
    cdef bint as_logs(self, double N) noexcept nogil
    cdef double values_of(self, size_t a, int32_t code) noexcept nogil
    cdef size_t rows_of_parent(self, size_t a)
    cdef int merge_children(self, size_t mine, OneDependence o, size_t theirs, list rows, list labels, list attributes,
                            list values) except -1

cdef inline bint above_limit(double n, double limit) noexcept nogil:
    # n > limit, where a relative 1e-9 doesn't count
    return n > limit * (1 + 1e-9)
