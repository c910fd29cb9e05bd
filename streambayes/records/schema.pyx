"""Names, kinds, values and labels, numbered in the order in which they were first learned."""
from __future__ import annotations

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.math cimport NAN, floor
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from .numbers cimport number_key, real_of_key
from .record cimport (KIND_NOMINAL, KIND_NUMERIC, KIND_TEXT, KIND_UNDECIDED, MISSING, TAG_FALSE, TAG_INTEGER,
                      TAG_REAL, TAG_STRING, TAG_TRUE, UNSEEN, Attribute, Entry, Fresh, Record, Value, Vocabulary)

from .problems import ModelFileError

KINDS = {KIND_NOMINAL: "nominal", KIND_NUMERIC: "numeric", KIND_TEXT: "text", KIND_UNDECIDED: "undecided"}
NUMBERS_OF_KINDS = {name: number for number, name in KINDS.items()}
OVERFLOW = type("Overflow", (), {"__repr__": lambda self: "<other values>"})()


cdef object value_to_object(uint8_t tag, const char* p, uint32_t n):
    """The Python object that a value stands for."""
    if tag == TAG_STRING:
        return p[:n].decode("utf-8", "surrogatepass")
    if tag == TAG_INTEGER:
        return int(p[:n])
    if tag == TAG_REAL:
        return real_of_key(p)
    return tag == TAG_TRUE


cdef Value object_to_value(object o, list keep) except *:
    """The value that a Python object is; `keep` holds its bytes alive.

    Raises
    ------
    TypeError
        If it is neither a string, a boolean nor a number.
    """
    cdef Value v
    cdef string key
    cdef bytes b
    if isinstance(o, str):
        v.tag, b = TAG_STRING, (<str>o).encode("utf-8", "surrogatepass")
    elif isinstance(o, bool):
        v.tag, b = TAG_TRUE if o else TAG_FALSE, b""
    elif isinstance(o, int):
        v.tag, b = TAG_INTEGER, str(int(o)).encode()
    elif isinstance(o, float):
        v.tag = TAG_INTEGER if number_key(o, key) else TAG_REAL
        b = key
    elif type(o).__module__ == "numpy" and hasattr(o, "item"):
        return object_to_value(o.item(), keep)
    else:
        raise TypeError(f"a {type(o).__name__} is neither a string, a boolean nor a number: {o!r:.100}")
    keep.append(b)
    v.data, v.size = PyBytes_AS_STRING(b), <uint32_t>PyBytes_GET_SIZE(b)
    return v


cdef tuple exported(const Vocabulary& v):
    return exported_entries(v, range(v.size()))


cdef tuple exported_entries(const Vocabulary& v, codes):
    cdef vector[uint32_t] sizes
    cdef vector[uint8_t] tags
    cdef vector[char] text
    cdef const char* p
    cdef size_t i
    for i in codes:
        sizes.push_back(v.entries[i].size)
        tags.push_back(v.entries[i].tag | (16 if v.entries[i].declared else 0))
        p = v.data(i)
        text.insert(text.end(), p, p + v.entries[i].size)
    return (sizes.size(), (<const char*>sizes.data())[:sizes.size() * 4], (<const char*>tags.data())[:tags.size()],
            text.data()[:text.size()] if text.size() else b"")


def vocabulary_bytes(name, rows) -> dict:
    """Vocabularies one behind the other: how many values each has, their sizes, tags and bytes."""
    return {
        f"{name}.counts": b"".join(n.to_bytes(4, "little") for n, *_ in rows),
        f"{name}.sizes": b"".join(row[1] for row in rows),
        f"{name}.tags": b"".join(row[2] for row in rows),
        f"{name}.bytes": b"".join(row[3] for row in rows),
    }


