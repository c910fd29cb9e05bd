# Counts of the values of a nominal attribute by class. Whole numbers stay exact up to 2^53.
from .tables cimport CountTable

cdef inline double row_total(const double* row, size_t classes) noexcept nogil:
    # n(v) = sum over c of n(c, v), in two sums that don't wait for each other
    cdef double even = 0, odd = 0
    cdef size_t c
    for c in range(0, classes & ~<size_t>1, 2):
        even += row[c]
        odd += row[c + 1]
    if classes & 1:
        even += row[classes - 1]
    return even + odd

cdef inline double counted(double n, double w) noexcept nogil:
    # n + w; what forgetting leaves below 1e-9 counts as none
    n += w
    return 0.0 if w < 0 and n < 1e-9 else n

cdef inline int make_row(CountTable& t, size_t code, size_t stride) except -1 nogil:
    # Room for the counts of a value.
    if t.counts.size() <= code:
        t.counts.resize(code + 1, 0)
        t.n.resize((code + 1) * stride, 0.0)
    return 0

cdef inline void count(CountTable& t, size_t code, size_t c, size_t stride, double w) noexcept nogil:
    # n(c, v) += w,  n(c, A present) += w, for a value that has a row
    t.n[code * stride + c] += w
    t.present[c] += w
    if not t.counts[code]:
        t.counts[code] = 1
        t.distinct += 1

cdef inline void uncount(CountTable& t, size_t code, size_t c, size_t stride, bint declared, double w) noexcept nogil:
    # The inverse of count: |A| loses a value that has nothing left.
    cdef double* row = t.n.data() + code * stride
    row[c] = counted(row[c], -w)
    t.present[c] = counted(t.present[c], -w)
    if t.counts[code] and not declared and not row_total(row, stride) > 0:
        t.counts[code] = 0
        t.distinct -= 1
