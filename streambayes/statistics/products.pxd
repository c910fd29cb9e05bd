# Products of many factors without underflow and with one logarithm at the end: each factor
# f = s 2^e (1 <= s < 2) is split by its bits, s is multiplied and e added up.
from libc.math cimport log
from libc.stdint cimport int64_t, uint64_t

cdef extern from * nogil:
    """
    #include <cstdint>
    #include <cstring>
    static inline uint64_t streambayes_bits(double x) { uint64_t b; std::memcpy(&b, &x, 8); return b; }
    static inline double streambayes_double(uint64_t b) { double x; std::memcpy(&x, &b, 8); return x; }
    static inline double streambayes_either(bool c, double a, double b) { return c ? a : b; }
    typedef double *__restrict__ streambayes_row;
    typedef const double *__restrict__ streambayes_const_row;
    typedef int64_t *__restrict__ streambayes_exponents;
    """
    uint64_t bits "streambayes_bits" (double x)
    double from_bits "streambayes_double" (uint64_t b)
    # a if c else b, as one expression: branches inside a loop would keep it from vectorising.
    double either "streambayes_either" (bint c, double a, double b)
    # Rows that don't overlap: without the promise the loops over classes don't vectorise.
    ctypedef double* row_t "streambayes_row"
    ctypedef const double* const_row_t "streambayes_const_row"
    ctypedef int64_t* exponents_t "streambayes_exponents"

cdef enum:
    FEW = 6             # factors between 1e-17 and 1e18 whose product, and quotient, is in range
    RENORMALISE = 512   # significands are below 2, so 1023 of them are the most that fit

cdef inline void multiply(double* significand, int64_t* exponent, double factor) noexcept nogil:
    # factor: a normal positive double. The exponent's bias (1023) is added with each factor.
    cdef uint64_t b = bits(factor)
    exponent[0] += <int64_t>(b >> 52)
    significand[0] *= from_bits((b & <uint64_t>0x000FFFFFFFFFFFFF) | <uint64_t>0x3FF0000000000000)

cdef inline double log_product(double significand, int64_t exponent, int64_t factors) noexcept nogil:
    return log(significand) + <double>(exponent - 1023 * factors) * 0.6931471805599453

cdef inline void renormalise(row_t significands, exponents_t exponents, size_t n) noexcept nogil:
    # Significands back to 1 <= s < 2; the product stays what it is.
    cdef size_t c
    cdef uint64_t b
    for c in range(n):
        b = bits(significands[c])
        exponents[c] += <int64_t>(b >> 52) - 1023
        significands[c] = from_bits((b & <uint64_t>0x000FFFFFFFFFFFFF) | <uint64_t>0x3FF0000000000000)

cdef inline void divide(row_t above, row_t below, exponents_t exponents, size_t n) noexcept nogil:
    # above = significand of above / below, exponents += its power of two, below = 1
    cdef size_t c
    for c in range(n):
        above[c] /= below[c]
        below[c] = 1.0
    renormalise(above, exponents, n)
