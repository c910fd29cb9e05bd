# Naive Bayes' counts and those of pairs: what AODE learns.
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.pair_counts cimport PairCounts, WaitingRecord
from .discrete_naive_bayes cimport DiscreteNaiveBayes

cdef class PairedCounts(DiscreteNaiveBayes):
    # Pairs are between items: an item is an attribute, whose codes are its values or bins, or
    # «A_i is present», with the one code 0, from when A_i is missing first.
    cdef vector[int32_t] item_of         # of an attribute
    cdef vector[int32_t] presence_of     # its other item; -1 while it was never missing
    cdef vector[int32_t] source          # of an item, the attribute
    cdef vector[char] joined             # of an attribute: its pairs with others that are joined are counted
    cdef PairCounts coarse               # values and bins; what is asked when scoring. There is room for every
                                         # code that has a count: blocks are read without looking at their size
    cdef PairCounts fine                 # pairs with a fine bin, of attributes whose cuts may move
    cdef bint frozen                     # there is no room for `fine`: cuts stay where they are
    cdef vector[WaitingRecord] waiting   # records with a value of an attribute that isn't joined
    cdef size_t counted_waiting          # so many of them are in `coarse`, which is a cache for such attributes
    cdef bint cache_stale                # it is to be made anew ...
    cdef vector[char] changed            # ... or for these items only
    cdef bint totals_moved               # n(c, v) has changed beyond the rows of the latest record
    cdef bint waits                      # the latest record has a value of an attribute that isn't joined
    # the record at hand, by attribute: its code and fine code, and its items
    cdef vector[int32_t] cell
    cdef vector[int32_t] fine_cell
    cdef vector[int32_t] items
    cdef vector[int32_t] codes
    cdef vector[int32_t] fine_codes
    cdef vector[char] flags              # JOINED, FOLLOWS, PRESENCE
    cdef vector[double*] cells
    cdef vector[int64_t] item_room
    cdef vector[int64_t] item_at

    cdef bint follows(self, size_t a) noexcept nogil
    cdef int add_item(self, size_t a) except -1 nogil
    cdef int track_presence(self, size_t a, bint was_present) except -1 nogil
    cdef bint was_missing(self, size_t a) noexcept nogil
    cdef int presence_from_counts(self, size_t a) except -1 nogil
    cdef int read_cells(self, const Record& r) except -1 nogil
    cdef int read_waiting(self, const WaitingRecord& t) except -1 nogil
    cdef int list_items(self) except -1 nogil
    cdef int count_pair(self, size_t u, size_t v, size_t c, double w) except -1 nogil
    cdef int count_pairs(self, size_t c, double w) except -1 nogil
    cdef int wait(self, const Record& r, size_t c, double w) except -1 nogil
    cdef int stop_waiting(self, const Record& r, size_t c, double w) except -1 nogil
    cdef int join(self, size_t a) except -1 nogil
    cdef int let_go(self) except -1 nogil
    cdef int freeze_without_room(self) except -1 nogil
    cdef int freeze(self) except -1 nogil
    cdef int move_cuts(self, size_t a) except -1 nogil
    cdef int bins_of(self, size_t item, vector[int32_t]& bins) except -1 nogil
    cdef int refresh_pairs(self) except -1 nogil
    cdef bint is_joined(self, size_t item) noexcept nogil
    cdef int count_pair_in_cache(self, size_t u, size_t v, size_t c, double w) except -1 nogil
    cdef bint joined_elsewhere(self, vector[char]& there, size_t u) noexcept nogil
    cdef int merge_presence(self, PairedCounts o, list labels, list attributes, list values) except -1
    cdef int merge_pairs(self, PairedCounts o, list labels, list attributes, list values) except -1
    cdef int merge_waiting(self, PairedCounts o, list labels, list attributes, list values) except -1
    cdef list blocks_saved(self)
    cdef size_t codes_of(self, size_t item, bint fine)
    cdef dict export_blocks(self, const PairCounts* pairs, str name, bint fine)
    cdef int import_blocks(self, PairCounts* pairs, str name, dict sums, bint fine) except -1
