# What GAODE and HAODE share: a sum over superparents, each term a product over all other attributes.
# A term is kept as g exp(t), class by class, and the sum is taken in a common scale.
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.counts cimport row_total
from ..statistics.children cimport ChildMoments, Children
from ..statistics.tables cimport CountTable, Scores
from .naive_bayes cimport NaiveBayes

# What a record looks like to all its terms, and where the factors of one term are multiplied up.
cdef struct Term:
    # by place among the numeric attributes
    double* x            # x - origin; NaN: missing or constant
    double* one_by_v     # 1 / v
    double* mu           # rows of classes: the mean of each class, of all where the class has none
    double* unknown      # rows of zeros: the M2 of children that were never seen
    double* room         # the learner's own, behind that
    int64_t* present     # the places that are not missing or constant ...
    size_t count         # ... and how many they are
    bint tame            # w > 0, no floor is reached, and products of squares stay in the range of doubles
    int64_t few          # how many variances may be multiplied before `divide_out` ...
    int64_t few_pairs    # ... and how many shares 1 - r^2 of variances
    double* nothing      # zeros: the sums of what was never seen
    # rows of classes
    double* above        # probabilities: products of numerators ...
    double* below        # ... and of denominators ...
    double* powers       # ... and the powers of two of above / below
    double* v_above      # variances in units of the attribute's own, likewise
    double* v_below
    double* v_powers
    double* q            # sum of (x - mu)^2 / variance
    double* extra        # sum of logarithms of factors out of range
    double* common       # two rows: the factor that several terms share, as g exp(scale)
    int64_t densities    # how many normal densities: a (2 pi)^(-1/2) each
    int64_t factors      # how many probabilities

cdef class OneDependence(NaiveBayes):
    cdef double limit
    cdef bint by_mutual_information
    cdef vector[Children] children      # by parent attribute
    cdef vector[int32_t] place          # of an attribute among those of its kind
    cdef vector[double] numbers         # scratch: a record's x - origin, by place

    cdef size_t own_place(self, size_t a) noexcept nogil
    cdef bint take(self, const Record& r) except -1 nogil
    cdef int make_child_room(self, ChildMoments& t, size_t parent, size_t rows, size_t width, bint whole) except -1 nogil
    cdef int admit_children(self, ChildMoments& t, size_t parent, size_t known) except -1 nogil
    # What a record (of which `take` was called) adds to the sums of a parent's children.
    cdef int add_children(self, const Record& r, bint whole, size_t parent, size_t row, size_t c, double w) except -1 nogil
    # Fills in the upper part of a Term; answers sum of log v. `begin` to `end`: one term.
    cdef double describe(self, const Record& r, Scores& s, Term& t) noexcept nogil
    cdef void begin(self, Term& t) noexcept nogil
    cdef void times_joint(self, Term& t, const double* n, double size, double present, int C) noexcept nogil
    cdef void times_numeric_children(self, Term& t, size_t parent, size_t row) noexcept nogil
    cdef void times_nominal_children(self, Term& t, const Record& r, size_t parent, size_t row) noexcept nogil
    cdef void end(self, Term& t, double* scale, double* g, double weight) noexcept nogil
    cdef void sum_terms(self, Scores& s, const double* scale, const double* g, size_t terms, double constant) noexcept nogil
    cdef double mutual_information(self, const CountTable& t) noexcept nogil
    cdef bint as_logs(self, double N) noexcept nogil
    cdef double values_of(self, size_t a, int32_t code) noexcept nogil
    cdef size_t rows_of_parent(self, size_t a)
    cdef int merge_children(self, size_t mine, OneDependence o, size_t theirs, list rows, list labels, list attributes,
                            list values) except -1

cdef inline bint above_limit(const double* n, size_t classes, double limit) noexcept nogil:
    # n(a_j) > limit, where a relative 1e-9 doesn't count
    return row_total(n, classes) > limit * (1 + 1e-9)
