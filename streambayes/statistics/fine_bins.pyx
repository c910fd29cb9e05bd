"""Discretising in one pass: fine bins from a warm-up, cuts by Fayyad & Irani's MDL on their class counts (SPEC 3).

    split S at T into S1, S2 where  E(T) = (N1 Ent(S1) + N2 Ent(S2)) / N  is least, accepted when
    Ent(S) - E > (log2(N - 1) + log2(3^k - 2) - k Ent(S) + k1 Ent(S1) + k2 Ent(S2)) / N,  then each half likewise

Ent(S) = -sum over c of p log2 p, k the number of classes in a set; of equally good cuts the lowest.

    Fayyad, U. M., Irani, K. B. (1993). Multi-interval discretization of continuous-valued attributes
    for classification learning. IJCAI-93, 1022-1027.
"""
from __future__ import annotations

from libc.math cimport INFINITY, isfinite, log2, pow
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from .counts cimport counted, row_total
from .packed cimport packed, packed_int32, packed_int64, unpacked, unpacked_int32, unpacked_int64
from .tables cimport restride

cdef enum:
    EQUAL_FREQUENCY_BINS = 10

cdef double NONE_LEFT = 1e-9   # a weight below this counts as none
cdef double TIE = 1e-12        # entropies this near each other are equal
cdef double SLACK = 1e-9       # the relative slack where weights are compared with a share of their sum


# ------------------------------------------------------------------------------ fine bins
cdef inline double midpoint(double low, double high) noexcept nogil:
    # (low + high) / 2, which must part the two; between neighbouring doubles the lower
    cdef double middle = (low + high) / 2
    return middle if low <= middle < high else low


cdef int make_edges(FineBins& f, const BinRule& rule) except -1 nogil:
    """Edges between the distinct values kept; where they are more than `bins`, the quantiles' edges."""
    cdef vector[KeptValue] sorted_values = f.kept
    cdef vector[double] distinct, weight
    cdef double total = 0, below = 0
    cdef size_t i, at = 0
    cdef int64_t part
    sort_by_value(sorted_values)
    f.edges.clear()
    for i in range(sorted_values.size()):
        if distinct.empty() or sorted_values[i].x != distinct.back():
            distinct.push_back(sorted_values[i].x)
            weight.push_back(0.0)
        weight[weight.size() - 1] += sorted_values[i].w
    if <int64_t>distinct.size() <= rule.bins:
        for i in range(1, distinct.size()):
            f.edges.push_back(midpoint(distinct[i - 1], distinct[i]))
        return 0
    for i in range(weight.size()):
        total += weight[i]
    below = weight[0]
    for part in range(1, rule.bins):
        while below < part * total / rule.bins * (1 - SLACK) and at + 1 < weight.size():
            at += 1
            below += weight[at]
        if at + 1 == distinct.size():
            break
        if f.edges.empty() or midpoint(distinct[at], distinct[at + 1]) > f.edges.back():
            f.edges.push_back(midpoint(distinct[at], distinct[at + 1]))
    return 0


# ------------------------------------------------------------------------------ bins
cdef inline double n_log_n(double n) noexcept nogil:
    return n * log2(n) if n > 0 else 0.0


cdef struct Run:         # a run of fine bins
    double n             # N
    double information   # N Ent = N log2 N - sum over c of n(c) log2 n(c)
    int classes          # k

cdef inline Run measured(const double* n, size_t stride) noexcept nogil:
    cdef Run run
    cdef size_t c
    run.n = run.information = 0
    run.classes = 0
    for c in range(stride):
        if n[c] >= NONE_LEFT:
            run.n += n[c]
            run.information -= n_log_n(n[c])
            run.classes += 1
    run.information += n_log_n(run.n)
    return run


