"""Naive Bayes over nominal attributes and numeric ones that are discretised in the same pass (SPEC 2, 3).

    P(c, x) = P(c) * product over the a present of P(v_a|c),  v_a a value, or the bin of a number

    prior       P(c)   = (n(c) + k) / (N + k C)
    m-estimate  P(v|c) = (n(c,v) + m/|A|) / (n(c, A present) + m)       Mitchell (1997), eq. 6.22
    laplace     m = |A|

|A| is the number of bins of a numeric attribute, empty ones too; the cuts are Fayyad & Irani's (see
statistics/fine_bins.pyx).
"""
from __future__ import annotations

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.counts cimport row_total
from ..statistics.fine_bins cimport (FineBins, check_edges, cuts_of, export_bins, find_bin, find_fine_bin, forget_value,
                                     import_bins, learn_value, merge_bins, refresh_bins, restride_bins, rule_of,
                                     scale_bins, start_bins_on)
from ..statistics.products cimport FEW, const_row_t, divide, log_product, row_t
from ..statistics.tables cimport CountTable, Scores
from .base cimport Learner
from .nominal cimport NominalCounts

from ..records.problems import UsageError
from .bins_file import edges_by_column
from .parameters import Parameter

cdef double LEAST_M = 1e-10      # with less, or weights beyond 1e18, products of FEW estimates could leave ...
cdef double MOST_N = 1e18        # ... the range of doubles: logarithms are added instead

ESTIMATE = Parameter("estimate", str, "m", "how a value's probability is estimated", ("m", "laplace"))
M = Parameter("m", float, None, "weight of the uniform estimate (1; not with laplace)")
MAX_VALUES = Parameter("max_values", int, 10_000, "values of a nominal attribute told apart; later ones share a slot",
                       (), 1)
DISCRETISING = (
    Parameter("bins", int, 64, "most fine bins of a numeric attribute", (), 1),
    Parameter("warmup", int, 200, "values that the fine bins are made from", (), 1),
    Parameter("cuts", str, "mdl", "how fine bins are joined to the bins in use", ("mdl", "equal-frequency")),
    Parameter("bins_file", edges_by_column, None, "JSON file of column to ascending edges, for bins that stay"),
)


cdef inline void times_m_estimate(row_t above, row_t below, const_row_t n, const_row_t present, double mp, double m,
                                  size_t stride) noexcept nogil:
    # P(v|c) = (n(c,v) + m p) / (n(c, A present) + m)
    cdef size_t c
    for c in range(stride):
        above[c] *= n[c] + mp
        below[c] *= present[c] + m


def interval(low, high) -> str:
    """How a bin (low, high] is written; None is an end that is open."""
    return f"({'-inf' if low is None else format(low, '.6g')}, {'inf)' if high is None else format(high, '.6g') + ']'}"


def intervals(cuts) -> list:
    """The bins between ascending edges, as text."""
    return [interval(low, high) for low, high in zip([None, *cuts], [*cuts, None])]


