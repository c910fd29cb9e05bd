# Sums over the children of a parent attribute (children.hpp): what AODE's, GAODE's and HAODE's
# superparents with discrete values hold.
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from .counts cimport counted, row_total
from .moments cimport Moments, added
from .products cimport const_row_t, either, kernel, row_t
from .tables cimport restride

cdef extern from "statistics/children.hpp" namespace "streambayes" nogil:
    cdef cppclass ChildMoments:
        ChildMoments()
        vector[double] data
        size_t rows
        size_t children
        size_t wide              # columns: one for each class, or one in all
        cbool parted             # each child has an n of its own
        size_t row_size()
        double* n(size_t row, size_t child)
        double* mean(size_t row, size_t child)
        double* m2(size_t row, size_t child)
        void make_room(size_t rows, size_t children, size_t width) except +
        void part(size_t known, size_t self) except +
        void unite(size_t known, size_t self) except +
        void restride(size_t old, size_t new) except +

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

cdef inline Moments moments_at(const ChildMoments& t, size_t row, size_t child, size_t column) noexcept nogil:
    cdef Moments m
    m.n, m.mean, m.m2 = t.n(row, child)[column], t.mean(row, child)[column], t.m2(row, child)[column]
    return m

cdef inline void put_moments(ChildMoments& t, size_t row, size_t child, size_t column, Moments m) noexcept nogil:
    t.n(row, child)[column], t.mean(row, child)[column], t.m2(row, child)[column] = m.n, m.mean, m.m2

cdef inline void add_at(row_t mean, row_t m2, const_row_t x, size_t first, size_t last, size_t step, double ratio,
                        double w, double least) noexcept nogil:
    # West's update (moments.pxd) of children first .. last - 1 that share w / n
    cdef size_t p
    cdef double d, m, s
    for p in range(first, last):
        m, s = mean[p * step], m2[p * step]
        d = x[p] - m
        m += d * ratio
        d = s + w * d * (x[p] - m)
        d = either(d < least * s, 0.0, d)
        mean[p * step] = m
        m2[p * step] = either(d == d, d, INFINITY)

cdef inline kernel add_row(row_t mean, row_t m2, const_row_t x, size_t children, size_t self, double ratio,
                           double w, double least) noexcept nogil:
    add_at(mean, m2, x, 0, self, 1, ratio, w, least)
    add_at(mean, m2, x, self + 1, children, 1, ratio, w, least)

cdef inline int add_moments(ChildMoments& t, size_t row, size_t column, const double* x, size_t children, size_t self,
                            double w) except -1 nogil:
    """Adds w of a record's numbers (NaN: missing) to a row; `self`, the parent's place, is left out."""
    cdef size_t p, wide = t.wide
    cdef double least = 1e-12 if w < 0 else 0.0  # what forgetting leaves below that is rounding
    cdef double* n
    if t.parted:
        for p in range(children):
            if x[p] == x[p] and p != self:
                put_moments(t, row, p, column, added(moments_at(t, row, p, column), x[p], w))
        return 0
    n = t.n(row, 0) + column
    if w < 0 and n[0] + w < 1e-9:
        n[0] = 0.0
        for p in range(t.children):
            t.mean(row, p)[column] = t.m2(row, p)[column] = 0.0
        return 0
    n[0] += w
    self = self if self < children else children
    if wide == 1:
        add_row(t.mean(row, 0), t.m2(row, 0), x, children, self, w / n[0], w, least)
        return 0
    add_at(t.mean(row, 0) + column, t.m2(row, 0) + column, x, 0, self, wide, w / n[0], w, least)
    add_at(t.mean(row, 0) + column, t.m2(row, 0) + column, x, self + 1, children, wide, w / n[0], w, least)
    return 0

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

cdef inline void scale_moments(ChildMoments& t, double f) noexcept nogil:
    cdef size_t row, p, c
    for row in range(t.rows):
        for p in range(t.children):
            for c in range(t.wide):
                if p == 0 or t.parted:
                    t.n(row, p)[c] *= f
                t.m2(row, p)[c] *= f
                if not t.n(row, p)[c] > 0:
                    t.mean(row, p)[c] = t.m2(row, p)[c] = 0.0

