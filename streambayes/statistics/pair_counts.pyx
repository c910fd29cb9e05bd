"""Products over pairs of values, and their counting."""
from __future__ import annotations

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from .counts cimport row_total
from .products cimport const_row_t, kernel, renormalise, row_t


cdef inline void multiply_two(const PairCounts& pairs, const Asked& q, row_t above, bint all_items) noexcept nogil:
    cdef size_t x, y
    cdef Two even, odd, n_c, mp_y
    cdef const double* n
    cdef const double* const* blocks
    cdef const int64_t* item = q.item
    cdef const int64_t* room = q.room
    cdef const int64_t* at = q.at
    cdef const double* mp = q.mp
    cdef int64_t code
    for y in range(q.known):
        blocks = pairs.blocks_of(item[y])
        code = q.code[y]
        mp_y, even, odd = both(mp[y]), both(1.0), both(1.0)
        for x in range(y):
            n = blocks[x if all_items else item[x]]
            if n != NULL:
                n += code * room[x] + at[x]
            else:
                n = pair_of(pairs, blocks, q, x, y)
            n_c = two_at(n)
            put_two(above + 2 * x, two_at(above + 2 * x) * (n_c + mp_y))
            n_c = even * (n_c + both(mp[x]))
            even, odd = odd, n_c  # two products in turn, so that neither waits for the other
        put_two(above + 2 * y, even * odd)


cdef void multiply_pairs_of_two(const PairCounts& pairs, const Asked& q, row_t above) noexcept nogil:
    # for two classes, where no product leaves the range of doubles
    if q.known == pairs.size():
        multiply_two(pairs, q, above, True)
    else:
        multiply_two(pairs, q, above, False)


cdef inline void times_pair(row_t above_y, row_t above_x, const_row_t n, double mp_x, double mp_y,
                            size_t stride) noexcept nogil:
    cdef size_t c
    for c in range(stride):
        above_y[c] *= n[c] + mp_x
        above_x[c] *= n[c] + mp_y


cdef inline void multiply_row(const Asked& q, size_t y, double* above, int64_t* exponent, size_t stride,
                              size_t step) noexcept nogil:
    # The pairs of the y-th value with those before it, whose counts q.rows names.
    cdef size_t x, left = step
    for x in range(y):
        times_pair(above + y * stride, above + x * stride, q.rows[x], q.mp[x], q.mp[y], stride)
        left -= 1
        if left == 0:
            renormalise(above + y * stride, exponent + y * stride, stride)
            left = step


cdef kernel multiply_row_of_any(const Asked* q, size_t y, double* above, int64_t* exponent, size_t stride,
                                size_t step) noexcept nogil:
    if stride == 4:
        multiply_row(q[0], y, above, exponent, 4, step)
    else:
        multiply_row(q[0], y, above, exponent, stride & ~<size_t>3, step)  # known to be a multiple of four


cdef void multiply_pairs(const PairCounts& pairs, const Asked& q, double* above, int64_t* exponent, size_t stride,
                         size_t step) noexcept nogil:
    # at most `step` factors before a product is renormalised
    cdef size_t x, y, c
    cdef const double* const* blocks
    for y in range(q.known):
        blocks = pairs.blocks_of(q.item[y])
        for c in range(stride):
            above[y * stride + c] = 1.0
        for x in range(y):  # where the counts are, so that they come from memory together
            q.rows[x] = pair_of(pairs, blocks, q, x, y)
            prefetch(q.rows[x])
        if stride == 2:
            multiply_row(q, y, above, exponent, 2, step)
        else:
            multiply_row_of_any(&q, y, above, exponent, stride, step)
        if y >= step:
            renormalise(above + y * stride, exponent + y * stride, stride)
        if y % step == 0:
            renormalise(above, exponent, y * stride)


cdef int sum_pairs(PairCounts& to, const PairCounts& fine, size_t i, const vector[int32_t]& bin_i, size_t j,
                   const vector[int32_t]& bin_j) except -1 nogil:
    cdef size_t a_i, a_j, c, stride = to.stride
    cdef const double* n
    cdef double* sums
    to.drop(i, j)
    for a_j in range(bin_j.size()):
        for a_i in range(bin_i.size()):
            n = fine.find(i, a_i, j, a_j)
            if n == NULL or not row_total(n, stride) > 0:
                continue
            sums = to.make(i, bin_i[a_i], j, bin_j[a_j])
            for c in range(stride):
                sums[c] += n[c]
    return 0


cdef int count_pairs_of_values(PairCounts& pairs, const int32_t* item, const int32_t* code, size_t n, int64_t* room,
                               int64_t* at, size_t c, double w) except -1 nogil:
    cdef size_t u, v
    cdef double* cells
    cdef double* const* blocks
    cdef int64_t row
    cdef bint all_items = n == pairs.size()
    for v in range(n):
        blocks = pairs.blocks_of(item[v])
        row = code[v]
        for u in range(v if all_items else 0):
            cells = blocks[u]
            if cells != NULL:
                cells[row * room[u] + at[u]] += w
            else:
                pairs.make(u, code[u], v, code[v])[c] += w
        for u in range(0 if all_items else v):
            cells = blocks[item[u]]
            if cells != NULL:
                cells[row * room[u] + at[u]] += w
            else:
                pairs.make(item[u], code[u], item[v], code[v])[c] += w
        room[v] = pairs.room[item[v]] * pairs.stride
        at[v] = code[v] * pairs.stride + c
    return 0
