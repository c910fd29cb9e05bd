"""Naive Bayes over nominal and numeric attributes, any mixture of them (SPEC 2).

    P(c, x) = P(c) * product over the nominal a present of P(v_a|c) * product over the numeric a present of N(x_a; mu_c, v_c)

    prior       P(c)   = (n(c) + k) / (N + k C)
    m-estimate  P(v|c) = (n(c,v) + m p) / (n(c, A present) + m),  p = 1/|A|      Mitchell (1997), eq. 6.22
    laplace     m = |A|
    awk         P(v|c) = (n(c,v) + m P(c)) / (n(c) + m)
    normal      v_c    = (M2_c + w v) / (max(n_c - 1, 0) + w),  v = M2/n of the attribute over all records

A missing attribute gives no factor; an attribute that was constant so far (v = 0) gives none either.
"""
from __future__ import annotations

from libc.math cimport INFINITY, NAN, log, sqrt
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.counts cimport row_total
from ..statistics.moments cimport Moments, added, get, merged, put, scaled, variance, variance_in
from ..statistics.packed cimport packed, unpacked
from ..statistics.products cimport FEW, const_row_t, divide, either, log_product, multiply, renormalise, row_t
from ..statistics.tables cimport CountTable, MomentsTable, Scores, restride
from .base cimport Learner, doubles_from
from .nominal cimport NominalCounts

from ..records.problems import ModelFileError, UsageError
from .parameters import Parameter

cdef double HALF_LOG_2PI = 0.9189385332046727
cdef double LEAST_M = 1e-10      # with less, or weights beyond 1e18, products of FEW estimates could leave ...
cdef double MOST_N = 1e18        # ... the range of doubles: logarithms are added instead
cdef double LEAST_1_BY_V = 1e-290  # variances beyond these are multiplied as logarithms, one by one
cdef double MOST_1_BY_V = 1e280
cdef double MOST_X = 1e150

ESTIMATES = {
    # name: (k, m, var_prior) where none is given
    "m": (1.0, 1.0, 1.0),
    "laplace": (1.0, None, 1.0),
    "awk": (1.0, 2.0, 1.0),
    "ml": (0.0, 0.0, 0.0),
}
MAX_VALUES = Parameter("max_values", int, 10_000, "values of a nominal attribute told apart; later ones share a slot",
                       (), 1)
PRIOR_K = Parameter("k", float, None, "pseudo-count of each label in the prior (1; ml: 0)")
VAR_PRIOR = Parameter("var_prior", float, None, "pseudo-observations of the overall spread in a variance (1; ml: 0)")


cdef inline void times_m_estimate(row_t above, row_t below, const_row_t n, const_row_t present, double mp, double m,
                                  size_t stride) noexcept nogil:
    # P(v|c) = (n(c,v) + m p) / (n(c, A present) + m)
    cdef size_t c
    for c in range(stride):
        above[c] *= n[c] + mp
        below[c] *= present[c] + m


cdef inline void times_awk(row_t above, row_t below, const_row_t n, const_row_t n_class, const_row_t prior, double m,
                           size_t stride) noexcept nogil:
    # P(v|c) = (n(c,v) + m P(c)) / (n(c) + m)
    cdef size_t c
    for c in range(stride):
        above[c] *= n[c] + m * prior[c]
        below[c] *= n_class[c] + m


cdef inline void times_normal(row_t above, row_t below, row_t q, const_row_t n, const_row_t mean, const_row_t m2,
                              double x, double overall_mean, double one_by_v, double w,
                              double one, size_t stride, bint is_w_positive) noexcept nogil:
    # v_c / v = (M2_c / v + w) / (max(n_c - 1, 0) + w), 1 where that is 0 / 0, at least 1e-9:  above / below *= v_c / v
    # (x - mu_c)^2 / v_c:  q += it
    # Called with a constant `is_w_positive`, so that nothing is compiled for 0 / 0 where that can't be.
    cdef size_t c
    cdef double d, a, b, n_c, mu
    for c in range(stride):
        n_c, mu, a = n[c], mean[c], m2[c]  # read first: what follows has no branches
        b = n_c - one
        b = either(b > 0, b, 0.0) + w
        a = either(is_w_positive or b > 0, a * one_by_v + w, 1.0)
        b = either(is_w_positive or b > 0, b, 1.0)
        a = either(a > 1e-9 * b, a, 1e-9 * b)
        mu = either(n_c > 0, mu, overall_mean)
        d = x - mu
        q[c] += d * d * one_by_v * b / a
        above[c] *= a
        below[c] *= b


