# Strict UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF.
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef inline bint has_high_bit(const char* p, const char* end) noexcept nogil:
    cdef uint64_t seen = 0, word
    while end - p >= 8:
        memcpy(&word, p, 8)
        seen |= word
        p += 8
    while p < end:
        seen |= <uint64_t>(<unsigned char>p[0])
        p += 1
    return (seen & <uint64_t>0x8080808080808080) != 0

cdef inline bint continues(const unsigned char* p, const unsigned char* end, int n) noexcept nogil:
    cdef int i
    if end - p < n:
        return False
    for i in range(n):
        if p[i] & 0xC0 != 0x80:
            return False
    return True

cdef inline const char* first_bad_byte(const char* text, const char* text_end) noexcept nogil:
    # The first byte that isn't UTF-8, or text_end.
    cdef const unsigned char* p = <const unsigned char*>text
    cdef const unsigned char* end = <const unsigned char*>text_end
    cdef unsigned char c
    while p < end:
        c = p[0]
        if c < 0x80:
            p += 1
        elif 0xC2 <= c <= 0xDF and continues(p + 1, end, 1):
            p += 2
        elif c == 0xE0 and end - p > 1 and p[1] >= 0xA0 and continues(p + 1, end, 2):
            p += 3
        elif c == 0xED and end - p > 1 and p[1] <= 0x9F and continues(p + 1, end, 2):
            p += 3
        elif 0xE1 <= c <= 0xEF and c != 0xED and continues(p + 1, end, 2):
            p += 3
        elif c == 0xF0 and end - p > 1 and p[1] >= 0x90 and continues(p + 1, end, 3):
            p += 4
        elif c == 0xF4 and end - p > 1 and p[1] <= 0x8F and continues(p + 1, end, 3):
            p += 4
        elif 0xF1 <= c <= 0xF3 and continues(p + 1, end, 3):
            p += 4
        else:
            break
    return <const char*>p
