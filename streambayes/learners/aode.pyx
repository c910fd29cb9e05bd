"""AODE, averaged one-dependence estimators, in one pass (SPEC 2).

    P(c, x) = sum over j of P(c, a_j) * product over i != j of P(a_i|c, a_j)

over the superparents j whose value is present and has n(a_j) > limit, with

    P(c, a_j)     = (n(c, a_j) + m/(C |A_j|)) / (n(A_j present) + m)
    P(a_i|c, a_j) = (n(c, a_j, a_i) + m/|A_i|) / (n(c, a_j, A_i present) + m)

    laplace       m = C |A_j| and m = |A_i|: one is added to every cell
    none left     naive Bayes with the same estimate
    subsumption   a_i is dropped when n(a_j) = n(a_i, a_j) > critical for some other a_j          (AODEsr)
    weight=mi     superparent j's term times the mutual information of A_j and the class         (WAODE)

Numeric attributes are discretised (SPEC 3).

    Webb, G. I., Boughton, J. R., Wang, Z. (2005). Not so naive Bayes: aggregating one-dependence
    estimators. Machine Learning 58, 5-24.
    Zheng, F., Webb, G. I. (2006). Efficient lazy elimination for averaged one-dependence estimators. ICML.
    Jiang, L., Zhang, H. (2006). Weightily averaged one-dependence estimators. PRICAI.
"""
from __future__ import annotations

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.counts cimport counted, row_total
from ..statistics.fine_bins cimport CUT, SETTLED, find_bin, find_fine_bin, refresh_bins, same_bins
from ..statistics.packed cimport packed, packed_int32, packed_int64, unpacked, unpacked_int32, unpacked_int64
from ..statistics.pair_counts cimport (PairCounts, WaitingRecord, count_pairs_of_values, multiply_pairs,
                                       multiply_pairs_of_two, pair_of, prefetch, sum_pairs)
from ..statistics.products cimport (const_row_t, either, from_bits, kernel, log_product, power_of, renormalise,
                                    row_t)
from ..statistics.tables cimport CountTable, Scores
from .base cimport Learner
from .discrete_naive_bayes cimport DiscreteNaiveBayes

from ..records.problems import ModelFileError
from .discrete_naive_bayes import DISCRETISING, ESTIMATE, MAX_VALUES, M
from .parameters import Parameter

cdef double LEAST_M = 1e-10       # with less, or weights beyond 1e18, logarithms are added
cdef double MOST_N = 1e18
cdef double SLACK = 1e-9          # the relative slack where weights are compared
cdef double NONE_LEFT = 1e-9
cdef double NO_INFORMATION = 1e-12
cdef size_t MOST_FINE_BYTES = 1 << 30   # of pairs of fine bins

cdef enum:
    JOINED = 1    # what is to be known of an item: its pairs are counted ...
    FOLLOWS = 2   # ... by fine bins too
    PRESENCE = 4  # it is «A is present»
    ROOM = 440    # powers of two that a product may reach before it is renormalised


# ------------------------------------------------------------------------------ arithmetic
cdef inline bint above_limit(double n, double limit) noexcept nogil:
    return n > limit * (1 + SLACK)


cdef inline bint same(double n, double other) noexcept nogil:
    cdef double d = n - other if n > other else other - n
    return d <= SLACK * (n if n > other else other)


cdef inline void times_row(row_t below, const_row_t n, double m, size_t stride) noexcept nogil:
    cdef size_t c
    for c in range(stride):
        below[c] *= n[c] + m


cdef kernel times_powers(row_t below, row_t base, const_row_t n, double m, int64_t k, size_t size) noexcept nogil:
    # below *= (n + m)^k, by repeated squaring; `base` is room to work in
    cdef size_t c
    for c in range(size):
        base[c] = n[c] + m
    while True:
        if k & 1:
            for c in range(size):
                below[c] *= base[c]
        k >>= 1
        if k == 0:
            return
        for c in range(size):
            base[c] *= base[c]


cdef inline void close_terms(row_t above, const_row_t below, const_row_t own, const_row_t factor, const_row_t by_cell,
                             const_row_t again, size_t terms, size_t stride) noexcept nogil:
    # above *= factor (n(c, a_j) + m/(C |A_j|)) / below; and a_j, which is no child of its own, is taken from
    # the denominators again, where it is among them (its m isn't negative)
    cdef size_t y, c
    cdef double n, twice
    for y in range(terms):
        for c in range(stride):
            n = own[y * stride + c]
            twice = either(again[y] >= 0, n + again[y], 1.0)
            above[y * stride + c] *= factor[y] * (n + by_cell[y]) * twice / below[y * stride + c]


cdef inline void add_terms(row_t joint, const_row_t terms, size_t n, size_t stride) noexcept nogil:
    cdef size_t y, c
    for y in range(n):
        for c in range(stride):
            joint[c] += terms[y * stride + c]


cdef inline double power_of_two(int64_t e) noexcept nogil:
    return from_bits(<uint64_t>(e + 1023) << 52)


cdef inline double row_information(const double* n, size_t stride) noexcept nogil:
    # sum over c of n(c, v) log n(c, v), less n(v) log n(v)
    cdef double total = 0, information = 0
    cdef size_t c
    for c in range(stride):
        if n[c] > 0:
            total += n[c]
            information += n[c] * log(n[c])
    return information - total * log(total) if total > 0 else 0.0


