# Counts of pairs of values by class (pair_counts.hpp), and the records that wait to be counted.
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

cdef extern from "statistics/pair_counts.hpp" namespace "streambayes" nogil:
    cdef cppclass PairCounts:
        size_t stride
        vector[size_t] room                    # of each attribute: values there is room for
        size_t size()
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

    cdef cppclass WaitingRecord:
        vector[int32_t] attribute
        vector[int32_t] code
        vector[double] x
        int32_t label
        double w
