"""HAODE: hybrid averaged one-dependence estimators (Flores, Gamez, Martinez, Puerta 2009), in one pass.

    eq. 9    P(c, x) = sum over j of P(c, a_j) * product over i != j of N(x_i; mu_i, s_i)
             mu_i, s_i of x_i given c and the value a_j: (M2 + w v_i) / (max(n - 1, 0) + w)

The superparent is discrete: nominal, or numeric in bins that are made in the same pass (statistics/
fine_bins.pyx). A nominal child gives P(a_i|c,a_j) as in AODE. Each term lacks its own superparent's
density, so that the sum would change with the units of measurement; therefore each density is
multiplied by sqrt(v_i) (units=sd). units=raw is eq. 9 to the letter.
"""
from __future__ import annotations

from libc.math cimport INFINITY, NAN, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.children cimport (ChildMoments, Children, add_count, add_moments, export_counts, import_counts,
                                    merge_counts, moments_at, put_moments, restride_counts, scale_counts,
                                    scale_moments)
from ..statistics.counts cimport row_total
from ..statistics.fine_bins cimport (CUT, SETTLED, FineBins, check_edges, cuts_of, export_bins, find_bin,
                                     find_fine_bin, forget_value, import_bins, learn_value, merge_bins, refresh_bins,
                                     restride_bins, rule_of, scale_bins, start_bins_on)
from ..statistics.moments cimport Moments, merged
from ..statistics.packed cimport packed, packed_uint64, unpacked, unpacked_uint64
from ..statistics.tables cimport CountTable, Scores
from .base cimport Learner
from .naive_bayes cimport NaiveBayes
from .one_dependence cimport OneDependence, Term, above_limit

from ..records.problems import ModelFileError
from .discrete_naive_bayes import DISCRETISING
from .gaode import ESTIMATE, ESTIMATE_M, LIMIT
from .naive_bayes import MAX_VALUES, VAR_PRIOR
from .parameters import Parameter

cdef extern from * nogil:
    void __builtin_prefetch(const void* at, int for_writing)


