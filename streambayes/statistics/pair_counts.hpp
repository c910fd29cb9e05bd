// Counts of pairs of values by class: n(c, a_i, a_j) for i < j, a block for each pair of attributes,
// classes innermost. A block is dense, [a_j][a_i][c], until it would have more than DENSE_CELLS
// pairs of values; then only the pairs that occur have a row, found by hashing. The hash table
// serves finding alone: whatever is summed or saved walks `keys`.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace streambayes {

const size_t DENSE_CELLS = 1 << 16;

struct SparseRows {
    std::vector<uint64_t> keys;  // a_j << 32 | a_i of each row, in the order of their coming
    std::vector<double> rows;
    std::vector<int32_t> slots;

    static size_t hash(uint64_t key) {
        key *= 0x9E3779B97F4A7C15u;
        return size_t(key ^ key >> 32);
    }
    int64_t find(uint64_t key) const {
        if (slots.empty()) return -1;
        const size_t mask = slots.size() - 1;
        for (size_t i = hash(key) & mask;; i = (i + 1) & mask) {
            if (slots[i] < 0) return -1;
            if (keys[slots[i]] == key) return slots[i];
        }
    }
    size_t intern(uint64_t key, size_t stride) {
        const int64_t found = find(key);
        if (found >= 0) return size_t(found);
        if ((keys.size() + 1) * 2 > slots.size()) {
            slots.assign(std::max<size_t>(16, slots.size() * 2), -1);
            for (size_t r = 0; r < keys.size(); r++) place(int32_t(r));
        }
        keys.push_back(key);
        rows.resize(keys.size() * stride, 0.0);
        place(int32_t(keys.size() - 1));
        return keys.size() - 1;
    }

  private:
    void place(int32_t row) {
        const size_t mask = slots.size() - 1;
        size_t i = hash(keys[row]) & mask;
        while (slots[i] >= 0) i = (i + 1) & mask;
        slots[i] = row;
    }
};

inline void prefetch(const double *p) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

#if defined(__GNUC__) || defined(__clang__)
typedef double Two __attribute__((vector_size(16)));
inline Two both(double x) { return Two{x, x}; }
#else
struct Two {
    double a, b;
    Two operator+(Two o) const { return {a + o.a, b + o.b}; }
    Two operator*(Two o) const { return {a * o.a, b * o.b}; }
};
inline Two both(double x) { return {x, x}; }
#endif
inline Two two_at(const double *p) {
    Two x;
    std::memcpy(&x, p, sizeof x);
    return x;
}
inline void put_two(double *p, Two x) { std::memcpy(p, &x, sizeof x); }

inline double *zeros(size_t n) {
    double *p = static_cast<double *>(std::calloc(n ? n : 1, sizeof(double)));
    if (!p) throw std::bad_alloc();
    return p;
}

class PairCounts {
  public:
    size_t stride = 0;
    std::vector<size_t> room;  // of each attribute: values that its blocks have room for

    PairCounts() = default;
    PairCounts(const PairCounts &) = delete;
    PairCounts &operator=(const PairCounts &) = delete;
    ~PairCounts() { clear(); }

    size_t size() const { return room.size(); }
    size_t held() const {  // bytes, with the room kept for more
        size_t n = room.capacity() * sizeof(size_t) + dense.capacity() * sizeof(dense[0]) +
                   sparse.capacity() * sizeof(sparse[0]);
        for (size_t j = 0, k = 0; j < room.size(); j++)
            for (size_t i = 0; i < j; i++, k++) {
                if (dense[k]) n += room[i] * room[j] * stride * sizeof(double);
                if (sparse[k])
                    n += sizeof(SparseRows) + sparse[k]->keys.capacity() * sizeof(uint64_t) +
                         sparse[k]->rows.capacity() * sizeof(double) +
                         sparse[k]->slots.capacity() * sizeof(int32_t);
            }
        return n;
    }
    // The blocks (i, j), i < j, of attribute j.
    double *const *blocks_of(size_t j) const { return dense.data() + (j ? j * (j - 1) / 2 : 0); }

    void add_attribute() {
        room.push_back(0);
        dense.resize(room.size() * (room.size() - 1) / 2, nullptr);
        sparse.resize(dense.size());
    }

    // The row of a pair of values, or NULL; i < j.
    double *find(size_t i, size_t a_i, size_t j, size_t a_j) const {
        const size_t b = j * (j - 1) / 2 + i;
        if (a_i >= room[i] || a_j >= room[j]) return nullptr;
        if (dense[b]) return dense[b] + (a_j * room[i] + a_i) * stride;
        if (!sparse[b]) return nullptr;
        const int64_t row = sparse[b]->find(uint64_t(a_j) << 32 | a_i);
        return row < 0 ? nullptr : sparse[b]->rows.data() + row * stride;
    }
    double *find_any(size_t i, size_t a_i, size_t j, size_t a_j) const {
        return i < j ? find(i, a_i, j, a_j) : find(j, a_j, i, a_i);
    }

    // The same, made where it isn't there yet.
    double *make(size_t i, size_t a_i, size_t j, size_t a_j) {
        if (a_i >= room[i]) grow(i, a_i + 1);
        if (a_j >= room[j]) grow(j, a_j + 1);
        const size_t b = j * (j - 1) / 2 + i;
        if (!dense[b] && !sparse[b]) {
            if (room[i] * room[j] > DENSE_CELLS) sparse[b].reset(new SparseRows);
            else dense[b] = zeros(room[i] * room[j] * stride);
        }
        if (dense[b]) return dense[b] + (a_j * room[i] + a_i) * stride;
        const size_t row = sparse[b]->intern(uint64_t(a_j) << 32 | a_i, stride);
        return sparse[b]->rows.data() + row * stride;
    }
    double *make_any(size_t i, size_t a_i, size_t j, size_t a_j) {
        return i < j ? make(i, a_i, j, a_j) : make(j, a_j, i, a_i);
    }

