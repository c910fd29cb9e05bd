# Counts of the values of a nominal attribute by class. Whole numbers stay exact up to 2^53.
from libc.stdint cimport int32_t
from .tables cimport CountTable

cdef inline double row_total(const double* row, size_t classes) noexcept nogil:
    # n(v) = sum over c of n(c, v)
    cdef double total = 0
    cdef size_t c
    for c in range(classes):
        total += row[c]
    return total

cdef inline double counted(double n, double w) noexcept nogil:
    # n + w; what forgetting leaves below 1e-9 counts as none
    n += w
    return 0.0 if w < 0 and n < 1e-9 else n

cdef inline void count(CountTable& t, size_t code, size_t c, size_t stride, bint declared, double w) noexcept nogil:
    # n(c, v) += w,  n(c, A present) += w;  |A| follows when n(v) leaves or reaches 0
    cdef double* row = t.n.data() + code * stride
    cdef double before = row[c]
    row[c] = counted(before, w)
    t.present[c] = counted(t.present[c], w)
    if declared or (before > 0) == (row[c] > 0):
        return
    if row_total(row, stride) == (row[c] if row[c] > 0 else 0.0):
        t.distinct += 1 if row[c] > 0 else -1
