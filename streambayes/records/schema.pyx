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
from .utf8 cimport first_bad_byte, has_high_bit

from .problems import ModelFileError

cdef uint8_t DECLARED = 16    # in a tag: the value was declared
cdef size_t MOST_DIGITS = 4300  # of a whole number: Python reads no longer ones

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
    """How many values, their sizes, their tags (16 is added to a declared one's), their bytes."""
    cdef vector[uint32_t] sizes
    cdef vector[uint8_t] tags
    cdef size_t i
    sizes.resize(v.size())
    tags.resize(v.size())
    for i in range(v.size()):
        sizes[i] = v.entries[i].size
        tags[i] = v.entries[i].tag | (DECLARED if v.entries[i].declared else 0)
    return (sizes.size(), (<const char*>sizes.data())[:sizes.size() * 4] if sizes.size() else b"",
            (<const char*>tags.data())[:tags.size()] if tags.size() else b"",
            v.arena.data()[:v.arena.size()] if v.arena.size() else b"")


def vocabulary_bytes(name, rows) -> dict:
    """Vocabularies one behind the other: how many values each has, their sizes, tags and bytes."""
    return {
        f"{name}.counts": b"".join([n.to_bytes(4, "little") for n, *_ in rows]),
        f"{name}.sizes": b"".join([row[1] for row in rows]),
        f"{name}.tags": b"".join([row[2] for row in rows]),
        f"{name}.bytes": b"".join([row[3] for row in rows]),
    }


cdef inline size_t little(const uint8_t* p) noexcept nogil:
    return p[0] | p[1] << 8 | p[2] << 16 | <size_t>p[3] << 24


cdef class VocabularyArrays:
    """Reads what `vocabulary_bytes` wrote, vocabulary by vocabulary.

    Every length is checked against the bytes that are there before anything is allocated for it.
    """

    def __init__(self, str name not None, dict state not None):
        self.counts, self.sizes = state[f"{name}.counts"], state[f"{name}.sizes"]
        self.tags, self.text = state[f"{name}.tags"], state[f"{name}.bytes"]
        if len(self.counts) % 4 or len(self.sizes) != 4 * len(self.tags):
            raise ModelFileError("a vocabulary is cut short")

    cdef size_t left(self):
        """How many vocabularies are still to come."""
        return <size_t>len(self.counts) // 4 - self.vocabulary

    cdef int read(self, Vocabulary& v, bint may_be_declared) except -1:
        """Fills an empty vocabulary.

        Raises ModelFileError for values that repeat, or are not written in their one way.
        """
        cdef const char* p = PyBytes_AS_STRING(self.text) + self.byte
        cdef const uint8_t* sizes = <const uint8_t*>PyBytes_AS_STRING(self.sizes) + 4 * self.value
        cdef const uint8_t* tags = <const uint8_t*>PyBytes_AS_STRING(self.tags) + self.value
        cdef size_t i, n, size, total = 0
        cdef uint8_t tag
        if not self.left():
            raise ModelFileError("a vocabulary is missing")
        n = little(<const uint8_t*>PyBytes_AS_STRING(self.counts) + 4 * self.vocabulary)
        if n > <size_t>len(self.tags) - self.value:
            raise ModelFileError("a vocabulary is cut short")
        for i in range(n):
            total += little(sizes + 4 * i)
        if total > <size_t>len(self.text) - self.byte:
            raise ModelFileError("a vocabulary is cut short")
        if n:
            v.reserve(n, total)
        for i in range(n):
            size, tag = little(sizes + 4 * i), tags[i] & 15
            if tags[i] >= 2 * DECLARED or tag > TAG_FALSE or not is_canonical(tag, p, <uint32_t>size):
                raise ModelFileError("a value is not written in its one way")
            if tag == TAG_STRING and has_high_bit(p, p + size) and first_bad_byte(p, p + size) != p + size:
                check_surrogates(p[:size])
            if <size_t>v.intern(tag, p, <uint32_t>size) != i:
                raise ModelFileError("a value comes twice")
            if tags[i] >= DECLARED:
                if not may_be_declared:
                    raise ModelFileError("a name is declared")
                v.entries[i].declared = True
            p += size
        self.vocabulary += 1
        self.value += n
        self.byte += total
        return 0

    cdef int finish(self) except -1:
        """Nothing may be left."""
        if self.left() or self.value != <size_t>len(self.tags) or self.byte != <size_t>len(self.text):
            raise ModelFileError("a vocabulary doesn't fit its sizes")
        return 0


cdef int check_surrogates(bytes text) except -1:
    """Text that isn't UTF-8 may still hold lone surrogates, three bytes each."""
    try:
        text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ModelFileError("a value is not UTF-8") from None
    return 0


