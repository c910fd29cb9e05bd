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
    // Compiled twice, for two lanes and for four, and chosen when the module is loaded. There is no fused
    // multiplication in either, so both give the same bits.
    #if defined(__GNUC__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
    #define STREAMBAYES_KERNEL __attribute__((target_clones("avx2", "default"))) void
    #else
    #define STREAMBAYES_KERNEL void
    #endif
    """
    # What a function returns that has loops over classes, or children, and is worth compiling for wide registers.
    ctypedef void kernel "STREAMBAYES_KERNEL"
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

cdef inline double significand_of(double x) noexcept nogil:
    # 1 <= s < 2 of x = s 2^power; for a normal positive double
    return from_bits((bits(x) & <uint64_t>0x000FFFFFFFFFFFFF) | <uint64_t>0x3FF0000000000000)

cdef inline void multiply(double* significand, int64_t* exponent, double factor) noexcept nogil:
    # factor: a normal positive double. The exponent's bias (1023) is added with each factor.
    exponent[0] += <int64_t>(bits(factor) >> 52)
    significand[0] *= significand_of(factor)

cdef inline double log_product(double significand, int64_t exponent, int64_t factors) noexcept nogil:
    return log(significand) + <double>(exponent - 1023 * factors) * 0.6931471805599453

cdef inline void renormalise(row_t significands, exponents_t exponents, size_t n) noexcept nogil:
    # Significands back to 1 <= s < 2; the product stays what it is.
    cdef size_t c
    for c in range(n):
        exponents[c] += <int64_t>(bits(significands[c]) >> 52) - 1023
        significands[c] = significand_of(significands[c])

cdef inline double power_of(double x) noexcept nogil:
    # (b >> 52) + 2^52 is put together by its bits: there is no conversion to double for several lanes
    return from_bits((bits(x) >> 52) | <uint64_t>0x4330000000000000) - 4503599627371519.0

cdef inline void split_powers(row_t significands, row_t powers, size_t n) noexcept nogil:
    # The same with the powers of two as doubles.
    cdef size_t c
    for c in range(n):
        powers[c] += power_of(significands[c])
        significands[c] = significand_of(significands[c])

cdef inline double exp_of(double x) noexcept nogil:
    # e^x for x <= 0 (e^-700 for all below), within 1e-15 of it: x = k log 2 + r, |r| <= log(2) / 2, and the
    # series of e^r; without branches or tables, so that a loop over it vectorises.
    cdef double shifted, r, p
    x = either(x > -700.0, x, -700.0)
    shifted = x * 1.4426950408889634 + 6755399441055744.0    # 1.5 2^52: k is in its last bits
    r = shifted - 6755399441055744.0
    r = (x - r * 0.6931471803691238) - r * 1.9082149292705877e-10
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r * r + r
    p = p + 1.0
    return p * from_bits((bits(shifted) + 1023) << 52)

cdef inline void divide(row_t above, row_t below, exponents_t exponents, size_t n) noexcept nogil:
    # above = significand of above / below, exponents += its power of two, below = 1
    cdef size_t c
    for c in range(n):
        above[c] /= below[c]
        below[c] = 1.0
    renormalise(above, exponents, n)

cdef inline void divide_out(row_t above, row_t below, row_t powers, size_t n) noexcept nogil:
    # above = significand of above / below, powers += its power of two, below = 1
    cdef size_t c
    for c in range(n):
        above[c] /= below[c]
        below[c] = 1.0
    split_powers(above, powers, n)