cdef inline void scale_counts(Children& t, double f) noexcept nogil:
    cdef size_t i, k
    for i in range(t.counts.size()):
        for k in range(t.counts[i].pool.size()):
            t.counts[i].pool[k] *= f
        for k in range(t.counts[i].present.size()):
            t.counts[i].present[k] *= f

cdef inline int restride_counts(Children& t, size_t old, size_t new) except -1 nogil:
    cdef size_t i
    for i in range(t.counts.size()):
        restride(t.counts[i].pool, old, new)
        restride(t.counts[i].present, old, new)
    return 0

# Counts of a nominal child as a model file has them: for each child the number of its cells (`sizes`), of
# each cell row << 32 | value (`keys`, ascending) and the counts of its classes (`cells`); and n(c, row,
# child present) of every row.
cdef inline int export_counts(const Children& t, size_t child, size_t rows, size_t labels, size_t stride,
                              vector[uint64_t]& sizes, vector[uint64_t]& keys, vector[double]& cells,
                              vector[double]& present) except -1 nogil:
    cdef vector[pair[uint64_t, int32_t]] own
    cdef const double* cell
    cdef size_t i, row, c, n = 0
    if child < t.counts.size() and rows:
        own = t.counts[child].cells()
    for i in range(own.size()):
        cell = t.counts[child].pool.data() + own[i].second * stride
        if row_total(cell, stride) > 0:  # what was forgotten leaves no trace
            keys.push_back(own[i].first)
            cells.insert(cells.end(), cell, cell + labels)
            n += 1
    sizes.push_back(n)
    for row in range(rows):
        for c in range(labels):
            i = row * stride + c
            present.push_back(t.counts[child].present[i] if child < t.counts.size()
                              and t.counts[child].present.size() > i else 0.0)
    return 0

# The inverse; `at_key` and `at_present`: how far the arrays were read. 1: a cell is out of its table.
cdef inline int import_counts(Children& t, size_t child, size_t rows, size_t values, size_t labels, size_t stride,
                              uint64_t size, const vector[uint64_t]& keys, size_t* at_key,
                              const vector[double]& cells, const vector[double]& present,
                              size_t* at_present) except -1 nogil:
    cdef size_t row, c
    cdef uint64_t i, key
    cdef int32_t place
    for i in range(size):
        key = keys[at_key[0]]
        if (key >> 32) >= rows or (<uint32_t>key) >= values or (i and key <= keys[at_key[0] - 1]):
            return 1
        place = t.counts[child].make(key >> 32, <uint32_t>key, stride)
        for c in range(labels):
            t.counts[child].pool[place * stride + c] = cells[at_key[0] * labels + c]
        at_key[0] += 1
    if rows:
        t.counts[child].present.resize(rows * stride, 0.0)
    for row in range(rows):
        for c in range(labels):
            t.counts[child].present[row * stride + c] = present[at_present[0]]
            at_present[0] += 1
    return 0

# Adds another's counts of a child to ours: its rows, values (empty: the same) and labels in our terms.
cdef inline int merge_counts(ChildCounts& t, size_t stride, const ChildCounts& other, size_t others_stride,
                             const vector[int32_t]& rows, const vector[int32_t]& values,
                             const vector[int32_t]& labels) except -1 nogil:
    cdef vector[pair[uint64_t, int32_t]] cells = other.cells()
    cdef size_t i, row, value, c
    cdef int32_t place
    for i in range(cells.size()):
        row, value = cells[i].first >> 32, <uint32_t>cells[i].first
        if row >= rows.size():
            continue
        place = t.make(rows[row], values[value] if values.size() else value, stride)
        for c in range(labels.size()):
            t.pool[place * stride + labels[c]] += other.pool[cells[i].second * others_stride + c]
    for row in range(min(other.present.size() // others_stride, rows.size())):
        if t.present.size() < (rows[row] + 1) * stride:
            t.present.resize((rows[row] + 1) * stride, 0.0)
        for c in range(labels.size()):
            t.present[rows[row] * stride + labels[c]] += other.present[row * others_stride + c]
    return 0