cdef class HAODE(OneDependence):
    """Hybrid AODE over mixed records, learned and discretised in one pass.

    P(c, x) = sum_j P(c, a_j) prod_{i != j} N(x_i; mu_i, s_i) prod P(a_i|c, a_j): eq. 9 of [1]_, the
    superparent a nominal value or a bin with n(a_j) > `limit`, numeric children normal given (c, a_j),
    s = (M2 + w v) / (max(n - 1, 0) + w), w = `var_prior`. Where no superparent qualifies, naive Bayes answers.

    Keeps, beside naive Bayes's sums and the bins, moments of each numeric child for each class and fine
    bin (or value) of each parent: 16 bytes x classes x (fine bins + bins) x parents x children, 24 once a
    record lacked a number; and counts of the nominal children that were seen: 8 bytes x classes a cell.
    There is room for classes in steps of four. With 200 numeric attributes, 10 classes, 64 fine bins and
    some 5 bins these are 0.53 GB, or 0.79. Until its warm-up is full, a parent needs whole records, which
    are kept.

    Parameters
    ----------
    estimate : {'m', 'laplace'}, default 'm'
        How a nominal value's, or a bin's, probability is estimated.
    m : float, optional
        Weight of the uniform estimate. Default 1; refused with `laplace`.
    limit : float, default 1
        A superparent counts where n(a_j) > limit.
    weight : {'none', 'mi'}, default 'none'
        `mi` multiplies each term by the mutual information of its superparent and the class.
    units : {'sd', 'raw'}, default 'sd'
        Whether densities are multiplied by the spread of their attribute.
    var_prior : float, optional
        Pseudo-observations of the overall spread in each variance. Default 1.
    bins, warmup, cuts, bins_file
        As in DiscreteNaiveBayes.
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
    >>> from streambayes import HAODE
    >>> model = HAODE()
    >>> for i in range(20):
    ...     model.learn_one({"day": "work" if i % 2 else "free", "hours": i % 2 * 8 + i % 3}, "busy" if i % 2 else "idle")
    >>> model.predict_one({"day": "work", "hours": 9})
    'busy'
    """

    NAME = "haode"
    PARAMETERS = (
        ESTIMATE, ESTIMATE_M, LIMIT,
        Parameter("weight", str, "none", "what a superparent's term is multiplied by", ("none", "mi")),
        Parameter("units", str, "sd", "whether densities are multiplied by their attribute's spread", ("sd", "raw")),
        VAR_PRIOR, *DISCRETISING, MAX_VALUES,
    )

    def __init__(self, **parameters):
        super().__init__(**parameters)
        given = self.parameters
        self.limit = given["limit"]
        self.by_mutual_information = given["weight"] == "mi"
        self.raw_units = given["units"] == "raw"
        self.rule = rule_of(given)

    cdef void measure(self) noexcept nogil:
        NaiveBayes.measure(self)
        self.rule.one = self.one

    # ------------------------------------------------------------ what a record adds
    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil:
        cdef size_t i, a
        cdef int happened, settled = 0
        cdef bint kept = False, whole
        cdef FineBins* bins
        NaiveBayes.add(self, r, c, w)
        whole = self.take(r)
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if r.code[a] >= 0:
                self.add_children(r, whole, a, r.code[a], c, w)
        if w < 0:
            self.forget_kept(r, c, -w)
        self.find_fine(r, c)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            if r.x[a] != r.x[a]:
                continue
            bins = &self.bins[a]
            if w < 0:
                forget_value(bins[0], r.x[a], c, -w, self.stride)
                happened = 0
            else:
                if not bins.settled:
                    if not kept:
                        self.keep(r, c, w)
                        kept = True
                    self.kept_by[a].push_back(<int32_t>(self.kept.size() - 1))
                    self.stale = True
                    settled |= learn_value(bins[0], r.x[a], 0, c, w, self.stride, self.rule) & SETTLED
                    continue
                happened = learn_value(bins[0], r.x[a], self.fine_bin[i], c, w, self.stride, self.rule)
            if bins.settled:
                self.add_fine(a, self.fine_bin[i], r.code.data(), whole, c, w)
                if happened & CUT:
                    self.fold(a)
                else:
                    self.add_children(r, whole, a, bins.bin[self.fine_bin[i]], c, w)
        if settled:  # only now does no warm-up need this record any more
            for i in range(self.numeric.size()):
                a = self.numeric[i]
                if self.bins[a].settled and self.kept_by[a].size():
                    self.settle_parent(a)
            self.release_kept()
        return 0

    cdef int find_fine(self, const Record& r, size_t c) except -1 nogil:
        """The fine bins of a record; asks for the rows that it will add to: they are far apart, and memory is slow."""
        cdef size_t i, a, row
        cdef const ChildMoments* t
        cdef const char* at
        cdef const char* end
        self.fine_bin.resize(self.numeric.size())
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            if r.x[a] != r.x[a] or not self.bins[a].settled:
                continue
            self.fine_bin[i] = find_fine_bin(self.bins[a], r.x[a])
            t = &self.fine[a].moments
            row = self.fine_bin[i] * self.stride + c
            if row < t.rows:
                at = <const char*>t.n(row, 0)
                end = at + 8 * t.row_size()
                while at < end:
                    __builtin_prefetch(at, 1)
                    at += 64
        return 0

    cdef int keep(self, const Record& r, size_t c, double w) except -1 nogil:
        """Keeps a record for the warm-ups."""
        cdef KeptRecord k
        cdef size_t i
        for i in range(self.numeric.size()):
            k.x.push_back(r.x[self.numeric[i]])
        for i in range(self.nominal.size()):
            k.code.push_back(r.code[self.nominal[i]])
        k.label, k.w = <int32_t>c, w
        self.kept.push_back(k)
        return 0

    cdef int forget_kept(self, const Record& r, size_t c, double w) except -1 nogil:
        """Takes w from the kept records that are equal, the latest first; those with nothing left are dropped."""
        cdef size_t i, a, k = self.kept.size(), j
        cdef bint equal, dropped = False
        cdef double x
        while k > 0 and w >= 1e-9:
            k -= 1
            equal = self.kept[k].label == <int32_t>c and self.kept[k].w > 0
            for i in range(self.numeric.size() if equal else 0):
                x = self.kept[k].x[i] if i < self.kept[k].x.size() else NAN
                equal = equal and (x == r.x[self.numeric[i]] or (x != x and r.x[self.numeric[i]] != r.x[self.numeric[i]]))
            for i in range(self.nominal.size() if equal else 0):
                equal = equal and (self.kept[k].code[i] if i < self.kept[k].code.size() else MISSING) == (
                    r.code[self.nominal[i]])
            if not equal:
                continue
            self.stale = True
            for a in range(self.worked_out.size()):
                self.worked_out[a] = -1
            if self.kept[k].w - w >= 1e-9:
                self.kept[k].w -= w
                break
            w -= self.kept[k].w
            self.kept[k].w = 0.0
            dropped = True
            for a in range(self.kept_by.size()):
                for j in range(self.kept_by[a].size()):
                    if self.kept_by[a][j] == <int32_t>k:
                        self.kept_by[a].erase(self.kept_by[a].begin() + j)
                        break
        return self.release_kept() if dropped else 0

    cdef int release_kept(self) except -1 nogil:
        """Lets go of kept records that no warm-up needs."""
        cdef size_t a, j, k, left = 0
        cdef vector[int32_t] to
        to.assign(self.kept.size(), -1)
        for a in range(self.kept_by.size()):
            for j in range(self.kept_by[a].size()):
                to[self.kept_by[a][j]] = 0
        for k in range(self.kept.size()):
            if to[k] == 0:
                if left != k:
                    self.kept[left] = self.kept[k]
                to[k] = <int32_t>left
                left += 1
        self.kept.resize(left)
        for a in range(self.kept_by.size()):
            for j in range(self.kept_by[a].size()):
                self.kept_by[a][j] = to[self.kept_by[a][j]]
        return 0

    cdef int add_kept(self, size_t a, const KeptRecord& k) except -1 nogil:
        """Adds a kept record to the children of a parent in its warm-up, by the bins there are now."""
        cdef size_t p, row = find_bin(self.bins[a], k.x[self.place[a]]), stride = self.stride
        cdef Children* sums = &self.children[a]
        self.make_child_room(sums.moments, a, row + 1, stride, self.take_kept(k))
        add_moments(sums.moments, row, k.label, self.numbers.data(), self.numeric.size(), self.place[a], k.w)
        if sums.counts.size() < self.nominal.size():
            sums.counts.resize(self.nominal.size())
        for p in range(k.code.size()):
            if k.code[p] >= 0:
                add_count(sums.counts[p], row, k.code[p], k.label, stride, k.w)
        return 0

    cdef bint take_kept(self, const KeptRecord& k) except -1 nogil:
        """`take`, of a kept record."""
        cdef size_t p
        cdef bint whole = True
        self.numbers.resize(self.numeric.size())
        for p in range(self.numeric.size()):
            self.numbers[p] = k.x[p] - self.origin[self.numeric[p]] if p < k.x.size() else NAN
            whole = whole and self.numbers[p] == self.numbers[p]
        return whole

    cdef int work_out_warm_ups(self) except -1 nogil:
        """The children of parents in their warm-up: those of the bins that the values kept so far give."""
        cdef size_t i, a, f
        cdef int64_t j
        cdef FineBins* bins
        cdef vector[double] cuts
        cdef Children none
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            bins = &self.bins[a]
            if bins.settled:
                continue
            refresh_bins(bins[0], self.stride, self.rule)
            cuts.clear()
            for f in range(bins.edges.size()):
                if bins.bin[f] != bins.bin[f + 1]:
                    cuts.push_back(bins.edges[f])
            if self.worked_out[a] < 0 or cuts != self.worked_out_cuts[a]:
                self.children[a] = none
                self.worked_out[a] = 0
                self.worked_out_cuts[a] = cuts
            for j in range(self.worked_out[a], <int64_t>self.kept_by[a].size()):
                self.add_kept(a, self.kept[self.kept_by[a][j]])
            self.worked_out[a] = <int64_t>self.kept_by[a].size()
        self.stale = False
        return 0

    cdef int settle_parent(self, size_t a) except -1 nogil:
        """A parent's warm-up is over: what was kept for it goes to its fine bins, and their sums to its bins."""
        cdef size_t j, p
        cdef const KeptRecord* k
        cdef vector[int32_t] code
        for j in range(self.kept_by[a].size()):
            k = &self.kept[self.kept_by[a][j]]
            code.assign(self.counts.size(), MISSING)
            for p in range(k.code.size()):
                code[self.nominal[p]] = k.code[p]
            self.add_fine(a, find_fine_bin(self.bins[a], k.x[self.place[a]]), code.data(), self.take_kept(k[0]), k.label,
                          k.w)
        self.kept_by[a].clear()
        return self.fold(a)

    cdef int add_fine(self, size_t a, size_t row, const int32_t* code, bint whole, size_t c, double w) except -1 nogil:
        """Adds a record (of which `take` was called) to the children of a parent's fine bin; code: by attribute."""
        cdef Children* sums = &self.fine[a]
        cdef size_t p, i
        self.make_child_room(sums.moments, a, (self.bins[a].edges.size() + 1) * self.stride, 1, whole)
        add_moments(sums.moments, row * self.stride + c, 0, self.numbers.data(), self.numeric.size(), self.place[a], w)
        if sums.counts.size() < self.nominal.size():
            sums.counts.resize(self.nominal.size())
        for p in range(self.nominal.size()):
            i = self.nominal[p]
            if code[i] >= 0:
                add_count(sums.counts[p], row, code[i], c, self.stride, w)
        return 0

    cdef int fold(self, size_t a) except -1 nogil:
        """The children of a numeric parent's bins: the sums of its fine bins'."""
        cdef const Children* f = &self.fine[a]
        cdef Children* sums = &self.children[a]
        cdef size_t row, to, p, c, stride = self.stride, rows = self.bins[a].edges.size() + 1, own = self.place[a]
        cdef size_t children = f.moments.children
        cdef vector[int32_t] classes, same
        cdef Moments one
        sums[0] = Children()
        self.make_child_room(sums.moments, a, self.bins[a].coarse.distinct, stride, not f.moments.parted)
        if children > self.numeric.size():
            children = self.numeric.size()
        for row in range(rows):
            to = self.bins[a].bin[row]
            for c in range(stride):
                if row * stride + c >= f.moments.rows:
                    continue
                for p in range(children):
                    one = moments_at(f.moments, row * stride + c, p, 0)
                    if p == own or not one.n > 0:
                        continue
                    one = merged(moments_at(sums.moments, to, p, c), one)
                    sums.moments.mean(to, p)[c], sums.moments.m2(to, p)[c] = one.mean, one.m2
                    if f.moments.parted:
                        sums.moments.n(to, p)[c] = one.n
                if not f.moments.parted:
                    sums.moments.n(to, 0)[c] += f.moments.n(row * stride + c, 0)[0]
        sums.counts.resize(f.counts.size())
        for c in range(stride):
            classes.push_back(<int32_t>c)
        for p in range(f.counts.size()):
            merge_counts(sums.counts[p], stride, f.counts[p], stride, self.bins[a].bin, same, classes)
        return 0

    # ------------------------------------------------------------ how the classes are scored
    cdef int prepare(self, Scores& s) except -1 nogil:
        if self.stale:
            self.work_out_warm_ups()
        return Learner.prepare(self, s)

    cdef void score(self, const Record& r, Scores& s) noexcept nogil:
        """Eq. 9: the sum over the superparents."""
        cdef size_t stride = self.stride, a, terms = 0, row
        cdef double* scale    # by term
        cdef double* g
        cdef double* information    # of each superparent about the class
        cdef double sum_log_v, weight, size, most_mi = 0.0
        cdef const CountTable* t
        cdef Term term
        cdef int kind
        sum_log_v = self.describe(r, s, term)
        scale = term.room
        g = scale + self.counts.size() * stride
        information = g + self.counts.size() * stride
        for a in range(self.counts.size() if self.by_mutual_information else 0):
            t = self.superparent(r, a, term.x, &row)
            information[a] = self.mutual_information(t[0]) if t != NULL else 0.0
            most_mi = information[a] if information[a] > most_mi else most_mi
        for a in range(self.counts.size()):
            t = self.superparent(r, a, term.x, &row)
            if t == NULL:
                continue
            kind = self.schema.attributes[a].kind
            weight = information[a] if most_mi > 0 else 1.0
            if kind == KIND_NUMERIC and self.raw_units:
                weight /= sqrt(term.one_by_v[self.place[a]])
            size = t.distinct if kind == KIND_NUMERIC else self.values_of(a, r.code[a])
            self.begin(term)
            self.times_joint(term, t.n.data() + row * stride, size, row_total(t.present.data(), stride), s.C)
            self.times_numeric_children(term, a, row)
            self.times_nominal_children(term, r, a, row)
            self.end(term, scale + terms * stride, g + terms * stride, weight)
            terms += 1
        if terms == 0:
            NaiveBayes.score(self, r, s)
        else:
            self.sum_terms(s, scale, g, terms, -0.5 * sum_log_v if self.raw_units else 0.0)

    cdef const CountTable* superparent(self, const Record& r, size_t a, const double* x, size_t* row) noexcept nogil:
        """The counts n(c, a_j) of an attribute whose value qualifies as superparent, and the value's row; else NULL."""
        cdef const CountTable* t = &self.counts[a]
        if self.schema.attributes[a].kind == KIND_NOMINAL:
            if r.code[a] < 0:
                return NULL
            row[0] = r.code[a]
        else:
            if x[self.place[a]] != x[self.place[a]]:
                return NULL
            t = &self.bins[a].coarse
            row[0] = find_bin(self.bins[a], r.x[a])
        if t.n.size() < (row[0] + 1) * self.stride:
            return NULL
        return t if above_limit(t.n.data() + row[0] * self.stride, self.stride, self.limit * self.one) else NULL

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t known = self.bins.size(), numbers = self.numeric.size(), a
        OneDependence.resize(self, old_stride)
        if old_stride != self.stride:
            for a in range(known):
                restride_bins(self.bins[a], old_stride, self.stride)
            self.restride_fine(old_stride)
        if numbers < self.numeric.size():
            for a in range(known):
                self.admit_children(self.fine[a].moments, a, numbers)
        for a in range(known, self.counts.size()):
            self.bins.resize(a + 1)
            self.fine.resize(a + 1)
            self.kept_by.resize(a + 1)
            self.worked_out_cuts.resize(a + 1)
            self.worked_out.push_back(0)
            if self.schema.attributes[a].kind == KIND_NUMERIC:
                self.begin_bins(a)
        self.work_extra = (2 * self.numeric.size() + self.counts.size()
                           + 2 * (self.numeric.size() + self.counts.size()) * self.stride)
        return 0

    cdef int begin_bins(self, size_t a) except -1 nogil:
        """Starts the bins of a numeric attribute, on the edges given for it if there are any."""
        with gil:
            edges = (self.parameters["bins_file"] or {}).get(self.schema.name(a))
            return start_bins_on(self.bins[a], edges, self.stride)

    cdef int restride_fine(self, size_t old_stride) except -1 nogil:
        cdef size_t a
        for a in range(self.fine.size()):
            restride_counts(self.fine[a], old_stride, self.stride)
            self.fine[a].moments.restride(old_stride, self.stride)
        return 0

    cdef size_t rows_of_parent(self, size_t a):
        if self.schema.attributes[a].kind == KIND_NOMINAL:
            return self.rows_saved(a)
        return self.bins[a].coarse.distinct if self.bins[a].settled else 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t a, i
        OneDependence.scale_sums(self, f)
        for a in range(self.bins.size()):
            scale_bins(self.bins[a], f)
            self.worked_out[a] = -1
            scale_moments(self.fine[a].moments, f)
            scale_counts(self.fine[a], f)
        for i in range(self.kept.size()):
            self.kept[i].w *= f
        if f == 0:
            for a in range(self.kept_by.size()):
                self.kept_by[a].clear()
            self.kept.clear()
        self.stale = True
        return 0

    cdef int refuse_merge(self, Learner other, list attributes) except -1:
        cdef HAODE o = other
        cdef size_t i, mine
        for i in range(len(attributes)):
            if attributes[i] >= 0 and o.schema.attributes[i].kind == KIND_NUMERIC:
                mine = attributes[i]
                check_edges(self.bins[mine], o.bins[i], self.schema.name(mine))
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef HAODE o = other
        cdef size_t i, k, p, row, a, c, to, stride = self.stride
        cdef vector[int32_t] label_codes = labels
        cdef vector[int32_t] kept_here
        cdef vector[KeptRecord] waiting
        cdef vector[vector[int32_t]] waiting_by
        cdef KeptRecord moved
        cdef Moments two
        shifts = [o.origin[i] - self.origin[<size_t>attributes[i]]
                  if self.origin[<size_t>attributes[i]] == self.origin[<size_t>attributes[i]] else 0.0
                  for i in range(len(attributes))]
        OneDependence.merge_sums(self, other, labels, attributes, values)
        # A warm-up of ours whose counterpart is over: its records go to the other's fine bins, below.
        waiting, waiting_by = self.kept, self.kept_by
        for k in range(o.kept.size()):
            moved = KeptRecord()
            moved.x.assign(self.numeric.size(), NAN)
            moved.code.assign(self.nominal.size(), MISSING)
            for p in range(o.kept[k].x.size()):
                moved.x[self.place[<size_t>attributes[o.numeric[p]]]] = o.kept[k].x[p]
            for p in range(o.kept[k].code.size()):
                if o.kept[k].code[p] >= 0:
                    moved.code[self.place[<size_t>attributes[o.nominal[p]]]] = values[o.nominal[p]][o.kept[k].code[p]]
            moved.label, moved.w = label_codes[o.kept[k].label], o.kept[k].w
            self.kept.push_back(moved)
        for i in range(len(attributes)):
            a = attributes[i]
            if o.schema.attributes[i].kind != KIND_NUMERIC:
                continue
            was_settled = self.bins[a].settled
            merge_bins(self.bins[a], stride, o.bins[i], o.stride, label_codes, self.rule)
            if o.bins[i].settled:  # the other's fine rows are ours
                for row in range(o.fine[i].moments.rows // o.stride):
                    for c in range(label_codes.size()):
                        to = row * stride + label_codes[c]
                        for p in range(min(o.fine[i].moments.children, o.numeric.size())):
                            two = moments_at(o.fine[i].moments, row * o.stride + c, p, 0)
                            if not two.n > 0 or p == <size_t>o.place[i]:
                                continue
                            two.mean += shifts[o.numeric[p]]
                            self.make_child_room(self.fine[a].moments, a, (self.bins[a].edges.size() + 1) * stride, 1,
                                                 False)
                            k = self.place[<size_t>attributes[o.numeric[p]]]
                            put_moments(self.fine[a].moments, to, k, 0,
                                        merged(moments_at(self.fine[a].moments, to, k, 0), two))
                self.fine[a].moments.unite(self.numeric.size(), self.place[a])
                self.fine[a].counts.resize(self.nominal.size())
                for p in range(o.fine[i].counts.size()):
                    k = self.place[<size_t>attributes[o.nominal[p]]]
                    merge_counts(self.fine[a].counts[k], stride, o.fine[i].counts[p], o.stride,
                                 list(range(self.bins[a].edges.size() + 1)), values[o.nominal[p]], label_codes)
            # Records of warm-ups: ours where it was not over, the other's where its was not.
            kept_here.clear()
            if not was_settled:
                kept_here = self.kept_by[a]
            for k in range(o.kept_by[i].size()):
                kept_here.push_back(o.kept_by[i][k] + <int32_t>waiting.size())
            self.kept_by[a] = kept_here
            self.worked_out[a] = -1
            if was_settled and not o.bins[i].settled and o.kept_by[i].empty():
                continue  # the other knows nothing of it: to the last digit it stays what it was
            if not was_settled and waiting_by[a].empty() and o.bins[i].settled:
                self.children[a] = Children()  # nor did we: it is what the other's was
                self.merge_children(a, o, i, list(range(o.bins[i].coarse.distinct)), labels, [attributes, shifts],
                                    values)
            elif self.bins[a].settled:
                self.settle_parent(a)
        self.release_kept()
        self.stale = True
        return 0

    cdef size_t held(self) noexcept nogil:
        cdef size_t i, n = OneDependence.held(self) + self.bins.capacity() * sizeof(FineBins)
        for i in range(self.bins.size()):
            n += self.bins[i].held()
        for i in range(self.fine.size()):
            n += self.fine[i].held() + sizeof(Children)
        for i in range(self.kept.size()):
            n += sizeof(KeptRecord) + self.kept[i].x.capacity() * sizeof(double)
            n += self.kept[i].code.capacity() * sizeof(int32_t)
        for i in range(self.kept_by.size()):
            n += self.kept_by[i].capacity() * sizeof(int32_t)
        for i in range(self.worked_out_cuts.size()):
            n += self.worked_out_cuts[i].capacity() * sizeof(double)
        return n + self.worked_out.capacity() * sizeof(int64_t)

    # ------------------------------------------------------------ state as bytes
    cdef dict export_sums(self):
        cdef size_t i, j, a, row, c, p, rows, labels = self.schema.labels.size(), stride = self.stride
        cdef vector[double] moments, cells, present, kept
        cdef vector[uint64_t] keys, sizes, index
        cdef const Children* t
        cdef Moments one
        self.work_out_warm_ups()  # whether anything was predicted doesn't show in a model's bytes
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            t = &self.fine[a]
            rows = self.bins[a].edges.size() + 1 if self.bins[a].settled else 0
            for row in range(rows):
                for c in range(labels):
                    for p in range(self.numeric.size()):
                        one.n = one.mean = one.m2 = 0.0
                        if row * stride + c < t.moments.rows and p < t.moments.children and p != i:
                            one = moments_at(t.moments, row * stride + c, p, 0)
                        moments.push_back(one.n)
                        moments.push_back(one.mean)
                        moments.push_back(one.m2)
            for p in range(self.nominal.size()):
                export_counts(t[0], p, rows, labels, stride, sizes, keys, cells, present)
            index.push_back(self.kept_by[a].size())
            for j in range(self.kept_by[a].size()):
                index.push_back(self.kept_by[a][j])
        for i in range(self.kept.size()):
            kept.push_back(self.kept[i].label)
            kept.push_back(self.kept[i].w)
            for p in range(self.numeric.size()):
                kept.push_back(self.kept[i].x[p] if p < self.kept[i].x.size() else NAN)
            for p in range(self.nominal.size()):
                kept.push_back(self.kept[i].code[p] if p < self.kept[i].code.size() else MISSING)
        sums = OneDependence.export_sums(self)
        sums.update(export_bins(self.bins, self.numeric, labels, stride))
        sums.update({
            "fine_moments": packed(moments), "fine_counts": packed(cells), "fine_present": packed(present),
            "fine_keys": packed_uint64(keys), "fine_sizes": packed_uint64(sizes), "kept_records": packed(kept),
            "kept_by": packed_uint64(index),
        })
        return sums

    cdef int import_sums(self, dict sums) except -1:
        cdef vector[double] moments = unpacked(sums["fine_moments"]), cells = unpacked(sums["fine_counts"])
        cdef vector[double] present = unpacked(sums["fine_present"]), kept = unpacked(sums["kept_records"])
        cdef vector[uint64_t] keys = unpacked_uint64(sums["fine_keys"]), sizes = unpacked_uint64(sums["fine_sizes"])
        cdef vector[uint64_t] index = unpacked_uint64(sums["kept_by"])
        cdef size_t i, j, a, row, c, p, labels = self.schema.labels.size(), stride = self.stride, total_rows = 0
        cdef size_t at_moment = 0, at_key = 0, at_size = 0, at_present = 0, at = 0, rows, width
        cdef double code
        cdef Moments one
        import_bins(self.bins, self.numeric, sums, labels, stride, self.rule)
        OneDependence.import_sums(self, sums)
        for i in range(self.numeric.size()):
            if self.bins[self.numeric[i]].settled:
                total_rows += self.bins[self.numeric[i]].edges.size() + 1
        width = 2 + self.numeric.size() + self.nominal.size()
        if (moments.size() != total_rows * labels * self.numeric.size() * 3
                or present.size() != total_rows * labels * self.nominal.size()
                or sizes.size() != self.numeric.size() * self.nominal.size() or cells.size() != keys.size() * labels
                or sum(sizes) != keys.size() or kept.size() % width):
            raise ModelFileError("a table has the wrong size")
        self.kept.resize(kept.size() // width)
        for i in range(self.kept.size()):
            if not 0 <= kept[i * width] < labels or kept[i * width] != <int32_t>kept[i * width] or (
                    not 0 < kept[i * width + 1] < INFINITY):
                raise ModelFileError("a kept record is out of range")
            self.kept[i].label, self.kept[i].w = <int32_t>kept[i * width], kept[i * width + 1]
            for p in range(self.numeric.size()):
                self.kept[i].x.push_back(kept[i * width + 2 + p])
            for p in range(self.nominal.size()):
                code = kept[i * width + 2 + self.numeric.size() + p]
                if not -1 <= code < self.rows_saved(self.nominal[p]) or code != <int32_t>code:
                    raise ModelFileError("a kept record is out of range")
                self.kept[i].code.push_back(<int32_t>code)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            rows = self.bins[a].edges.size() + 1 if self.bins[a].settled else 0
            if rows:
                self.make_child_room(self.fine[a].moments, a, rows * stride, 1, False)
            for row in range(rows):
                for c in range(labels):
                    for p in range(self.numeric.size()):
                        one.n, one.mean, one.m2 = moments[at_moment], moments[at_moment + 1], moments[at_moment + 2]
                        put_moments(self.fine[a].moments, row * stride + c, p, 0, one)
                        at_moment += 3
            self.fine[a].moments.unite(self.numeric.size(), i)
            self.fine[a].counts.resize(self.nominal.size())
            for p in range(self.nominal.size()):
                if import_counts(self.fine[a], p, rows, self.rows_saved(self.nominal[p]), labels, stride, sizes[at_size],
                                 keys, &at_key, cells, present, &at_present):
                    raise ModelFileError("a cell is out of its table")
                at_size += 1
            if at >= index.size() or index[at] > index.size() - at - 1:
                raise ModelFileError("a table has the wrong size")
            j = index[at]
            at += 1
            if j and self.bins[a].settled:
                raise ModelFileError("a warm-up that is over has kept records")
            for row in range(at, at + j):
                if index[row] >= self.kept.size() or not self.kept[index[row]].x[i] == self.kept[index[row]].x[i]:
                    raise ModelFileError("a kept record is out of range")
                self.kept_by[a].push_back(<int32_t>index[row])
            at += j
        if at != index.size():
            raise ModelFileError("a table has the wrong size")
        self.stale = True
        return 0

    # ------------------------------------------------------------ what it holds, for `inspect`
    def tables(self) -> list:
        """Naive Bayes's tables, each numeric attribute with its cuts."""
        cdef size_t a
        cdef Scores s
        self.prepare(s)
        tables = super().tables()
        for a, table in enumerate(tables):
            if table["kind"] == "numeric":
                table["cuts"] = cuts_of(self.bins[a])
        return tables
