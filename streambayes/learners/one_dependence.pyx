"""Averaged one-dependence estimators over mixed records: what GAODE and HAODE share.

    P(c, x) = sum over superparents j of P(c, a_j) * product over the other i present of P(x_i | c, a_j)

For a superparent with discrete values (a nominal one, or a bin), with the m-estimate:

    P(c, a_j)        = (n(c,a_j) + m/(C |A_j|)) / (n(A_j present) + m)
    nominal child    P(a_i|c,a_j) = (n(c,a_j,a_i) + m/|A_i|) / (n(c,a_j, A_i present) + m)
    numeric child    N(x_i; mu, s) with the moments of x_i given (c, a_j): s = (M2 + w v_i) / (max(n - 1, 0) + w);
                     n = 0: the child's class mean (the overall one where the class has none), and v_i
"""
from __future__ import annotations

from libc.math cimport INFINITY, NAN, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.children cimport (ChildMoments, Children, add_count, add_moments, export_counts, import_counts,
                                    merge_counts, moments_at, put_moments, restride_counts, scale_counts,
                                    scale_moments)
from ..statistics.counts cimport row_total
from ..statistics.moments cimport Moments, merged
from ..statistics.packed cimport packed, packed_uint64, unpacked, unpacked_uint64
from ..statistics.products cimport (FEW, RENORMALISE, bits, const_row_t, divide_out, either, exp_of, kernel,
                                    log_product, multiply, power_of, renormalise, row_t, significand_of)
from ..statistics.tables cimport CountTable, Scores
from .base cimport Learner
from .naive_bayes cimport LAPLACE, NaiveBayes

from ..records.problems import ModelFileError

cdef double LOG_2 = 0.6931471805599453
cdef double HALF_LOG_2PI = 0.9189385332046727
cdef double LEAST_V = 1e-307    # an attribute whose variance is beyond these is taken as constant
cdef double MOST_V = 1e307
cdef double LEAST_MI = 1e-12


# ------------------------------------------------------------------------------ numeric children
cdef inline double below_of(double n, double w, double one) noexcept nogil:
    # max(n - 1, 0) + w
    return either(n > one, n - one, 0.0) + w


cdef inline double square_of(double x, double n, double mean, double mu, double one_by_v) noexcept nogil:
    # (x - mean)^2 / v; where nothing is known of the child, from its class's mean
    cdef double d = x - either(n > 0, mean, mu)
    return d * one_by_v * d


cdef inline void times_any_child(row_t above, row_t below, row_t q, const_row_t n, const_row_t mean,
                                 const_row_t m2, const_row_t mu, double x, double one_by_v, double w, double one,
                                 size_t stride) noexcept nogil:
    # s / v = (M2 / v + w) / (max(n - 1, 0) + w), 1 where that is 0 / 0, at least 1e-9;  (x - mu)^2 / s
    cdef size_t c
    cdef double a, b
    for c in range(stride):
        b = below_of(n[c], w, one)
        a = either(b > 0, m2[c] * one_by_v + w, 1.0)
        b = either(b > 0, b, 1.0)
        a = either(a > 1e-9 * b, a, 1e-9 * b)
        q[c] += square_of(x, n[c], mean[c], mu[c], one_by_v) * b / a
        above[c] *= a
        below[c] *= b


# The same where the record is tame: w > 0, no floor is reached, no product leaves the range of doubles.
# Children are taken by four, so that one division serves: z_1/a_1 + z_2/a_2 = (z_1 a_2 + z_2 a_1) / (a_1 a_2).
cdef inline void times_child(row_t above, row_t below, row_t q, const_row_t n, const_row_t mean, const_row_t m2,
                             const_row_t mu, double x, double one_by_v, double w, double one,
                             size_t stride) noexcept nogil:
    cdef size_t c
    cdef double a, b
    for c in range(stride):
        b = below_of(n[c], w, one)
        a = m2[c] * one_by_v + w
        q[c] += square_of(x, n[c], mean[c], mu[c], one_by_v) * b / a
        above[c] *= a
        below[c] *= b