cdef int cut_by_mdl(const double* n, size_t low, size_t high, size_t stride, vector[double]& right,
                    vector[double]& left, vector[char]& is_cut) except -1 nogil:
    """Marks the cuts within the fine bins low .. high - 1; `right` and `left` are room to work in."""
    cdef size_t t, c, at = 0
    cdef Run whole, a, b, best_a, best_b
    cdef double rest, best = INFINITY, delta
    if high - low < 2:
        return 0
    for c in range(stride):
        left[c] = right[high * stride + c] = 0
    t = high
    while t > low:  # class counts from t on, summed from the end, so that a class that is absent stays 0
        t -= 1
        for c in range(stride):
            right[t * stride + c] = right[(t + 1) * stride + c] + n[t * stride + c]
    whole = measured(&right[low * stride], stride)
    best_a = best_b = whole
    for t in range(low + 1, high):
        for c in range(stride):
            left[c] += n[(t - 1) * stride + c]
        a = measured(left.data(), stride)
        b = measured(&right[t * stride], stride)
        if a.classes == 0 or b.classes == 0:
            continue
        rest = (a.information + b.information) / whole.n
        if rest < best - TIE:
            best, at, best_a, best_b = rest, t, a, b
    if at == 0 or whole.n <= 1:
        return 0
    delta = log2(pow(3.0, whole.classes) - 2) if whole.classes < 600 else whole.classes * log2(3.0)
    delta -= (whole.classes * whole.information / whole.n - best_a.classes * best_a.information / best_a.n
              - best_b.classes * best_b.information / best_b.n)
    if not whole.information / whole.n - best > (log2(whole.n - 1) + delta) / whole.n:
        return 0
    is_cut[at - 1] = True
    cut_by_mdl(n, low, at, stride, right, left, is_cut)
    return cut_by_mdl(n, at, high, stride, right, left, is_cut)


cdef int cut_by_frequency(const double* n, size_t fine, size_t stride, vector[char]& is_cut) except -1 nogil:
    """Marks the edges after which 1/10, 2/10, ... of the weight has been passed."""
    cdef double total = 0, below
    cdef size_t t = 0
    cdef int part
    for t in range(fine):
        total += row_total(n + t * stride, stride)
    t = 0
    below = row_total(n, stride)
    for part in range(1, EQUAL_FREQUENCY_BINS):
        while below < part * total / EQUAL_FREQUENCY_BINS * (1 - SLACK) and t + 1 < fine:
            t += 1
            below += row_total(n + t * stride, stride)
        if t + 1 < fine:
            is_cut[t] = True
    return 0


cdef int make_cuts(FineBins& f, size_t stride, const BinRule& rule) except -1 nogil:
    """The bins anew from the fine bins' class counts; answers whether any fine bin's bin has changed."""
    cdef size_t fine = f.edges.size() + 1, t
    cdef vector[char] is_cut
    cdef vector[double] right, left, n
    cdef int32_t bin = 0
    cdef bint changed = False
    is_cut.assign(fine, False)
    if rule.equal_frequency:
        cut_by_frequency(f.n.data(), fine, stride, is_cut)
    else:
        n = f.n
        for t in range(n.size() if rule.one != 1 else 0):
            n[t] /= rule.one
        right.resize((fine + 1) * stride)
        left.resize(stride)
        cut_by_mdl(n.data(), 0, fine, stride, right, left, is_cut)
    f.bin.resize(fine, 0)
    for t in range(fine):
        changed |= f.bin[t] != bin
        f.bin[t] = bin
        bin += is_cut[t]
    f.records_when_cut = f.records
    return changed


cdef int sum_bins(FineBins& f, size_t stride) except -1 nogil:
    """n(c, bin) and n(c, A present) from the fine bins."""
    cdef size_t t, c
    cdef double* row
    f.coarse.distinct = f.bin.back() + 1
    f.coarse.n.assign(f.coarse.distinct * stride, 0.0)
    f.coarse.present.assign(stride, 0.0)
    for t in range(f.bin.size()):
        row = f.coarse.n.data() + f.bin[t] * stride
        for c in range(stride):
            row[c] += f.n[t * stride + c]
            f.coarse.present[c] += f.n[t * stride + c]
    return 0


cdef int make_bins_of_kept(FineBins& f, size_t stride, const BinRule& rule) except -1 nogil:
    """Fine bins and bins of the values kept so far."""
    cdef size_t i
    make_edges(f, rule)
    f.n.assign((f.edges.size() + 1) * stride, 0.0)
    for i in range(f.kept.size()):
        f.n[find_fine_bin(f, f.kept[i].x) * stride + f.kept[i].label] += f.kept[i].w
    make_cuts(f, stride, rule)
    sum_bins(f, stride)
    f.stale = False
    return 0


# ------------------------------------------------------------------------------ the verbs
cdef int start_bins(FineBins& f, size_t stride) except -1 nogil:
    """One bin, nothing counted."""
    f.n.assign(stride, 0.0)
    return sum_bins(f, stride)