def vocabulary_rows(name, state) -> list:
    """The inverse of `vocabulary_bytes`, with every length checked."""
    counts, sizes, tags, text = (state[f"{name}.{part}"] for part in ("counts", "sizes", "tags", "bytes"))
    if len(counts) % 4:
        raise ModelFileError("a vocabulary is cut short")
    rows, at, text_at = [], 0, 0
    for i in range(0, len(counts), 4):
        n = int.from_bytes(counts[i:i + 4], "little")
        row_sizes, row_tags = sizes[4 * at:4 * (at + n)], tags[at:at + n]
        if len(row_sizes) != 4 * n or len(row_tags) != n:
            raise ModelFileError("a vocabulary is cut short")
        length = summed(row_sizes)
        rows.append((n, row_sizes, row_tags, text[text_at:text_at + length]))
        at, text_at = at + n, text_at + length
    if len(sizes) != 4 * at or len(tags) != at or len(text) != text_at:
        raise ModelFileError("a vocabulary doesn't fit its sizes")
    return rows


def summed(bytes sizes not None):
    cdef const uint8_t* p = <const uint8_t*>PyBytes_AS_STRING(sizes)
    cdef size_t i, total = 0
    for i in range(0, len(sizes), 4):
        total += p[i] | p[i + 1] << 8 | p[i + 2] << 16 | <size_t>p[i + 3] << 24
    return total


cdef bint is_canonical(uint8_t tag, const char* p, uint32_t n) noexcept nogil:
    """Whether a value's bytes are those that its value is always written with."""
    cdef uint32_t i = 0
    cdef double x
    if tag == TAG_STRING:  # lone surrogates come through the Python API alone; they pass as three bytes
        return True
    if tag == TAG_TRUE or tag == TAG_FALSE:
        return n == 0
    if tag == TAG_REAL:
        if n != 8:
            return False
        x = real_of_key(p)
        return x == x and x - x == 0 and x != floor(x)
    if n > 1 and p[0] == 45:
        i = 1
        if p[1] == 48:
            return False
    if n == i or (p[i] == 48 and n > i + 1):
        return False
    for i in range(i, n):
        if p[i] < 48 or p[i] > 57:
            return False
    return True


cdef int imported(Vocabulary& v, tuple row) except -1:
    """Fills an empty vocabulary from its exported row.

    Raises ModelFileError for values that repeat, or are not written in their one way.
    """
    cdef size_t i, n = row[0], at = 0
    cdef bytes sizes = row[1], tags = row[2], text = row[3]
    cdef const char* p = PyBytes_AS_STRING(text)
    cdef const uint8_t* s = <const uint8_t*>PyBytes_AS_STRING(sizes)
    cdef uint32_t size
    cdef uint8_t tag
    for i in range(n):
        size = s[4 * i] | s[4 * i + 1] << 8 | s[4 * i + 2] << 16 | <uint32_t>s[4 * i + 3] << 24
        tag = <uint8_t>tags[i]
        if (tag & 15) > TAG_FALSE or tag > 31 or not is_canonical(tag & 15, p + at, size):
            raise ModelFileError("a value is of no known type")
        if (tag & 15) == TAG_STRING:
            p[at:at + size].decode("utf-8", "surrogatepass")
        if <size_t>v.intern(tag & 15, p + at, size) != i:
            raise ModelFileError("a value comes twice")
        v.entries[i].declared = tag > 15
        at += size
    return 0


