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

from libc.math cimport log, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset
from libcpp.vector cimport vector

from ..records.record cimport MISSING, Record
from ..statistics.counts cimport row_total
from ..statistics.moments cimport variance_in
from ..statistics.packed cimport packed, unpacked
from ..statistics.products cimport (FEW, const_row_t, divide_out, either, kernel, power_of, row_t, significand_of,
                                    split_powers)
from ..statistics.tables cimport Scores, restride
from .base cimport Learner
from .naive_bayes cimport LAPLACE, NaiveBayes
from .one_dependence cimport OneDependence, Term, above_limit

from ..records.problems import ModelFileError
from .naive_bayes import MAX_VALUES, PRIOR_K, VAR_PRIOR
from .parameters import Parameter

ESTIMATE = Parameter("estimate", str, "m", "how a nominal value's probability is estimated", ("m", "laplace"))
ESTIMATE_M = Parameter("m", float, None, "weight of the uniform estimate (1; not with laplace)")
LIMIT = Parameter("limit", float, 1.0, "a discrete superparent counts where n(a_j) > limit")

cdef double LOG_2 = 0.6931471805599453


cdef kernel describe_class_normals(row_t d, row_t inverse, row_t u, row_t least, row_t share, row_t q, row_t v_above,
                                   row_t v_below, const_row_t n, const_row_t m2, const_row_t mu, double x, double v,
                                   double one_by_v, double w, double one, size_t stride) noexcept nogil:
    """d = x - mu, 1 / A, u = D / A, the floor 1e-9 v / S; and N(x_j; mu_j, S_jj), as S / v and d^2 / S."""
    cdef size_t c
    cdef double A, D, by_A
    for c in range(stride):
        A = m2[c] + w * v
        D = either(n[c] > one, n[c] - one, 0.0) + w
        by_A = 1 / A
        d[c] = x - mu[c]
        inverse[c] = by_A
        u[c] = D * by_A
        least[c] = 1e-9 * (D * (v * by_A))
        share[c] = 1.0
        q[c] = d[c] * u[c] * d[c]
        v_above[c] *= A * one_by_v
        v_below[c] *= D


cdef inline void times_two_regressions(row_t share_i, row_t share_j, row_t q_i, row_t q_j, const_row_t c_ij,
                                       const_row_t d_i, const_row_t d_j, const_row_t inverse_i, const_row_t inverse_j,
                                       const_row_t u_i, const_row_t u_j, const_row_t least_i, const_row_t least_j,
                                       size_t stride) noexcept nogil:
    # The regressions of i on j and of j on i: b = C / A_j, b' = C / A_i; of its variance either keeps the share
    # s / S = 1 - b b' (at least the floor). Superparent j has the child i: share_j *= s_i / S_i, q_j += r_i^2 / s_i.
    # One division serves both: z_i / s_i = z_i s_j / (s_i s_j).
    cdef size_t c
    cdef double C, b, b_back, s, s_i, s_j, r_i, r_j, one_by
    for c in range(stride):
        C = c_ij[c]
        b, b_back = C * inverse_j[c], C * inverse_i[c]
        s = 1 - b * b_back
        s_i, s_j = either(s > least_i[c], s, least_i[c]), either(s > least_j[c], s, least_j[c])
        r_i, r_j = d_i[c] - b * d_j[c], d_j[c] - b_back * d_i[c]
        one_by = 1 / (s_i * s_j)
        q_j[c] += r_i * u_i[c] * r_i * (s_j * one_by)
        q_i[c] += r_j * u_j[c] * r_j * (s_i * one_by)
        share_j[c] *= s_i
        share_i[c] *= s_j


cdef kernel times_pairs(double* share, double* powers, double* q, const double* c_ij, const int32_t* apart,
                        const int64_t* present, size_t count, const double* d, const double* inverse, const double* u,
                        const double* least, int64_t few, size_t stride) noexcept nogil:
    """The regressions on each other of all pairs of numeric attributes present that have no moments of their own."""
    cdef size_t a, b, i, j, k
    for b in range(count):
        j = present[b]
        for a in range(b):
            i = present[a]
            k = j * (j - 1) // 2 + i
            if apart[k] < 0:
                times_two_regressions(
                    share + i * stride, share + j * stride, q + i * stride, q + j * stride, c_ij + k * stride,
                    d + i * stride, d + j * stride, inverse + i * stride, inverse + j * stride, u + i * stride,
                    u + j * stride, least + i * stride, least + j * stride, stride)
            if (a + 1) % few == 0:
                split_powers(share + j * stride, powers + j * stride, stride)
        if (b + 1) % few == 0:
            for a in range(b + 1):
                split_powers(share + present[a] * stride, powers + present[a] * stride, stride)


