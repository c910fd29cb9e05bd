# HAODE: superparents with discrete values (nominal ones, and numeric ones in bins).
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.children cimport Children
from ..statistics.fine_bins cimport BinRule, FineBins
from ..statistics.tables cimport CountTable
from .one_dependence cimport OneDependence

cdef extern from "statistics/kept_records.hpp" namespace "streambayes" nogil:
    cdef cppclass KeptRecord:
        KeptRecord()
        vector[double] x
        vector[int32_t] code
        int32_t label
        double w

cdef class HAODE(OneDependence):
    cdef bint raw_units
    cdef BinRule rule
    cdef vector[FineBins] bins            # by attribute; unused for nominal ones
    # Of a numeric parent, `children` has a row per bin. They are sums over the rows of `fine`, one for
    # each fine bin and class (row = fine bin x stride + class), so that a record adds to memory in one run.
    cdef vector[Children] fine
    cdef vector[KeptRecord] kept          # records that a warm-up still needs ...
    cdef vector[vector[int32_t]] kept_by  # ... and which of them has a value of the parent, by attribute
    cdef vector[vector[double]] worked_out_cuts   # the cuts that a warm-up's `children` were worked out for ...
    cdef vector[int64_t] worked_out       # ... from so many kept records; -1: anew
    cdef vector[int32_t] fine_bin         # scratch: a record's fine bins, by place
    cdef bint stale                       # a warm-up has records that `children` lacks

    cdef int keep(self, const Record& r, size_t c, double w) except -1 nogil
    cdef int forget_kept(self, const Record& r, size_t c, double w) except -1 nogil
    cdef int settle_parent(self, size_t a) except -1 nogil
    cdef int fold(self, size_t a) except -1 nogil
    cdef int add_fine(self, size_t a, size_t row, const int32_t* code, bint whole, size_t c, double w) except -1 nogil
    cdef bint take_kept(self, const KeptRecord& k) except -1 nogil
    cdef int add_kept(self, size_t a, const KeptRecord& k) except -1 nogil
    cdef int work_out_warm_ups(self) except -1 nogil
    cdef int restride_fine(self, size_t old_stride) except -1 nogil
    cdef int release_kept(self) except -1 nogil
    cdef int begin_bins(self, size_t a) except -1 nogil
    cdef const CountTable* superparent(self, const Record& r, size_t a, const double* x, size_t* row) noexcept nogil
    cdef int find_fine(self, const Record& r, size_t c) except -1 nogil
