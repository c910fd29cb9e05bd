"""Averaged one-dependence estimators over mixed records: what GAODE and HAODE share.

    P(c, x) = sum over superparents j of P(c, a_j) * product over the other i present of P(x_i | c, a_j)

For a superparent with discrete values (a nominal one, or a bin), with the m-estimate:

    P(c, a_j)        = (n(c,a_j) + m/(C |A_j|)) / (n(A_j present) + m)
    nominal child    P(a_i|c,a_j) = (n(c,a_j,a_i) + m/|A_i|) / (n(c,a_j, A_i present) + m)
    numeric child    N(x_i; mu, s) with the moments of x_i given (c, a_j): s = (M2 + w v_i) / (max(n - 1, 0) + w);
                     n = 0: the child's class mean (the overall one where the class has none), and v_i
"""
from __future__ import annotations

from cpython.bytes cimport PyBytes_AS_STRING
from libc.math cimport INFINITY, NAN, exp, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.children cimport ChildCounts, ChildMoments, Children, add_count, add_moments
from ..statistics.counts cimport row_total
from ..statistics.moments cimport Moments, merged
from ..statistics.products cimport FEW, const_row_t, divide, either, row_t
from ..statistics.tables cimport CountTable, Scores, restride
from .base cimport Learner
from .naive_bayes cimport LAPLACE, NaiveBayes, as_bytes, as_doubles

from ..records.problems import ModelFileError

cdef double LOG_2 = 0.6931471805599453
cdef double HALF_LOG_2PI = 0.9189385332046727
cdef double LEAST_V = 1e-307    # an attribute whose variance is beyond these is taken as constant
cdef double MOST_V = 1e307
cdef double LEAST_MI = 1e-12
cdef double NEGLIGIBLE = -45.0  # a term below e^-45 of the largest changes no digit of a sum of equals

cdef enum:
    MANY = 14  # variances s / v between 1e-9 and 1e9 whose product, and quotient, is in range


cdef inline void times_estimate(row_t above, row_t below, const_row_t n, const_row_t present, double mp, double m,
                                size_t stride) noexcept nogil:
    # (n(c,a_j,a_i) + m p) / (n(c,a_j, A_i present) + m)
    cdef size_t c
    for c in range(stride):
        above[c] *= n[c] + mp
        below[c] *= present[c] + m


cdef inline void times_normal_child(row_t above, row_t below, row_t q, const_row_t n, const_row_t mean,
                                    const_row_t m2, const_row_t mu, double x, double one_by_v, double w,
                                    size_t stride) noexcept nogil:
    # s / v = (M2 / v + w) / (max(n - 1, 0) + w), 1 where that is 0 / 0, at least 1e-9;  (x - mu)^2 / s
    cdef size_t c
    cdef double d, a, b, n_c, mean_c
    for c in range(stride):
        n_c, mean_c, a = n[c], mean[c], m2[c]
        b = either(n_c > 1, n_c - 1, 0.0) + w
        a = either(b > 0, a * one_by_v + w, 1.0)
        b = either(b > 0, b, 1.0)
        a = either(a > 1e-9 * b, a, 1e-9 * b)
        d = x - either(n_c > 0, mean_c, mu[c])
        q[c] += d * d * one_by_v * b / a
        above[c] *= a
        below[c] *= b


cdef inline void times_two_normal_children(row_t above, row_t below, row_t q, const_row_t n_1, const_row_t mean_1,
                                           const_row_t m2_1, const_row_t mu_1, double x_1, double one_by_v_1,
                                           const_row_t n_2, const_row_t mean_2, const_row_t m2_2, const_row_t mu_2,
                                           double x_2, double one_by_v_2, double w, size_t stride) noexcept nogil:
    # The same for two children and w > 0, with one division: z_1/a_1 + z_2/a_2 = (z_1 a_2 + z_2 a_1) / (a_1 a_2).
    # Only for x that are not so far out that the products overflow.
    cdef size_t c
    cdef double d_1, a_1, b_1, k_1, d_2, a_2, b_2, k_2
    for c in range(stride):
        k_1, d_1, a_1 = n_1[c], mean_1[c], m2_1[c]
        k_2, d_2, a_2 = n_2[c], mean_2[c], m2_2[c]
        d_1 = x_1 - either(k_1 > 0, d_1, mu_1[c])
        d_2 = x_2 - either(k_2 > 0, d_2, mu_2[c])
        b_1, b_2 = k_1 - 1, k_2 - 1
        b_1 = either(b_1 > 0, b_1, 0.0) + w
        b_2 = either(b_2 > 0, b_2, 0.0) + w
        a_1 = a_1 * one_by_v_1 + w
        a_2 = a_2 * one_by_v_2 + w
        a_1 = either(a_1 > 1e-9 * b_1, a_1, 1e-9 * b_1)
        a_2 = either(a_2 > 1e-9 * b_2, a_2, 1e-9 * b_2)
        d_1 = d_1 * d_1 * one_by_v_1 * b_1
        d_2 = d_2 * d_2 * one_by_v_2 * b_2
        q[c] += (d_1 * a_2 + d_2 * a_1) / (a_1 * a_2)
        above[c] *= a_1 * a_2
        below[c] *= b_1 * b_2


