"""GAODE: Gaussian averaged one-dependence estimators (Flores, Gamez, Martinez, Puerta 2009), in one pass.

    eq. 8    P(c, x) = sum over j of P(c) N(x_j; mu_j, v_j) * product over i != j of N(x_i; mu_i + b (x_j - mu_j), s)

    b = S_ij / S_jj,   s = S_ii - b S_ij     (floor 1e-9 v_i)
    S_ii = (M2_i + w v_i) / (max(n - 1, 0) + w),  S_jj likewise,  S_ij = C_ij / (max(n - 1, 0) + w)

all given the class c; n, the means, M2_i, M2_j and the co-moment C_ij are over the records of c that
have both. With A_i = M2_i + w v_i and D = max(n - 1, 0) + w:  b = C_ij / A_j,  s D = A_i - b C_ij.

    eq. 6    hugin: N(x_i; mu_i + b x_j, S_ii), for comparison with the paper only

Nominal attributes (beyond the paper): a nominal superparent gives P(c, a_j) and children as in
`one_dependence`; a nominal child under a numeric superparent gives P(a_i|c).
"""
from __future__ import annotations

from libc.math cimport NAN, log
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.counts cimport row_total
from ..statistics.moments cimport variance
from ..statistics.products cimport FEW, const_row_t, divide, either, row_t
from ..statistics.tables cimport Scores, restride
from .base cimport Learner
from .naive_bayes cimport LAPLACE, NaiveBayes, as_bytes, as_doubles
from .one_dependence cimport OneDependence, Term, above_limit

from ..records.problems import ModelFileError
from .naive_bayes import MAX_VALUES, PRIOR_K, VAR_PRIOR
from .parameters import Parameter

ESTIMATE = Parameter("estimate", str, "m", "how a nominal value's probability is estimated", ("m", "laplace"))
ESTIMATE_M = Parameter("m", float, None, "weight of the uniform estimate (1; not with laplace)")
LIMIT = Parameter("limit", float, 1.0, "a discrete superparent counts where n(a_j) > limit")


cdef inline void times_regression(row_t above, row_t below, row_t q, const_row_t c_ij, const_row_t a_i,
                                  const_row_t D, const_row_t d_i, const_row_t one_by_a_j, const_row_t d_j,
                                  double one_by_v, size_t stride) noexcept nogil:
    # a_i = A_i / v_i,  d = x - mu,  b = C / A_j:
    # s D / v_i = a_i - b C / v_i,  at least 1e-9 D;   (d_i - b d_j)^2 / s
    cdef size_t c
    cdef double C, b, r, s, D_c, least
    for c in range(stride):
        C, D_c, s, r = c_ij[c], D[c], a_i[c], d_i[c]
        b = C * one_by_a_j[c]
        r -= b * d_j[c]
        s -= b * (C * one_by_v)
        least = 1e-9 * D_c
        s = either(s > least, s, least)
        q[c] += r * r * one_by_v * D_c / s
        above[c] *= s
        below[c] *= D_c


cdef inline void times_two_regressions(row_t above, row_t below, row_t q, const_row_t c_1, const_row_t a_1,
                                       const_row_t D_1, const_row_t d_1, double one_by_v_1, const_row_t c_2,
                                       const_row_t a_2, const_row_t D_2, const_row_t d_2, double one_by_v_2,
                                       const_row_t one_by_a_j, const_row_t d_j, size_t stride) noexcept nogil:
    # The same for two children with one division: z_1/s_1 + z_2/s_2 = (z_1 s_2 + z_2 s_1) / (s_1 s_2).
    # Only for x that are not so far out that the products overflow.
    cdef size_t c
    cdef double C, b, s_1, r_1, D, s_2, r_2, E, A, d
    for c in range(stride):
        A, d = one_by_a_j[c], d_j[c]
        C, D, s_1, r_1 = c_1[c], D_1[c], a_1[c], d_1[c]
        b = C * A
        r_1 -= b * d
        s_1 -= b * (C * one_by_v_1)
        s_1 = either(s_1 > 1e-9 * D, s_1, 1e-9 * D)
        r_1 = r_1 * r_1 * one_by_v_1 * D
        C, E, s_2, r_2 = c_2[c], D_2[c], a_2[c], d_2[c]
        b = C * A
        r_2 -= b * d
        s_2 -= b * (C * one_by_v_2)
        s_2 = either(s_2 > 1e-9 * E, s_2, 1e-9 * E)
        r_2 = r_2 * r_2 * one_by_v_2 * E
        q[c] += (r_1 * s_2 + r_2 * s_1) / (s_1 * s_2)
        above[c] *= s_1 * s_2
        below[c] *= D * E


