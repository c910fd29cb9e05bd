// The sums over the children of one parent attribute: a row per value (or bin) of the parent.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace streambayes {

// Moments of the numeric children: row, child, (n, mean, M2), class.
struct ChildMoments {
    std::vector<double> data;
    size_t rows = 0, children = 0;

    double *at(size_t row, size_t child, size_t stride) {
        return data.data() + (row * children + child) * 3 * stride;
    }
    const double *at(size_t row, size_t child, size_t stride) const {
        return data.data() + (row * children + child) * 3 * stride;
    }
    // Room for so many rows and children; grows by steps, keeps what is there.
    void make_room(size_t wanted_rows, size_t wanted_children, size_t stride) {
        if (wanted_children > children) {
            const size_t wider = std::max(wanted_children, children + children / 2);
            std::vector<double> moved(std::max(rows, wanted_rows) * wider * 3 * stride, 0.0);
            for (size_t r = 0; r < rows; r++)
                std::copy_n(data.data() + r * children * 3 * stride, children * 3 * stride,
                            moved.data() + r * wider * 3 * stride);
            data.swap(moved);
            children = wider;
            rows = std::max(rows, wanted_rows);
        } else if (wanted_rows > rows) {
            rows = wanted_rows;
            data.resize(rows * children * 3 * stride, 0.0);
        }
    }
};

// Counts of a nominal child: n(c, row, value), and n(c, row, child present). A cell that was never
// counted takes no room but its entry in the index, which is a table while it is small.
struct ChildCounts {
    std::vector<double> pool;     // rows of `stride` classes, in the order in which they came to be
    std::vector<double> present;  // a row per parent row
    std::vector<int32_t> index;   // parent row, value: the place in the pool, or -1
    size_t rows = 0, values = 0;  // of `index`
    std::unordered_map<uint64_t, int32_t> sparse;  // instead of it, where it would be large
    bool is_sparse = false;

    int32_t find(size_t row, size_t value) const {
        if (is_sparse) {
            auto at = sparse.find(uint64_t(row) << 32 | value);
            return at == sparse.end() ? -1 : at->second;
        }
        return row < rows && value < values ? index[row * values + value] : -1;
    }
    int32_t make(size_t row, size_t value, size_t stride) {
        int32_t at = find(row, value);
        if (at >= 0) return at;
        at = int32_t(pool.size() / stride);
        pool.resize(pool.size() + stride, 0.0);
        if (present.size() < (row + 1) * stride) present.resize((row + 1) * stride, 0.0);
        if (!is_sparse && (row >= rows || value >= values)) {
            const size_t r = row < rows ? rows : std::max(row + 1, 2 * rows);
            const size_t v = value < values ? values : std::max(value + 1, 2 * values);
            if (r * v > (size_t(1) << 20)) {
                for (auto &cell : cells()) sparse[cell.first] = cell.second;
                is_sparse = true;
                std::vector<int32_t>().swap(index);
            } else {
                std::vector<int32_t> wider(r * v, -1);
                for (size_t i = 0; i < rows; i++)
                    std::copy_n(index.data() + i * values, values, wider.data() + i * v);
                index.swap(wider);
                rows = r, values = v;
            }
        }
        if (is_sparse) sparse[uint64_t(row) << 32 | value] = at;
        else index[row * values + value] = at;
        return at;
    }
    // All (row << 32 | value, place), ascending: an order that depends on nothing else.
    std::vector<std::pair<uint64_t, int32_t>> cells() const {
        std::vector<std::pair<uint64_t, int32_t>> all;
        if (is_sparse) {
            all.assign(sparse.begin(), sparse.end());
            std::sort(all.begin(), all.end());
        } else {
            for (size_t i = 0; i < index.size(); i++)
                if (index[i] >= 0) all.emplace_back(uint64_t(i / values) << 32 | i % values, index[i]);
        }
        return all;
    }
};

struct Children {  // of one parent
    ChildMoments moments;              // numeric children, by their place among the numeric attributes
    std::vector<ChildCounts> counts;   // nominal children, by their place among the nominal attributes

    size_t held() const {  // bytes, with the room kept for more
        size_t n = moments.data.capacity() * sizeof(double) + counts.capacity() * sizeof(ChildCounts);
        for (const ChildCounts &c : counts) {
            n += (c.pool.capacity() + c.present.capacity()) * sizeof(double) + c.index.capacity() * sizeof(int32_t);
            n += c.sparse.bucket_count() * sizeof(void *) + c.sparse.size() * (sizeof(void *) + 16);
        }
        return n;
    }
};

}  // namespace streambayes
