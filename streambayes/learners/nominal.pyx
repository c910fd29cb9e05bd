"""What every learner does with nominal attributes: counts of their values by class, and the verbs on them."""
from __future__ import annotations

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.record cimport KIND_NOMINAL, KIND_NUMERIC, Record, Vocabulary
from ..statistics.counts cimport count, make_row, row_total, uncount
from ..statistics.packed cimport packed
from ..statistics.tables cimport CountTable, restride
from .base cimport Learner, counts_from

from ..records.problems import ModelFileError


cdef class NominalCounts(Learner):
    """Base of all learners: n(c, v) and n(c, A present) of the nominal attributes, and the lists of either kind."""

    cdef void measure(self) noexcept nogil:
        self.k = self.given_k * self.one
        self.m = self.given_m * self.one

    cdef int add_values(self, const Record& r, size_t c, double w) except -1 nogil:
        """What a record adds to the counts; a negative w takes it away."""
        cdef size_t i, a
        cdef int32_t code
        cdef CountTable* t
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            code = r.code[a]
            if code < 0:
                continue
            t = &self.counts[a]
            if w > 0:
                make_row(t[0], code, self.stride)
                count(t[0], code, c, self.stride, w)
            elif <size_t>code < t.counts.size():
                uncount(t[0], code, c, self.stride, self.schema.is_declared(a, code), -w)
        return 0

    # ------------------------------------------------------------ the verbs on its sums
    cdef int resize(self, size_t old_stride) except -1 nogil:
        cdef size_t a
        if old_stride != self.stride:
            for a in range(self.counts.size()):
                restride(self.counts[a].n, old_stride, self.stride)
                restride(self.counts[a].present, old_stride, self.stride)
        for a in range(self.counts.size(), self.schema.attributes.size()):
            self.counts.resize(a + 1)
            if self.schema.attributes[a].kind == KIND_NOMINAL:
                self.nominal.push_back(<int32_t>a)
                self.counts[a].present.assign(self.stride, 0.0)
                if self.schema.attributes[a].values.size():
                    make_row(self.counts[a], self.schema.attributes[a].values.size() - 1, self.stride)
                self.recount(a)
            elif self.schema.attributes[a].kind == KIND_NUMERIC:
                self.numeric.push_back(<int32_t>a)
        return 0

    cdef int recount(self, size_t a) except -1 nogil:
        """|A| from the counts: values declared, or with n(v) > 0."""
        cdef size_t i
        cdef CountTable* t = &self.counts[a]
        cdef const Vocabulary* values = &self.schema.attributes[a].values
        t.distinct = 0
        for i in range(values.size()):
            t.distinct += values.entries[i].declared
        for i in range(t.counts.size()):
            t.counts[i] = self.schema.is_declared(a, <int32_t>i)
            if not t.counts[i] and row_total(t.n.data() + i * self.stride, self.stride) > 0:
                t.counts[i] = 1
                t.distinct += 1
        return 0

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        cdef NominalCounts o = other
        cdef size_t i, j, row, code, mine, stride = self.stride
        cdef vector[int32_t] to = labels
        for i in range(len(attributes)):
            if o.schema.attributes[i].kind != KIND_NOMINAL:
                continue
            mine = attributes[i]
            for j in range(o.counts[i].n.size() // o.stride):
                code = values[i][j]
                make_row(self.counts[mine], code, stride)
                for row in range(to.size()):
                    self.counts[mine].n[code * stride + to[row]] += o.counts[i].n[j * o.stride + row]
            for row in range(to.size()):
                self.counts[mine].present[to[row]] += o.counts[i].present[row]
            self.recount(mine)
        return 0

    cdef int scale_sums(self, double f) except -1:
        cdef size_t i, j, a
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            for j in range(self.counts[a].n.size()):
                self.counts[a].n[j] *= f
            for j in range(self.counts[a].present.size()):
                self.counts[a].present[j] *= f
            self.recount(a)
        return 0

    cdef size_t held(self) noexcept nogil:
        cdef size_t a, n = (self.nominal.capacity() + self.numeric.capacity()) * sizeof(int32_t)
        for a in range(self.counts.size()):
            n += self.counts[a].held()
        return n + self.counts.capacity() * sizeof(CountTable)

    # ------------------------------------------------------------ state as bytes
    cdef size_t rows_saved(self, size_t a):
        """Values of a nominal attribute, and the shared slot where it can be in use."""
        cdef size_t values = self.schema.attributes[a].values.size()
        return values + (values >= self.schema.max_values)

    cdef dict export_sums(self):
        cdef size_t i, j, a, labels = self.schema.labels.size()
        cdef vector[double] n, present
        cdef double* row
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if self.rows_saved(a):
                make_row(self.counts[a], self.rows_saved(a) - 1, self.stride)
            for j in range(self.rows_saved(a)):
                row = self.counts[a].n.data() + j * self.stride
                n.insert(n.end(), row, row + labels)
            present.insert(present.end(), self.counts[a].present.data(), self.counts[a].present.data() + labels)
        return {"counts": packed(n), "present": packed(present)}

    cdef int import_sums(self, dict sums) except -1:
        cdef vector[double] n, present
        cdef size_t i, j, a, c, labels = self.schema.labels.size(), rows = 0, row = 0
        for a in range(self.counts.size()):
            if self.schema.attributes[a].kind not in (KIND_NOMINAL, KIND_NUMERIC):
                raise ModelFileError("an attribute is of a kind that the model can't take")
            rows += self.rows_saved(a) if self.schema.attributes[a].kind == KIND_NOMINAL else 0
        n = counts_from(sums["counts"], rows * labels)
        present = counts_from(sums["present"], self.nominal.size() * labels)
        for i in range(self.nominal.size()):
            a = self.nominal[i]
            if self.rows_saved(a):
                make_row(self.counts[a], self.rows_saved(a) - 1, self.stride)
            for j in range(self.rows_saved(a)):
                for c in range(labels):
                    self.counts[a].n[j * self.stride + c] = n[row * labels + c]
                row += 1
            for c in range(labels):
                self.counts[a].present[c] = present[i * labels + c]
            self.recount(a)
        return 0