cdef class NaiveBayes(NominalCounts):
    """Naive Bayes over mixed records, learned in one pass.

    Keeps the counts n(c), n(c, v) and n(c, A present) and, for each numeric attribute, the weighted
    moments n, mean, M2 by class and over all classes: 8 bytes x classes x (values + 1) for a nominal
    attribute, 24 bytes x (classes + 1) for a numeric one.

    P(c, x) = P(c) prod P(v|c) prod N(x; mu_c, v_c), with P(c) = (n(c) + k) / (N + k C), the m-estimate
    P(v|c) = (n(c,v) + m/|A|) / (n(c, A present) + m) [1]_ and v_c = (M2_c + w v) / (max(n_c - 1, 0) + w),
    w = `var_prior`, v the attribute's overall variance.

    Parameters
    ----------
    estimate : {'m', 'laplace', 'awk', 'ml'}, default 'm'
        How a value's probability is estimated. `laplace` adds one to every cell; `awk` is
        (n(c,v) + m P(c)) / (n(c) + m) with k = 1, m = 2; `ml` is plain frequencies (k = m = var_prior = 0).
    k : float, optional
        Pseudo-count of each label in the prior. Default 1 (`ml`: 0).
    m : float, optional
        Weight of the uniform estimate. Default 1 (`awk`: 2, `ml`: 0); refused with `laplace`.
    var_prior : float, optional
        Pseudo-observations of the overall spread in each class variance. Default 1 (`ml`: 0).
    max_values : int, default 10000
        Distinct values of a nominal attribute that are told apart; all later ones share one slot.

    Raises
    ------
    UsageError
        For an unknown parameter, a value it can't have, or `m` beside `laplace`.

    References
    ----------
    .. [1] Mitchell, T. (1997). Machine Learning, section 6.9.1.1, eq. 6.22.

    Examples
    --------
    >>> from streambayes import NaiveBayes
    >>> model = NaiveBayes(estimate="laplace")
    >>> for sky, y in [("rain", "wet"), ("rain", "wet"), ("sun", "dry")]:
    ...     model.learn_one({"sky": sky}, y)
    >>> round(model.predict_proba_one({"sky": "sun"})["dry"], 4)  # 2/5 2/3 / (2/5 2/3 + 3/5 1/4)
    0.64
    """

    NAME = "nb"
    PARAMETERS = (
        Parameter("estimate", str, "m", "how a value's probability is estimated", tuple(ESTIMATES)),
        PRIOR_K,
        Parameter("m", float, None, "weight of the uniform estimate (1; awk: 2; ml: 0; not with laplace)"),
        VAR_PRIOR,
        MAX_VALUES,
    )

    def __init__(self, **parameters):
        super().__init__(**parameters)
        given = self.parameters
        if given["estimate"] == "laplace" and given["m"] is not None:
            raise UsageError("estimate=laplace has no m; leave m out, or take estimate=m")
        effective = self.effective_parameters()
        self.estimate = {"laplace": LAPLACE, "awk": AWK}.get(given["estimate"], M_ESTIMATE)
        self.given_k = effective.get("k", 1.0)
        self.given_m = effective["m"] or 0.0
        self.given_var_prior = effective["var_prior"]
        self.measure()
        self.work_rows = 8
        self.exponent_rows = 2

    def effective_parameters(self) -> dict:
        """The parameters with the estimate's presets worked out."""
        presets = dict(zip(("k", "m", "var_prior"), ESTIMATES[self.parameters["estimate"]]))
        return {name: presets.get(name) if value is None else value for name, value in self.parameters.items()}

    # ------------------------------------------------------------ what a record adds
    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil:
        cdef size_t i, a
        cdef MomentsTable* moments = self.moments.data()
        cdef Moments* overall = self.overall.data()
        cdef double* origin = self.origin.data()
        cdef const double* xs = r.x.data()
        cdef double x
        self.add_values(r, c, w)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            x = xs[a]
            if x != x:
                continue
            if origin[a] != origin[a]:
                origin[a] = x
            x -= origin[a]
            overall[a] = added(overall[a], x, w)
            put(moments[a], c, added(get(moments[a], c), x, w))
        return 0

    cdef void measure(self) noexcept nogil:
        NominalCounts.measure(self)
        self.var_prior = self.given_var_prior * self.one

    # ------------------------------------------------------------ how the classes are scored
    cdef void score(self, const Record& r, Scores& s) noexcept nogil:
        cdef size_t stride = self.stride & ~<size_t>1, labels = self.schema.labels.size()  # known to be even
        cdef size_t i, a, c
        cdef int64_t factors = 0, densities = 0, as_sums = 0
        cdef int few = FEW
        cdef double* above = s.work.data()         # P(c) and the P(v|c): products of numerators ...
        cdef double* below = above + stride        # ... and of denominators
        cdef double* v_above = below + stride      # the v_c / v likewise
        cdef double* v_below = v_above + stride
        cdef double* q = v_below + stride          # sum of (x - mu)^2 / v_c
        cdef double* prior = q + stride
        cdef double* nothing = prior + stride      # n(c, v) of a value never seen
        cdef double* extra = nothing + stride      # sum of logarithms of factors out of range
        cdef int64_t* e = s.exponent.data()        # powers of two of above / below
        cdef int64_t* v_e = e + stride
        cdef double N = s.N, size, w = self.var_prior, one = self.one, v, x, v_c, d, f, m, one_by_v
        cdef double product = 1.0                  # of the 1/v: significand ...
        cdef int64_t exponent = 0                  # ... and power of two
        cdef int C = s.C
        cdef int32_t code
        cdef bint seen, as_logs = (self.estimate != LAPLACE and self.given_m < LEAST_M) or N > MOST_N
        cdef const CountTable* t
        cdef const MomentsTable* tables = self.moments.data()
        cdef const MomentsTable* moments
        cdef const Moments* overall = self.overall.data()
        cdef const double* origin = self.origin.data()
        cdef const double* xs = r.x.data()
        cdef const double* n
        for c in range(stride):
            above[c] = below[c] = v_above[c] = v_below[c] = 1.0
            q[c] = extra[c] = nothing[c] = 0.0
            e[c] = v_e[c] = 0
            prior[c] = (self.class_n[c] + self.k) / (N + self.k * C) if self.class_n[c] > 0 else 1.0
            above[c] = prior[c]
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            code = r.code[a]
            if code == MISSING:
                continue
            t = &self.counts[a]
            if self.estimate == AWK and not row_total(t.present.data(), labels) > 0:
                continue  # all forgotten: as if it were unknown
            seen = code >= 0 and <size_t>code < t.counts.size()
            n = nothing
            if seen:
                n = t.n.data() + code * stride
            size = t.distinct + (0 if seen and t.counts[code] else 1)  # |A|, counting the value asked about
            if as_logs:
                for c in range(labels):
                    m = size * self.one if self.estimate == LAPLACE else self.m
                    f = m / size
                    m += t.present[c]
                    if self.estimate == AWK:
                        m, f = self.class_n[c] + self.m, self.m * prior[c]
                    extra[c] += log((n[c] + f) / m if m > 0 else 1 / size)
                continue
            if self.estimate == AWK:
                times_awk(above, below, n, self.class_n.data(), prior, self.m, stride)
            else:
                m = size * self.one if self.estimate == LAPLACE else self.m
                times_m_estimate(above, below, n, t.present.data(), m / size, m, stride)
            factors += 1
            if factors % FEW == 0:
                divide(above, below, e, stride)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            x = xs[a] - origin[a]
            if x != x or not (overall[a].m2 > 0 and overall[a].n > 0 and overall[a].m2 < INFINITY):
                continue
            moments = &tables[a]
            one_by_v = overall[a].n / overall[a].m2
            if not LEAST_1_BY_V <= one_by_v <= MOST_1_BY_V:
                v = overall[a].m2 / overall[a].n
                if not 0 < v < INFINITY:
                    continue
                as_sums += 1
                for c in range(labels):
                    v_c = variance_in(moments.n[c], moments.m2[c], v, w, self.one)
                    d = x - (moments.mean[c] if moments.n[c] > 0 else overall[a].mean)
                    extra[c] -= 0.5 * (log(v_c) + (d / sqrt(v_c)) * (d / sqrt(v_c)))
                continue
            if w > 0:
                times_normal(v_above, v_below, q, moments.n.data(), moments.mean.data(), moments.m2.data(), x,
                             overall[a].mean, one_by_v, w, one, stride, True)
            else:
                times_normal(v_above, v_below, q, moments.n.data(), moments.mean.data(), moments.m2.data(), x,
                             overall[a].mean, one_by_v, w, one, stride, False)
            multiply(&product, &exponent, one_by_v)
            densities += 1
            few -= 1
            if few == 0:
                few = FEW
                divide(v_above, v_below, v_e, stride)
                renormalise(&product, &exponent, 1)
        divide(above, below, e, stride)
        divide(v_above, v_below, v_e, stride)
        for c in range(labels):
            # log(P(c) prod P(v|c)) - log(prod v_c) / 2 - q / 2 - log(2 pi) / 2 each, with one logarithm
            f = above[c] * above[c] * product / v_above[c]
            s.log_joint[c] = extra[c] - (densities + as_sums) * HALF_LOG_2PI + 0.5 * (
                log_product(f, 2 * e[c] - v_e[c] + exponent, densities) - q[c])

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t a
        cdef Moments none
        none.n = none.mean = none.m2 = 0.0
        NominalCounts.resize(self, old_stride)
        if old_stride != self.stride:
            for a in range(self.moments.size()):
                restride(self.moments[a].n, old_stride, self.stride)
                restride(self.moments[a].mean, old_stride, self.stride)
                restride(self.moments[a].m2, old_stride, self.stride)
        for a in range(self.moments.size(), self.counts.size()):
            self.moments.resize(a + 1)
            self.overall.push_back(none)
            self.origin.push_back(NAN)
            if self.schema.attributes[a].kind == KIND_NUMERIC:
                self.moments[a].n.assign(self.stride, 0.0)
                self.moments[a].mean.assign(self.stride, 0.0)
                self.moments[a].m2.assign(self.stride, 0.0)
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef NaiveBayes o = other
        cdef size_t i, row, to, mine
        cdef Moments theirs
        cdef double shift
        NominalCounts.merge_sums(self, other, labels, attributes, values)
        for i in range(len(attributes)):
            mine = attributes[i]
            if o.schema.attributes[i].kind != KIND_NUMERIC or o.origin[i] != o.origin[i]:
                continue
            if self.origin[mine] != self.origin[mine]:
                self.origin[mine] = o.origin[i]
            shift = o.origin[i] - self.origin[mine]
            theirs = o.overall[i]
            theirs.mean += shift
            self.overall[mine] = merged(self.overall[mine], theirs)
            for row in range(len(labels)):
                to = labels[row]
                theirs = get(o.moments[i], row)
                theirs.mean += shift
                put(self.moments[mine], to, merged(get(self.moments[mine], to), theirs))
        return 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t a, i
        NominalCounts.scale_sums(self, f)
        for a in range(self.moments.size()):
            for i in range(self.moments[a].n.size()):
                put(self.moments[a], i, scaled(get(self.moments[a], i), f))
            self.overall[a] = scaled(self.overall[a], f)
        return 0

    cdef size_t held(self) noexcept nogil:
        cdef size_t a, doubles = self.origin.capacity()
        for a in range(self.moments.size()):
            doubles += self.moments[a].n.capacity() + self.moments[a].mean.capacity() + self.moments[a].m2.capacity()
        return (NominalCounts.held(self) + self.moments.capacity() * sizeof(MomentsTable)
                + self.overall.capacity() * sizeof(Moments) + doubles * sizeof(double))

    # ------------------------------------------------------------ state as bytes
    cdef dict export_sums(self):
        cdef size_t i, c, a
        cdef vector[double] origin, overall, moments
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            origin.push_back(self.origin[a])
            overall.push_back(self.overall[a].n)
            overall.push_back(self.overall[a].mean)
            overall.push_back(self.overall[a].m2)
            for c in range(self.schema.labels.size()):
                moments.push_back(self.moments[a].n[c])
                moments.push_back(self.moments[a].mean[c])
                moments.push_back(self.moments[a].m2[c])
        return {**NominalCounts.export_sums(self), "origin": packed(origin), "overall": packed(overall),
                "moments": packed(moments)}

    cdef int import_sums(self, dict sums) except -1:
        cdef vector[double] origin, overall, moments
        cdef size_t a, i, c, labels = self.schema.labels.size()
        cdef const double* at
        NominalCounts.import_sums(self, sums)
        origin = doubles_from(sums["origin"], self.numeric.size())
        overall = moments_from(sums["overall"], self.numeric.size())
        moments = moments_from(sums["moments"], self.numeric.size() * labels)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            if not -MOST_X <= origin[i] <= MOST_X:
                raise ModelFileError("a first value is beyond 1e150")
            self.origin[a] = origin[i]
            self.overall[a] = moments_at(overall.data() + 3 * i)
            at = moments.data() + 3 * i * labels
            for c in range(labels):
                put(self.moments[a], c, moments_at(at + 3 * c))
        return 0

    # ------------------------------------------------------------ what it holds, for `inspect`
    def tables(self) -> list:
        """Each attribute's table as a dict: counts and probabilities by value and class, or moments by class."""
        if self.one != 1.0:
            return self.copy().tables()
        cdef size_t a, i, c, labels = self.schema.labels.size(), stride = self.stride
        cdef double n, v, p, N = self.total(), m
        cdef CountTable* t
        seen = [c for c in range(labels) if self.class_n[c] > 0]
        tables = []
        for a in range(self.counts.size()):
            if self.schema.attributes[a].kind == KIND_NOMINAL:
                t = &self.counts[a]
                m = t.distinct if self.estimate == LAPLACE else self.m
                rows = []
                for i in range(t.n.size() // stride):
                    if not (row_total(t.n.data() + i * stride, labels) > 0 or self.schema.is_declared(a, i)):
                        continue
                    cells = {}
                    for c in seen:
                        n = t.n[i * stride + c]
                        if self.estimate == AWK:
                            p = (self.class_n[c] + self.k) / (N + self.k * len(seen))
                            p = (n + m * p) / (self.class_n[c] + m)
                        else:
                            p = (n + m / t.distinct) / (t.present[c] + m) if t.present[c] + m > 0 else 1.0 / t.distinct
                        cells[c] = (n, p)
                    rows.append((self.schema.value(a, i), [cells[c][0] for c in seen], [cells[c][1] for c in seen]))
                tables.append({"name": self.schema.name(a), "kind": "nominal", "values": rows})
            else:
                v = self.overall[a].m2 / self.overall[a].n if self.overall[a].n > 0 else 0.0
                tables.append({
                    "name": self.schema.name(a), "kind": "numeric",
                    "n": [self.moments[a].n[c] for c in seen],
                    "mean": [self.moments[a].mean[c] + self.origin[a] if self.moments[a].n[c] > 0 else None
                             for c in seen],
                    "sd": [sqrt(self.moments[a].m2[c] / (self.moments[a].n[c] - 1))
                           if self.moments[a].n[c] > 1 else None for c in seen],
                    "variance_used": [variance(self.moments[a].n[c], self.moments[a].m2[c], v, self.var_prior)
                                      for c in seen],
                })
        return tables


cdef inline Moments moments_at(const double* p) noexcept nogil:
    cdef Moments m
    m.n, m.mean, m.m2 = p[0], p[1], p[2]
    return m


cdef vector[double] moments_from(bytes b, size_t n) except *:
    """n, mean and M2 of so many moments; M2 alone may be infinite (values that are 1e150 apart)."""
    cdef vector[double] v = unpacked(b)
    cdef Moments m
    cdef size_t i
    if v.size() != 3 * n:
        raise ModelFileError("a table has the wrong size")
    for i in range(n):
        m = moments_at(v.data() + 3 * i)
        if not 0 <= m.n <= 1e300 or not -INFINITY < m.mean < INFINITY or not m.m2 >= 0 or (
                m.n == 0 and not (m.mean == 0 and m.m2 == 0)):
            raise ModelFileError("a moment is none")
    return v