cdef class Schema:
    """Attributes, their values, and labels, each in the order of their first learning.

    Parameters
    ----------
    max_values : int
        Distinct values of a nominal attribute that are told apart; all later ones share one slot.
    """

    def __init__(self, max_values=10_000):
        self.max_values = max_values
        self.target = None

    cdef int32_t add_attribute(self, const Value& name, uint8_t kind) except -1 nogil:
        cdef int32_t a = self.names.intern(name.tag, name.data, name.size), d
        cdef Attribute fresh
        if <size_t>a == self.attributes.size():
            d = self.declared_names.find(name.tag, name.data, name.size)
            if d >= 0:
                fresh = self.declared[d]
            fresh.kind = kind
            self.attributes.push_back(fresh)
            self.full |= fresh.values.size() >= self.max_values
        return a

    cdef int admit(self, Record& r) except -1 nogil:
        cdef size_t i
        cdef int32_t a, code
        cdef Fresh* f
        if r.label_code == UNSEEN:
            r.label_code = self.labels.intern(r.label.tag, r.label.data, r.label.size)
        for i in range(r.fresh.size()):
            f = &r.fresh[i]
            a = f.attribute if f.attribute >= 0 else self.add_attribute(f.name, f.kind)
            f.attribute = a
            if <size_t>a >= r.code.size():
                r.code.resize(a + 1, MISSING)
                r.x.resize(a + 1, NAN)
            if f.kind == KIND_NOMINAL:
                code = find_value(self.attributes[a], f.value, self.max_values)
                if code == UNSEEN:
                    code = self.attributes[a].values.intern(f.value.tag, f.value.data, f.value.size)
                    self.full |= self.attributes[a].values.size() >= self.max_values
                r.code[a] = code
            elif f.kind == KIND_NUMERIC:
                r.x[a] = f.x
        r.fresh.clear()
        if r.code.size() < self.attributes.size():
            r.code.resize(self.attributes.size(), MISSING)
            r.x.resize(self.attributes.size(), NAN)
        return 0

    cdef int refresh(self, Record& r) except -1 nogil:
        """Looks up again what was new when the record was read: other records may have brought it since."""
        cdef size_t i, kept = 0
        cdef Fresh* f
        cdef int32_t code
        if r.label_code == UNSEEN:
            code = self.labels.find(r.label.tag, r.label.data, r.label.size)
            if code >= 0:
                r.label_code = code
        if r.code.size() < self.attributes.size():
            r.code.resize(self.attributes.size(), MISSING)
            r.x.resize(self.attributes.size(), NAN)
        for i in range(r.fresh.size()):
            f = &r.fresh[i]
            if f.attribute < 0:
                f.attribute = self.names.find(f.name.tag, f.name.data, f.name.size)
            if f.attribute >= 0 and f.kind == KIND_NUMERIC:
                r.x[f.attribute] = f.x
                continue
            if f.attribute >= 0 and f.kind == KIND_NOMINAL:
                r.code[f.attribute] = find_value(self.attributes[f.attribute], f.value, self.max_values)
                if r.code[f.attribute] != UNSEEN:
                    continue
            r.fresh[kept] = f[0]
            kept += 1
        r.fresh.resize(kept)
        return 0

    cdef long overflowing(self, const Record& r) noexcept nogil:
        cdef long n = 0
        cdef size_t a
        if not self.full:
            return 0
        for a in range(r.code.size()):
            n += r.code[a] >= 0 and <size_t>r.code[a] == self.max_values
        return n

    cdef bint is_declared(self, size_t attribute, int32_t code) noexcept nogil:
        cdef const Vocabulary* values = &self.attributes[attribute].values
        return <size_t>code < values.size() and values.entries[code].declared

    cdef object name(self, size_t attribute):
        return value_to_object(self.names.entries[attribute].tag, self.names.data(attribute),
                               self.names.entries[attribute].size)

    cdef object value(self, size_t attribute, size_t code):
        cdef const Vocabulary* values = &self.attributes[attribute].values
        if code >= values.size():
            return OVERFLOW
        return value_to_object(values.entries[code].tag, values.data(code), values.entries[code].size)

    cdef object label(self, size_t code):
        return value_to_object(self.labels.entries[code].tag, self.labels.data(code), self.labels.entries[code].size)

    cdef int declare_attribute(self, bytes name, uint8_t kind, list values) except -1:
        """Takes note of an attribute, and of values that count in |A| before they are seen."""
        cdef list keep = []
        cdef Value v
        cdef int32_t code, d = self.declared_names.intern(TAG_STRING, name, <uint32_t>len(name))
        if <size_t>d == self.declared.size():
            self.declared.resize(self.declared.size() + 1)
        self.declared[d].kind = kind
        for value in values or ():
            v = object_to_value(value, keep)
            if self.declared[d].values.size() < self.max_values:
                code = self.declared[d].values.intern(v.tag, v.data, v.size)
                self.declared[d].values.entries[code].declared = True
        return 0

    cdef list merge_values(self, size_t attribute, Schema other, size_t others_attribute):
        """Takes in another schema's values of an attribute; answers its codes in terms of ours."""
        cdef list codes = []
        cdef Vocabulary* mine = &self.attributes[attribute].values
        cdef const Vocabulary* theirs = &other.attributes[others_attribute].values
        cdef const Entry* e
        cdef int32_t code
        cdef size_t i
        for i in range(theirs.size()):
            e = &theirs.entries[i]
            code = mine.find(e.tag, theirs.data(i), e.size)
            if code < 0 and mine.size() < self.max_values:
                code = mine.intern(e.tag, theirs.data(i), e.size)
                self.full |= mine.size() >= self.max_values
            if code < 0:
                code = <int32_t>self.max_values
            elif e.declared:
                mine.entries[code].declared = True
            codes.append(code)
        codes.append(self.max_values)  # the shared slot goes to the shared slot
        return codes

    # ------------------------------------------------------------ as bytes
    def export(self) -> dict:
        """Names and values as {array name: bytes}; the layout is in docs/model-file.md."""
        cdef size_t a
        state = vocabulary_bytes("labels", [exported(self.labels)])
        state.update(vocabulary_bytes("names", [exported(self.names)]))
        state["kinds"] = bytes([self.attributes[a].kind for a in range(self.attributes.size())])
        state.update(vocabulary_bytes("values", [exported(self.attributes[a].values)
                                                 for a in range(self.attributes.size())]))
        waiting = [a for a in range(self.declared.size())
                   if self.names.find(self.declared_names.entries[a].tag, self.declared_names.data(a),
                                      self.declared_names.entries[a].size) < 0]
        state.update(vocabulary_bytes("declared_names", [exported_entries(self.declared_names, waiting)]))
        state["declared_kinds"] = bytes([self.declared[a].kind for a in waiting])
        state.update(vocabulary_bytes("declared_values", [exported(self.declared[a].values) for a in waiting]))
        return state

    def restore(self, dict state not None):
        """The inverse of `export`, for an empty schema.

        Raises
        ------
        ModelFileError
            If anything in it doesn't fit together.
        """
        cdef list kinds = list(state["kinds"]), declared_kinds = list(state["declared_kinds"])
        cdef list values = vocabulary_rows("values", state), labels = vocabulary_rows("labels", state)
        cdef list names = vocabulary_rows("names", state), declared_names = vocabulary_rows("declared_names", state)
        cdef list declared = vocabulary_rows("declared_values", state)
        cdef size_t a
        if len(labels) != 1 or len(names) != 1 or len(declared_names) != 1 or (
                len(values) != len(kinds) or len(declared) != len(declared_kinds)):
            raise ModelFileError("its vocabularies don't fit together")
        if set(kinds) | set(declared_kinds) > {1, 2, 3} or any(k not in (1, 2, 3) for k in kinds + declared_kinds):
            raise ModelFileError("an attribute is of no known kind")
        imported(self.labels, labels[0])
        imported(self.names, names[0])
        imported(self.declared_names, declared_names[0])
        if self.names.size() != <size_t>len(kinds) or self.declared_names.size() != <size_t>len(declared_kinds):
            raise ModelFileError("its vocabularies don't fit together")
        self.attributes.resize(len(kinds))
        for a in range(self.attributes.size()):
            self.attributes[a].kind = kinds[a]
            imported(self.attributes[a].values, values[a])
            if self.attributes[a].values.size() > self.max_values:
                raise ModelFileError("an attribute has more values than max_values")
            self.full |= self.attributes[a].values.size() >= self.max_values
        self.declared.resize(len(declared_kinds))
        for a in range(self.declared.size()):
            self.declared[a].kind = declared_kinds[a]
            imported(self.declared[a].values, declared[a])

    def declare(self, name, kind, values=None):
        """Takes note of a column before anything of it is learned (see `declare_attribute`)."""
        self.declare_attribute(name.encode("utf-8", "surrogatepass"), NUMBERS_OF_KINDS[kind or "undecided"],
                               list(values or ()))

    def attribute_kinds(self) -> dict:
        """Name of each attribute learned to its kind, in learned order."""
        return {self.name(a): KINDS[self.attributes[a].kind] for a in range(self.attributes.size())}

    def known_labels(self) -> list:
        """The labels, as first learned."""
        return [self.label(c) for c in range(self.labels.size())]