cdef inline void times_four(row_t above, row_t below, row_t q, const_row_t n, const_row_t mean, const_row_t m2,
                            const_row_t mu, size_t n_1, size_t n_2, size_t n_3, size_t n_4, size_t p_1, size_t p_2,
                            size_t p_3, size_t p_4, double x_1, double x_2, double x_3, double x_4, double v_1,
                            double v_2, double v_3, double v_4, double w, double one, size_t stride) noexcept nogil:
    # p_1 ...: where the children's rows begin; v_1 ...: 1 / v
    cdef size_t c
    cdef double a_1, a_2, a_3, a_4, b_1, b_2, b_3, b_4, z_1, z_2, z_3, z_4, a_12, a_34
    for c in range(stride):
        b_1, b_2 = below_of(n[n_1 + c], w, one), below_of(n[n_2 + c], w, one)
        b_3, b_4 = below_of(n[n_3 + c], w, one), below_of(n[n_4 + c], w, one)
        z_1 = square_of(x_1, n[n_1 + c], mean[p_1 + c], mu[p_1 + c], v_1) * b_1
        z_2 = square_of(x_2, n[n_2 + c], mean[p_2 + c], mu[p_2 + c], v_2) * b_2
        z_3 = square_of(x_3, n[n_3 + c], mean[p_3 + c], mu[p_3 + c], v_3) * b_3
        z_4 = square_of(x_4, n[n_4 + c], mean[p_4 + c], mu[p_4 + c], v_4) * b_4
        a_1, a_2 = m2[p_1 + c] * v_1 + w, m2[p_2 + c] * v_2 + w
        a_3, a_4 = m2[p_3 + c] * v_3 + w, m2[p_4 + c] * v_4 + w
        a_12, a_34 = a_1 * a_2, a_3 * a_4
        q[c] += ((z_1 * a_2 + z_2 * a_1) * a_34 + (z_3 * a_4 + z_4 * a_3) * a_12) / (a_12 * a_34)
        above[c] *= a_12 * a_34
        below[c] *= (b_1 * b_2) * (b_3 * b_4)


cdef inline void times_four_of_one_n(row_t above, row_t below, row_t q, const_row_t n, const_row_t mean,
                                     const_row_t m2, const_row_t mu, size_t p_1, size_t p_2, size_t p_3, size_t p_4,
                                     double x_1, double x_2, double x_3, double x_4, double v_1, double v_2,
                                     double v_3, double v_4, double w, double one, size_t stride) noexcept nogil:
    # Bit for bit what `times_four` gives for equal n, which is read and worked out once. Where n is 0
    # the mean is 0 too, so that it can be added to instead of chosen: a choice made four times would be a branch.
    cdef size_t c
    cdef double a_1, a_2, a_3, a_4, b, unknown, z_1, z_2, z_3, z_4, a_12, a_34
    for c in range(stride):
        b = below_of(n[c], w, one)
        unknown = either(n[c] > 0, 0.0, 1.0)
        z_1 = x_1 - (mean[p_1 + c] + mu[p_1 + c] * unknown)
        z_2 = x_2 - (mean[p_2 + c] + mu[p_2 + c] * unknown)
        z_3 = x_3 - (mean[p_3 + c] + mu[p_3 + c] * unknown)
        z_4 = x_4 - (mean[p_4 + c] + mu[p_4 + c] * unknown)
        z_1 = z_1 * v_1 * z_1 * b
        z_2 = z_2 * v_2 * z_2 * b
        z_3 = z_3 * v_3 * z_3 * b
        z_4 = z_4 * v_4 * z_4 * b
        a_1, a_2 = m2[p_1 + c] * v_1 + w, m2[p_2 + c] * v_2 + w
        a_3, a_4 = m2[p_3 + c] * v_3 + w, m2[p_4 + c] * v_4 + w
        a_12, a_34 = a_1 * a_2, a_3 * a_4
        q[c] += ((z_1 * a_2 + z_2 * a_1) * a_34 + (z_3 * a_4 + z_4 * a_3) * a_12) / (a_12 * a_34)
        above[c] *= a_12 * a_34
        below[c] *= (b * b) * (b * b)


