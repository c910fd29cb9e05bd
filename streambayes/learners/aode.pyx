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
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from ..records.record cimport KIND_NUMERIC, MISSING, Record
from ..statistics.counts cimport row_total
from ..statistics.fine_bins cimport find_bin
from ..statistics.pair_counts cimport multiply_pairs, multiply_pairs_of_two, pair_of
from ..statistics.products cimport (const_row_t, either, from_bits, kernel, log_product, power_of, renormalise,
                                    row_t)
from ..statistics.tables cimport CountTable, Scores
from .pairs cimport PairedCounts

from .discrete_naive_bayes import DISCRETISING, ESTIMATE, MAX_VALUES, M
from .parameters import Parameter

cdef double LEAST_M = 1e-10       # with less, or weights beyond 1e18, logarithms are added
cdef double MOST_N = 1e18
cdef double SLACK = 1e-9          # the relative slack where weights are compared
cdef double NO_INFORMATION = 1e-12

cdef enum:
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


cdef class AODE(PairedCounts):
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
        self.room_to_score(0)

    def effective_parameters(self) -> dict:
        """The parameters with the estimate's presets worked out."""
        m = None if self.parameters["estimate"] == "laplace" else 1.0
        return {name: m if name == "m" and value is None else value for name, value in self.parameters.items()}

    # ------------------------------------------------------------ what a record adds
    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil:
        PairedCounts.add(self, r, c, w)
        return self.note_information(r) if self.by_information else 0

    cdef int resize(self, size_t old_stride) except -1 nogil:
        PairedCounts.resize(self, old_stride)
        self.information.resize(self.counts.size())
        return self.room_to_score(self.counts.size())

    cdef int prepare(self, Scores& s) except -1 nogil:
        PairedCounts.prepare(self, s)
        if self.by_information and self.totals_moved:
            self.refresh_information()
        return 0

    cdef size_t held(self) noexcept nogil:
        cdef size_t i, n = PairedCounts.held(self)
        for i in range(self.information.size()):
            n += self.information[i].capacity() * sizeof(double)
        return n

    # ------------------------------------------------------------ mutual information with the class
    cdef int note_information(self, const Record& r) except -1 nogil:
        """The rows that a record has changed; where bins may have moved, all of them later."""
        cdef size_t a, stride = self.stride
        cdef int32_t code
        cdef CountTable* t
        self.totals_moved |= self.waits or self.any_happened
        for a in range(self.counts.size() if not self.totals_moved else 0):
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
        self.totals_moved = False
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
