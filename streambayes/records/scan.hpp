// Where a byte stands: a bit per byte of a stretch of 64, by SSE2 where there is any, else eight bytes
// at a time. Never reads at or behind `end`.
#pragma once
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace streambayes {

inline uint64_t matches_in_64(const char *p, char c) {
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi8(c);
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p + 16 * i));
        mask |= uint64_t(uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(block, wanted)))) << 16 * i;
    }
    return mask;
#else
    uint64_t mask = 0;
    for (int i = 0; i < 64; i++) mask |= uint64_t(p[i] == c) << i;
    return mask;
#endif
}

// Bit i is set where p[i] == c, for the first 64 bytes of [p, end).
inline uint64_t matches(const char *p, const char *end, char c) {
    if (end - p >= 64) return matches_in_64(p, c);
    char tail[64];
    std::memset(tail, ~c, sizeof tail);
    std::memcpy(tail, p, size_t(end - p));
    return matches_in_64(tail, c);
}

}  // namespace streambayes
