# Sums over the children of a parent attribute (children.hpp): what AODE's, GAODE's and HAODE's
# superparents with discrete values hold.
from libc.stdint cimport int32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from .counts cimport counted
from .moments cimport Moments, added

cdef extern from "statistics/children.hpp" namespace "streambayes" nogil:
    cdef cppclass ChildMoments:
        ChildMoments()
        vector[double] data
        size_t rows
        size_t children
        double* at(size_t row, size_t child, size_t stride)
        void make_room(size_t rows, size_t children, size_t stride) except +

    cdef cppclass ChildCounts:
        vector[double] pool      # rows of classes: n(c, row, value)
        vector[double] present   # rows of classes: n(c, row, child present)
        int32_t find(size_t row, size_t value)
        int32_t make(size_t row, size_t value, size_t stride) except +
        vector[pair[uint64_t, int32_t]] cells() except +

    cdef cppclass Children:
        Children()
        size_t held()
        ChildMoments moments
        vector[ChildCounts] counts

cdef inline void add_moments(double* cell, size_t c, size_t stride, double x, double w) noexcept nogil:
    # cell: n, mean and M2 of one row and child, `stride` classes each
    cdef Moments m
    m.n, m.mean, m.m2 = cell[c], cell[stride + c], cell[2 * stride + c]
    m = added(m, x, w)
    cell[c], cell[stride + c], cell[2 * stride + c] = m.n, m.mean, m.m2

cdef inline int add_count(ChildCounts& t, size_t row, size_t value, size_t c, size_t stride, double w) except -1 nogil:
    # n(c, row, value) += w and n(c, row, child present) += w
    cdef int32_t place = t.find(row, value)
    if place < 0:
        if w < 0:
            return 0
        place = t.make(row, value, stride)
    t.pool[place * stride + c] = counted(t.pool[place * stride + c], w)
    t.present[row * stride + c] = counted(t.present[row * stride + c], w)
    return 0