cdef class AODE(DiscreteNaiveBayes):
    """Averaged one-dependence estimators over values and bins, learned in one pass.

    P(c, x) is the sum over superparents j of P(c, a_j) prod P(a_i|c, a_j) [1]_: every attribute in turn is
    the one that all others depend on, beside the class. Only values with n(a_j) > `limit` serve; where
    none does, naive Bayes answers.

    Keeps naive Bayes' counts and n(c, a_i, a_j) for each pair of attributes: 8 bytes x classes x the sum
    over pairs of |A_i| |A_j| (room for values grows by halves). A pair of attributes with more than
    65,536 pairs of values keeps those that occur, at 8 bytes x classes + 16 to 24 each. An attribute that was
    ever missing adds n(c, a_j, A_i present), 8 bytes x classes x the sum of the other |A_j|. Records in which
    some attribute's warm-up isn't over are kept until it is, 16 bytes a cell. Pairs with fine bins,
    8 bytes x classes x up to 64 |A_j|, or 64 x 64, a pair, are kept as well, so that moving a cut
    loses nothing; where they would take more than 1 GiB they are given up, and all cuts stay where
    they are from then on.

    Scoring costs n^2/2 steps for each class in the n attributes that are present.

    Parameters
    ----------
    estimate : {'m', 'laplace'}, default 'm'
        How probabilities are estimated; `laplace` adds one to every cell, and with `limit=0` is Weka's AODE.
    m : float, optional
        Weight of the uniform estimate. Default 1; refused with `laplace`.
    limit : float, default 1
        A superparent's value must have been seen with more weight than this.
    subsumption : bool, default False
        Leave out values that another value implies [2]_.
    critical : float, default 100
        A value must have been seen with more weight than this to imply another.
    weight : {'none', 'mi'}, default 'none'
        Whether superparents count alike or by their mutual information with the class [3]_.
    bins, warmup, cuts, bins_file
        Discretising, as in `DiscreteNaiveBayes`.
    max_values : int, default 10000
        Distinct values of a nominal attribute that are told apart; all later ones share one slot.

    Raises
    ------
    UsageError
        For an unknown parameter, a value it can't have, or `m` beside `laplace`.

    References
    ----------
    .. [1] Webb, G. I., Boughton, J. R., Wang, Z. (2005). Not so naive Bayes: aggregating
       one-dependence estimators. Machine Learning 58, 5-24.
    .. [2] Zheng, F., Webb, G. I. (2006). Efficient lazy elimination for averaged one-dependence
       estimators. ICML.
    .. [3] Jiang, L., Zhang, H. (2006). Weightily averaged one-dependence estimators. PRICAI.

    Examples
    --------
    >>> from streambayes import AODE
    >>> model = AODE()
    >>> for a, b in [(0, 0), (0, 1), (1, 0), (1, 1)] * 5:  # neither says anything alone
    ...     model.learn_one({"a": f"v{a}", "b": f"v{b}"}, "same" if a == b else "other")
    >>> model.predict_one({"a": "v1", "b": "v1"})
    'same'
    >>> round(model.predict_proba_one({"a": "v1", "b": "v1"})["same"], 4)  # 5.5/6 to 0.5/6
    0.9167
    """

    NAME = "aode"
    PARAMETERS = (
        ESTIMATE,
        M,
        Parameter("limit", float, 1.0, "a superparent's value must have been seen with more weight"),
        Parameter("subsumption", bool, False, "leave out values that another one implies"),
        Parameter("critical", float, 100.0, "a value must have been seen with more weight to imply another"),
        Parameter("weight", str, "none", "superparents count alike, or by their mutual information with the class",
                  ("none", "mi")),
        *DISCRETISING,
        MAX_VALUES,
    )

    def __init__(self, **parameters):
        super().__init__(**parameters)
        self.limit = self.parameters["limit"]
        self.subsumption = self.parameters["subsumption"]
        self.critical = self.parameters["critical"]
        self.by_information = self.parameters["weight"] == "mi"
        self.coarse.stride = self.fine.stride = self.stride
        self.room_to_score(0)

    def effective_parameters(self) -> dict:
        """The parameters with the estimate's presets worked out."""
        m = None if self.parameters["estimate"] == "laplace" else 1.0
        return {name: m if name == "m" and value is None else value for name, value in self.parameters.items()}

    # ------------------------------------------------------------ what a record adds
    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil:
        cdef size_t a
        cdef bint waits = False
        for a in range(self.counts.size()):
            if r.code[a] == MISSING and r.x[a] != r.x[a]:
                if w > 0 and self.presence_of[a] < 0:
                    self.track_presence(a, True)
            elif not self.joined[a]:
                waits = True
        self.any_happened = False
        self.add_counts(r, c, w)
        if self.by_information:
            self.note_information(r, waits)
        if self.any_happened:
            for a in range(self.counts.size()):
                if self.happened[a] & CUT and self.joined[a]:
                    self.move_cuts(a)
        if waits and w > 0:
            self.wait(r, c, w)
        elif waits:
            self.stop_waiting(r, c, -w)
        self.read_cells(r)
        self.count_pairs(c, w)
        if self.any_happened:
            for a in range(self.counts.size()):
                if self.happened[a] & SETTLED and not self.joined[a]:
                    self.join(a)
                self.happened[a] = 0
            self.let_go()
        return 0

    cdef bint follows(self, size_t a) noexcept nogil:
        # whether an attribute's cuts may move, so that its pairs are counted by fine bins too
        return self.joined[a] and self.schema.attributes[a].kind == KIND_NUMERIC and not (
            self.bins[a].fixed or self.bins[a].frozen)

    cdef bint is_joined(self, size_t item) noexcept nogil:
        return self.joined[self.source[item]] or self.item_of[self.source[item]] != <int32_t>item

    cdef int read_cells(self, const Record& r) except -1 nogil:
        cdef size_t i, a
        if self.numeric.empty() and self.source.size() == self.counts.size():
            # values alone, none of them ever missing
            self.items.clear()
            self.codes.clear()
            for a in range(self.counts.size()):
                if r.code[a] >= 0:
                    self.items.push_back(self.item_of[a])
                    self.codes.push_back(r.code[a])
            self.fine_codes.assign(self.items.size(), 0)
            self.flags.assign(self.items.size(), JOINED)
            return 0
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            self.cell[a] = self.fine_cell[a] = r.code[a]
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            self.cell[a] = self.fine_cell[a] = MISSING
            if r.x[a] == r.x[a]:
                self.fine_cell[a] = find_fine_bin(self.bins[a], r.x[a])
                self.cell[a] = self.bins[a].bin[self.fine_cell[a]]
                if not self.follows(a):
                    self.fine_cell[a] = self.cell[a]
        return self.list_items()

    cdef int read_waiting(self, const WaitingRecord& t) except -1 nogil:
        cdef size_t i, a
        self.cell.assign(self.counts.size(), MISSING)
        for i in range(t.attribute.size()):
            a = t.attribute[i]
            self.cell[a] = self.fine_cell[a] = t.code[i]
            if self.schema.attributes[a].kind == KIND_NUMERIC:
                self.cell[a] = self.fine_cell[a] = find_bin(self.bins[a], t.x[i])
                if self.follows(a):
                    self.fine_cell[a] = find_fine_bin(self.bins[a], t.x[i])
        return self.list_items()

    cdef int list_items(self) except -1 nogil:
        """The items of the record whose cells were read, ascending."""
        cdef size_t i, a
        self.items.clear()
        self.codes.clear()
        self.fine_codes.clear()
        self.flags.clear()
        for i in range(self.source.size()):
            a = self.source[i]
            if self.cell[a] < 0:
                continue
            self.items.push_back(<int32_t>i)
            if self.item_of[a] == <int32_t>i:
                self.codes.push_back(self.cell[a])
                self.fine_codes.push_back(self.fine_cell[a])
                self.flags.push_back((JOINED if self.joined[a] else 0) | (FOLLOWS if self.follows(a) else 0))
            else:
                self.codes.push_back(0)
                self.fine_codes.push_back(0)
                self.flags.push_back(JOINED | PRESENCE)
        return 0

    cdef int count_pair(self, size_t u, size_t v, size_t c, double w) except -1 nogil:
        """n(c, a_u, a_v) += w, for the u-th and v-th item, u < v."""
        cdef double* n
        cdef size_t i = self.items[u], j = self.items[v]
        if self.source[i] == self.source[j] or self.flags[u] & self.flags[v] & PRESENCE:
            return 0
        if w > 0:
            n = self.coarse.make(i, self.codes[u], j, self.codes[v])
            n[c] += w
            if (self.flags[u] | self.flags[v]) & FOLLOWS:
                n = self.fine.make(i, self.fine_codes[u], j, self.fine_codes[v])
                n[c] += w
            return 0
        n = self.coarse.find(i, self.codes[u], j, self.codes[v])
        if n != NULL:
            n[c] = counted(n[c], w)
        n = self.fine.find(i, self.fine_codes[u], j, self.fine_codes[v])
        if n != NULL and (self.flags[u] | self.flags[v]) & FOLLOWS:
            n[c] = counted(n[c], w)
        return 0

    cdef int count_pairs(self, size_t c, double w) except -1 nogil:
        """Adds the record's pairs of items that are joined."""
        cdef size_t u, v, n = self.items.size()
        cdef const int32_t* items
        cdef const int32_t* codes
        cdef const char* flags
        cdef bint grew = False
        for v in range(n if w > 0 else 0):
            if <size_t>self.codes[v] >= self.coarse.room[self.items[v]]:
                self.coarse.grow(self.items[v], self.codes[v] + 1)
                grew = True
            if <size_t>self.fine_codes[v] >= self.fine.room[self.items[v]] and not self.numeric.empty():
                self.fine.grow(self.items[v], self.fine_codes[v] + 1)
        if grew and not self.frozen and not self.numeric.empty():
            self.freeze_without_room()
            self.list_items()
        items, codes, flags = self.items.data(), self.codes.data(), self.flags.data()
        if w > 0 and self.numeric.empty() and self.source.size() == self.counts.size():
            # values alone, none of them ever missing: the same, with no more than that to do
            return count_pairs_of_values(self.coarse, items, codes, n, self.item_room.data(), self.item_at.data(), c,
                                         w)
        if w < 0:
            for v in range(n):
                for u in range(v if flags[v] & JOINED else 0):
                    if flags[u] & JOINED:
                        self.count_pair(u, v, c, w)
            return 0
        for v in range(n):
            if not flags[v] & JOINED:
                continue
            # where the counts are, so that they come from memory together; then the sums
            self.cells.clear()
            for u in range(v):
                if not flags[u] & JOINED or flags[u] & flags[v] & PRESENCE or (
                        self.source[items[u]] == self.source[items[v]]):
                    continue
                self.cells.push_back(self.coarse.make(items[u], codes[u], items[v], codes[v]) + c)
                if (flags[u] | flags[v]) & FOLLOWS:
                    self.cells.push_back(self.fine.make(items[u], self.fine_codes[u], items[v], self.fine_codes[v]) + c)
                    prefetch(self.cells.back())
            for u in range(self.cells.size()):
                self.cells[u][0] += w
        return 0

    # ------------------------------------------------------------ attributes that are missing now and then
    cdef int add_item(self, size_t a) except -1 nogil:
        self.source.push_back(<int32_t>a)
        self.coarse.add_attribute()
        self.fine.add_attribute()
        self.changed.push_back(False)
        return 0

    cdef int track_presence(self, size_t a, bint was_present) except -1 nogil:
        """Counts n(c, a_j, A present) from now on; `was_present`: so far that was n(c, a_j), else 0."""
        if self.presence_of[a] >= 0:
            return 0
        self.presence_of[a] = <int32_t>self.source.size()
        self.add_item(a)
        self.changed[self.presence_of[a]] = True
        return self.presence_from_counts(a) if was_present else 0

    cdef bint was_missing(self, size_t a) noexcept nogil:
        # whether any record lacks A: n(c, A present) differs from n(c)
        cdef const double* present = self.counts[a].present.data()
        cdef size_t c
        if self.presence_of[a] < 0:
            return False
        if self.schema.attributes[a].kind == KIND_NUMERIC:
            present = self.bins[a].coarse.present.data()
        for c in range(self.stride):
            if present[c] != self.class_n[c]:
                return True
        return False

    cdef int presence_from_counts(self, size_t a) except -1 nogil:
        cdef size_t j, code, c, stride = self.stride, p = self.presence_of[a]
        cdef CountTable* t
        cdef double* n
        for j in range(self.counts.size()):
            if j == a or not self.joined[j]:
                continue
            t = &self.bins[j].coarse if self.schema.attributes[j].kind == KIND_NUMERIC else &self.counts[j]
            for code in range(t.n.size() // stride):
                if row_total(t.n.data() + code * stride, stride) > 0:
                    n = self.coarse.make_any(p, 0, self.item_of[j], code)
                    for c in range(stride):
                        n[c] += t.n[code * stride + c]
            if not self.follows(j):
                continue
            for code in range(self.bins[j].edges.size() + 1):
                if row_total(self.bins[j].n.data() + code * stride, stride) > 0:
                    n = self.fine.make_any(p, 0, self.item_of[j], code)
                    for c in range(stride):
                        n[c] += self.bins[j].n[code * stride + c]
        return 0

    # ------------------------------------------------------------ warm-ups, and cuts that move
    cdef int wait(self, const Record& r, size_t c, double w) except -1 nogil:
        """Keeps a record until all its attributes are joined."""
        cdef WaitingRecord t
        cdef size_t a
        t.label, t.w = <int32_t>c, w
        for a in range(self.counts.size()):
            if r.code[a] == MISSING and r.x[a] != r.x[a]:
                continue
            t.attribute.push_back(<int32_t>a)
            t.code.push_back(r.code[a])
            t.x.push_back(r.x[a])
        self.waiting.push_back(t)
        return 0

    cdef int stop_waiting(self, const Record& r, size_t c, double w) except -1 nogil:
        """Subtracts a record from those that wait, the latest first."""
        cdef size_t i = self.waiting.size(), k, a, cells = 0
        cdef WaitingRecord* t
        cdef bint equal
        for a in range(self.counts.size()):
            cells += not (r.code[a] == MISSING and r.x[a] != r.x[a])
        self.cache_stale = True
        while i > 0 and w >= NONE_LEFT:
            i -= 1
            t = &self.waiting[i]
            equal = t.label == <int32_t>c and t.attribute.size() == cells
            for k in range(t.attribute.size() if equal else 0):
                a = t.attribute[k]
                if self.schema.attributes[a].kind == KIND_NUMERIC:
                    equal = equal and t.x[k] == r.x[a]
                else:
                    equal = equal and t.code[k] == r.code[a]
            if not equal:
                continue
            if t.w - w >= NONE_LEFT:
                t.w -= w
                return 0
            w -= t.w
            self.waiting.erase(self.waiting.begin() + i)
        return 0

    cdef int join(self, size_t a) except -1 nogil:
        """The warm-up of an attribute is over: its pairs with all that are joined, from the records that wait."""
        cdef size_t i, u, v, item = self.item_of[a]
        self.changed[item] = True
        self.joined[a] = True
        self.bins[a].frozen = self.frozen
        self.freeze_without_room()
        for i in range(self.source.size()):
            if i != item:
                self.coarse.drop(item, i)
        self.coarse.grow(item, self.bins[a].coarse.distinct)
        self.fine.grow(item, self.bins[a].edges.size() + 1)
        for i in range(self.waiting.size()):
            self.read_waiting(self.waiting[i])
            if self.cell[a] == MISSING:
                continue
            v = 0
            while self.items[v] != <int32_t>item:
                v += 1
            for u in range(self.items.size()):
                if u != v and self.is_joined(self.items[u]):
                    self.count_pair(u if u < v else v, v if u < v else u, self.waiting[i].label, self.waiting[i].w)
        return 0

    cdef int let_go(self) except -1 nogil:
        """Forgets the records whose attributes are all joined by now."""
        cdef size_t i, k, kept = 0, counted_ = 0
        cdef bint waits
        for i in range(self.waiting.size()):
            waits = False
            for k in range(self.waiting[i].attribute.size()):
                waits |= not self.joined[self.waiting[i].attribute[k]]
            if waits:
                if kept != i:
                    self.waiting[kept] = self.waiting[i]
                kept += 1
                counted_ += i < self.counted_waiting
        self.waiting.resize(kept)
        self.counted_waiting = counted_
        return 0

    cdef int freeze_without_room(self) except -1 nogil:
        """Gives up pairs of fine bins, and with them moving cuts, where they would take too much memory."""
        cdef double total = 0, rest = 0, own = 0, rooms
        cdef size_t i, a
        if self.frozen:
            return 0
        for i in range(self.source.size()):
            a = self.source[i]
            if self.item_of[a] != <int32_t>i:
                rooms = 1
                rest += rooms
            elif self.follows(a):
                rooms = self.bins[a].edges.size() + 1
                own += rooms * rooms
            else:
                rooms = self.coarse.room[i]
                rest += rooms
            total += rooms
        if (total * total - rest * rest - own) / 2 * self.schema.labels.size() * sizeof(double) > MOST_FINE_BYTES:
            self.freeze()
        return 0

    cdef int freeze(self) except -1 nogil:
        cdef size_t i
        self.frozen = True
        self.fine.clear()
        for i in range(self.numeric.size()):
            if self.joined[self.numeric[i]] and not self.bins[self.numeric[i]].fixed:
                self.bins[self.numeric[i]].frozen = True
        return 0

    cdef int move_cuts(self, size_t a) except -1 nogil:
        """The pairs of an attribute by its new bins, summed over fine bins."""
        cdef size_t k, b, item = self.item_of[a]
        cdef vector[int32_t] bins
        self.changed[item] = True
        self.coarse.grow(item, self.bins[a].coarse.distinct)
        for k in range(self.source.size()):
            b = self.source[k]
            # of two whose cuts have moved, one does it for both
            if b == a or not self.is_joined(k) or (self.happened[b] & CUT and b < a and self.item_of[b] == <int32_t>k):
                continue
            self.bins_of(k, bins)
            if k < item:
                sum_pairs(self.coarse, self.fine, k, bins, item, self.bins[a].bin)
            else:
                sum_pairs(self.coarse, self.fine, item, self.bins[a].bin, k, bins)
        return 0

    cdef int bins_of(self, size_t item, vector[int32_t]& bins) except -1 nogil:
        """Of each fine code of an item, its code: a bin, or the same."""
        cdef size_t a = self.source[item], i
        if self.item_of[a] == <int32_t>item and self.follows(a):
            bins = self.bins[a].bin
            return 0
        bins.resize(self.fine.room[item])
        for i in range(bins.size()):
            bins[i] = <int32_t>i
        return 0

    cdef int refresh_pairs(self) except -1 nogil:
        """The pairs of attributes that aren't joined, from the records that wait, by their bins of now.

        Records that were counted already are counted anew for the items that have changed: bins that
        have moved, items that have come.
        """
        cdef size_t i, k, u, v, a
        cdef WaitingRecord* t
        cdef bint any_changed = False, all_changed = self.cache_stale
        for i in range(self.counted_waiting if not all_changed else 0):
            t = &self.waiting[i]
            for k in range(t.attribute.size()):
                a = t.attribute[k]
                if not self.joined[a] and t.code[k] != find_bin(self.bins[a], t.x[k]):
                    self.changed[self.item_of[a]] = True
        for i in range(self.source.size()):
            if all_changed and not self.is_joined(i):
                self.changed[i] = True
            if self.changed[i]:
                any_changed = True
                for k in range(self.source.size()):
                    if k != i and not (self.is_joined(i) and self.is_joined(k)):
                        self.coarse.drop(i, k)
        if all_changed:
            self.counted_waiting = 0
        for i in range(0 if any_changed else self.counted_waiting, self.waiting.size()):
            t = &self.waiting[i]
            self.read_waiting(t[0])
            for k in range(t.attribute.size()):
                if not self.joined[t.attribute[k]]:
                    t.code[k] = self.cell[t.attribute[k]]
            for v in range(self.items.size()):
                if i >= self.counted_waiting:
                    for u in range(v):
                        self.count_pair_in_cache(u, v, t.label, t.w)
                elif self.changed[self.items[v]]:
                    for u in range(self.items.size()):
                        if u < v and not self.changed[self.items[u]]:
                            self.count_pair_in_cache(u, v, t.label, t.w)
                        elif u > v:
                            self.count_pair_in_cache(v, u, t.label, t.w)
        self.counted_waiting = self.waiting.size()
        self.changed.assign(self.source.size(), False)
        self.cache_stale = False
        return 0

    cdef int count_pair_in_cache(self, size_t u, size_t v, size_t c, double w) except -1 nogil:
        cdef size_t i = self.items[u], j = self.items[v]
        if self.flags[u] & self.flags[v] & (JOINED | PRESENCE) or self.source[i] == self.source[j]:
            return 0
        self.coarse.make(i, self.codes[u], j, self.codes[v])[c] += w
        return 0

    cdef int refresh(self) except -1 nogil:
        cdef size_t i, a
        DiscreteNaiveBayes.refresh(self)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            if not self.joined[a]:
                self.coarse.grow(self.item_of[a], self.bins[a].coarse.distinct)
        return 0

    cdef int prepare(self, Scores& s) except -1 nogil:
        if self.stale:
            self.refresh()
        if not self.waiting.empty() or self.cache_stale:
            self.refresh_pairs()
        if self.by_information and self.information_stale:
            self.refresh_information()
        return Learner.prepare(self, s)

    # ------------------------------------------------------------ mutual information with the class
    cdef int note_information(self, const Record& r, bint waits) except -1 nogil:
        """The rows that a record has changed; where bins may have moved, all of them later."""
        cdef size_t a, stride = self.stride
        cdef int32_t code
        cdef CountTable* t
        self.information_stale |= waits or self.any_happened
        for a in range(self.counts.size() if not self.information_stale else 0):
            code = self.code_of(r, a)
            t = &self.bins[a].coarse if self.schema.attributes[a].kind == KIND_NUMERIC else &self.counts[a]
            if code >= 0 and (code + 1) * stride <= t.n.size():
                self.information[a].resize(t.n.size() // stride, 0.0)
                self.information[a][code] = row_information(t.n.data() + code * stride, stride)
        return 0

    cdef int refresh_information(self) except -1 nogil:
        cdef size_t a, v, stride = self.stride
        cdef CountTable* t
        for a in range(self.counts.size()):
            t = &self.bins[a].coarse if self.schema.attributes[a].kind == KIND_NUMERIC else &self.counts[a]
            self.information[a].resize(t.n.size() // stride)
            for v in range(self.information[a].size()):
                self.information[a][v] = row_information(t.n.data() + v * stride, stride)
        self.information_stale = False
        return 0

    cdef double mutual_information(self, size_t a) noexcept nogil:
        # I(A; class) = sum over c, v of P(c, v) log(P(c, v) / (P(c) P(v))), over the records that have A
        cdef CountTable* t = &self.counts[a]
        cdef double sum_ = 0, N = 0
        cdef size_t v, c
        if self.schema.attributes[a].kind == KIND_NUMERIC:
            t = &self.bins[a].coarse
        for v in range(self.information[a].size()):
            sum_ += self.information[a][v]
        for c in range(self.stride):
            if t.present[c] > 0:
                N += t.present[c]
                sum_ -= t.present[c] * log(t.present[c])
        if not N > 0:
            return 0.0
        sum_ = (sum_ + N * log(N)) / N
        return sum_ if sum_ >= NO_INFORMATION else 0.0

    # ------------------------------------------------------------ how the classes are scored
    cdef void score(self, const Record& r, Scores& s) noexcept nogil:
        cdef size_t stride = self.stride, labels = self.schema.labels.size(), attributes = self.counts.size()
        cdef size_t a, c, x, y, g, i, known = 0, step, groups = 0, parents = 0, children = 0, tracked = 0, rows
        cdef double* above = s.work.data()                      # of each superparent: products of numerators ...
        cdef double* below = above + attributes * stride        # ... and of denominators
        cdef double* own = below + attributes * stride          # n(c, a_j)
        cdef double* base = own + attributes * stride           # room to work in
        cdef double* joint = base + attributes * stride         # the sum of the terms
        cdef double* nothing = joint + stride                   # n(c, v) of a value never seen
        cdef double* total = nothing + stride                   # n(a_j)
        cdef double* present = total + attributes               # n(A_j present)
        cdef double* size = present + attributes                # |A_j|
        cdef double* mp = size + attributes                     # m/|A_j|
        cdef double* weight = mp + attributes                   # of the superparent; 0: it isn't one
        cdef double* group = weight + attributes                # the m of children that were never missing ...
        cdef double* m_tracked = group + attributes             # ... and of those that were
        cdef double* by_cell = m_tracked + attributes           # m/(C |A_j|)
        cdef double* again = by_cell + attributes               # the m of a_j, which was counted among the children
        cdef int64_t* exponent = s.exponent.data()              # powers of two of `above` ...
        cdef int64_t* below_exponent = exponent + attributes * stride    # ... and of `below`
        cdef int64_t* most = below_exponent + attributes * stride        # of each class, the greatest
        cdef int64_t* in_group = most + stride                  # how many children have each m
        cdef int64_t* presence = in_group + attributes          # the items «present» of children that were missing
        cdef int64_t* unknown = presence + attributes           # children that nothing is counted of
        cdef char* left                                         # attributes that aren't dropped
        cdef Asked q
        cdef const CountTable* t
        cdef const double* n
        cdef double m, f, least = INFINITY, greatest = 0.0, constant = 0.0, size_a, sum_
        cdef int32_t value
        cdef double one = self.one, limit = self.limit * self.one
        cdef int64_t e, unknowns = 0
        cdef bint as_logs = (not self.laplace and self.given_m < LEAST_M) or s.N > MOST_N, short, laplace = self.laplace
        q.attribute = unknown + attributes
        q.item = q.attribute + attributes
        q.code = q.item + attributes
        q.room = q.code + attributes
        q.at = q.room + attributes
        q.mp, q.nothing = mp, nothing
        q.rows = <const double**>(q.at + attributes)
        left = <char*>(q.rows + attributes)
        for c in range(stride):
            nothing[c] = 0.0
        # the values that are present: those with a count first, others (children at most) apart
        memset(left, True, attributes)
        for a in range(attributes):
            value = r.code[a]
            if value != MISSING:
                t = &self.counts[a]
                n = nothing
                size_a = t.distinct + 1
                if value >= 0 and <size_t>value < t.counts.size():
                    n = t.n.data() + value * stride
                    size_a = t.distinct + (0 if t.counts[value] else 1)
            elif r.x[a] == r.x[a]:
                t = &self.bins[a].coarse
                value = find_bin(self.bins[a], r.x[a])
                n = t.n.data() + value * stride
                size_a = t.distinct
            else:
                continue
            sum_ = row_total(n, stride)
            if not sum_ > 0:
                unknown[unknowns] = a
                size[attributes - 1 - unknowns] = size_a  # from the end, beyond the known ones
                unknowns += 1
                continue
            q.attribute[known], q.item[known], q.code[known] = a, self.item_of[a], value
            q.room[known] = self.coarse.room[q.item[known]] * stride
            q.at[known] = value * stride
            total[known], size[known], present[known] = sum_, size_a, row_total(t.present.data(), stride)
            for c in range(stride):
                own[known * stride + c] = n[c]
            known += 1
        q.known = known
        if self.subsumption:
            self.drop_implied(q, total, left)
            i = 0
            for x in range(known):
                if not left[q.attribute[x]]:
                    continue
                q.attribute[i], q.item[i], q.code[i] = q.attribute[x], q.item[x], q.code[x]
                q.room[i], q.at[i], total[i], size[i], present[i] = q.room[x], q.at[x], total[x], size[x], present[x]
                for c in range(stride):
                    own[i * stride + c] = own[x * stride + c]
                i += 1
            q.known = known = i
        # superparents and their weights
        for x in range(known):
            weight[x] = above_limit(total[x], limit)
            parents += weight[x] > 0
        if parents == 0:
            self.score_as_naive_bayes(r, left, s)
            return
        if self.by_information:
            self.weigh_by_information(q, weight)
        # children by their m: n(c, a_j, A_i present) is n(c, a_j) for those that were never missing
        for x in range(known):
            m = size[x] * one if laplace else self.m
            mp[x] = f = one if laplace else m / size[x]
            least = f if f < least else least
            greatest = m if m > greatest else greatest
            a = q.attribute[x]
            if self.presence_of[a] >= 0 and self.was_missing(a):
                presence[tracked], m_tracked[tracked] = self.presence_of[a], m
                tracked += 1
                continue
            g = 0
            while g < groups and group[g] != m:
                g += 1
            if g == groups:
                group[g], in_group[g] = m, 0
                groups += 1
            in_group[g] += 1
        for x in range(unknowns):
            size_a = size[attributes - 1 - x]
            m = size_a * one if laplace else self.m
            f = one if laplace else m / size_a
            constant += log(f)
            least = f if f < least else least
            greatest = m if m > greatest else greatest
            a = unknown[x]
            if self.presence_of[a] >= 0 and self.was_missing(a):
                presence[tracked], m_tracked[tracked] = self.presence_of[a], m
                tracked += 1
                continue
            group[groups], in_group[groups] = m, 1
            groups += 1
        children = known + unknowns
        if as_logs:
            self.score_by_logs(q, s, own, present, size, weight, total, unknown, unknowns)
            return
        # so many factors fit into a double; where all do, no exponents are needed
        e = <int64_t>power_of(s.N + greatest) + 1
        if 1 - <int64_t>power_of(least) > e:
            e = 1 - <int64_t>power_of(least)
        step = ROOM // e
        short = children <= step
        rows = known * stride
        for x in range(rows):
            below[x] = 1.0
        for x in range(rows if not short else 0):
            exponent[x] = below_exponent[x] = 0
        if short and stride == 2:
            multiply_pairs_of_two(self.coarse, q, above)
        else:
            multiply_pairs(self.coarse, q, above, exponent, stride, step)
        for g in range(groups):
            e = in_group[g]
            while e > <int64_t>step:
                times_powers(below, base, own, group[g], step, rows)
                renormalise(below, below_exponent, rows)
                e -= step
            times_powers(below, base, own, group[g], e, rows)
            if not short:
                renormalise(below, below_exponent, rows)
        for i in range(tracked):
            for y in range(known):
                if self.source[presence[i]] == q.attribute[y]:
                    continue
                n = self.coarse.find_any(presence[i], 0, q.item[y], q.code[y])
                times_row(below + y * stride, n if n != NULL else nothing, m_tracked[i], stride)
            if not short and i % step == step - 1:
                renormalise(below, below_exponent, rows)
        if not short:
            renormalise(above, exponent, rows)
            renormalise(below, below_exponent, rows)
        # P(c, a_j) times the quotients
        for y in range(known):
            m = s.C * size[y] * one if laplace else self.m
            by_cell[y] = one if laplace else m / (s.C * size[y])
            total[y] = weight[y] / (present[y] + m)
            again[y] = size[y] * one if laplace else self.m
            if self.presence_of[q.attribute[y]] >= 0 and self.was_missing(q.attribute[y]):
                again[y] = -1.0
        if stride == 2:
            close_terms(above, below, own, total, by_cell, again, known, 2)
        else:
            close_terms(above, below, own, total, by_cell, again, known, stride)
        if short:
            for c in range(stride):
                joint[c] = 0.0
                most[c] = 0
            if stride == 2:
                add_terms(joint, above, known, 2)
            else:
                add_terms(joint, above, known, stride)
        else:
            self.sum_terms(q, above, exponent, below_exponent, weight, joint, most)
        for c in range(labels):
            s.log_joint[c] = log_product(joint[c], most[c], 0) + constant

    cdef void weigh_by_information(self, const Asked& q, double* weight) noexcept nogil:
        """The mutual information of each superparent and the class for its weight, unless none has any."""
        cdef size_t x
        cdef bint any_known = False
        for x in range(q.known):
            any_known = any_known or (weight[x] > 0 and self.mutual_information(q.attribute[x]) > 0)
        for x in range(q.known if any_known else 0):
            if weight[x] > 0:
                weight[x] = self.mutual_information(q.attribute[x])

    cdef void sum_terms(self, const Asked& q, double* term, int64_t* exponent, const int64_t* below_exponent,
                        const double* weight, double* joint, int64_t* most) noexcept nogil:
        # sum over j of term_j 2^(e_j), as joint 2^most
        cdef size_t c, y, x, stride = self.stride
        cdef int64_t e
        for c in range(stride):
            joint[c] = 0.0
            most[c] = -(<int64_t>1 << 62)
        for x in range(q.known * stride):
            exponent[x] -= below_exponent[x]
        for y in range(q.known):
            if not weight[y] > 0:
                continue
            renormalise(term + y * stride, exponent + y * stride, stride)
            for c in range(stride):
                most[c] = exponent[y * stride + c] if exponent[y * stride + c] > most[c] else most[c]
        for y in range(q.known):
            for c in range(stride if weight[y] > 0 else 0):
                e = exponent[y * stride + c] - most[c]
                if e > -1000:
                    joint[c] += term[y * stride + c] * power_of_two(e)

    cdef void drop_implied(self, const Asked& q, const double* total, char* left) noexcept nogil:
        # a_i goes when n(a_j) = n(a_i, a_j) > critical for another a_j; of two that imply each other, the later
        cdef size_t x, y
        cdef double both, critical = self.critical * self.one
        cdef const double* const* blocks
        for y in range(q.known):
            blocks = self.coarse.blocks_of(q.item[y])
            for x in range(y):
                both = row_total(pair_of(self.coarse, blocks, q, x, y), self.stride)
                if above_limit(total[x], critical) and same(total[x], both):    # a_x implies a_y
                    left[q.attribute[y]] = False
                elif above_limit(total[y], critical) and same(total[y], both):
                    left[q.attribute[x]] = False

    cdef void score_by_logs(self, const Asked& q, Scores& s, const double* own, const double* present,
                            const double* size, const double* weight, const double* total, const int64_t* unknown,
                            size_t unknowns) noexcept nogil:
        # The same, factor by factor, where factors may be 0 or beyond the range of products.
        cdef size_t stride = self.stride, labels = self.schema.labels.size(), attributes = self.counts.size()
        cdef double* term = s.work.data()
        cdef const double* n
        cdef const double* both
        cdef double m, d, most, sum_, size_a
        cdef size_t a, c, x, y
        for y in range(q.known):
            if not weight[y] > 0:
                continue
            m = s.C * size[y] * self.one if self.laplace else self.m
            d = present[y] + m
            for c in range(labels):
                term[y * stride + c] = log(weight[y]) + log(
                    (own[y * stride + c] + m / (s.C * size[y])) / d if d > 0 else 1 / (s.C * size[y]))
            for x in range(q.known + unknowns):
                if x == y:
                    continue
                a = q.attribute[x] if x < q.known else unknown[x - q.known]
                size_a = size[x] if x < q.known else size[attributes - 1 - (x - q.known)]
                n = NULL
                if x < q.known:
                    n = self.coarse.find_any(q.item[x], q.code[x], q.item[y], q.code[y])
                both = own + y * stride
                if self.was_missing(a):
                    both = self.coarse.find_any(self.presence_of[a], 0, q.item[y], q.code[y])
                m = size_a * self.one if self.laplace else self.m
                for c in range(labels):
                    d = (both[c] if both != NULL else 0.0) + m
                    term[y * stride + c] += log(
                        ((n[c] if n != NULL else 0.0) + m / size_a) / d if d > 0 else 1 / size_a)
        for c in range(labels):
            most, sum_ = -INFINITY, 0.0
            for y in range(q.known):
                if weight[y] > 0 and term[y * stride + c] > most:
                    most = term[y * stride + c]
            for y in range(q.known if most > -INFINITY else 0):
                if weight[y] > 0:
                    sum_ += exp(term[y * stride + c] - most)
            s.log_joint[c] = most + log(sum_) if most > -INFINITY else -INFINITY

    cdef int room_to_score(self, size_t n) noexcept nogil:
        self.work_rows, self.work_extra, self.exponent_rows = 4 * n + 4, 9 * n, 8 * n + 2
        return 0

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t a, before = self.counts.size()
        cdef bint joined
        DiscreteNaiveBayes.resize(self, old_stride)
        if old_stride != self.stride:
            self.coarse.set_stride(self.stride)
            self.fine.set_stride(self.stride)
            self.information_stale = True
        for a in range(before, self.counts.size()):
            self.item_of.push_back(<int32_t>self.source.size())
            self.presence_of.push_back(-1)
            joined = self.schema.attributes[a].kind != KIND_NUMERIC or self.bins[a].fixed
            self.joined.push_back(joined)
            self.cell.push_back(MISSING)
            self.fine_cell.push_back(MISSING)
            self.item_room.push_back(0)
            self.item_at.push_back(0)
            self.information.resize(a + 1)
            self.add_item(a)
            if self.total() > 0:  # it was missing so far
                self.track_presence(a, False)
        if before != self.counts.size() or old_stride != self.stride:
            self.room_to_score(self.counts.size())
            self.freeze_without_room()
        return 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t i, kept = 0
        DiscreteNaiveBayes.scale_sums(self, f)
        self.coarse.scale(f)
        self.fine.scale(f)
        for i in range(self.waiting.size()):
            self.waiting[i].w *= f
            if self.waiting[i].w >= NONE_LEFT:
                if kept != i:
                    self.waiting[kept] = self.waiting[i]
                kept += 1
        self.waiting.resize(kept)
        self.cache_stale = self.information_stale = True
        return 0

    cdef int refuse_merge(self, Learner other, list attributes) except -1:
        cdef AODE o = other
        cdef size_t i, mine
        DiscreteNaiveBayes.refuse_merge(self, other, attributes)
        for i in range(len(attributes)):
            if attributes[i] < 0 or o.schema.attributes[i].kind != KIND_NUMERIC:
                continue
            mine = attributes[i]
            if (self.frozen or o.frozen) and self.bins[mine].settled and o.bins[i].settled and not same_bins(
                    self.bins[mine], o.bins[i]):
                raise ValueError(f"the bins of {self.schema.name(mine)!r} differ and are there to stay; "
                                 "give both the same edges with bins_file")
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef AODE o = other
        cdef size_t i, a, mine
        for a in range(self.counts.size()):
            if a not in attributes and o.total() > 0:
                self.track_presence(a, True)
        for i in range(o.counts.size()):
            if o.presence_of[i] >= 0:
                self.track_presence(attributes[i], True)
        if o.frozen and not self.frozen:
            self.freeze()
        DiscreteNaiveBayes.merge_sums(self, other, labels, attributes, values)
        for a in range(self.counts.size()):
            if self.schema.attributes[a].kind == KIND_NUMERIC and self.bins[a].settled and not self.joined[a]:
                self.join(a)
        for a in range(self.counts.size()):
            self.coarse.grow(self.item_of[a], self.codes_of(self.item_of[a], False))
        self.merge_pairs(o, labels, attributes, values)
        self.merge_presence(o, labels, attributes, values)
        self.merge_waiting(o, labels, attributes, values)
        self.let_go()
        for a in range(self.counts.size()):
            if self.follows(a):
                self.move_cuts(a)
        self.freeze_without_room()
        self.cache_stale = self.information_stale = True
        return 0

    cdef int merge_pairs(self, AODE o, list labels, list attributes, list values) except -1:
        """Adds the counts of pairs that are joined there: by fine bins where both follow their cuts."""
        cdef size_t i, j, a, b, row, c, my_i, my_j, stride = o.stride
        cdef uint64_t a_i, a_j
        cdef vector[uint64_t] keys
        cdef vector[int32_t] to = labels
        cdef PairCounts* theirs
        cdef PairCounts* mine
        cdef double* n
        cdef const double* from_
        cdef bint fine
        for j in range(o.source.size()):
            b = o.source[j]
            for i in range(j):
                a = o.source[i]
                if a == b or not (o.is_joined(i) and o.is_joined(j)):
                    continue
                fine = not self.frozen and ((o.item_of[a] == <int32_t>i and o.follows(a))
                                            or (o.item_of[b] == <int32_t>j and o.follows(b)))
                theirs = &o.fine if fine else &o.coarse
                mine = &self.fine if fine else &self.coarse
                my_i = self.item_of[attributes[a]] if o.item_of[a] == <int32_t>i else self.presence_of[attributes[a]]
                my_j = self.item_of[attributes[b]] if o.item_of[b] == <int32_t>j else self.presence_of[attributes[b]]
                keys = theirs.keys(i, j)
                for row in range(keys.size()):
                    a_i, a_j = <uint32_t>keys[row], keys[row] >> 32
                    from_ = theirs.find(i, a_i, j, a_j)
                    if o.schema.attributes[a].kind == KIND_NOMINAL and o.item_of[a] == <int32_t>i:
                        a_i = values[a][a_i]
                    if o.schema.attributes[b].kind == KIND_NOMINAL and o.item_of[b] == <int32_t>j:
                        a_j = values[b][a_j]
                    n = mine.make_any(my_i, a_i, my_j, a_j)
                    for c in range(to.size()):
                        n[to[c]] += from_[c]
        return 0

    cdef int merge_presence(self, AODE o, list labels, list attributes, list values) except -1:
        """n(c, a_j, A present) of an attribute that was never missing there: n(c, a_j)."""
        cdef size_t i, j, code, p, row, c, stride = o.stride
        cdef vector[int32_t] to = labels
        cdef CountTable* t
        cdef double* n
        for i in range(o.counts.size()):
            if self.presence_of[attributes[i]] < 0 or o.presence_of[i] >= 0:
                continue
            p = self.presence_of[attributes[i]]
            for j in range(o.counts.size()):
                if i == j or not o.joined[j]:
                    continue
                numeric = o.schema.attributes[j].kind == KIND_NUMERIC
                t = &o.bins[j].coarse if numeric else &o.counts[j]
                for code in range(t.n.size() // stride):
                    if row_total(t.n.data() + code * stride, stride) > 0:
                        n = self.coarse.make_any(p, 0, self.item_of[attributes[j]],
                                                 code if numeric else values[j][code])
                        for c in range(to.size()):
                            n[to[c]] += t.n[code * stride + c]
                if self.frozen or not o.follows(j):
                    continue
                for code in range(o.bins[j].edges.size() + 1):
                    if row_total(o.bins[j].n.data() + code * stride, stride) > 0:
                        n = self.fine.make_any(p, 0, self.item_of[attributes[j]], code)
                        for c in range(to.size()):
                            n[to[c]] += o.bins[j].n[code * stride + c]
        return 0

    cdef int merge_waiting(self, AODE o, list labels, list attributes, list values) except -1:
        """The records that wait there: their pairs that aren't joined there but here, and all others wait here."""
        cdef size_t i, k, u, v
        cdef WaitingRecord t
        cdef vector[char] joined_there
        cdef bint waits
        joined_there.assign(self.counts.size(), True)
        for k in range(o.counts.size()):
            joined_there[<size_t>attributes[k]] = o.joined[k]
        for i in range(o.waiting.size()):
            t.attribute.clear()
            t.code.clear()
            t.x.clear()
            t.label, t.w = labels[o.waiting[i].label], o.waiting[i].w
            cells = []
            for k in range(o.waiting[i].attribute.size()):
                a = o.waiting[i].attribute[k]
                nominal = o.schema.attributes[<size_t>a].kind == KIND_NOMINAL
                cells.append((attributes[a], values[a][o.waiting[i].code[k]] if nominal else MISSING,
                              o.waiting[i].x[k]))
            waits = False
            for a, code, x in sorted(cells, key=lambda cell: cell[0]):
                t.attribute.push_back(a)
                t.code.push_back(code)
                t.x.push_back(x)
                waits |= not self.joined[<size_t>a]
            self.read_waiting(t)
            for v in range(self.items.size()):
                if <size_t>self.codes[v] >= self.coarse.room[self.items[v]]:
                    self.coarse.grow(self.items[v], self.codes[v] + 1)
                for u in range(v):
                    if self.is_joined(self.items[u]) and self.is_joined(self.items[v]) and not (
                            self.joined_elsewhere(joined_there, u) and self.joined_elsewhere(joined_there, v)):
                        self.count_pair(u, v, t.label, t.w)
            if waits:
                self.waiting.push_back(t)
        return 0

    cdef bint joined_elsewhere(self, vector[char]& there, size_t u) noexcept nogil:
        cdef size_t a = self.source[self.items[u]]
        return there[a] or self.item_of[a] != self.items[u]

    cdef size_t held(self) noexcept nogil:
        cdef size_t i, n = DiscreteNaiveBayes.held(self) + self.coarse.held() + self.fine.held()
        n += self.waiting.capacity() * sizeof(WaitingRecord)
        for i in range(self.waiting.size()):
            n += (self.waiting[i].attribute.capacity() + self.waiting[i].code.capacity()) * sizeof(int32_t)
            n += self.waiting[i].x.capacity() * sizeof(double)
        for i in range(self.information.size()):
            n += self.information[i].capacity() * sizeof(double)
        return n + self.joined.capacity() + sizeof(int32_t) * (
            self.item_of.capacity() + self.presence_of.capacity() + self.source.capacity() + self.cell.capacity()
            + self.fine_cell.capacity() + self.items.capacity() + self.codes.capacity() + self.fine_codes.capacity())

    # ------------------------------------------------------------ state as bytes
    cdef list blocks_saved(self):
        """The pairs of items that are joined, in an order that the attributes give."""
        cdef size_t a, b
        blocks = []
        for b in range(self.counts.size()):
            for a in range(b if self.joined[b] else 0):
                if self.joined[a]:
                    blocks.append((self.item_of[a], self.item_of[b]))
        for a in range(self.counts.size()):
            if self.was_missing(a):
                for b in range(self.counts.size()):
                    if a != b and self.joined[b]:
                        blocks.append((self.presence_of[a], self.item_of[b]))
        return blocks

    cdef size_t codes_of(self, size_t item, bint fine):
        """How many codes an item can have."""
        cdef size_t a = self.source[item]
        if self.item_of[a] != <int32_t>item:
            return 1
        if self.schema.attributes[a].kind == KIND_NOMINAL:
            return self.rows_saved(a)
        return self.bins[a].edges.size() + 1 if fine and self.follows(a) else self.bins[a].coarse.distinct

    cdef dict export_blocks(self, const PairCounts* pairs, str name, bint fine):
        cdef size_t i, j, row, labels = self.schema.labels.size()
        cdef vector[int64_t] counts, where
        cdef vector[double] n
        cdef vector[uint64_t] keys
        cdef const double* from_
        for first, second in self.blocks_saved():
            i, j = min(first, second), max(first, second)
            if fine and not ((self.item_of[self.source[i]] == <int32_t>i and self.follows(self.source[i]))
                             or (self.item_of[self.source[j]] == <int32_t>j and self.follows(self.source[j]))):
                continue
            keys = (<PairCounts*>pairs).keys(i, j)
            counts.push_back(keys.size())
            for row in range(keys.size()):
                from_ = (<PairCounts*>pairs).find(i, <uint32_t>keys[row], j, keys[row] >> 32)
                n.insert(n.end(), from_, from_ + labels)
                if first == i:
                    where.push_back(keys[row])
                else:
                    where.push_back(keys[row] >> 32 | <uint64_t><uint32_t>keys[row] << 32)
        return {f"{name}.rows": packed_int64(counts), f"{name}.values": packed_int64(where), f"{name}.n": packed(n)}

    cdef int import_blocks(self, PairCounts* pairs, str name, dict sums, bint fine) except -1:
        cdef vector[int64_t] counts = unpacked_int64(sums[f"{name}.rows"])
        cdef vector[int64_t] where = unpacked_int64(sums[f"{name}.values"])
        cdef vector[double] n = unpacked(sums[f"{name}.n"])
        cdef size_t i, j, c, at = 0, block = 0, labels = self.schema.labels.size()
        cdef int64_t row, a_i, a_j
        cdef double* to
        if n.size() != where.size() * labels:
            raise ModelFileError("a table has the wrong size")
        for c in range(n.size()):
            if not 0 <= n[c] < INFINITY:
                raise ModelFileError("a count is not a number from 0")
        for i, j in self.blocks_saved_from(sums):
            if fine and not ((self.item_of[self.source[i]] == <int32_t>i and self.follows(self.source[i]))
                             or (self.item_of[self.source[j]] == <int32_t>j and self.follows(self.source[j]))):
                continue
            if block >= counts.size() or not 0 <= counts[block] <= <int64_t>(where.size() - at):
                raise ModelFileError("a table has the wrong size")
            for row in range(counts[block]):
                a_i, a_j = <uint32_t>where[at], where[at] >> 32
                if not (0 <= a_j < <int64_t>self.codes_of(j, fine) and a_i < <int64_t>self.codes_of(i, fine)):
                    raise ModelFileError("a pair of values that can't be")
                to = pairs.make_any(i, a_i, j, a_j)
                for c in range(labels):
                    to[c] = n[at * labels + c]
                at += 1
            block += 1
        if block != counts.size() or at != where.size():
            raise ModelFileError("a table has the wrong size")
        return 0

    def blocks_saved_from(self, sums):
        """`blocks_saved`, of a model that is being read: its items of presence are all that matter."""
        cdef size_t a, b
        blocks = []
        for b in range(self.counts.size()):
            for a in range(b if self.joined[b] else 0):
                if self.joined[a]:
                    blocks.append((self.item_of[a], self.item_of[b]))
        for a in range(self.counts.size()):
            if self.presence_of[a] >= 0:
                for b in range(self.counts.size()):
                    if a != b and self.joined[b]:
                        blocks.append((self.presence_of[a], self.item_of[b]))
        return blocks

    cdef dict export_sums(self):
        cdef size_t a, i, k
        cdef vector[int32_t] missing, cells, attribute, code, label
        cdef vector[double] x, w
        cdef WaitingRecord* t
        self.refresh()
        for a in range(self.counts.size()):
            if self.was_missing(a):
                missing.push_back(<int32_t>a)
        for i in range(self.waiting.size()):
            t = &self.waiting[i]
            cells.push_back(<int32_t>t.attribute.size())
            label.push_back(t.label)
            w.push_back(t.w)
            for k in range(t.attribute.size()):
                numeric = self.schema.attributes[t.attribute[k]].kind == KIND_NUMERIC
                attribute.push_back(t.attribute[k])
                code.push_back(MISSING if numeric else t.code[k])
                x.push_back(t.x[k] if numeric else 0.0)
        return {**DiscreteNaiveBayes.export_sums(self), "frozen": bytes([self.frozen]),
                "missing": packed_int32(missing), **self.export_blocks(&self.coarse, "pairs", False),
                **self.export_blocks(&self.fine, "fine_pairs", True),
                "waiting.cells": packed_int32(cells), "waiting.labels": packed_int32(label), "waiting.w": packed(w),
                "waiting.attributes": packed_int32(attribute), "waiting.codes": packed_int32(code),
                "waiting.x": packed(x)}

    cdef int import_sums(self, dict sums) except -1:
        cdef vector[int32_t] missing
        cdef size_t i, a
        DiscreteNaiveBayes.import_sums(self, sums)
        try:
            missing = unpacked_int32(sums["missing"])
        except ValueError as e:
            raise ModelFileError(str(e)) from None
        if sums["frozen"] not in (b"\x00", b"\x01"):
            raise ModelFileError("it is neither frozen nor not")
        self.frozen = sums["frozen"] == b"\x01"
        for a in range(self.counts.size()):
            if self.schema.attributes[a].kind == KIND_NUMERIC:
                self.joined[a] = self.bins[a].settled
                if self.bins[a].settled and not self.bins[a].fixed and self.bins[a].frozen != self.frozen:
                    raise ModelFileError("its bins are neither frozen nor not")
        for i in range(missing.size()):
            if not 0 <= missing[i] < <int64_t>self.counts.size() or (i and missing[i - 1] >= missing[i]):
                raise ModelFileError("an attribute is out of range")
            self.presence_of[missing[i]] = <int32_t>self.source.size()
            self.add_item(missing[i])
        for a in range(self.counts.size()):
            if self.joined[a]:
                self.coarse.grow(self.item_of[a], self.codes_of(self.item_of[a], False))
        try:
            self.import_blocks(&self.coarse, "pairs", sums, False)
            self.import_blocks(&self.fine, "fine_pairs", sums, True)
            self.import_waiting(sums)
        except ValueError as e:
            raise ModelFileError(str(e)) from None
        self.cache_stale = self.information_stale = True
        return 0

    def import_waiting(self, sums):
        cdef vector[int32_t] cells = unpacked_int32(sums["waiting.cells"])
        cdef vector[int32_t] labels = unpacked_int32(sums["waiting.labels"])
        cdef vector[int32_t] attributes = unpacked_int32(sums["waiting.attributes"])
        cdef vector[int32_t] codes = unpacked_int32(sums["waiting.codes"])
        cdef vector[double] x = unpacked(sums["waiting.x"]), w = unpacked(sums["waiting.w"])
        cdef size_t i, k, a, at = 0
        cdef WaitingRecord t
        cdef bint numeric, good = cells.size() == labels.size() == w.size() and (
            attributes.size() == codes.size() == x.size())
        for i in range(cells.size() if good else 0):
            good = good and 0 <= labels[i] < <int64_t>self.schema.labels.size() and 0 < w[i] < INFINITY and (
                0 <= cells[i] <= <int64_t>(attributes.size() - at))
            if not good:
                break
            t.attribute.clear()
            t.code.clear()
            t.x.clear()
            t.label, t.w = labels[i], w[i]
            for k in range(cells[i]):
                if not (k == 0 or attributes[at - 1] < attributes[at]) or not (
                        0 <= attributes[at] < <int64_t>self.counts.size()):
                    raise ModelFileError("a record that waits can't be")
                a = attributes[at]
                numeric = self.schema.attributes[a].kind == KIND_NUMERIC
                if not -1e150 <= x[at] <= 1e150 or (
                        not numeric and not 0 <= codes[at] < <int64_t>self.rows_saved(a)):
                    raise ModelFileError("a record that waits can't be")
                t.attribute.push_back(attributes[at])
                t.code.push_back(codes[at])
                t.x.push_back(x[at])
                at += 1
            self.waiting.push_back(t)
        if not good or at != attributes.size():
            raise ModelFileError("a table has the wrong size")

    # ------------------------------------------------------------ what it holds, for `inspect`
    def tables(self) -> list:
        """Naive Bayes' tables; each tells of its attribute as a superparent too.

        `superparent` has `share`, of the records learned those whose value of the attribute serves (n(a_j) >
        `limit`), and `mutual_information` with the class, in nats.
        """
        cdef size_t a, v, stride = self.stride
        cdef CountTable* t
        cdef double n, served
        if self.one != 1.0:
            return self.copy().tables()  # in weights
        tables = super().tables()
        self.refresh_information()
        for a in range(self.counts.size()):
            t = &self.bins[a].coarse if self.schema.attributes[a].kind == KIND_NUMERIC else &self.counts[a]
            served = 0
            for v in range(t.n.size() // stride):
                n = row_total(t.n.data() + v * stride, stride)
                served += n if above_limit(n, self.limit) else 0.0
            tables[a]["superparent"] = {"share": served / self.total() if self.total() > 0 else 0.0,
                                        "mutual_information": self.mutual_information(a)}
        return tables

    @property
    def pair_bytes(self) -> int:
        """Bytes that the counts of pairs take, those with fine bins too."""
        return self.coarse.bytes() + self.fine.bytes()