cdef int start_fixed_bins(FineBins& f, const vector[double]& edges, size_t stride) except -1 nogil:
    """Edges that were given; each is a cut, and there is no warm-up."""
    cdef size_t t
    f.edges = edges
    f.settled = f.fixed = True
    f.bin.resize(edges.size() + 1)
    for t in range(f.bin.size()):
        f.bin[t] = <int32_t>t
    f.n.assign(f.bin.size() * stride, 0.0)
    return sum_bins(f, stride)


cdef int start_bins_on(FineBins& f, object edges, size_t stride) except -1:
    """Starts the bins of an attribute, on the edges that were given for it; None: there are none."""
    return start_bins(f, stride) if edges is None else start_fixed_bins(f, edges, stride)


cdef BinRule rule_of(dict parameters) except *:
    """The parameters bins, warmup and cuts of a learner."""
    cdef BinRule rule
    rule.bins, rule.warmup, rule.one = parameters["bins"], parameters["warmup"], 1.0
    rule.equal_frequency = parameters["cuts"] == "equal-frequency"
    return rule


cdef int restride_bins(FineBins& f, size_t old_stride, size_t stride) except -1 nogil:
    restride(f.n, old_stride, stride)
    restride(f.coarse.n, old_stride, stride)
    restride(f.coarse.present, old_stride, stride)
    return 0


cdef inline void add_to_bins(FineBins& f, int32_t fine, size_t c, double w, size_t stride) noexcept nogil:
    cdef double* n = f.n.data() + fine * stride + c
    cdef double* coarse = f.coarse.n.data() + f.bin.data()[fine] * stride + c
    n[0] = counted(n[0], w)
    coarse[0] = counted(coarse[0], w)
    f.coarse.present[c] = counted(f.coarse.present[c], w)


cdef int learn_value(FineBins& f, double x, int32_t fine, size_t c, double w, size_t stride,
                     const BinRule& rule) except -1 nogil:
    """Adds a value, `fine` its fine bin (any, during the warm-up).

    Answers SETTLED when it was the warm-up's last, CUT when bins have moved, else 0.
    """
    cdef KeptValue value
    f.records += 1
    if not f.settled:
        value.x, value.w, value.label = x, w, <int32_t>c
        f.kept.push_back(value)
        f.stale = True
        if <int64_t>f.kept.size() < rule.warmup:
            return 0
        make_bins_of_kept(f, stride, rule)
        f.settled = True
        f.kept = vector[KeptValue]()
        return SETTLED
    add_to_bins(f, fine, c, w, stride)
    if f.fixed or f.frozen or f.records < 1.5 * f.records_when_cut:
        return 0
    if not make_cuts(f, stride, rule):
        return 0
    sum_bins(f, stride)
    return CUT


cdef int forget_value(FineBins& f, double x, size_t c, double w, size_t stride) except -1 nogil:
    """Subtracts a value. In the warm-up it is kept no longer; later the fine bins stay where they are."""
    cdef size_t i
    if f.settled:
        add_to_bins(f, find_fine_bin(f, x), c, -w, stride)
        f.records -= f.records > 0
        return 0
    i = f.kept.size()
    while i > 0 and w >= NONE_LEFT:
        i -= 1
        if f.kept[i].x != x or f.kept[i].label != <int32_t>c:
            continue
        f.stale = True
        if f.kept[i].w - w >= NONE_LEFT:
            f.kept[i].w -= w
            return 0
        w -= f.kept[i].w
        f.kept.erase(f.kept.begin() + i)
        f.records -= f.records > 0
    return 0


cdef int refresh_bins(FineBins& f, size_t stride, const BinRule& rule) except -1 nogil:
    """In the warm-up, the bins of the values kept so far; afterwards nothing."""
    return make_bins_of_kept(f, stride, rule) if f.stale else 0


cdef int check_edges(const FineBins& f, const FineBins& other, object name) except -1:
    """ValueError where both are settled, each on fine bins of its own: then they can't be merged."""
    if f.settled and other.settled and not same_edges(f, other):
        raise ValueError(f"the fine bins of {name!r} differ, as each learner made its own from its first values; "
                         "give both the same edges with bins_file")
    return 0


