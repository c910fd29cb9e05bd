// The containers behind the statistics: rows of doubles, one column per class. `stride` (the room
// for classes) is the learner's and the same in all its tables; the arithmetic is in the .pxd files.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

namespace streambayes {

// Classes innermost, and room for them in steps of four (two for two), so that loops over them vectorise.
inline size_t stride_for(size_t classes) {
    size_t stride = 2;
    while (stride < classes) stride += stride == 2 ? 2 : stride < 32 ? 4 : stride / 8 * 4;
    return stride;
}

inline void restride(std::vector<double> &v, size_t from, size_t to) {
    if (from == to) return;
    const size_t rows = from ? v.size() / from : 0;
    std::vector<double> wider(rows * to, 0.0);
    for (size_t r = 0; r < rows; r++)
        std::memcpy(&wider[r * to], &v[r * from], (from < to ? from : to) * sizeof(double));
    v.swap(wider);
}

// n(c, v), a row per value; n(c, A present); and which values count in |A|, and how many they are:
// those declared, or with n(v) > 0.
struct CountTable {
    std::vector<double> n, present;
    std::vector<uint8_t> counts;
    int64_t distinct = 0;
    size_t rows(size_t stride) const { return n.size() / stride; }
    size_t held() const {  // bytes, with the room kept for more
        return (n.capacity() + present.capacity()) * sizeof(double) + counts.capacity();
    }
};

// n, mean and M2 of one attribute, an element per class.
struct MomentsTable {
    std::vector<double> n, mean, m2;
};

// What scoring writes to: the answers, and room to work in.
struct Scores {
    std::vector<double> log_joint, p, work;
    std::vector<int64_t> exponent;
    int32_t predicted = -1;
    double N = 0;   // of the learner that answers: the sum of n(c) ...
    int32_t C = 0;  // ... and the labels with n(c) > 0
};

}  // namespace streambayes