cdef class OneDependence(NaiveBayes):
    """Base of GAODE and HAODE: sums of children by the values of a parent, and sums over superparents."""

    # ------------------------------------------------------------ what a record adds
    cdef int add_children(self, const Record& r, size_t parent, size_t row, size_t c, double w) except -1 nogil:
        cdef Children* sums = &self.children[parent]
        cdef size_t p, a
        cdef double x
        if self.numeric.size() and (row >= sums.moments.rows or self.numeric.size() > sums.moments.children):
            if w < 0 and row >= sums.moments.rows:
                return 0
            sums.moments.make_room(row + 1, self.numeric.size(), self.stride)
        for p in range(self.numeric.size()):
            a = self.numeric[p]
            x = r.x[a] - self.origin[a]
            if x == x and a != parent:
                add_moments(sums.moments.at(row, p, self.stride), c, self.stride, x, w)
        if sums.counts.size() < self.nominal.size():
            sums.counts.resize(self.nominal.size())
        for p in range(self.nominal.size()):
            a = self.nominal[p]
            if r.code[a] >= 0 and a != parent:
                add_count(sums.counts[p], row, r.code[a], c, self.stride, w)
        return 0

    # ------------------------------------------------------------ a term of the sum
    cdef double describe(self, const Record& r, double* x, double* one_by_v, double* mu, Term& t) noexcept nogil:
        cdef size_t p, a, c
        cdef double v, d, sum_log_v = 0.0, N = self.total()
        t.tame = self.var_prior >= 1e-3
        t.few = MANY if t.tame and N < 1e9 else FEW - 1
        for p in range(self.numeric.size()):
            a = self.numeric[p]
            x[p] = r.x[a] - self.origin[a]
            if x[p] != x[p]:
                continue
            v = self.overall[a].m2 / self.overall[a].n if self.overall[a].n > 0 else 0.0
            if not LEAST_V < v < MOST_V:
                x[p] = NAN
                continue
            one_by_v[p] = self.overall[a].n / self.overall[a].m2
            d = x[p] - self.overall[a].mean
            t.tame = t.tame and d * d * one_by_v[p] < 1e60
            sum_log_v += log(v)
            for c in range(self.stride):
                mu[p * self.stride + c] = (self.moments[a].mean[c] if self.moments[a].n[c] > 0
                                           else self.overall[a].mean)
        return sum_log_v

    cdef void begin(self, Term& t, Scores& s) noexcept nogil:
        cdef size_t c, stride = self.stride
        t.above = s.work.data()
        t.below, t.v_above, t.v_below = t.above + stride, t.above + 2 * stride, t.above + 3 * stride
        t.q, t.extra, t.nothing = t.above + 4 * stride, t.above + 5 * stride, t.above + 6 * stride
        t.e = s.exponent.data()
        t.v_e = t.e + stride
        t.densities = t.factors = 0
        for c in range(stride):
            t.above[c] = t.below[c] = t.v_above[c] = t.v_below[c] = 1.0
            t.q[c] = t.extra[c] = 0.0
            t.e[c] = t.v_e[c] = 0
        for c in range(3 * stride):
            t.nothing[c] = 0.0

    cdef bint as_logs(self, double N) noexcept nogil:
        """Whether products of estimates could leave the range of doubles."""
        return (self.estimate != LAPLACE and self.m < 1e-10) or N > 1e18

    cdef double values_of(self, size_t a, int32_t code) noexcept nogil:
        """|A|, counting the value asked about."""
        cdef const CountTable* t = &self.counts[a]
        return t.distinct + (0 if code >= 0 and <size_t>code < t.counts.size() and t.counts[code] else 1)

    cdef void times_joint(self, Term& t, const double* n, double size, double present, int C) noexcept nogil:
        """P(c, a_j) = (n(c,a_j) + m/(C |A_j|)) / (n(A_j present) + m)"""
        cdef double cells = C * size
        cdef double m = cells if self.estimate == LAPLACE else self.m
        cdef size_t c
        if self.as_logs(present):
            for c in range(self.stride):
                t.extra[c] += log((n[c] + m / cells) / (present + m) if present + m > 0 else 1 / cells)
            return
        for c in range(self.stride):
            t.above[c] *= n[c] + m / cells
            t.below[c] *= present + m
        t.factors += 1

    cdef void times_numeric_children(self, Term& t, size_t parent, size_t row, const double* x, const double* one_by_v,
                                     const double* mu) noexcept nogil:
        cdef size_t p, first = 0, stride = self.stride
        cdef const ChildMoments* sums = &self.children[parent].moments
        cdef const double* cell
        cdef const double* waiting = NULL  # of `first`, a child to be taken together with the next
        cdef int64_t until = t.densities + t.few
        for p in range(self.numeric.size()):
            if x[p] != x[p] or <size_t>self.numeric[p] == parent:
                continue
            cell = t.nothing
            if row < sums.rows and p < sums.children:
                cell = sums.at(row, p, stride)
            t.densities += 1
            if not t.tame:
                times_normal_child(t.v_above, t.v_below, t.q, cell, cell + stride, cell + 2 * stride, mu + p * stride,
                                   x[p], one_by_v[p], self.var_prior, stride)
            elif waiting == NULL:
                waiting, first = cell, p
                continue
            else:
                times_two_normal_children(
                    t.v_above, t.v_below, t.q, waiting, waiting + stride, waiting + 2 * stride, mu + first * stride,
                    x[first], one_by_v[first], cell, cell + stride, cell + 2 * stride, mu + p * stride, x[p],
                    one_by_v[p], self.var_prior, stride)
                waiting = NULL
            if t.densities >= until:
                divide(t.v_above, t.v_below, t.v_e, stride)
                until = t.densities + t.few
        if waiting != NULL:
            times_normal_child(t.v_above, t.v_below, t.q, waiting, waiting + stride, waiting + 2 * stride,
                               mu + first * stride, x[first], one_by_v[first], self.var_prior, stride)

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
            m = size if self.estimate == LAPLACE else self.m
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
                divide(t.above, t.below, t.e, stride)

    cdef void end(self, Term& t, double* scale, double* g, double weight) noexcept nogil:
        """The term as g exp(scale), g between 1/2 and 2: one square root, no logarithm where nothing weighs."""
        cdef size_t c
        cdef double shift = log(weight) if weight != 1 else 0.0
        divide(t.above, t.below, t.e, self.stride)
        divide(t.v_above, t.v_below, t.v_e, self.stride)
        for c in range(self.stride):
            g[c] = t.above[c] / sqrt(t.v_above[c])
            scale[c] = shift + t.extra[c] - t.densities * HALF_LOG_2PI + 0.5 * (
                <double>(2 * t.e[c] - t.v_e[c]) * LOG_2 - t.q[c])

    cdef void sum_terms(self, Scores& s, const double* scale, const double* g, size_t terms,
                        double constant) noexcept nogil:
        """log of the sum of the terms, by class, plus a constant."""
        cdef size_t c, j, stride = self.stride
        cdef double most, total, d
        for c in range(self.schema.labels.size()):
            most = -INFINITY
            for j in range(terms):
                if g[j * stride + c] > 0 and scale[j * stride + c] > most:
                    most = scale[j * stride + c]
            total = 0.0
            for j in range(terms if most > -INFINITY else 0):
                d = scale[j * stride + c] - most
                if g[j * stride + c] > 0 and d > NEGLIGIBLE:
                    total += g[j * stride + c] * exp(d)
            s.log_joint[c] = most + log(total) + constant if total > 0 else -INFINITY

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
        cdef size_t a, i, known = self.place.size()
        NaiveBayes.resize(self, old_stride)
        if old_stride != self.stride:
            for a in range(self.children.size()):
                restride(self.children[a].moments.data, old_stride, self.stride)
                for i in range(self.children[a].counts.size()):
                    restride(self.children[a].counts[i].pool, old_stride, self.stride)
                    restride(self.children[a].counts[i].present, old_stride, self.stride)
        if known < self.counts.size():
            self.children.resize(self.counts.size())
            self.place.resize(self.counts.size(), 0)
            for i in range(self.nominal.size()):
                self.place[self.nominal[i]] = <int32_t>i
            for i in range(self.numeric.size()):
                self.place[self.numeric[i]] = <int32_t>i
        return 0

    cdef size_t rows_of_parent(self, size_t a):
        """How many rows of children a parent has in a model file."""
        return self.rows_saved(a) if self.schema.attributes[a].kind == KIND_NOMINAL else 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t a, i, k, row, p, c, stride = self.stride
        cdef double* cell
        NaiveBayes.scale_sums(self, f)
        for a in range(self.children.size()):
            for row in range(self.children[a].moments.rows):
                for p in range(self.children[a].moments.children):
                    cell = self.children[a].moments.at(row, p, stride)
                    for c in range(stride):
                        cell[c] *= f
                        cell[2 * stride + c] *= f
            for i in range(self.children[a].counts.size()):
                for k in range(self.children[a].counts[i].pool.size()):
                    self.children[a].counts[i].pool[k] *= f
                for k in range(self.children[a].counts[i].present.size()):
                    self.children[a].counts[i].present[k] *= f
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef OneDependence o = other
        cdef size_t i, p
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
        cdef size_t i, p, row, to_row, to, q, k, stride = self.stride
        cdef const Children* t = &o.children[theirs]
        cdef Children* m = &self.children[mine]
        cdef const double* cell
        cdef double* own
        cdef Moments a, b
        cdef double shift
        cdef int32_t place
        cdef vector[pair[uint64_t, int32_t]] cells
        for row in range(min(t.moments.rows, <size_t>len(rows))):
            to_row = rows[row]
            for p in range(min(o.numeric.size(), t.moments.children)):
                i = attributes[0][o.numeric[p]]
                shift = attributes[1][o.numeric[p]]
                q = self.place[i]
                cell = t.moments.at(row, p, o.stride)
                m.moments.make_room(to_row + 1, self.numeric.size(), stride)
                own = m.moments.at(to_row, q, stride)
                for k in range(len(labels)):
                    to = labels[k]
                    a.n, a.mean, a.m2 = own[to], own[stride + to], own[2 * stride + to]
                    b.n, b.mean, b.m2 = cell[k], cell[o.stride + k] + shift, cell[2 * o.stride + k]
                    a = merged(a, b)
                    own[to], own[stride + to], own[2 * stride + to] = a.n, a.mean, a.m2
        if m.counts.size() < self.nominal.size():
            m.counts.resize(self.nominal.size())
        for p in range(t.counts.size()):
            i = attributes[0][o.nominal[p]]
            q = self.place[i]
            cells = t.counts[p].cells()
            for c in range(cells.size()):
                row, k = cells[c].first >> 32, <uint32_t>cells[c].first
                if row >= <size_t>len(rows):
                    continue
                place = m.counts[q].make(rows[row], values[o.nominal[p]][k], stride)
                for k in range(len(labels)):
                    to = labels[k]
                    m.counts[q].pool[place * stride + to] += t.counts[p].pool[cells[c].second * o.stride + k]
            for row in range(min(t.counts[p].present.size() // o.stride, <size_t>len(rows))):
                to_row = rows[row]
                if m.counts[q].present.size() < (to_row + 1) * stride:
                    m.counts[q].present.resize((to_row + 1) * stride, 0.0)
                for k in range(len(labels)):
                    to = labels[k]
                    m.counts[q].present[to_row * stride + to] += t.counts[p].present[row * o.stride + k]
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
        cdef vector[pair[uint64_t, int32_t]] own
        cdef const double* cell
        cdef const Children* t
        for a in range(self.children.size()):
            t = &self.children[a]
            rows = self.rows_of_parent(a)
            for row in range(rows):
                for p in range(self.numeric.size()):
                    for i in range(3):
                        for c in range(labels):
                            if row < t.moments.rows and p < t.moments.children:
                                moments.push_back(t.moments.at(row, p, stride)[i * stride + c])
                            else:
                                moments.push_back(0.0)
            for p in range(self.nominal.size()):
                own.clear()
                if p < t.counts.size() and rows:  # without rows it is a warm-up's, worked out when asked for
                    own = t.counts[p].cells()
                c = 0
                for i in range(own.size()):
                    cell = t.counts[p].pool.data() + own[i].second * stride
                    if row_total(cell, stride) > 0:  # what was forgotten leaves no trace
                        keys.push_back(own[i].first)
                        cells.insert(cells.end(), cell, cell + labels)
                        c += 1
                sizes.push_back(c)
                for row in range(rows):
                    for c in range(labels):
                        i = row * stride + c
                        present.push_back(t.counts[p].present[i] if p < t.counts.size()
                                          and t.counts[p].present.size() > i else 0.0)
        sums = NaiveBayes.export_sums(self)
        sums.update({
            "child_moments": as_bytes(moments), "child_counts": as_bytes(cells), "child_present": as_bytes(present),
            "child_keys": (<const char*>keys.data())[:keys.size() * 8] if keys.size() else b"",
            "child_sizes": (<const char*>sizes.data())[:sizes.size() * 8] if sizes.size() else b"",
        })
        return sums

    cdef int import_sums(self, dict sums) except -1:
        cdef vector[double] moments = as_doubles(sums["child_moments"]), cells = as_doubles(sums["child_counts"])
        cdef vector[double] present = as_doubles(sums["child_present"])
        cdef vector[uint64_t] keys, sizes
        cdef size_t a, p, row, c, i, rows, values, labels = self.schema.labels.size(), stride = self.stride
        cdef size_t at_moment = 0, at_key = 0, at_present = 0, at_size = 0
        cdef int32_t place
        cdef Children* t
        cdef uint64_t last
        NaiveBayes.import_sums(self, sums)
        if len(sums["child_keys"]) % 8 or len(sums["child_sizes"]) % 8:
            raise ModelFileError("a table is cut short")
        keys.resize(len(sums["child_keys"]) // 8)
        sizes.resize(len(sums["child_sizes"]) // 8)
        if keys.size():
            memcpy(keys.data(), PyBytes_AS_STRING(sums["child_keys"]), keys.size() * 8)
        if sizes.size():
            memcpy(sizes.data(), PyBytes_AS_STRING(sums["child_sizes"]), sizes.size() * 8)
        total_rows = sum([self.rows_of_parent(a) for a in range(self.children.size())])
        if (moments.size() != total_rows * self.numeric.size() * 3 * labels
                or present.size() != total_rows * self.nominal.size() * labels
                or sizes.size() != self.children.size() * self.nominal.size() or cells.size() != keys.size() * labels
                or sum(sizes) != keys.size()):
            raise ModelFileError("a table has the wrong size")
        for a in range(self.children.size()):
            t = &self.children[a]
            rows = self.rows_of_parent(a)
            if rows and self.numeric.size():
                t.moments.make_room(rows, self.numeric.size(), stride)
            for row in range(rows):
                for p in range(self.numeric.size()):
                    for i in range(3):
                        for c in range(labels):
                            t.moments.at(row, p, stride)[i * stride + c] = moments[at_moment]
                            at_moment += 1
            t.counts.resize(self.nominal.size())
            for p in range(self.nominal.size()):
                values = self.rows_saved(self.nominal[p])
                for i in range(sizes[at_size]):
                    last = keys[at_key]
                    if (last >> 32) >= rows or (<uint32_t>last) >= values or (i and last <= keys[at_key - 1]):
                        raise ModelFileError("a cell is out of its table")
                    place = t.counts[p].make(last >> 32, <uint32_t>last, stride)
                    for c in range(labels):
                        t.counts[p].pool[place * stride + c] = cells[at_key * labels + c]
                    at_key += 1
                at_size += 1
                if rows:
                    t.counts[p].present.resize(rows * stride, 0.0)
                for row in range(rows):
                    for c in range(labels):
                        t.counts[p].present[row * stride + c] = present[at_present]
                        at_present += 1
        return 0