cdef kernel times_children(row_t above, row_t below, row_t powers, row_t q, const_row_t n, size_t n_step,
                           const_row_t mean, const_row_t m2, size_t step, const_row_t mu, const double* x,
                           const double* one_by_v, const int64_t* present, size_t count, size_t parent, double w,
                           double one, bint tame, int64_t few, size_t stride) noexcept nogil:
    """N(x_i; mu_i, s_i) of the numeric children present, but for the parent (a place among the numeric attributes)."""
    cdef size_t i = 0, k
    cdef size_t p[4]
    cdef int64_t taken = 0
    while i < count:
        k = 0
        while k < 4 and i < count:
            if <size_t>present[i] != parent:
                p[k] = present[i]
                k += 1
            i += 1
        if taken + 4 > few:
            divide_out(above, below, powers, stride)
            taken = 0
        taken += 4
        if tame and k == 4 and n_step == 0:
            times_four_of_one_n(
                above, below, q, n, mean, m2, mu, p[0] * step, p[1] * step, p[2] * step, p[3] * step, x[p[0]], x[p[1]],
                x[p[2]], x[p[3]], one_by_v[p[0]], one_by_v[p[1]], one_by_v[p[2]], one_by_v[p[3]], w, one, stride)
        elif tame and k == 4:
            times_four(
                above, below, q, n, mean, m2, mu, p[0] * n_step, p[1] * n_step, p[2] * n_step, p[3] * n_step,
                p[0] * step, p[1] * step, p[2] * step, p[3] * step, x[p[0]], x[p[1]], x[p[2]], x[p[3]],
                one_by_v[p[0]], one_by_v[p[1]], one_by_v[p[2]], one_by_v[p[3]], w, one, stride)
        else:
            while k > 0:
                k -= 1
                if tame:
                    times_child(above, below, q, n + p[k] * n_step, mean + p[k] * step, m2 + p[k] * step,
                                mu + p[k] * step, x[p[k]], one_by_v[p[k]], w, one, stride)
                else:
                    times_any_child(above, below, q, n + p[k] * n_step, mean + p[k] * step, m2 + p[k] * step,
                                    mu + p[k] * step, x[p[k]], one_by_v[p[k]], w, one, stride)


# ------------------------------------------------------------------------------ nominal children
cdef inline void times_estimate(row_t above, row_t below, const_row_t n, const_row_t present, double mp, double m,
                                size_t stride) noexcept nogil:
    # (n(c,a_j,a_i) + m p) / (n(c,a_j, A_i present) + m)
    cdef size_t c
    for c in range(stride):
        above[c] *= n[c] + mp
        below[c] *= present[c] + m


# ------------------------------------------------------------------------------ terms and their sum
cdef kernel end_term(const_row_t above, const_row_t below, const_row_t powers, const_row_t v_above,
                     const_row_t v_below, const_row_t v_powers, const_row_t q, const_row_t extra, double shift,
                     row_t scale, row_t g, size_t stride) noexcept nogil:
    """above / below / sqrt(v_above / v_below) exp(extra + shift - q / 2) as g exp(scale), 1/3 < g < 3."""
    cdef size_t c
    cdef double a, b, e, v_a, v_b, v_e
    for c in range(stride):
        a, b = significand_of(above[c]), significand_of(below[c])
        e = powers[c] + (power_of(above[c]) - power_of(below[c]))
        v_a, v_b = significand_of(v_above[c]), significand_of(v_below[c])
        v_e = v_powers[c] + (power_of(v_above[c]) - power_of(v_below[c]))
        g[c] = sqrt(a * a * v_b / (b * b * v_a))
        scale[c] = shift + extra[c] + 0.5 * ((2 * e - v_e) * LOG_2 - q[c])


cdef kernel add_up(const double* scale, const double* g, size_t terms, row_t most, row_t total,
                   size_t stride) noexcept nogil:
    """The sum of the terms, class by class, as total exp(most)."""
    cdef size_t c, j
    cdef double x
    for c in range(stride):
        most[c], total[c] = -INFINITY, 0.0
    for j in range(terms):
        for c in range(stride):
            x = scale[j * stride + c]
            most[c] = either(x > most[c], x, most[c])
    for j in range(terms):
        for c in range(stride):
            total[c] += g[j * stride + c] * exp_of(scale[j * stride + c] - most[c])


