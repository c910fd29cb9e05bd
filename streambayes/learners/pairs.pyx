"""Naive Bayes' counts and those of pairs, in one pass: what AODE learns (SPEC 2, 3).

    n(c, a_i, a_j) for each pair of attributes,   n(c, a_j, A_i present) for attributes that were ever missing

Numeric attributes take part with their bins. Pairs are counted by fine bins too, so that moving a cut
loses nothing; records with a value whose attribute's warm-up isn't over wait until it is.
"""
from __future__ import annotations

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, MISSING, Record
from ..statistics.counts cimport counted, row_total
from ..statistics.fine_bins cimport CUT, SETTLED, find_bin, find_fine_bin, same_bins
from ..statistics.packed cimport packed, packed_int32, packed_int64, unpacked, unpacked_int32, unpacked_int64
from ..statistics.pair_counts cimport PairCounts, WaitingRecord, count_pairs_of_values, prefetch, sum_pairs
from ..statistics.tables cimport CountTable, Scores
from .base cimport Learner
from .discrete_naive_bayes cimport DiscreteNaiveBayes

from ..records.problems import ModelFileError

cdef double NONE_LEFT = 1e-9
cdef size_t MOST_FINE_BYTES = 1 << 30   # of pairs of fine bins

cdef enum:
    JOINED = 1    # what is to be known of an item: its pairs are counted ...
    FOLLOWS = 2   # ... by fine bins too
    PRESENCE = 4  # it is «A is present»


cdef class PairedCounts(DiscreteNaiveBayes):
    """Base of AODE: counts of pairs of values, or bins, by class."""

    def __init__(self, **parameters):
        super().__init__(**parameters)
        self.coarse.stride = self.fine.stride = self.stride

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
        self.any_happened, self.waits = False, waits
        self.add_counts(r, c, w)
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
        return Learner.prepare(self, s)

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t a, before = self.counts.size()
        cdef bint joined
        DiscreteNaiveBayes.resize(self, old_stride)
        if old_stride != self.stride:
            self.coarse.set_stride(self.stride)
            self.fine.set_stride(self.stride)
            self.totals_moved = True
        for a in range(before, self.counts.size()):
            self.item_of.push_back(<int32_t>self.source.size())
            self.presence_of.push_back(-1)
            joined = self.schema.attributes[a].kind != KIND_NUMERIC or self.bins[a].fixed
            self.joined.push_back(joined)
            self.cell.push_back(MISSING)
            self.fine_cell.push_back(MISSING)
            self.item_room.push_back(0)
            self.item_at.push_back(0)
            self.add_item(a)
            if self.total() > 0:  # it was missing so far
                self.track_presence(a, False)
        if before != self.counts.size() or old_stride != self.stride:
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
        self.cache_stale = self.totals_moved = True
        return 0

    cdef int refuse_merge(self, Learner other, list attributes) except -1:
        cdef PairedCounts o = other
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
        cdef PairedCounts o = other
        cdef size_t i, a
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
        self.cache_stale = self.totals_moved = True
        return 0

    cdef int merge_pairs(self, PairedCounts o, list labels, list attributes, list values) except -1:
        """Adds the counts of pairs that are joined there: by fine bins where both follow their cuts."""
        cdef size_t i, j, a, b, row, c, my_i, my_j
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

    cdef int merge_presence(self, PairedCounts o, list labels, list attributes, list values) except -1:
        """n(c, a_j, A present) of an attribute that was never missing there: n(c, a_j)."""
        cdef size_t i, j, code, p, c, stride = o.stride
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

    cdef int merge_waiting(self, PairedCounts o, list labels, list attributes, list values) except -1:
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
        self.cache_stale = self.totals_moved = True
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

    @property
    def pair_bytes(self) -> int:
        """Bytes that the counts of pairs take, those with fine bins too."""
        return self.coarse.bytes() + self.fine.bytes()