cdef inline void times_own_regression(row_t above, row_t below, row_t q, const_row_t c_ij, const_row_t n,
                                      const_row_t mean_i, const_row_t mean_j, const_row_t m2_i, const_row_t m2_j,
                                      const_row_t a_i, const_row_t D, const_row_t d_i, double x_i, double x_j,
                                      double one_by_v_i, double w, double w_v_j, size_t stride) noexcept nogil:
    # The same from the pair's own moments; n = 0: the child's own class normal.
    cdef size_t c
    cdef double C, b, r, s, D_c, n_c, least, own_s, own_r, dx_i, dx_j
    for c in range(stride):
        C, n_c, dx_i, dx_j = c_ij[c], n[c], x_i - mean_i[c], x_j - mean_j[c]
        b = C / (m2_j[c] + w_v_j)
        own_s = m2_i[c] * one_by_v_i + w - b * (C * one_by_v_i)
        own_r = dx_i - b * dx_j
        D_c, s, r = D[c], a_i[c], d_i[c]
        D_c = either(n_c > 0, either(n_c > 1, n_c - 1, 0.0) + w, D_c)
        s = either(n_c > 0, own_s, s)
        r = either(n_c > 0, own_r, r)
        least = 1e-9 * D_c
        s = either(s > least, s, least)
        q[c] += r * r * one_by_v_i * D_c / s
        above[c] *= s
        below[c] *= D_c


