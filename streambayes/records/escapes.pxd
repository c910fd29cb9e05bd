# \uXXXX, as JSON and ARFF write a character; two of them where UTF-16 takes two.
from libc.stdint cimport uint32_t

cdef inline int four_digits(const char* p, const char* end) noexcept nogil:
    # The number that four hexadecimal digits make, or -1.
    cdef int i, value = 0
    cdef unsigned char c
    if end - p < 4:
        return -1
    for i in range(4):
        c = <unsigned char>p[i]
        if 48 <= c <= 57:
            value = value * 16 + c - 48
        elif 97 <= (c | 32) <= 102:
            value = value * 16 + (c | 32) - 87
        else:
            return -1
    return value

cdef inline int unicode_escape(const char** at, const char* end, char* out) noexcept nogil:
    # `at` is behind the u and is moved behind the escape. Answers how many bytes of UTF-8 were put
    # in `out` (four at most); 0: not four hexadecimal digits; -1: half a surrogate pair.
    cdef const char* p = at[0]
    cdef int unit = four_digits(p, end), low
    cdef uint32_t c
    if unit < 0:
        return 0
    p += 4
    c = unit
    if 0xDC00 <= unit <= 0xDFFF:
        return -1
    if 0xD800 <= unit <= 0xDBFF:
        if end - p < 6 or p[0] != 92 or p[1] != 117:
            return -1
        low = four_digits(p + 2, end)
        if low < 0xDC00 or low > 0xDFFF:
            return -1
        c = 0x10000 + ((<uint32_t>unit & 0x3FF) << 10 | (<uint32_t>low & 0x3FF))
        p += 6
    at[0] = p
    if c < 0x80:
        out[0] = <char>c
        return 1
    if c < 0x800:
        out[0] = <char>(0xC0 | c >> 6)
        out[1] = <char>(0x80 | (c & 63))
        return 2
    if c < 0x10000:
        out[0] = <char>(0xE0 | c >> 12)
        out[1] = <char>(0x80 | (c >> 6 & 63))
        out[2] = <char>(0x80 | (c & 63))
        return 3
    out[0] = <char>(0xF0 | c >> 18)
    out[1] = <char>(0x80 | (c >> 12 & 63))
    out[2] = <char>(0x80 | (c >> 6 & 63))
    out[3] = <char>(0x80 | (c & 63))
    return 4