cdef int read_one(str name, dict state, Vocabulary& v) except -1:
    """A vocabulary that stands alone in its arrays, of names."""
    cdef VocabularyArrays arrays = VocabularyArrays(name, state)
    arrays.read(v, False)
    return arrays.finish()


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
    if n == i or n - i > MOST_DIGITS or (p[i] == 48 and n > i + 1):
        return False
    for i in range(i, n):
        if p[i] < 48 or p[i] > 57:
            return False
    return True


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
            if d >= 0 and kind != KIND_NUMERIC:
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

    cdef size_t held(self) noexcept nogil:
        """Bytes of all names and values, with the room kept for more."""
        cdef size_t i, n = self.names.held() + self.labels.held() + self.declared_names.held()
        n += (self.attributes.capacity() + self.declared.capacity()) * sizeof(Attribute)
        for i in range(self.attributes.size()):
            n += self.attributes[i].values.held()
        for i in range(self.declared.size()):
            n += self.declared[i].values.held()
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

    cdef list waiting(self):
        """Indices of the attributes that were declared and never learned."""
        cdef size_t d
        return [d for d in range(self.declared.size())
                if self.names.find(self.declared_names.entries[d].tag, self.declared_names.data(d),
                                   self.declared_names.entries[d].size) < 0]

    cdef int merge_declared(self, Schema other) except -1:
        """Takes in what another schema has declared and neither has learned."""
        cdef Vocabulary* mine
        cdef const Vocabulary* theirs
        cdef size_t d, i
        cdef int32_t code, own
        for d in other.waiting():
            if self.names.find(TAG_STRING, other.declared_names.data(d), other.declared_names.entries[d].size) >= 0:
                continue
            own = self.declared_names.intern(TAG_STRING, other.declared_names.data(d),
                                             other.declared_names.entries[d].size)
            if <size_t>own == self.declared.size():
                self.declared.resize(own + 1)
                self.declared[own].kind = other.declared[d].kind
            mine, theirs = &self.declared[own].values, &other.declared[d].values
            for i in range(theirs.size()):
                if mine.size() < self.max_values:
                    code = mine.intern(theirs.entries[i].tag, theirs.data(i), theirs.entries[i].size)
                    mine.entries[code].declared = True
        return 0

    # ------------------------------------------------------------ as bytes
    def export(self) -> dict:
        """Names and values as {array name: bytes}; the layout is in docs/model-file.md."""
        cdef size_t a
        cdef Vocabulary waiting_names
        cdef list waiting = self.waiting()
        for a in waiting:
            waiting_names.intern(TAG_STRING, self.declared_names.data(a), self.declared_names.entries[a].size)
        state = vocabulary_bytes("labels", [exported(self.labels)])
        state.update(vocabulary_bytes("names", [exported(self.names)]))
        state["kinds"] = bytes([self.attributes[a].kind for a in range(self.attributes.size())])
        state.update(vocabulary_bytes("values", [exported(self.attributes[a].values)
                                                 for a in range(self.attributes.size())]))
        state.update(vocabulary_bytes("declared_names", [exported(waiting_names)]))
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
        cdef bytes kinds = state["kinds"], declared_kinds = state["declared_kinds"]
        cdef VocabularyArrays values = VocabularyArrays("values", state)
        cdef VocabularyArrays declared = VocabularyArrays("declared_values", state)
        cdef size_t a
        read_one("labels", state, self.labels)
        read_one("names", state, self.names)
        read_one("declared_names", state, self.declared_names)
        if not self.names.size() == <size_t>len(kinds) == values.left() or (
                not self.declared_names.size() == <size_t>len(declared_kinds) == declared.left()):
            raise ModelFileError("its vocabularies don't fit together")
        if self.names.size() and not self.labels.size():
            raise ModelFileError("it has attributes and no label")
        self.attributes.resize(len(kinds))
        for a in range(self.attributes.size()):
            self.restore_attribute(self.attributes[a], <uint8_t>kinds[a], values)
            self.full |= self.attributes[a].values.size() >= self.max_values
            if self.attributes[a].kind == KIND_UNDECIDED:
                raise ModelFileError("an attribute is of no known kind")
        values.finish()
        self.declared.resize(len(declared_kinds))
        for a in range(self.declared.size()):
            if self.declared_names.entries[a].tag != TAG_STRING or self.names.find(
                    TAG_STRING, self.declared_names.data(a), self.declared_names.entries[a].size) >= 0:
                raise ModelFileError("a declared attribute is none that waits")
            self.restore_attribute(self.declared[a], <uint8_t>declared_kinds[a], declared)
        declared.finish()

    cdef int restore_attribute(self, Attribute& attribute, uint8_t kind, VocabularyArrays values) except -1:
        if kind > KIND_TEXT:
            raise ModelFileError("an attribute is of no known kind")
        attribute.kind = kind
        values.read(attribute.values, True)
        if attribute.values.size() > (0 if kind == KIND_NUMERIC else self.max_values):
            raise ModelFileError("an attribute has more values than it may have")
        return 0

    def declare(self, name, kind, values=None):
        """Takes note of a column before anything of it is learned (see `declare_attribute`)."""
        self.declare_attribute(name.encode("utf-8", "surrogatepass"), NUMBERS_OF_KINDS[kind or "undecided"],
                               list(values or ()))

    def attribute_kinds(self) -> dict:
        """Name of each attribute learned to its kind, in learned order."""
        return {self.name(a): KINDS[self.attributes[a].kind] for a in range(self.attributes.size())}

    def column_kinds(self) -> dict:
        """Name of each attribute, learned or only declared, to its kind."""
        cdef size_t d
        kinds = self.attribute_kinds()
        for d in self.waiting():
            kinds[value_to_object(TAG_STRING, self.declared_names.data(d), self.declared_names.entries[d].size)] = (
                KINDS[self.declared[d].kind])
        return kinds

    def known_labels(self) -> list:
        """The labels, as first learned."""
        return [self.label(c) for c in range(self.labels.size())]