cdef class DiscreteNaiveBayes(NominalCounts):
    """Naive Bayes over values and bins, learned and discretised in one pass.

    Keeps the counts n(c), n(c, v), n(c, A present) and, of a numeric attribute, the warm-up's values
    and then n(c, fine bin): 8 bytes x classes x (values + 1) for a nominal attribute, 24 bytes x
    `warmup` and then 8 bytes x (classes + 2) x 2 `bins` at most for a numeric one.

    P(c, x) = P(c) prod P(v|c), with P(c) = (n(c) + k) / (N + k C) and the m-estimate
    P(v|c) = (n(c,v) + m/|A|) / (n(c, A present) + m) [1]_. The first `warmup` values of a numeric attribute
    give its fine bins (low, high]; the bins are runs of them, cut by MDL [2]_ whenever the attribute's
    records have grown by half. Until the warm-up is full the values kept so far stand in for it.

    Parameters
    ----------
    estimate : {'m', 'laplace'}, default 'm'
        How a value's probability is estimated; `laplace` adds one to every cell.
    k : float, optional
        Pseudo-count of each label in the prior. Default 1.
    m : float, optional
        Weight of the uniform estimate. Default 1; refused with `laplace`.
    bins : int, default 64
        Most fine bins of a numeric attribute.
    warmup : int, default 200
        Values that the fine bins are made from.
    cuts : {'mdl', 'equal-frequency'}, default 'mdl'
        How fine bins are joined to the bins in use; `equal-frequency` makes ten at most.
    bins_file : str or dict, optional
        A JSON file (or a dict) of column to ascending edges: bins that stay.
    max_values : int, default 10000
        Distinct values of a nominal attribute that are told apart; all later ones share one slot.

    Raises
    ------
    UsageError
        For an unknown parameter, a value it can't have, or `m` beside `laplace`.

    References
    ----------
    .. [1] Mitchell, T. (1997). Machine Learning, section 6.9.1.1, eq. 6.22.
    .. [2] Fayyad, U. M., Irani, K. B. (1993). Multi-interval discretization of continuous-valued
       attributes for classification learning. IJCAI-93, 1022-1027.

    Examples
    --------
    >>> from streambayes import DiscreteNaiveBayes
    >>> model = DiscreteNaiveBayes(estimate="laplace")
    >>> for degrees in range(10):
    ...     model.learn_one({"degrees": degrees}, "cold" if degrees < 5 else "warm")
    >>> round(model.predict_proba_one({"degrees": 7})["warm"], 4)  # 6/7 to 1/7
    0.8571
    """

    NAME = "nb-disc"
    PARAMETERS = (
        ESTIMATE,
        Parameter("k", float, None, "pseudo-count of each label in the prior (1)"),
        M,
        *DISCRETISING,
        MAX_VALUES,
    )

    def __init__(self, **parameters):
        super().__init__(**parameters)
        given = self.parameters
        if given["estimate"] == "laplace" and given["m"] is not None:
            raise UsageError("estimate=laplace has no m; leave m out, or take estimate=m")
        effective = self.effective_parameters()
        self.laplace = given["estimate"] == "laplace"
        self.given_k = effective.get("k", 1.0)
        self.given_m = effective["m"] or 0.0
        self.rule = rule_of(given)
        self.work_rows = 4
        self.exponent_rows = 1
        self.measure()

    cdef void measure(self) noexcept nogil:
        NominalCounts.measure(self)
        self.rule.one = self.one

    def effective_parameters(self) -> dict:
        """The parameters with the estimate's presets worked out."""
        presets = {"k": 1.0, "m": None if self.parameters["estimate"] == "laplace" else 1.0}
        return {name: presets.get(name) if value is None else value for name, value in self.parameters.items()}

    # ------------------------------------------------------------ what a record adds
    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil:
        return self.add_counts(r, c, w)

    cdef int add_counts(self, const Record& r, size_t c, double w) except -1 nogil:
        """n(c, v) and n(c, bin); `happened` tells of bins that have moved."""
        cdef size_t i, a
        self.add_values(r, c, w)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            if r.x[a] != r.x[a]:
                continue
            if w < 0:
                forget_value(self.bins[a], r.x[a], c, -w, self.stride)
            else:
                self.happened[a] = learn_value(self.bins[a], r.x[a], find_fine_bin(self.bins[a], r.x[a]), c, w,
                                                    self.stride, self.rule)
                self.any_happened |= self.happened[a] != 0
            self.stale |= self.bins[a].stale
        return 0

    # ------------------------------------------------------------ how the classes are scored
    cdef int32_t code_of(self, const Record& r, size_t a) noexcept nogil:
        cdef double x
        if self.schema.attributes[a].kind == KIND_NOMINAL:
            return r.code[a]
        x = r.x[a]
        return find_bin(self.bins[a], x) if x == x else MISSING

    cdef const double* row_of(self, size_t a, int32_t code, const double* nothing, const double** present,
                              double* size) noexcept nogil:
        cdef CountTable* t
        if self.schema.attributes[a].kind == KIND_NUMERIC:
            t = &self.bins[a].coarse
            present[0] = t.present.data()
            size[0] = t.distinct
            return t.n.data() + code * self.stride
        t = &self.counts[a]
        present[0] = t.present.data()
        size[0] = t.distinct
        if code < 0 or <size_t>code >= t.counts.size():
            size[0] += 1
            return nothing
        size[0] += 0 if t.counts[code] else 1
        return t.n.data() + code * self.stride

    cdef void score(self, const Record& r, Scores& s) noexcept nogil:
        self.score_as_naive_bayes(r, NULL, s)

    cdef void score_as_naive_bayes(self, const Record& r, const char* left, Scores& s) noexcept nogil:
        cdef size_t stride = self.stride, labels = self.schema.labels.size(), a, c
        cdef int64_t factors = 0
        cdef double* above = s.work.data()         # P(c) and the P(v|c): products of numerators ...
        cdef double* below = above + stride        # ... and of denominators
        cdef double* nothing = below + stride      # n(c, v) of a value never seen
        cdef double* extra = nothing + stride      # sum of logarithms of factors out of range
        cdef int64_t* e = s.exponent.data()        # powers of two of above / below
        cdef double N = s.N, size, m
        cdef int C = s.C
        cdef int32_t code
        cdef bint as_logs = (not self.laplace and self.given_m < LEAST_M) or N > MOST_N
        cdef const double* n
        cdef const double* present
        for c in range(stride):
            above[c] = (self.class_n[c] + self.k) / (N + self.k * C) if self.class_n[c] > 0 else 1.0
            below[c] = 1.0
            extra[c] = nothing[c] = 0.0
            e[c] = 0
        for a in range(self.counts.size()):
            code = self.code_of(r, a)
            if code == MISSING or (left != NULL and not left[a]):
                continue
            n = self.row_of(a, code, nothing, &present, &size)
            m = size * self.one if self.laplace else self.m
            if as_logs:
                for c in range(labels):
                    extra[c] += log((n[c] + m / size) / (present[c] + m) if present[c] + m > 0 else 1 / size)
                continue
            times_m_estimate(above, below, n, present, m / size, m, stride)
            factors += 1
            if factors % FEW == 0:
                divide(above, below, e, stride)
        divide(above, below, e, stride)
        for c in range(labels):
            s.log_joint[c] = log_product(above[c], e[c], 0) + extra[c]

    cdef int prepare(self, Scores& s) except -1 nogil:
        if self.stale:
            self.refresh()
        return Learner.prepare(self, s)

    cdef int refresh(self) except -1 nogil:
        """The bins of warm-ups that aren't over, from the values kept so far."""
        cdef size_t i
        for i in range(self.numeric.size()):
            refresh_bins(self.bins[self.numeric[i]], self.stride, self.rule)
        self.stale = False
        return 0

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t a
        NominalCounts.resize(self, old_stride)
        for a in range(self.bins.size() if old_stride != self.stride else 0):
            restride_bins(self.bins[a], old_stride, self.stride)
        for a in range(self.bins.size(), self.counts.size()):
            self.bins.resize(a + 1)
            self.happened.push_back(0)
            if self.schema.attributes[a].kind == KIND_NUMERIC:
                self.begin(a)
        return 0

    cdef int begin(self, size_t a) except -1 nogil:
        """Starts the bins of a numeric attribute, on the edges given for it if there are any."""
        with gil:
            edges = (self.parameters["bins_file"] or {}).get(self.schema.name(a))
            return start_bins_on(self.bins[a], edges, self.stride)

    cdef int refuse_merge(self, Learner other, list attributes) except -1:
        cdef DiscreteNaiveBayes o = other
        cdef size_t i, mine
        for i in range(len(attributes)):
            if attributes[i] >= 0 and o.schema.attributes[i].kind == KIND_NUMERIC:
                mine = attributes[i]
                check_edges(self.bins[mine], o.bins[i], self.schema.name(mine))
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef DiscreteNaiveBayes o = other
        cdef size_t i, mine
        cdef vector[int32_t] label_codes = labels
        NominalCounts.merge_sums(self, other, labels, attributes, values)
        for i in range(len(attributes)):
            mine = attributes[i]
            if o.schema.attributes[i].kind == KIND_NUMERIC:
                merge_bins(self.bins[mine], self.stride, o.bins[i], o.stride, label_codes, self.rule)
                self.stale |= self.bins[mine].stale
        return 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t i
        NominalCounts.scale_sums(self, f)
        for i in range(self.numeric.size()):
            scale_bins(self.bins[self.numeric[i]], f)
            self.stale |= self.bins[self.numeric[i]].stale
        return 0

    cdef size_t held(self) noexcept nogil:
        cdef size_t a, n = NominalCounts.held(self) + self.bins.capacity() * sizeof(FineBins)
        for a in range(self.bins.size()):
            n += self.bins[a].held()
        return n

    # ------------------------------------------------------------ state as bytes
    cdef dict export_sums(self):
        return {**NominalCounts.export_sums(self),
                **export_bins(self.bins, self.numeric, self.schema.labels.size(), self.stride)}

    cdef int import_sums(self, dict sums) except -1:
        import_bins(self.bins, self.numeric, sums, self.schema.labels.size(), self.stride, self.rule)
        self.stale = True
        return NominalCounts.import_sums(self, sums)

    # ------------------------------------------------------------ what it holds, for `inspect`
    def cuts(self) -> dict:
        """Each numeric attribute's ascending edges between the bins now in force."""
        self.refresh()
        return {self.schema.name(a): cuts_of(self.bins[a]) for a in self.numeric}

    def tables(self) -> list:
        """Each attribute's counts and probabilities by value, or bin, and class, as a dict."""
        cdef size_t a, i, c, labels = self.schema.labels.size(), stride = self.stride
        cdef double m, n
        cdef CountTable* t
        if self.one != 1.0:
            return self.copy().tables()  # in weights
        self.refresh()
        tables = []
        seen = [c for c in range(labels) if self.class_n[c] > 0]
        for a in range(self.counts.size()):
            numeric = self.schema.attributes[a].kind == KIND_NUMERIC
            t = &self.bins[a].coarse if numeric else &self.counts[a]
            names = intervals(cuts_of(self.bins[a])) if numeric else None
            m = t.distinct if self.laplace else self.m
            rows = []
            for i in range(t.n.size() // stride):
                if not (numeric or row_total(t.n.data() + i * stride, labels) > 0 or self.schema.is_declared(a, i)):
                    continue
                counts, shares = [], []
                for c in seen:
                    n = t.n[i * stride + c]
                    counts.append(n)
                    shares.append((n + m / t.distinct) / (t.present[c] + m) if t.present[c] + m > 0
                                  else 1.0 / t.distinct)
                rows.append((names[i] if numeric else self.schema.value(a, i), counts, shares))
            tables.append({"name": self.schema.name(a), "kind": "discretised" if numeric else "nominal",
                           "values": rows})
        return tables