cdef class OneDependence(NaiveBayes):
    """Base of GAODE and HAODE: sums of children by the values of a parent, and sums over superparents."""

    def __init__(self, **parameters):
        super().__init__(**parameters)
        self.work_rows = 11  # the rows of a Term

    # ------------------------------------------------------------ what a record adds
    cdef bint take(self, const Record& r) except -1 nogil:
        """A record's numbers by their place, from the origin; answers whether all are present."""
        cdef size_t p, a
        cdef bint whole = True
        self.numbers.resize(self.numeric.size())
        for p in range(self.numeric.size()):
            a = self.numeric[p]
            self.numbers[p] = r.x[a] - self.origin[a]
            whole = whole and self.numbers[p] == self.numbers[p]
        return whole

    cdef int make_child_room(self, ChildMoments& t, size_t parent, size_t rows, size_t width, bint whole) except -1 nogil:
        """Room for a parent's rows, and an n for each child where a record lacks one."""
        if self.numeric.empty():
            return 0
        if rows > t.rows or self.numeric.size() > t.children:
            t.make_room(rows, self.numeric.size(), width)
        if not whole and not t.parted:
            t.part(self.numeric.size(), self.own_place(parent))
        return 0

    cdef size_t own_place(self, size_t a) noexcept nogil:
        """The place of an attribute among the numeric ones; of a nominal one, none that there is."""
        return self.place[a] if self.schema.attributes[a].kind == KIND_NUMERIC else <size_t>-1

    cdef int add_children(self, const Record& r, bint whole, size_t parent, size_t row, size_t c, double w) except -1 nogil:
        cdef Children* sums = &self.children[parent]
        cdef size_t p, a
        if w > 0 or row < sums.moments.rows:
            self.make_child_room(sums.moments, parent, row + 1, self.stride, whole)
            if self.numeric.size():
                add_moments(sums.moments, row, c, self.numbers.data(), self.numeric.size(), self.own_place(parent), w)
        if sums.counts.size() < self.nominal.size():
            sums.counts.resize(self.nominal.size())
        for p in range(self.nominal.size()):
            a = self.nominal[p]
            if r.code[a] >= 0 and a != parent:
                add_count(sums.counts[p], row, r.code[a], c, self.stride, w)
        return 0

    # ------------------------------------------------------------ a term of the sum
    cdef double describe(self, const Record& r, Scores& s, Term& t) noexcept nogil:
        cdef size_t p, a, c, stride = self.stride, n = self.numeric.size()
        cdef double v, d, N = s.N, w = self.var_prior, most, v_product = 1.0
        cdef int64_t v_exponent = 0, normals = 0, power
        cdef double* mu
        t.above = s.work.data()
        t.below, t.powers = t.above + stride, t.above + 2 * stride
        t.v_above, t.v_below, t.v_powers = t.above + 3 * stride, t.above + 4 * stride, t.above + 5 * stride
        t.q, t.extra, t.nothing = t.above + 6 * stride, t.above + 7 * stride, t.above + 8 * stride
        t.common = t.above + 9 * stride
        t.x = s.work.data() + self.work_rows * stride
        t.one_by_v = t.x + n
        t.mu = t.one_by_v + n
        t.unknown = t.mu + n * stride
        t.room = t.unknown + n * stride
        t.present = s.exponent.data()
        t.count = 0
        memset(t.nothing, 0, stride * sizeof(double))
        memset(t.unknown, 0, n * stride * sizeof(double))
        # w and N are such that no floor 1e-9 v is reached, and that products of squares stay in range
        t.tame = 1e-3 * self.one <= w <= 1e6 * self.one and 1e-9 * (N + w) <= w
        for p in range(n):
            a = self.numeric[p]
            t.x[p] = r.x[a] - self.origin[a]
            if t.x[p] != t.x[p]:
                continue
            v = self.overall[a].m2 / self.overall[a].n if self.overall[a].n > 0 else 0.0
            if not LEAST_V < v < MOST_V:
                t.x[p] = NAN
                continue
            t.one_by_v[p] = self.overall[a].n / self.overall[a].m2
            d = t.x[p] - self.overall[a].mean
            t.tame = t.tame and d * t.one_by_v[p] * d < 1e60
            multiply(&v_product, &v_exponent, v)
            normals += 1
            if normals % RENORMALISE == 0:
                renormalise(&v_product, &v_exponent, 1)
            t.present[t.count] = p
            t.count += 1
            mu = t.mu + p * stride
            for c in range(stride):
                mu[c] = either(self.moments[a].n[c] > 0, self.moments[a].mean[c], self.overall[a].mean)
        # factors between 2^-power and 2^power, whose products and quotients are in range
        most = (N + w if N + w > 1 else 1.0) / (w if w < 1 else 1.0)
        power = <int64_t>(bits(most) >> 52) - 1022 if most < INFINITY else 1024
        t.few = 1000 // power if t.tame else FEW - 1
        t.few_pairs = 500 // (30 + 2 * power) if t.tame else 1
        return log_product(v_product, v_exponent, normals)

    cdef void begin(self, Term& t) noexcept nogil:
        cdef size_t c
        t.densities = t.factors = 0
        for c in range(self.stride):
            t.above[c] = t.below[c] = t.v_above[c] = t.v_below[c] = 1.0
            t.powers[c] = t.v_powers[c] = t.q[c] = t.extra[c] = 0.0

    cdef bint as_logs(self, double N) noexcept nogil:
        """Whether products of estimates could leave the range of doubles."""
        return (self.estimate != LAPLACE and self.given_m < 1e-10) or N > 1e18

    cdef double values_of(self, size_t a, int32_t code) noexcept nogil:
        """|A|, counting the value asked about."""
        cdef const CountTable* t = &self.counts[a]
        return t.distinct + (0 if code >= 0 and <size_t>code < t.counts.size() and t.counts[code] else 1)

    cdef void times_joint(self, Term& t, const double* n, double size, double present, int C) noexcept nogil:
        """P(c, a_j) = (n(c,a_j) + m/(C |A_j|)) / (n(A_j present) + m)"""
        cdef double cells = C * size
        cdef double m = cells * self.one if self.estimate == LAPLACE else self.m
        cdef size_t c
        if self.as_logs(present):
            for c in range(self.stride):
                t.extra[c] += log((n[c] + m / cells) / (present + m) if present + m > 0 else 1 / cells)
            return
        for c in range(self.stride):
            t.above[c] *= n[c] + m / cells
            t.below[c] *= present + m
        t.factors += 1

    cdef void times_numeric_children(self, Term& t, size_t parent, size_t row) noexcept nogil:
        cdef size_t own = self.own_place(parent)
        cdef const ChildMoments* sums = &self.children[parent].moments
        t.densities += t.count - (own < self.numeric.size() and t.x[own] == t.x[own])
        if row < sums.rows:
            times_children(t.v_above, t.v_below, t.v_powers, t.q, sums.n(row, 0), self.stride if sums.parted else 0,
                           sums.mean(row, 0), sums.m2(row, 0), self.stride, t.mu, t.x, t.one_by_v, t.present, t.count,
                           own, self.var_prior, self.one, t.tame, t.few, self.stride)
            return
        # nothing is known of them: the class's normals at n = 0
        times_children(t.v_above, t.v_below, t.v_powers, t.q, t.nothing, 0, t.mu, t.unknown, self.stride, t.mu, t.x,
                       t.one_by_v, t.present, t.count, own, self.var_prior, self.one, t.tame, t.few, self.stride)

    cdef void times_nominal_children(self, Term& t, const Record& r, size_t parent, size_t row) noexcept nogil:
        cdef size_t p, a, c, stride = self.stride
        cdef int32_t place
        cdef double size, m
        cdef const Children* sums = &self.children[parent]
        cdef const double* n
        cdef const double* present
        for p in range(self.nominal.size()):
            a = self.nominal[p]
            if r.code[a] == MISSING or a == parent:
                continue
            size = self.values_of(a, r.code[a])
            m = size * self.one if self.estimate == LAPLACE else self.m
            n = present = t.nothing
            if p < sums.counts.size():
                if sums.counts[p].present.size() >= (row + 1) * stride:
                    present = sums.counts[p].present.data() + row * stride
                place = sums.counts[p].find(row, r.code[a]) if r.code[a] >= 0 else -1
                if place >= 0:
                    n = sums.counts[p].pool.data() + place * stride
            if self.as_logs(row_total(present, stride)):
                for c in range(stride):
                    t.extra[c] += log((n[c] + m / size) / (present[c] + m) if present[c] + m > 0 else 1 / size)
                continue
            times_estimate(t.above, t.below, n, present, m / size, m, stride)
            t.factors += 1
            if t.factors % FEW == 0:
                divide_out(t.above, t.below, t.powers, stride)

    cdef void end(self, Term& t, double* scale, double* g, double weight) noexcept nogil:
        """The term, times a weight, as g exp(scale)."""
        cdef double shift = (log(weight) if weight != 1 else 0.0) - t.densities * HALF_LOG_2PI
        end_term(t.above, t.below, t.powers, t.v_above, t.v_below, t.v_powers, t.q, t.extra, shift, scale, g,
                 self.stride)

    cdef void sum_terms(self, Scores& s, const double* scale, const double* g, size_t terms,
                        double constant) noexcept nogil:
        """log of the sum of the terms, by class, plus a constant."""
        cdef size_t c
        cdef double* most = s.work.data()
        cdef double* total = most + self.stride
        add_up(scale, g, terms, most, total, self.stride)
        for c in range(self.schema.labels.size()):
            s.log_joint[c] = most[c] + log(total[c]) + constant if most[c] > -INFINITY else -INFINITY

    cdef double mutual_information(self, const CountTable& t) noexcept nogil:
        """sum over v, c of P(v,c) log(P(v,c) / (P(v) P(c))), from plain frequencies; below 1e-12 it is 0."""
        cdef size_t v, c, stride = self.stride, rows = t.n.size() // stride
        cdef double N = row_total(t.present.data(), stride), n_v, total = 0.0
        cdef const double* n
        for v in range(rows):
            n = t.n.data() + v * stride
            n_v = row_total(n, stride)
            for c in range(stride):
                if n[c] > 0 and t.present[c] > 0:
                    total += n[c] / N * log(n[c] / n_v * (N / t.present[c]))
        return total if total >= LEAST_MI else 0.0

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t a, i, numbers, known = self.place.size()
        NaiveBayes.resize(self, old_stride)
        if old_stride != self.stride:
            for a in range(self.children.size()):
                self.children[a].moments.restride(old_stride, self.stride)
                restride_counts(self.children[a], old_stride, self.stride)
        if known < self.counts.size():
            numbers = 0
            for a in range(known):
                numbers += self.schema.attributes[a].kind == KIND_NUMERIC
            if numbers < self.numeric.size():  # those that come now are missing from all records before
                for a in range(known):
                    self.admit_children(self.children[a].moments, a, numbers)
            self.children.resize(self.counts.size())
            self.place.resize(self.counts.size(), 0)
            for i in range(self.nominal.size()):
                self.place[self.nominal[i]] = <int32_t>i
            for i in range(self.numeric.size()):
                self.place[self.numeric[i]] = <int32_t>i
        self.exponent_rows = 2 + self.numeric.size() // self.stride
        return 0

    cdef int admit_children(self, ChildMoments& t, size_t parent, size_t known) except -1 nogil:
        """Room for numeric attributes beyond the first `known`, which the records in a table lack."""
        if t.rows == 0:
            return 0
        t.part(known, self.own_place(parent))
        t.make_room(t.rows, self.numeric.size(), t.wide)
        return 0

    cdef size_t rows_of_parent(self, size_t a):
        """How many rows of children a parent has in a model file."""
        return self.rows_saved(a) if self.schema.attributes[a].kind == KIND_NOMINAL else 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t a
        NaiveBayes.scale_sums(self, f)
        for a in range(self.children.size()):
            scale_moments(self.children[a].moments, f)
            scale_counts(self.children[a], f)
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef OneDependence o = other
        cdef size_t i
        shifts = []
        for i in range(len(attributes)):
            # the origin of an attribute that we never saw is the other's: nothing has to move
            shifts.append(o.origin[i] - self.origin[<size_t>attributes[i]]
                          if self.origin[<size_t>attributes[i]] == self.origin[<size_t>attributes[i]] else 0.0)
        NaiveBayes.merge_sums(self, other, labels, attributes, values)
        for i in range(len(attributes)):
            if o.schema.attributes[i].kind == KIND_NOMINAL:
                self.merge_children(attributes[i], o, i, values[i], labels, [attributes, shifts], values)
        return 0

    cdef int merge_children(self, size_t mine, OneDependence o, size_t theirs, list rows, list labels, list attributes,
                            list values) except -1:
        """Adds the sums of another's parent; `rows`: its rows in terms of ours; attributes: [codes, shifts]."""
        cdef size_t i, p, row, to_row, q, k, stride = self.stride
        cdef const Children* t = &o.children[theirs]
        cdef Children* m = &self.children[mine]
        cdef Moments b
        cdef double shift
        for row in range(min(t.moments.rows, <size_t>len(rows))):
            to_row = rows[row]
            for p in range(min(o.numeric.size(), t.moments.children)):
                i = attributes[0][o.numeric[p]]
                shift = attributes[1][o.numeric[p]]
                if i == mine:
                    continue
                q = self.place[i]
                self.make_child_room(m.moments, mine, to_row + 1, stride, False)
                for k in range(len(labels)):
                    b = moments_at(t.moments, row, p, k)
                    b.mean += shift
                    put_moments(m.moments, to_row, q, labels[k],
                                merged(moments_at(m.moments, to_row, q, labels[k]), b))
        m.moments.unite(self.numeric.size(), self.own_place(mine))
        if m.counts.size() < self.nominal.size():
            m.counts.resize(self.nominal.size())
        for p in range(t.counts.size()):
            q = self.place[<size_t>attributes[0][o.nominal[p]]]
            merge_counts(m.counts[q], stride, t.counts[p], o.stride, rows, values[o.nominal[p]], labels)
        return 0

    cdef size_t held(self) noexcept nogil:
        cdef size_t a, n = NaiveBayes.held(self) + self.place.capacity() * sizeof(int32_t)
        for a in range(self.children.size()):
            n += self.children[a].held()
        return n + self.children.capacity() * sizeof(Children)

    # ------------------------------------------------------------ state as bytes
    cdef dict export_sums(self):
        cdef size_t a, p, row, c, i, rows, labels = self.schema.labels.size(), stride = self.stride
        cdef vector[double] moments, cells, present
        cdef vector[uint64_t] keys, sizes
        cdef const double* of[3]
        cdef const Children* t
        for a in range(self.children.size()):
            t = &self.children[a]
            rows = self.rows_of_parent(a)
            for row in range(rows):
                for p in range(self.numeric.size()):
                    of[0] = t.moments.n(row, p)
                    of[1] = t.moments.mean(row, p)
                    of[2] = t.moments.m2(row, p)
                    for i in range(3):
                        for c in range(labels):
                            if row < t.moments.rows and p < t.moments.children and p != self.own_place(a):
                                moments.push_back(of[i][c])
                            else:
                                moments.push_back(0.0)
            for p in range(self.nominal.size()):  # without rows it is a warm-up's, worked out when asked for
                export_counts(t[0], p, rows, labels, stride, sizes, keys, cells, present)
        sums = NaiveBayes.export_sums(self)
        sums.update({
            "child_moments": packed(moments), "child_counts": packed(cells), "child_present": packed(present),
            "child_keys": packed_uint64(keys), "child_sizes": packed_uint64(sizes),
        })
        return sums

    cdef int import_sums(self, dict sums) except -1:
        cdef vector[double] moments = unpacked(sums["child_moments"]), cells = unpacked(sums["child_counts"])
        cdef vector[double] present = unpacked(sums["child_present"])
        cdef vector[uint64_t] keys = unpacked_uint64(sums["child_keys"]), sizes = unpacked_uint64(sums["child_sizes"])
        cdef size_t a, p, row, c, i, rows, labels = self.schema.labels.size(), stride = self.stride
        cdef size_t at_moment = 0, at_key = 0, at_present = 0, at_size = 0
        cdef Children* t
        cdef double* into[3]
        NaiveBayes.import_sums(self, sums)
        total_rows = sum([self.rows_of_parent(a) for a in range(self.children.size())])
        if (moments.size() != total_rows * self.numeric.size() * 3 * labels
                or present.size() != total_rows * self.nominal.size() * labels
                or sizes.size() != self.children.size() * self.nominal.size() or cells.size() != keys.size() * labels
                or sum(sizes) != keys.size()):
            raise ModelFileError("a table has the wrong size")
        for a in range(self.children.size()):
            t = &self.children[a]
            rows = self.rows_of_parent(a)
            if rows:
                self.make_child_room(t.moments, a, rows, stride, False)
            for row in range(rows):
                for p in range(self.numeric.size()):
                    into[0], into[1], into[2] = t.moments.n(row, p), t.moments.mean(row, p), t.moments.m2(row, p)
                    for i in range(3):
                        for c in range(labels):
                            into[i][c] = moments[at_moment]
                            at_moment += 1
            t.moments.unite(self.numeric.size(), self.own_place(a))
            t.counts.resize(self.nominal.size())
            for p in range(self.nominal.size()):
                if import_counts(t[0], p, rows, self.rows_saved(self.nominal[p]), labels, stride, sizes[at_size], keys,
                                 &at_key, cells, present, &at_present):
                    raise ModelFileError("a cell is out of its table")
                at_size += 1
        return 0
