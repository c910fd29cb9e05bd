# Cells to numbers (SPEC 4, Types): ASCII, optional sign, digits with one optional decimal mark,
# optional exponent, blanks around it; no underscores, hex or thousands marks.
from libc.stdint cimport uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

cdef extern from "records/numbers.hpp" namespace "streambayes" nogil:
    double marked_digits_to_double(const char* p, const char* end, char mark)
    size_t double_to_digits(double x, char* out)
    cbool number_key(double x, string& key) except +
    double real_of_key(const char* p)

cdef extern from * nogil:
    """
    static const double streambayes_powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
        1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    """
    const double* POWERS "streambayes_powers"

cdef enum CellKind:
    NOT_A_NUMBER = 0
    NUMBER = 1
    NON_FINITE = 2   # nan, inf, infinity, and magnitudes above 1e150: a missing value, counted

cdef inline bint is_digit(char c) noexcept nogil:
    return <unsigned char>(c - 48) < 10

cdef inline bint same_word(const char* p, const char* end, const char* word) noexcept nogil:
    # case-free; word in small letters
    while p < end and word[0] != 0 and (p[0] | 32) == word[0]:
        p += 1
        word += 1
    return p == end and word[0] == 0

cdef inline CellKind parse_number(const char* p, const char* end, char mark, double* x) noexcept nogil:
    cdef const char* start
    cdef const char* digits
    cdef uint64_t m = 0
    cdef unsigned int d
    cdef long count, exponent = 0, e = 0
    cdef bint negative = False, negative_exponent = False
    cdef double v
    while p < end and (p[0] == 32 or p[0] == 9):
        p += 1
    while p < end and ((end - 1)[0] == 32 or (end - 1)[0] == 9):
        end -= 1
    if p < end and (p[0] == 45 or p[0] == 43):
        negative = p[0] == 45
        p += 1
    start = p
    while p < end:
        d = <unsigned int>(<unsigned char>p[0]) - 48
        if d > 9:
            break
        m = m * 10 + d
        p += 1
    count = p - start
    if p < end and p[0] == mark:
        p += 1
        digits = p
        while p < end:
            d = <unsigned int>(<unsigned char>p[0]) - 48
            if d > 9:
                break
            m = m * 10 + d
            p += 1
        exponent = -(p - digits)
        count -= exponent
    if p != end or count == 0:  # an exponent, a word, or no number
        if count == 0:
            if p == start and (same_word(p, end, "nan") or same_word(p, end, "inf") or same_word(p, end, "infinity")):
                return NON_FINITE
            return NOT_A_NUMBER
        if (p[0] | 32) != 101:  # e, E
            return NOT_A_NUMBER
        p += 1
        if p < end and (p[0] == 45 or p[0] == 43):
            negative_exponent = p[0] == 45
            p += 1
        if p == end:
            return NOT_A_NUMBER
        while p < end and is_digit(p[0]):
            if e < 100000:
                e = e * 10 + (p[0] - 48)
            p += 1
        if p != end:
            return NOT_A_NUMBER
        exponent += -e if negative_exponent else e
    # Clinger (1990): both the digits and the power of ten are exact doubles, so one rounding is made.
    if count <= 19 and m <= <uint64_t>9007199254740992 and -22 <= exponent <= 22:
        v = <double>m
        v = v / POWERS[-exponent] if exponent < 0 else v * POWERS[exponent]
    else:
        v = marked_digits_to_double(start, end, mark)
    if not v <= 1e150:
        return NON_FINITE
    x[0] = -v if negative else v
    return NUMBER

cdef inline bint is_identifier(const char* p, const char* end) noexcept nogil:
    # 007, or an integer over 15 digits: digits that name something
    cdef const char* start
    while p < end and (p[0] == 32 or p[0] == 9 or p[0] == 45 or p[0] == 43):
        p += 1
    start = p
    while p < end and is_digit(p[0]):
        p += 1
    if p - start > 1 and start[0] == 48:
        return True
    if p - start <= 15:
        return False
    while p < end and (p[0] == 32 or p[0] == 9):
        p += 1
    return p == end
