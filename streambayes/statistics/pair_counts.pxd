# Counts of pairs of values by class (pair_counts.hpp), and the records that wait to be counted.
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from .products cimport row_t

cdef extern from "statistics/pair_counts.hpp" namespace "streambayes" nogil:
    cdef cppclass PairCounts:
        size_t stride
        vector[size_t] room                    # of each attribute: values there is room for
        size_t size()
        size_t held()
        double* const* blocks_of(size_t j)     # of attribute j, by i < j: [a_j][a_i][c], NULL where not dense
        void add_attribute() except +
        double* find(size_t i, size_t a_i, size_t j, size_t a_j)      # i < j; NULL: nothing counted
        double* find_any(size_t i, size_t a_i, size_t j, size_t a_j)
        double* make(size_t i, size_t a_i, size_t j, size_t a_j) except +
        double* make_any(size_t i, size_t a_i, size_t j, size_t a_j) except +
        void grow(size_t a, size_t values) except +
        void set_stride(size_t stride) except +
        void drop(size_t i, size_t j)
        void clear()
        void scale(double f)
        vector[uint64_t] keys(size_t i, size_t j) except +   # a_j << 32 | a_i, ascending
        size_t bytes()

    void prefetch(const double* p)   # a hint; nothing is read

    cdef cppclass Two:               # two doubles in one register
        Two operator+(Two)
        Two operator*(Two)
    Two both(double x)
    Two two_at(const double* p)
    void put_two(double* p, Two x)

    cdef cppclass WaitingRecord:
        vector[int32_t] attribute
        vector[int32_t] code
        vector[double] x
        int32_t label
        double w

cdef struct Asked:        # values asked about, each of another attribute; all have room in the blocks
    size_t known
    int64_t* attribute
    int64_t* item
    int64_t* code
    int64_t* room         # how far one value is from the next in the blocks of later items ...
    int64_t* at           # ... and where this one is
    double* mp            # m/|A|
    const double** rows   # room for a pointer each
    double* nothing       # zeros, a class each

cdef inline const double* pair_of(const PairCounts& pairs, const double* const* blocks, const Asked& q, size_t x,
                                  size_t y) noexcept nogil:
    # n(c, a_x, a_y), x < y
    cdef const double* n = blocks[q.item[x]]
    if n != NULL:
        return n + (q.code[y] * q.room[x] + q.at[x])
    n = pairs.find(q.item[x], q.code[x], q.item[y], q.code[y])
    return n if n != NULL else q.nothing

# above[x] = the product over y != x of n(c, a_x, a_y) + mp[y], for all x
cdef void multiply_pairs_of_two(const PairCounts& pairs, const Asked& q, row_t above) noexcept nogil
cdef void multiply_pairs(const PairCounts& pairs, const Asked& q, double* above, int64_t* exponent, size_t stride,
                         size_t step) noexcept nogil
# n(c, a_i, a_j) by bins from that by fine bins; both items' codes there have a bin here
cdef int sum_pairs(PairCounts& to, const PairCounts& fine, size_t i, const vector[int32_t]& bin_i, size_t j,
                   const vector[int32_t]& bin_j) except -1 nogil
# n(c, a_u, a_v) += w for all pairs of n values; there is room for them all. `room`, `at`: to work in
cdef int count_pairs_of_values(PairCounts& pairs, const int32_t* item, const int32_t* code, size_t n, int64_t* room,
                               int64_t* at, size_t c, double w) except -1 nogil