cdef int merge_bins(FineBins& f, size_t stride, const FineBins& other, size_t others_stride,
                    const vector[int32_t]& labels, const BinRule& rule) except -1 nogil:
    """Adds what another has counted; `labels` gives its labels' codes here.

    A warm-up that isn't over goes, value by value, into the other's bins. Two that are over must
    not differ in their edges (see `check_edges`). Answers as `learn_value` does.
    """
    cdef vector[KeptValue] mine
    cdef size_t i, t, c
    cdef int happened = 0
    cdef bint same
    if not other.settled:
        for i in range(other.kept.size()):
            happened |= learn_value(f, other.kept[i].x, find_fine_bin(f, other.kept[i].x), labels[other.kept[i].label],
                                    other.kept[i].w, stride, rule)
        return happened
    if not f.settled:
        mine.swap(f.kept)
        f.edges, f.bin, f.records_when_cut = other.edges, other.bin, other.records_when_cut
        f.records, f.settled, f.stale, f.frozen = 0, True, False, other.frozen
        f.n.assign((f.edges.size() + 1) * stride, 0.0)
        sum_bins(f, stride)
        happened = SETTLED
    same = same_bins(f, other)
    for c in range(labels.size()):
        for t in range(f.bin.size()):
            f.n[t * stride + labels[c]] += other.n[t * others_stride + c]
        if same:
            for t in range(f.coarse.distinct):
                f.coarse.n[t * stride + labels[c]] += other.coarse.n[t * others_stride + c]
            f.coarse.present[labels[c]] += other.coarse.present[c]
    if not same:
        sum_bins(f, stride)
    f.records += other.records
    if happened:
        for i in range(mine.size()):
            happened |= learn_value(f, mine[i].x, find_fine_bin(f, mine[i].x), mine[i].label, mine[i].w, stride,
                                    rule)
    elif not (f.fixed or f.frozen) and make_cuts(f, stride, rule):
        sum_bins(f, stride)
        happened = CUT
    return happened


cdef int scale_bins(FineBins& f, double factor) except -1 nogil:
    cdef size_t i, left = 0
    for i in range(f.n.size()):
        f.n[i] *= factor
    for i in range(f.coarse.n.size()):
        f.coarse.n[i] *= factor
    for i in range(f.coarse.present.size()):
        f.coarse.present[i] *= factor
    for i in range(f.kept.size()):
        f.kept[i].w *= factor
        if f.kept[i].w >= NONE_LEFT:
            f.kept[left] = f.kept[i]
            left += 1
    if not f.settled:
        f.records -= f.kept.size() - left
        f.kept.resize(left)
        f.stale = True
    return 0


cdef list cuts_of(const FineBins& f):
    """The ascending edges between the bins in force."""
    return [f.edges[t] for t in range(f.edges.size()) if f.bin[t] != f.bin[t + 1]]


# ------------------------------------------------------------------------------ as bytes
cdef dict export_bins(const vector[FineBins]& bins, const vector[int32_t]& attributes, size_t labels, size_t stride):
    """The bins of the attributes named, one behind the other, as {array name: bytes}."""
    cdef vector[int64_t] sizes     # for each: settled + 2 frozen, values kept, edges, records, records when cut
    cdef vector[double] edges, fine, coarse, kept
    cdef vector[int32_t] bin, labels_kept
    cdef const FineBins* f
    cdef size_t i, t
    for i in range(attributes.size()):
        f = &bins[attributes[i]]
        sizes.push_back(f.settled + 2 * f.frozen)
        sizes.push_back(f.kept.size())
        sizes.push_back(f.edges.size() if f.settled else 0)
        sizes.push_back(f.records)
        sizes.push_back(f.records_when_cut if f.settled else 0)
        for t in range(f.kept.size()):
            kept.push_back(f.kept[t].x)
            kept.push_back(f.kept[t].w)
            labels_kept.push_back(f.kept[t].label)
        if not f.settled:
            continue
        edges.insert(edges.end(), f.edges.begin(), f.edges.end())
        bin.insert(bin.end(), f.bin.begin(), f.bin.end())
        for t in range(f.bin.size()):
            fine.insert(fine.end(), f.n.data() + t * stride, f.n.data() + t * stride + labels)
        for t in range(<size_t>f.coarse.distinct):
            coarse.insert(coarse.end(), f.coarse.n.data() + t * stride, f.coarse.n.data() + t * stride + labels)
        coarse.insert(coarse.end(), f.coarse.present.data(), f.coarse.present.data() + labels)
    return {"bins.sizes": packed_int64(sizes), "bins.edges": packed(edges), "bins.bin": packed_int32(bin),
            "bins.fine": packed(fine), "bins.coarse": packed(coarse), "bins.kept": packed(kept),
            "bins.labels": packed_int32(labels_kept)}