cdef kernel times_own_regression(row_t share, row_t powers, row_t q, const_row_t c_ij, const_row_t n,
                                 const_row_t mean_i, const_row_t mean_j, const_row_t m2_i, const_row_t m2_j,
                                 const_row_t d_i, const_row_t u_i, double x_i, double x_j, double v_i,
                                 double one_by_v_i, double w, double w_v_j, double one, size_t stride) noexcept nogil:
    """The regression of i on superparent j from the pair's own moments; n = 0: the child's own class normal."""
    cdef size_t c
    cdef double C, b, r, s, D, n_c, r_i
    for c in range(stride):
        C, n_c = c_ij[c], n[c]
        b = C / (m2_j[c] + w_v_j)
        D = either(n_c > one, n_c - one, 0.0) + w
        s = (m2_i[c] * one_by_v_i + w - b * (C * one_by_v_i)) / D   # s / v
        s = either(s > 1e-9, s, 1e-9)
        r = x_i - mean_i[c] - b * (x_j - mean_j[c])
        r_i = d_i[c]
        # d^2 u = r^2 / S and share 1; else r^2 / s and share s / S, with 1 / S = u
        q[c] += either(n_c > 0, r * one_by_v_i * r / s, r_i * u_i[c] * r_i)
        share[c] *= either(n_c > 0, s * (u_i[c] * v_i), 1.0)
    split_powers(share, powers, stride)


cdef kernel end_pairs(const double* share, const double* powers, const double* q, const int64_t* present,
                      size_t count, const_row_t base_scale, const_row_t base_g, double* scale, double* g,
                      size_t stride) noexcept nogil:
    """The term of each numeric superparent: the factors that are the same for all, and its own."""
    cdef size_t a, c, j
    for a in range(count):
        j = present[a] * stride
        for c in range(stride):
            g[a * stride + c] = base_g[c] / sqrt(significand_of(share[j + c]))
            scale[a * stride + c] = base_scale[c] - 0.5 * (
                (powers[j + c] + power_of(share[j + c])) * LOG_2 + q[j + c])


cdef inline double changed(double m2, double by, double w) noexcept nogil:
    # an M2 after a record of weight w; what forgetting leaves below 1e-12 of it is rounding
    by += m2
    return 0.0 if by < 0 or (w < 0 and by < 1e-12 * m2) else by


