// The containers behind discretising in one pass; the arithmetic is in fine_bins.pyx.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tables.hpp"

namespace streambayes {

struct KeptValue {  // a value of the warm-up
    double x, w;
    int32_t label;
};

// One numeric attribute. Fine bin f is (edges[f-1], edges[f]]; `bin[f]` is the bin, a run of fine
// bins, that learners use. Until `settled` all but `kept` and `records` is worked out from `kept`.
struct FineBins {
    std::vector<KeptValue> kept;  // the warm-up's values in learned order; empty once settled
    std::vector<double> edges;
    std::vector<int32_t> bin;  // non-decreasing from 0
    std::vector<double> n;     // n(c, fine bin): a row per fine bin, `stride` classes long
    CountTable coarse;         // n(c, bin), n(c, A present), and the number of bins
    int64_t records = 0;       // that have the attribute
    int64_t records_when_cut = 0;
    bool settled = false;
    bool fixed = false;  // edges that were given: settled, and every edge is a cut
    bool frozen = false;  // cuts are no longer made anew
    bool stale = false;  // `kept` has changed since the rest was worked out
    size_t held() const {  // bytes, with the room kept for more
        return kept.capacity() * sizeof(KeptValue) + (edges.capacity() + n.capacity()) * sizeof(double) +
               bin.capacity() * sizeof(int32_t) + coarse.held();
    }
    FineBins() : bin(1, 0) { coarse.distinct = 1; }
};

inline bool same_edges(const FineBins &a, const FineBins &b) { return a.edges == b.edges; }
inline bool same_bins(const FineBins &a, const FineBins &b) { return a.bin == b.bin; }

inline void sort_by_value(std::vector<KeptValue> &v) {
    std::stable_sort(v.begin(), v.end(),
                     [](const KeptValue &a, const KeptValue &b) { return a.x < b.x; });
}

}  // namespace streambayes
