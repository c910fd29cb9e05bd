# Discretising in one pass. The first `warmup` values of a numeric attribute are kept; they give at
# most `bins` fine bins (low, high], which from then on only count. The bins that learners use are
# runs of fine bins, so that moving a cut loses nothing.
#
#     bins = FineBins()            one per numeric attribute, at the start `stride` classes wide:
#     start_bins_on(bins, edges, stride)   edges: those that were given, or None
#     learn_value(...)             SETTLED or CUT when the bins of old values may have changed;
#                                  until `bins.settled` they may with every value
#     refresh_bins(...)            before reading, where values were learned or forgotten since
#     find_bin(bins, x)            the bin, an index into bins.coarse (n(c, bin); distinct = |A|)
#     find_fine_bin(bins, x)       the fine bin, for sums of one's own; bins.bin[fine] is its bin
from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from .tables cimport CountTable

cdef extern from "statistics/fine_bins.hpp" namespace "streambayes" nogil:
    cdef cppclass KeptValue:
        double x
        double w
        int32_t label

    cdef cppclass FineBins:
        size_t held()
        vector[KeptValue] kept    # the warm-up's values in learned order; empty once settled
        vector[double] edges      # ascending; fine bin f is (edges[f-1], edges[f]]
        vector[int32_t] bin       # of each fine bin the bin that learners use
        vector[double] n          # n(c, fine bin): rows of `stride`
        CountTable coarse         # n(c, bin), n(c, A present), distinct = number of bins
        int64_t records           # that have the attribute
        int64_t records_when_cut
        cbool settled             # the warm-up is over, the fine bins stay
        cbool fixed               # edges from a file
        cbool frozen              # the owner can't follow a cut that moves: none is made any more
        cbool stale               # refresh_bins has work to do

    bint same_edges(const FineBins& a, const FineBins& b)
    bint same_bins(const FineBins& a, const FineBins& b)
    void sort_by_value(vector[KeptValue]& v)

cdef struct BinRule:
    int64_t bins
    int64_t warmup
    bint equal_frequency
    double one                # a weight of 1 in the unit of the counts (learners/base.pyx)

cdef enum:
    SETTLED = 1   # what learn_value answers: the warm-up is over, fine bins and bins are there to stay
    CUT = 2       # bins.bin has changed

cdef inline int32_t find_fine_bin(const FineBins& f, double x) noexcept nogil:
    # How many edges are below x; the steps depend on their number alone.
    cdef const double* first = f.edges.data()
    cdef const double* at = first
    cdef size_t n = f.edges.size(), half
    if n == 0:
        return 0
    while n > 1:
        half = n >> 1
        at += half & (0 - <size_t>(at[half - 1] < x))  # half or 0: a branch would be guessed wrong every other time
        n -= half
    return <int32_t>(at - first) + (at[0] < x)

cdef inline int32_t find_bin(const FineBins& f, double x) noexcept nogil:
    return f.bin.data()[find_fine_bin(f, x)]

cdef BinRule rule_of(dict parameters) except *
cdef int start_bins_on(FineBins& f, object edges, size_t stride) except -1
cdef int restride_bins(FineBins& f, size_t old_stride, size_t stride) except -1 nogil
cdef int learn_value(FineBins& f, double x, int32_t fine, size_t c, double w, size_t stride,
                     const BinRule& rule) except -1 nogil
cdef int forget_value(FineBins& f, double x, size_t c, double w, size_t stride) except -1 nogil
cdef int refresh_bins(FineBins& f, size_t stride, const BinRule& rule) except -1 nogil
cdef int check_edges(const FineBins& f, const FineBins& other, object name) except -1
cdef int merge_bins(FineBins& f, size_t stride, const FineBins& other, size_t others_stride,
                    const vector[int32_t]& labels, const BinRule& rule) except -1 nogil
cdef int scale_bins(FineBins& f, double factor) except -1 nogil
cdef list cuts_of(const FineBins& f)
cdef dict export_bins(const vector[FineBins]& bins, const vector[int32_t]& attributes, size_t labels, size_t stride)
cdef int import_bins(vector[FineBins]& bins, const vector[int32_t]& attributes, dict sums, size_t labels,
                     size_t stride, const BinRule& rule) except -1
