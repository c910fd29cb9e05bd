# Naive Bayes on nominal attributes and discretised numeric ones; what AODE adds its pairs to.
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.fine_bins cimport BinRule, FineBins
from ..statistics.tables cimport Scores
from .nominal cimport NominalCounts

cdef class DiscreteNaiveBayes(NominalCounts):
    cdef bint laplace
    cdef BinRule rule
    cdef vector[FineBins] bins          # by attribute: n(c, bin); unused for nominal ones
    cdef bint stale                     # bins in their warm-up are to be worked out before they are read

    cdef vector[char] happened          # by attribute: what learning its latest value brought (SETTLED, CUT)
    cdef bint any_happened

    cdef int add_counts(self, const Record& r, size_t c, double w) except -1 nogil
    cdef int begin(self, size_t a) except -1 nogil
    cdef int refresh(self) except -1 nogil
    # The value asked about: its code (a bin, of a numeric attribute), MISSING or UNSEEN.
    cdef int32_t code_of(self, const Record& r, size_t a) noexcept nogil
    # n(c, v) of a value, its attribute's n(c, A present), and |A|, counting the value asked about.
    cdef const double* row_of(self, size_t a, int32_t code, const double* nothing, const double** present,
                              double* size) noexcept nogil
    # Naive Bayes over the attributes with left[a] (all of them where `left` is NULL).
    cdef void score_as_naive_bayes(self, const Record& r, const char* left, Scores& s) noexcept nogil