cdef class GAODE(OneDependence):
    """Gaussian AODE over mixed records, learned in one pass.

    P(c, x) = sum_j P(c) N(x_j; mu_j, v_j) prod_{i != j} N(x_i; mu_i + b (x_j - mu_j), s): eq. 8 of [1]_,
    with b = S_ij / S_jj and s = S_ii - b S_ij from one-pass co-moments over the records of class c that
    have both attributes; S_ii = (M2_i + w v_i) / (max(n - 1, 0) + w), w = `var_prior`. Nominal attributes
    take part: as superparents with n(a_j) > `limit`, and as children. Where no superparent qualifies,
    naive Bayes answers.

    Keeps, beside naive Bayes's sums, 8 bytes x classes for each pair of numeric attributes (40 more once
    a record had one of the two alone), 16 bytes x classes x values for each nominal and numeric
    attribute (24 once a record lacked a number), and 8 bytes x classes for each pair of values of two
    nominal attributes seen together.

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
        cdef bint all_present = True, whole
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
                    if w < 0 and not (self.moments[self.numeric[p]].m2[c] > 0 and self.moments[self.numeric[q]].m2[c] > 0):
                        self.c_ij[k * stride + c] = 0.0  # rounding is all that is left
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
                own[3 * stride] = changed(own[3 * stride], w * dx * (dx - dx * (w / n_pq)), w)
                own[4 * stride] = changed(own[4 * stride], w * dy * (dy - dy * (w / n_pq)), w)
                if w < 0 and not (own[3 * stride] > 0 and own[4 * stride] > 0):
                    self.c_ij[k * stride + c] = 0.0
        if self.nominal.empty():
            return 0
        whole = self.take(r)
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if r.code[a] >= 0:
                self.add_children(r, whole, a, r.code[a], c, w)
        return 0

    # ------------------------------------------------------------ how the classes are scored
    cdef void score(self, const Record& r, Scores& s) noexcept nogil:
        """Eq. 8, extended: the sum over the superparents, numeric and nominal."""
        cdef size_t stride = self.stride, n = self.numeric.size(), p, i, a, terms = 0
        cdef double sum_log_v
        cdef double* scale    # by term
        cdef double* g
        cdef const double* row
        cdef Term t
        sum_log_v = self.describe(r, s, t)
        scale = t.room + 7 * n * stride
        g = scale + self.counts.size() * stride
        if t.count and t.tame and not self.hugin:
            self.begin(t)
            self.times_class(t, s)
            self.times_class_values(t, r)
            self.times_numeric_superparents(t, scale, g)
            terms = t.count
        else:
            for i in range(t.count):
                self.begin(t)
                self.times_class(t, s)
                for p in range(t.count):
                    if p % t.few == 0:
                        divide_out(t.v_above, t.v_below, t.v_powers, stride)
                    self.times_any_regression(t, t.present[p], t.present[i])
                self.times_class_values(t, r)
                self.end(t, scale + terms * stride, g + terms * stride, 1.0)
                terms += 1
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if r.code[a] < 0 or <size_t>r.code[a] >= self.counts[a].counts.size():
                continue
            row = self.counts[a].n.data() + r.code[a] * stride
            if above_limit(row, stride, self.limit * self.one):
                self.begin(t)
                self.times_joint(t, row, self.values_of(a, r.code[a]), row_total(self.counts[a].present.data(), stride),
                                 s.C)
                self.times_numeric_children(t, a, r.code[a])
                self.times_nominal_children(t, r, a, r.code[a])
                self.end(t, scale + terms * stride, g + terms * stride, 1.0)
                terms += 1
        if terms == 0:
            NaiveBayes.score(self, r, s)
        else:
            self.sum_terms(s, scale, g, terms, -0.5 * sum_log_v)

    cdef void times_class(self, Term& t, const Scores& s) noexcept nogil:
        """P(c)"""
        cdef size_t c
        for c in range(self.stride):
            t.above[c] *= self.class_n[c] + self.k if self.class_n[c] > 0 else 1.0
            t.below[c] *= s.N + self.k * s.C

    cdef void times_numeric_superparents(self, Term& t, double* scale, double* g) noexcept nogil:
        """N(x_j; mu_j, v_j) and the regressions of the other numeric attributes on it, for all j at once.

        S_11 S_22 ... is a factor of every term, so that a term multiplies up only the shares s / S of them that
        its regressions leave.
        """
        cdef size_t stride = self.stride, n = self.numeric.size(), p, a, b, i, j
        cdef double* d = t.room              # rows by numeric attribute
        cdef double* inverse = d + n * stride
        cdef double* u = inverse + n * stride
        cdef double* least = u + n * stride
        cdef double* share = least + n * stride
        cdef double* powers = share + n * stride
        cdef double* q = powers + n * stride
        cdef double v, w = self.var_prior
        cdef const double* own
        cdef int32_t k
        for b in range(t.count):
            p, a = t.present[b], self.numeric[t.present[b]]
            v = self.overall[a].m2 / self.overall[a].n
            describe_class_normals(
                d + p * stride, inverse + p * stride, u + p * stride, least + p * stride, share + p * stride,
                q + p * stride, t.v_above, t.v_below, self.moments[a].n.data(), self.moments[a].m2.data(),
                t.mu + p * stride, t.x[p], v, t.one_by_v[p], w, self.one, stride)
            memset(powers + p * stride, 0, stride * sizeof(double))
            t.densities += 1
            if t.densities % t.few == 0:
                divide_out(t.v_above, t.v_below, t.v_powers, stride)
        times_pairs(share, powers, q, self.c_ij.data(), self.apart.data(), t.present, t.count, d, inverse, u, least,
                    t.few_pairs, stride)
        for b in range(t.count if self.own.size() else 0):
            for a in range(b):
                i, j = t.present[a], t.present[b]
                k = self.apart[self.pair_of(i, j)]
                if k < 0:
                    continue
                own = self.own.data() + 5 * stride * k
                k = self.pair_of(i, j)
                times_own_regression(
                    share + j * stride, powers + j * stride, q + j * stride, self.c_ij.data() + k * stride, own,
                    own + stride, own + 2 * stride, own + 3 * stride, own + 4 * stride, d + i * stride, u + i * stride,
                    t.x[i], t.x[j], 1 / t.one_by_v[i], t.one_by_v[i], w, w / t.one_by_v[j], self.one, stride)
                times_own_regression(
                    share + i * stride, powers + i * stride, q + i * stride, self.c_ij.data() + k * stride, own,
                    own + 2 * stride, own + stride, own + 4 * stride, own + 3 * stride, d + j * stride, u + j * stride,
                    t.x[j], t.x[i], 1 / t.one_by_v[j], t.one_by_v[j], w, w / t.one_by_v[i], self.one, stride)
        self.end(t, t.common, t.common + stride, 1.0)
        end_pairs(share, powers, q, t.present, t.count, t.common, t.common + stride, scale, g, stride)

    cdef void times_any_regression(self, Term& t, size_t i, size_t j) noexcept nogil:
        """The regression of i on j (i = j: its own normal) straight from its definition: eq. 6, and what isn't tame."""
        cdef size_t c, stride = self.stride
        cdef int32_t k = self.pair_of(i, j) if i != j else 0
        cdef double w = self.var_prior, v_i = 1 / t.one_by_v[i], v_j = 1 / t.one_by_v[j]
        cdef double n, mean_i, mean_j, m2_i, m2_j, D, S_ii, S_jj, S_ij, b, s, r
        cdef const double* own
        cdef size_t a_i = self.numeric[i], a_j = self.numeric[j]
        t.densities += 1
        for c in range(self.schema.labels.size()):
            n, mean_i, m2_i = self.moments[a_i].n[c], self.moments[a_i].mean[c], self.moments[a_i].m2[c]
            mean_j, m2_j = self.moments[a_j].mean[c], self.moments[a_j].m2[c]
            if i != j and self.apart[k] >= 0:
                own = self.own.data() + 5 * stride * self.apart[k] + c
                n = own[0]
                mean_i, mean_j, m2_i, m2_j = own[stride], own[2 * stride], own[3 * stride], own[4 * stride]
                if i > j:
                    mean_i, mean_j, m2_i, m2_j = mean_j, mean_i, m2_j, m2_i
            if i == j or not n > 0:  # the child's own class normal
                s = variance_in(self.moments[a_i].n[c], self.moments[a_i].m2[c], v_i, w, self.one)
                r = t.x[i] - t.mu[i * stride + c]
            else:
                D = (n - self.one if n > self.one else 0.0) + w
                S_ii, b, s = v_i, 0.0, v_i
                if D > 0:
                    S_ii, S_jj = (m2_i + w * v_i) / D, (m2_j + w * v_j) / D
                    S_ij = self.c_ij[k * stride + c] / D
                    b = S_ij / S_jj if S_jj > 0 else 0.0
                    s = S_ii - b * S_ij
                r = t.x[i] - mean_i - b * (t.x[j] - mean_j)
                if self.hugin:
                    s = S_ii
                    r = t.x[i] - mean_i - b * (t.x[j] + self.origin[a_j])
                if s < 1e-9 * v_i:
                    s = 1e-9 * v_i
            t.q[c] += r * r / s
            t.v_above[c] *= s * t.one_by_v[i]

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
            m = size * self.one if self.estimate == LAPLACE else self.m
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
                divide_out(t.above, t.below, t.powers, stride)

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t known = self.numeric.size(), p, q, c
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
        self.work_extra = 2 * self.numeric.size() + (9 * self.numeric.size() + 2 * self.counts.size()) * self.stride
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
        sums["co_moments"] = packed(c_ij)
        sums["pair_moments"] = packed(own)
        return sums

    cdef int import_sums(self, dict sums) except -1:
        cdef size_t k, row, c, labels = self.schema.labels.size(), stride = self.stride, at = 0
        cdef vector[double] c_ij = unpacked(sums["co_moments"]), own = unpacked(sums["pair_moments"])
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
        if self.one != 1.0:
            return self.copy().regressions()
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
