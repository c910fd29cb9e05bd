// The sums over the children of one parent attribute: a row per value (or bin) of the parent.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace streambayes {

// Moments of the numeric children, in rows: the n of each child, then the means, then the M2, `wide`
// doubles each (a column per class). While all children were known whenever the parent was, they have
// one n, and a row begins with it alone; `part` gives each its own.
struct ChildMoments {
    std::vector<double> data;
    size_t rows = 0, children = 0, wide = 1;
    bool parted = false;

    size_t row_size() const { return ((parted ? children : 1) + 2 * children) * wide; }
    double *n(size_t row, size_t child) { return data.data() + row * row_size() + (parted ? child * wide : 0); }
    double *mean(size_t row, size_t child) {
        return data.data() + row * row_size() + ((parted ? children : 1) + child) * wide;
    }
    double *m2(size_t row, size_t child) { return mean(row, child) + children * wide; }
    const double *n(size_t row, size_t child) const { return const_cast<ChildMoments *>(this)->n(row, child); }
    const double *mean(size_t row, size_t child) const { return const_cast<ChildMoments *>(this)->mean(row, child); }
    const double *m2(size_t row, size_t child) const { return const_cast<ChildMoments *>(this)->m2(row, child); }

    // Room for so many rows and children; grows by steps, keeps what is there.
    void make_room(size_t wanted_rows, size_t wanted_children, size_t width) {
        if (rows == 0) wide = width;
        if (wanted_children > children) {
            ChildMoments wider;
            wider.children = std::max(wanted_children, children + children / 2);
            wider.rows = std::max(rows, wanted_rows);
            wider.wide = wide, wider.parted = parted;
            wider.data.assign(wider.rows * wider.row_size(), 0.0);
            wider.take(*this);
            std::swap(*this, wider);
        } else if (wanted_rows > rows) {
            rows = wanted_rows;
            data.resize(rows * row_size(), 0.0);
        }
    }
    // Each of the first `known` children, but not `self`, the parent, gets its own n.
    void part(size_t known, size_t self) {
        if (parted) return;
        ChildMoments apart;
        apart.children = children, apart.rows = rows, apart.wide = wide, apart.parted = true;
        apart.data.assign(rows * apart.row_size(), 0.0);
        apart.take(*this);
        for (size_t row = 0; row < rows; row++)
            for (size_t child = 0; child < children; child++)
                if (child >= known || child == self) std::fill_n(apart.n(row, child), wide, 0.0);
        std::swap(*this, apart);
    }
    // The inverse, where the first `known` children, but for `self`, have the same n in every row.
    void unite(size_t known, size_t self) {
        if (!parted) return;
        const size_t first = self == 0 ? 1 : 0;
        if (known <= first) return;
        for (size_t row = 0; row < rows; row++)
            for (size_t child = first + 1; child < known; child++)
                if (child != self && !std::equal(n(row, child), n(row, child) + wide, n(row, first))) return;
        ChildMoments one;
        one.children = children, one.rows = rows, one.wide = wide;
        one.data.assign(rows * one.row_size(), 0.0);
        for (size_t row = 0; row < rows; row++) {
            std::copy_n(n(row, first), wide, one.n(row, 0));
            std::copy_n(mean(row, 0), 2 * children * wide, one.mean(row, 0));
        }
        std::swap(*this, one);
    }
    // Room for more classes. One column wide, a table has a row for each row and class instead.
    void restride(size_t from, size_t to) {
        ChildMoments wider;
        wider.children = children, wider.parted = parted;
        wider.wide = wide == 1 ? 1 : to;
        wider.rows = wide == 1 ? rows / from * to : rows;
        wider.data.assign(wider.rows * wider.row_size(), 0.0);
        const size_t runs = wide == 1 ? rows / from : data.size() / from;
        const size_t short_run = wide == 1 ? from * row_size() : from, long_run = wide == 1 ? to * row_size() : to;
        for (size_t i = 0; i < runs; i++)
            std::copy_n(data.data() + i * short_run, short_run, wider.data.data() + i * long_run);
        std::swap(*this, wider);
    }

  private:
    void take(const ChildMoments &from) {
        for (size_t row = 0; row < from.rows; row++)
            for (size_t child = 0; child < from.children; child++) {
                std::copy_n(from.n(row, child), wide, n(row, child));
                std::copy_n(from.mean(row, child), wide, mean(row, child));
                std::copy_n(from.m2(row, child), wide, m2(row, child));
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