cdef class GAODE(OneDependence):
    """Gaussian AODE over mixed records, learned in one pass.

    P(c, x) = sum_j P(c) N(x_j; mu_j, v_j) prod_{i != j} N(x_i; mu_i + b (x_j - mu_j), s): eq. 8 of [1]_,
    with b = S_ij / S_jj and s = S_ii - b S_ij from one-pass co-moments over the records of class c that
    have both attributes; S_ii = (M2_i + w v_i) / (max(n - 1, 0) + w), w = `var_prior`. Nominal attributes
    take part: as superparents with n(a_j) > `limit`, and as children. Where no superparent qualifies,
    naive Bayes answers.

    Keeps, beside naive Bayes's sums, 8 bytes x classes for each pair of numeric attributes (40 more once
    a record had one of the two alone), 24 bytes x classes x values for each nominal and numeric
    attribute, and 8 bytes x classes for each pair of values of two nominal attributes seen together.

    Parameters
    ----------
    estimate : {'m', 'laplace'}, default 'm'
        How a nominal value's probability is estimated.
    k : float, optional
        Pseudo-count of each label in the prior. Default 1.
    m : float, optional
        Weight of the uniform estimate. Default 1; refused with `laplace`.
    limit : float, default 1
        A nominal superparent counts where n(a_j) > limit.
    var_prior : float, optional
        Pseudo-observations of the overall spread in each variance. Default 1.
    conditional : {'cg', 'hugin'}, default 'cg'
        `hugin` is eq. 6 of the paper, N(x_i; mu_i + b x_j, S_ii), which changes with the origin.
    max_values : int, default 10000
        Distinct values of a nominal attribute that are told apart.

    Raises
    ------
    UsageError
        For an unknown parameter, a value it can't have, or `m` beside `laplace`.

    References
    ----------
    .. [1] Flores, Gamez, Martinez, Puerta (2009). GAODE and HAODE: two proposals based on AODE to deal
       with continuous variables. ICML.

    Examples
    --------
    >>> from streambayes import GAODE
    >>> model = GAODE()
    >>> for i in range(20):
    ...     model.learn_one({"x": i, "y": i % 5 + i}, "rising")
    ...     model.learn_one({"x": i, "y": i % 5 - i}, "falling")
    >>> model.predict_one({"x": 15, "y": -12})
    'falling'
    """

    NAME = "gaode"
    PARAMETERS = (
        ESTIMATE, PRIOR_K, ESTIMATE_M, LIMIT, VAR_PRIOR,
        Parameter("conditional", str, "cg", "the child's normal: conditional Gaussian (eq. 8), or eq. 6",
                  ("cg", "hugin")),
        MAX_VALUES,
    )

    def __init__(self, **parameters):
        super().__init__(**parameters)
        self.limit = self.parameters["limit"]
        self.hugin = self.parameters["conditional"] == "hugin"
        self.work_rows = 16

    # ------------------------------------------------------------ what a record adds
    cdef int32_t pair_of(self, size_t p, size_t q) noexcept nogil:
        return <int32_t>(q * (q - 1) // 2 + p if p < q else p * (p - 1) // 2 + q)

    cdef int set_apart(self, size_t p, size_t q) except -1 nogil:
        """A record has one of two attributes alone: from now on the pair has moments of its own (p < q)."""
        cdef size_t i, stride = self.stride
        cdef const double* rows[5]
        self.apart[self.pair_of(p, q)] = <int32_t>(self.own.size() // (5 * stride))
        i, q = self.numeric[p], self.numeric[q]
        rows[0], rows[1], rows[3] = self.moments[i].n.data(), self.moments[i].mean.data(), self.moments[i].m2.data()
        rows[2], rows[4] = self.moments[q].mean.data(), self.moments[q].m2.data()
        for i in range(5):
            self.own.insert(self.own.end(), rows[i], rows[i] + stride)
        return 0

    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil:
        cdef size_t p, q, a, i, n = self.numeric.size(), stride = self.stride
        cdef double* before
        cdef double* after
        cdef double x, y, n_pq, dx, dy
        cdef double* own
        cdef int32_t k
        cdef bint all_present = True
        if self.deviations.size() < 2 * n:
            self.deviations.resize(2 * n)
        before, after = self.deviations.data(), self.deviations.data() + n
        for p in range(n):
            a = self.numeric[p]
            x = r.x[a] - (self.origin[a] if self.origin[a] == self.origin[a] else r.x[a])
            before[p] = x - self.moments[a].mean[c]
            all_present = all_present and x == x
        for q in range(1, n if not all_present else 0):
            for p in range(q):
                if self.apart[self.pair_of(p, q)] < 0 and (before[p] == before[p]) != (before[q] == before[q]):
                    self.set_apart(p, q)
        NaiveBayes.add(self, r, c, w)
        for p in range(n):
            a = self.numeric[p]
            after[p] = r.x[a] - self.origin[a] - self.moments[a].mean[c]
        if w < 0:
            before, after = after, before
        # C_ij += w (x_i - mean_i before) (x_j - mean_j after)
        k = -1
        for q in range(1, n):
            y = after[q]
            for p in range(q):
                k += 1
                x = before[p]
                if x != x or y != y:
                    continue
                if self.apart[k] < 0:
                    self.c_ij[k * stride + c] += w * x * y
                    if w < 0 and not self.moments[self.numeric[p]].n[c] > 0:
                        self.c_ij[k * stride + c] = 0.0
                    continue
                own = self.own.data() + 5 * stride * self.apart[k] + c
                n_pq = own[0] + w
                if w < 0 and n_pq < 1e-9:
                    for i in range(5):
                        own[i * stride] = 0.0
                    self.c_ij[k * stride + c] = 0.0
                    continue
                dx = r.x[self.numeric[p]] - self.origin[self.numeric[p]] - own[stride]
                dy = r.x[self.numeric[q]] - self.origin[self.numeric[q]] - own[2 * stride]
                own[0] = n_pq
                own[stride] += dx * (w / n_pq)
                own[2 * stride] += dy * (w / n_pq)
                self.c_ij[k * stride + c] += w * dx * (dy - dy * (w / n_pq))
                own[3 * stride] += w * dx * (dx - dx * (w / n_pq))
                own[4 * stride] += w * dy * (dy - dy * (w / n_pq))
                if own[3 * stride] < 0:
                    own[3 * stride] = 0.0
                if own[4 * stride] < 0:
                    own[4 * stride] = 0.0
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if r.code[a] >= 0:
                self.add_children(r, a, r.code[a], c, w)
        return 0

    # ------------------------------------------------------------ how the classes are scored
    cdef void score(self, const Record& r, Scores& s) noexcept nogil:
        """Eq. 8, extended: the sum over the superparents, numeric and nominal."""
        cdef size_t stride = self.stride, n = self.numeric.size(), p, i, a, c, terms = 0
        cdef double* x = s.work.data() + self.work_rows * stride     # by numeric attribute: x - origin ...
        cdef double* one_by_v = x + n                                # ... 1 / v
        cdef double* mu = one_by_v + n                               # ... the class means
        cdef double* room = mu + n * stride                          # ... d, A / v, D and room for one j
        cdef double* scale = room + (3 * n + 1) * stride             # by term
        cdef double* g = scale + self.counts.size() * stride
        cdef double sum_log_v, N = s.N
        cdef const double* row
        cdef Term t
        sum_log_v = self.describe(r, x, one_by_v, mu, t)
        for p in range(n):
            if x[p] == x[p]:
                self.begin(t, s)
                for c in range(stride):  # P(c)
                    t.above[c] = self.class_n[c] + self.k if self.class_n[c] > 0 else 1.0
                    t.below[c] = N + self.k * s.C
                self.times_numeric_superparent(t, p, x, one_by_v, mu, room if terms == 0 else NULL)
                self.times_class_values(t, r)
                self.end(t, scale + terms * stride, g + terms * stride, 1.0)
                terms += 1
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if r.code[a] < 0 or <size_t>r.code[a] >= self.counts[a].counts.size():
                continue
            row = self.counts[a].n.data() + r.code[a] * stride
            if above_limit(row_total(row, stride), self.limit):
                self.begin(t, s)
                self.times_joint(t, row, self.values_of(a, r.code[a]), row_total(self.counts[a].present.data(), stride),
                                 s.C)
                self.times_numeric_children(t, a, r.code[a], x, one_by_v, mu)
                self.times_nominal_children(t, r, a, r.code[a])
                self.end(t, scale + terms * stride, g + terms * stride, 1.0)
                terms += 1
        if terms == 0:
            NaiveBayes.score(self, r, s)
        else:
            self.sum_terms(s, scale, g, terms, -0.5 * sum_log_v)

    cdef void times_numeric_superparent(self, Term& t, size_t j, const double* x, const double* one_by_v,
                                        const double* mu, double* room) noexcept nogil:
        """N(x_j; mu_j, v_j) and the regressions of the other numeric attributes on it."""
        cdef size_t stride = self.stride, n = self.numeric.size(), p, c, a
        # By numeric attribute and class: x - mu, (M2 + w v) / v, max(n - 1, 0) + w; filled for the first j.
        cdef double* d = (<double*>mu) + n * stride
        cdef double* a_i = d + n * stride
        cdef double* D = a_i + n * stride
        cdef double* one_by_a_j = D + n * stride
        cdef double w = self.var_prior, v_j = 1 / one_by_v[j]
        cdef const double* own
        cdef size_t i_row, j_row, first = 0
        cdef int32_t k, waiting = -1  # the pair of `first`, a child to be taken together with the next
        cdef int64_t until
        if room != NULL:
            for p in range(n):
                if x[p] == x[p]:
                    a = self.numeric[p]
                    for c in range(stride):
                        d[p * stride + c] = x[p] - mu[p * stride + c]
                        D[p * stride + c] = (self.moments[a].n[c] - 1 if self.moments[a].n[c] > 1 else 0.0) + w
                        a_i[p * stride + c] = self.moments[a].m2[c] * one_by_v[p] + w
        for c in range(stride):
            one_by_a_j[c] = one_by_v[j] / a_i[j * stride + c] if a_i[j * stride + c] > 0 else 0.0
        self.times_own_normal(t, j, d, a_i, D, one_by_v[j])
        until = t.densities + t.few
        for p in range(n):
            if p == j or x[p] != x[p]:
                continue
            k = self.pair_of(p, j)
            t.densities += 1
            if self.hugin or w == 0:
                self.times_any_regression(t, p, j, x, one_by_v, mu)
            elif self.apart[k] < 0 and t.tame:
                if waiting < 0:
                    waiting, first = k, p
                    continue
                times_two_regressions(
                    t.v_above, t.v_below, t.q, self.c_ij.data() + waiting * stride, a_i + first * stride,
                    D + first * stride, d + first * stride, one_by_v[first], self.c_ij.data() + k * stride,
                    a_i + p * stride, D + p * stride, d + p * stride, one_by_v[p], one_by_a_j, d + j * stride, stride)
                waiting = -1
            elif self.apart[k] < 0:
                times_regression(t.v_above, t.v_below, t.q, self.c_ij.data() + k * stride, a_i + p * stride,
                                 D + p * stride, d + p * stride, one_by_a_j, d + j * stride, one_by_v[p], stride)
            else:
                own = self.own.data() + 5 * stride * self.apart[k]
                i_row, j_row = (1, 2) if p < j else (2, 1)
                times_own_regression(t.v_above, t.v_below, t.q, self.c_ij.data() + k * stride, own,
                                     own + i_row * stride, own + j_row * stride, own + (i_row + 2) * stride,
                                     own + (j_row + 2) * stride, a_i + p * stride, D + p * stride, d + p * stride,
                                     x[p], x[j], one_by_v[p], w, w * v_j, stride)
            if t.densities >= until:
                divide(t.v_above, t.v_below, t.v_e, stride)
                until = t.densities + t.few
        if waiting >= 0:
            times_regression(t.v_above, t.v_below, t.q, self.c_ij.data() + waiting * stride, a_i + first * stride,
                             D + first * stride, d + first * stride, one_by_a_j, d + j * stride, one_by_v[first],
                             stride)

    cdef void times_own_normal(self, Term& t, size_t j, const double* d, const double* a_j, const double* D,
                               double one_by_v) noexcept nogil:
        """N(x_j; mu_j, v_j), naive Bayes's own."""
        cdef size_t c, stride = self.stride
        cdef double above, below
        for c in range(stride):
            above, below = a_j[j * stride + c], D[j * stride + c]
            if not below > 0:
                above = below = 1.0
            if above < 1e-9 * below:
                above = 1e-9 * below
            t.q[c] += d[j * stride + c] * d[j * stride + c] * one_by_v * below / above
            t.v_above[c] *= above
            t.v_below[c] *= below
        t.densities += 1

    cdef void times_any_regression(self, Term& t, size_t i, size_t j, const double* x, const double* one_by_v,
                                   const double* mu) noexcept nogil:
        """The regression of i on j straight from its definition: eq. 6, and variances without a prior."""
        cdef size_t c, stride = self.stride
        cdef int32_t k = self.pair_of(i, j)
        cdef double w = self.var_prior, v_i = 1 / one_by_v[i], v_j = 1 / one_by_v[j]
        cdef double n, mean_i, mean_j, m2_i, m2_j, D, S_ii, S_jj, S_ij, b, s, r
        cdef const double* own
        cdef size_t a_i = self.numeric[i], a_j = self.numeric[j]
        for c in range(self.schema.labels.size()):
            n, mean_i, m2_i = self.moments[a_i].n[c], self.moments[a_i].mean[c], self.moments[a_i].m2[c]
            mean_j, m2_j = self.moments[a_j].mean[c], self.moments[a_j].m2[c]
            if self.apart[k] >= 0:
                own = self.own.data() + 5 * stride * self.apart[k] + c
                n = own[0]
                mean_i, mean_j, m2_i, m2_j = own[stride], own[2 * stride], own[3 * stride], own[4 * stride]
                if i > j:
                    mean_i, mean_j, m2_i, m2_j = mean_j, mean_i, m2_j, m2_i
            if not n > 0:  # the child's own class normal
                s = variance(self.moments[a_i].n[c], self.moments[a_i].m2[c], v_i, w)
                r = x[i] - mu[i * stride + c]
            else:
                D = (n - 1 if n > 1 else 0.0) + w
                S_ii, b, s = v_i, 0.0, v_i
                if D > 0:
                    S_ii, S_jj = (m2_i + w * v_i) / D, (m2_j + w * v_j) / D
                    S_ij = self.c_ij[k * stride + c] / D
                    b = S_ij / S_jj if S_jj > 0 else 0.0
                    s = S_ii - b * S_ij
                r = x[i] - mean_i - b * (x[j] - mean_j)
                if self.hugin:
                    s = S_ii
                    r = x[i] - mean_i - b * (x[j] + self.origin[a_j])
                if s < 1e-9 * v_i:
                    s = 1e-9 * v_i
            t.q[c] += r * r / s
            t.v_above[c] *= s * one_by_v[i]

    cdef void times_class_values(self, Term& t, const Record& r) noexcept nogil:
        """P(a_i|c) of the nominal children of a numeric superparent."""
        cdef size_t i, a, c, stride = self.stride
        cdef double size, m
        cdef const double* n
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if r.code[a] == MISSING:
                continue
            size = self.values_of(a, r.code[a])
            m = size if self.estimate == LAPLACE else self.m
            n = t.nothing
            if r.code[a] >= 0 and <size_t>r.code[a] < self.counts[a].counts.size():
                n = self.counts[a].n.data() + r.code[a] * stride
            if self.as_logs(row_total(self.counts[a].present.data(), stride)):
                for c in range(stride):
                    t.extra[c] += log((n[c] + m / size) / (self.counts[a].present[c] + m)
                                      if self.counts[a].present[c] + m > 0 else 1 / size)
                continue
            for c in range(stride):
                t.above[c] *= n[c] + m / size
                t.below[c] *= self.counts[a].present[c] + m
            t.factors += 1
            if t.factors % FEW == 0:
                divide(t.above, t.below, t.e, stride)

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t known = self.numeric.size(), p, q, c, attributes
        cdef bint learned
        OneDependence.resize(self, old_stride)
        if old_stride != self.stride:
            restride(self.c_ij, old_stride, self.stride)
            restride(self.own, old_stride, self.stride)
        for q in range(known, self.numeric.size()):
            for p in range(q):
                self.apart.push_back(-1)
                self.c_ij.resize(self.c_ij.size() + self.stride, 0.0)
                learned = False
                for c in range(self.stride):
                    learned = learned or self.moments[self.numeric[p]].n[c] > 0
                if learned:  # there are records that have p alone
                    self.set_apart_empty(p, q)
        attributes = self.counts.size()
        self.work_extra = (2 * self.numeric.size() + (4 * self.numeric.size() + 1) * self.stride
                           + 2 * attributes * self.stride)
        return 0

    cdef int set_apart_empty(self, size_t p, size_t q) except -1 nogil:
        self.apart[self.pair_of(p, q)] = <int32_t>(self.own.size() // (5 * self.stride))
        self.own.resize(self.own.size() + 5 * self.stride, 0.0)
        return 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t i, row, stride = self.stride
        OneDependence.scale_sums(self, f)
        for i in range(self.c_ij.size()):
            self.c_ij[i] *= f
        for i in range(self.own.size()):
            row = i // stride % 5
            if row == 0 or row > 2:
                self.own[i] *= f
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef GAODE o = other
        cdef size_t p, q, i, j, c, to, stride = self.stride, theirs
        cdef double n, m, da, db, shift_i, shift_j
        cdef double mine[5]
        cdef double their[5]
        cdef double* own
        cdef const double* from_
        cdef int32_t k, l
        cdef bint swapped
        # Every pair that either has gets moments of its own, while the attributes' are still apart.
        for q in range(1, self.numeric.size()):
            for p in range(q):
                if self.apart[self.pair_of(p, q)] < 0:
                    self.set_apart(p, q)
        shifts = [o.origin[o.numeric[p]] - self.origin[<size_t>attributes[o.numeric[p]]]
                  if self.origin[<size_t>attributes[o.numeric[p]]] == self.origin[<size_t>attributes[o.numeric[p]]] else 0.0
                  for p in range(o.numeric.size())]
        OneDependence.merge_sums(self, other, labels, attributes, values)
        for q in range(1, o.numeric.size()):
            for p in range(q):
                i, j = self.place[<size_t>attributes[o.numeric[p]]], self.place[<size_t>attributes[o.numeric[q]]]
                k, l = self.pair_of(i, j), o.pair_of(p, q)
                swapped = i > j
                shift_i, shift_j = shifts[p], shifts[q]
                for c in range(len(labels)):
                    to = labels[c]
                    if o.apart[l] < 0:
                        their[0], their[1] = o.moments[o.numeric[p]].n[c], o.moments[o.numeric[p]].mean[c]
                        their[2], their[3] = o.moments[o.numeric[q]].mean[c], o.moments[o.numeric[p]].m2[c]
                        their[4] = o.moments[o.numeric[q]].m2[c]
                    else:
                        from_ = o.own.data() + 5 * o.stride * o.apart[l] + c
                        for theirs in range(5):
                            their[theirs] = from_[theirs * o.stride]
                    their[1] += shift_i
                    their[2] += shift_j
                    if swapped:
                        their[1], their[2], their[3], their[4] = their[2], their[1], their[4], their[3]
                    own = self.own.data() + 5 * stride * self.apart[k] + to
                    m = their[0]
                    if not m > 0:
                        continue
                    if not own[0] > 0:
                        for theirs in range(5):
                            own[theirs * stride] = their[theirs]
                        self.c_ij[k * stride + to] = o.c_ij[l * o.stride + c]
                        continue
                    n = own[0] + m
                    da, db = their[1] - own[stride], their[2] - own[2 * stride]
                    self.c_ij[k * stride + to] += o.c_ij[l * o.stride + c] + da * db * (own[0] * m / n)
                    own[3 * stride] += their[3] + da * da * (own[0] * m / n)
                    own[4 * stride] += their[4] + db * db * (own[0] * m / n)
                    own[stride] += da * (m / n)
                    own[2 * stride] += db * (m / n)
                    own[0] = n
        return 0

    cdef size_t held(self) noexcept nogil:
        return OneDependence.held(self) + self.apart.capacity() * sizeof(int32_t) + (
            self.c_ij.capacity() + self.own.capacity() + self.deviations.capacity()) * sizeof(double)

    # ------------------------------------------------------------ state as bytes
    cdef dict export_sums(self):
        cdef size_t k, row, c, labels = self.schema.labels.size(), stride = self.stride
        cdef vector[double] c_ij, own
        for k in range(self.apart.size()):
            for c in range(labels):
                c_ij.push_back(self.c_ij[k * stride + c])
            for row in range(5 if self.apart[k] >= 0 else 0):
                for c in range(labels):
                    own.push_back(self.own[(5 * self.apart[k] + row) * stride + c])
        sums = OneDependence.export_sums(self)
        sums["pairs_apart"] = bytes([self.apart[k] >= 0 for k in range(self.apart.size())])
        sums["co_moments"] = as_bytes(c_ij)
        sums["pair_moments"] = as_bytes(own)
        return sums

    cdef int import_sums(self, dict sums) except -1:
        cdef size_t k, row, c, labels = self.schema.labels.size(), stride = self.stride, at = 0
        cdef vector[double] c_ij = as_doubles(sums["co_moments"]), own = as_doubles(sums["pair_moments"])
        cdef bytes apart = sums["pairs_apart"]
        OneDependence.import_sums(self, sums)
        if <size_t>len(apart) != self.apart.size() or not set(apart) <= {0, 1} or (
                c_ij.size() != self.apart.size() * labels or own.size() != 5 * labels * sum(apart)):
            raise ModelFileError("a table has the wrong size")
        for k in range(self.apart.size()):
            for c in range(labels):
                self.c_ij[k * stride + c] = c_ij[k * labels + c]
            if not apart[k]:
                continue
            self.apart[k] = <int32_t>(self.own.size() // (5 * stride))
            self.own.resize(self.own.size() + 5 * stride, 0.0)
            for row in range(5):
                for c in range(labels):
                    self.own[(5 * self.apart[k] + row) * stride + c] = own[at]
                    at += 1
        return 0

    # ------------------------------------------------------------ what it holds, for `inspect`
    def regressions(self) -> list:
        """(child, superparent, [b of each class]) for each ordered pair of numeric attributes; None: nothing known."""
        cdef size_t i, j, c, stride = self.stride, a_i, a_j
        cdef double w = self.var_prior, v, m2_j, n
        cdef int32_t k
        rows = []
        for j in range(self.numeric.size()):
            a_j = self.numeric[j]
            v = self.overall[a_j].m2 / self.overall[a_j].n if self.overall[a_j].n > 0 else 0.0
            for i in range(self.numeric.size()):
                if i == j:
                    continue
                a_i, k = self.numeric[i], self.pair_of(i, j)
                b = []
                for c in range(self.schema.labels.size()):
                    if not self.class_n[c] > 0:
                        continue
                    n, m2_j = self.moments[a_j].n[c], self.moments[a_j].m2[c]
                    if self.apart[k] >= 0:
                        n = self.own[5 * stride * self.apart[k] + c]
                        m2_j = self.own[(5 * self.apart[k] + (4 if i < j else 3)) * stride + c]
                    b.append(self.c_ij[k * stride + c] / (m2_j + w * v) if n > 0 and m2_j + w * v > 0 else None)
                rows.append((self.schema.name(a_i), self.schema.name(a_j), b))
        return rows

    def tables(self) -> list:
        """Naive Bayes's tables, each numeric attribute with its regressions on the others."""
        tables = super().tables()
        for table in tables:
            if table["kind"] == "numeric":
                table["regressions"] = {on: b for child, on, b in self.regressions() if child == table["name"]}
        return tables