cdef int import_bins(vector[FineBins]& bins, const vector[int32_t]& attributes, dict sums, size_t labels,
                     size_t stride, const BinRule& rule) except -1:
    """The inverse of `export_bins`, into bins that were started.

    Raises
    ------
    ValueError
        If the arrays don't fit together or hold what can't be.
    """
    cdef vector[int64_t] sizes = unpacked_int64(sums["bins.sizes"])
    cdef vector[double] edges = unpacked(sums["bins.edges"]), fine = unpacked(sums["bins.fine"])
    cdef vector[double] coarse = unpacked(sums["bins.coarse"]), kept = unpacked(sums["bins.kept"])
    cdef vector[int32_t] bin = unpacked_int32(sums["bins.bin"]), labels_kept = unpacked_int32(sums["bins.labels"])
    cdef size_t i, t, c, edge_at = 0, bin_at = 0, fine_at = 0, coarse_at = 0, kept_at = 0, m
    cdef int64_t most = 1 << 40
    cdef FineBins* f
    cdef KeptValue value
    if sizes.size() != 5 * attributes.size():
        raise ValueError("a table has the wrong size")
    for i in range(fine.size()):
        if not 0 <= fine[i] < INFINITY:
            raise ValueError("a count is not a number from 0")
    for i in range(coarse.size()):
        if not 0 <= coarse[i] < INFINITY:
            raise ValueError("a count is not a number from 0")
    for i in range(attributes.size()):
        f = &bins[attributes[i]]
        for m in range(5):
            if not 0 <= sizes[5 * i + m] < most:
                raise ValueError("a size is out of range")
        settled, keeps, m = sizes[5 * i] & 1, sizes[5 * i + 1], sizes[5 * i + 2]
        if sizes[5 * i] > 3 or (settled and keeps) or (f.fixed and not settled) or (
                not settled and (m or keeps >= rule.warmup)) or kept_at + keeps > labels_kept.size() or (
                2 * (kept_at + keeps) > kept.size() or edge_at + m > edges.size()):
            raise ValueError("a table has the wrong size")
        f.frozen = sizes[5 * i] >> 1
        f.records, f.records_when_cut = sizes[5 * i + 3], sizes[5 * i + 4]
        for t in range(keeps):
            value.x, value.w, value.label = kept[2 * kept_at], kept[2 * kept_at + 1], labels_kept[kept_at]
            if not -1e150 <= value.x <= 1e150 or not 0 < value.w < INFINITY or not 0 <= value.label < <int64_t>labels:
                raise ValueError("a value of the warm-up can't be")
            f.kept.push_back(value)
            kept_at += 1
        f.stale = not settled
        if not settled:
            continue
        if f.fixed and (m != f.edges.size() or any([f.edges[t] != edges[edge_at + t] for t in range(m)])):
            raise ValueError("its edges are not those of bins_file")
        f.settled = True
        f.edges.assign(edges.begin() + edge_at, edges.begin() + edge_at + m)
        edge_at += m
        for t in range(m):
            if not isfinite(f.edges[t]) or (t and not f.edges[t - 1] < f.edges[t]):
                raise ValueError("edges don't ascend")
        if bin_at + m + 1 > bin.size() or fine_at + (m + 1) * labels > fine.size():
            raise ValueError("a table has the wrong size")
        f.bin.assign(bin.begin() + bin_at, bin.begin() + bin_at + m + 1)
        bin_at += m + 1
        f.n.assign((m + 1) * stride, 0.0)
        for t in range(m + 1):
            if (f.bin[t] - (f.bin[t - 1] if t else 0)) not in (0, 1) or (t == 0 and f.bin[0]) or (
                    f.fixed and f.bin[t] != <int64_t>t):
                raise ValueError("bins are not runs of fine bins")
            for c in range(labels):
                f.n[t * stride + c] = fine[fine_at + t * labels + c]
        fine_at += (m + 1) * labels
        sum_bins(f[0], stride)
        m = f.coarse.distinct
        if coarse_at + (m + 1) * labels > coarse.size():
            raise ValueError("a table has the wrong size")
        for c in range(labels):
            for t in range(m):
                f.coarse.n[t * stride + c] = coarse[coarse_at + t * labels + c]
            f.coarse.present[c] = coarse[coarse_at + m * labels + c]
        coarse_at += (m + 1) * labels
    if (edge_at, bin_at, fine_at, coarse_at, kept_at, 2 * kept_at) != (
            edges.size(), bin.size(), fine.size(), coarse.size(), labels_kept.size(), kept.size()):
        raise ValueError("a table has the wrong size")
    return 0
