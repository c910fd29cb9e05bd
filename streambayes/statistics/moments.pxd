# Weighted moments: n, mean, M2; no standard deviation, no ddof, no floor.
# Values are measured from the attribute's origin (the first value learned), never squared raw.
#   add     West (1979): n += w;  d = x - mean;  mean += d w/n;  M2 += w d (x - mean)
#   merge   Chan, Golub, LeVeque (1979), eq. 2.1
#   forget  add with a negative w; what is left below 1e-9 is nothing
from libc.math cimport INFINITY

from .tables cimport MomentsTable


cdef struct Moments:
    double n
    double mean
    double m2

cdef inline Moments added(Moments m, double x, double w) noexcept nogil:
    cdef double d = x - m.mean, before = m.m2
    m.n += w
    if w < 0 and m.n < 1e-9:
        m.n = m.mean = m.m2 = 0.0
        return m
    m.mean += d * (w / m.n)
    m.m2 += w * d * (x - m.mean)
    if not m.m2 >= 0:  # beyond the doubles (inf - inf) it stays so
        m.m2 = 0.0 if m.m2 < 0 else INFINITY
    elif w < 0 and m.m2 < 1e-12 * before:
        m.m2 = 0.0  # rounding is all that is left
    return m

cdef inline Moments merged(Moments a, Moments b) noexcept nogil:
    cdef double n = a.n + b.n, d = b.mean - a.mean
    if b.n <= 0:
        return a
    if a.n <= 0:
        return b
    a.m2 += b.m2 + d * d * (a.n * (b.n / n))
    a.mean += d * (b.n / n)
    a.n = n
    return a

cdef inline Moments scaled(Moments m, double f) noexcept nogil:
    m.n *= f
    m.m2 *= f
    if not m.n > 0:
        m.n = m.mean = m.m2 = 0.0
    return m

cdef inline Moments get(const MomentsTable& t, size_t c) noexcept nogil:
    cdef Moments m
    m.n, m.mean, m.m2 = t.n[c], t.mean[c], t.m2[c]
    return m

cdef inline void put(MomentsTable& t, size_t c, Moments m) noexcept nogil:
    t.n[c] = m.n
    t.mean[c] = m.mean
    t.m2[c] = m.m2

cdef inline double variance(double n, double m2, double v, double w) noexcept nogil:
    return variance_in(n, m2, v, w, 1.0)

cdef inline double variance_in(double n, double m2, double v, double w, double one) noexcept nogil:
    # v_c = (M2_c + w v) / (max(n_c - 1, 0) + w);  v where the denominator is 0;  at least 1e-9 v
    # n, M2 and w in a unit in which a weight of 1 is `one`
    cdef double denominator = (n - one if n > one else 0.0) + w
    cdef double v_c = (m2 + w * v) / denominator if denominator > 0 else v
    return v_c if v_c > 1e-9 * v else 1e-9 * v