    // Room for so many values of an attribute.
    void grow(size_t a, size_t values) {
        if (values <= room[a]) return;
        const size_t old = room[a], wanted = std::max(values, old + old / 2);
        for (size_t other = 0; other < room.size(); other++) {
            if (other == a) continue;
            const size_t i = std::min(a, other), j = std::max(a, other), b = j * (j - 1) / 2 + i;
            if (!dense[b]) continue;
            const size_t wide = i == a ? wanted : room[i], high = j == a ? wanted : room[j];
            double *cells = nullptr;
            if (wide * high > DENSE_CELLS) sparse[b].reset(new SparseRows);
            else cells = zeros(wide * high * stride);
            for (size_t y = 0; y < room[j]; y++) {
                const double *from = dense[b] + y * room[i] * stride;
                if (cells) std::memcpy(cells + y * wide * stride, from, room[i] * stride * sizeof(double));
                else for (size_t x = 0; x < room[i]; x++, from += stride)
                    if (any(from)) {
                        const size_t row = sparse[b]->intern(uint64_t(y) << 32 | x, stride);
                        std::memcpy(&sparse[b]->rows[row * stride], from, stride * sizeof(double));
                    }
            }
            std::free(dense[b]);
            dense[b] = cells;
        }
        room[a] = wanted;
    }

    void set_stride(size_t to) {
        for (size_t j = 1; j < room.size(); j++)
            for (size_t i = 0; i < j; i++) {
                const size_t b = j * (j - 1) / 2 + i;
                if (sparse[b]) {
                    std::vector<double> rows(sparse[b]->keys.size() * to, 0.0);
                    copy(rows.data(), to, sparse[b]->rows.data(), sparse[b]->keys.size());
                    sparse[b]->rows.swap(rows);
                }
                if (!dense[b]) continue;
                double *cells = zeros(room[i] * room[j] * to);
                copy(cells, to, dense[b], room[i] * room[j]);
                std::free(dense[b]);
                dense[b] = cells;
            }
        stride = to;
    }

    // Forgets all about a pair of attributes.
    void drop(size_t i, size_t j) {
        if (i > j) std::swap(i, j);
        const size_t b = j * (j - 1) / 2 + i;
        std::free(dense[b]);
        dense[b] = nullptr;
        sparse[b].reset();
    }

    void clear() {
        for (double *cells : dense) std::free(cells);
        dense.assign(dense.size(), nullptr);
        for (auto &rows : sparse) rows.reset();
    }

    void scale(double f) {
        for (size_t j = 1; j < room.size(); j++)
            for (size_t i = 0; i < j; i++) {
                const size_t b = j * (j - 1) / 2 + i;
                if (dense[b])
                    for (size_t k = 0; k < room[i] * room[j] * stride; k++) dense[b][k] *= f;
                if (sparse[b])
                    for (double &n : sparse[b]->rows) n *= f;
            }
    }

    // a_j << 32 | a_i of the pairs of values that have a count, ascending.
    std::vector<uint64_t> keys(size_t i, size_t j) const {
        std::vector<uint64_t> found;
        const size_t b = j * (j - 1) / 2 + i;
        if (dense[b])
            for (size_t y = 0; y < room[j]; y++)
                for (size_t x = 0; x < room[i]; x++)
                    if (any(dense[b] + (y * room[i] + x) * stride)) found.push_back(uint64_t(y) << 32 | x);
        if (sparse[b]) {
            for (size_t r = 0; r < sparse[b]->keys.size(); r++)
                if (any(&sparse[b]->rows[r * stride])) found.push_back(sparse[b]->keys[r]);
            std::sort(found.begin(), found.end());
        }
        return found;
    }

    // Bytes that its counts take.
    size_t bytes() const {
        size_t n = 0;
        for (size_t j = 1; j < room.size(); j++)
            for (size_t i = 0; i < j; i++) {
                const size_t b = j * (j - 1) / 2 + i;
                if (dense[b]) n += room[i] * room[j] * stride * sizeof(double);
                if (sparse[b])
                    n += sparse[b]->rows.capacity() * sizeof(double) + sparse[b]->keys.capacity() * 8 +
                         sparse[b]->slots.capacity() * 4;
            }
        return n;
    }

  private:
    std::vector<double *> dense;  // by j (j - 1) / 2 + i; NULL: nothing counted yet, or sparse
    std::vector<std::unique_ptr<SparseRows>> sparse;

    bool any(const double *row) const {
        for (size_t c = 0; c < stride; c++)
            if (row[c] != 0) return true;
        return false;
    }
    void copy(double *to, size_t to_stride, const double *from, size_t rows) const {
        for (size_t r = 0; r < rows; r++)
            std::memcpy(to + r * to_stride, from + r * stride, std::min(stride, to_stride) * sizeof(double));
    }
};

// A record that is kept while the warm-up of one of its attributes isn't over: its cells only.
struct WaitingRecord {
    std::vector<int32_t> attribute;  // ascending
    std::vector<int32_t> code;       // of a nominal attribute; of a numeric one its bin when it was last counted
    std::vector<double> x;           // of a numeric attribute
    int32_t label = 0;
    double w = 0;
};

}  // namespace streambayes
