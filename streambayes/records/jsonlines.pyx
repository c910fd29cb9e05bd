# distutils: language = c++
"""JSON lines: an object a line (RFC 8259, to the letter)."""
from __future__ import annotations

from libc.math cimport fabs, isinf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from .escapes cimport unicode_escape
from .numbers cimport POWERS, is_digit, marked_digits_to_double, number_key
from .reader cimport (BAD_WEIGHT, CELL_ABSENT, CELL_MISSING, CELL_NON_FINITE, CELL_NUMBER, CELL_VALUE, DUPLICATE,
                      MALFORMED, NESTED, RECORD, WRONG_TYPE, Column, Field, Reader, Status)
from .record cimport (KIND_NOMINAL, KIND_NUMERIC, KIND_UNDECIDED, ROLE_ATTRIBUTE, ROLE_DROP, ROLE_TARGET, ROLE_WEIGHT,
                      TAG_FALSE, TAG_INTEGER, TAG_MISSING, TAG_NESTED, TAG_REAL, TAG_STRING, TAG_TRUE, Record, Value,
                      Vocabulary)
from .schema cimport Schema

cdef size_t MOST_DIGITS = 4300  # of a label: Python reads no longer integers
cdef double LARGEST = 1e150

cdef const char* MEND = "mend the record, or pass over such ones with --on-error skip"

cdef extern from * nogil:
    int __builtin_ctzll(uint64_t)

cdef uint64_t ONES = 0x0101010101010101
cdef uint64_t HIGHS = 0x8080808080808080


cdef inline const char* pass_blanks(const char* p, const char* end) noexcept nogil:
    while p < end and (p[0] == 32 or p[0] == 9 or p[0] == 13):
        p += 1
    return p


cdef inline const char* pass_plain(const char* p, const char* end) noexcept nogil:
    """On to the first quote, backslash or control character, eight bytes at a time."""
    cdef uint64_t word, quote, backslash, found
    while end - p >= 8:
        memcpy(&word, p, 8)
        quote = word ^ (ONES * 34)
        backslash = word ^ (ONES * 92)
        found = (((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((word - ONES * 32) & ~word)) & HIGHS
        if found:
            return p + (__builtin_ctzll(found) >> 3)
        p += 8
    while p < end and p[0] != 34 and p[0] != 92 and <unsigned char>p[0] >= 32:
        p += 1
    return p


cdef inline bint is_number(uint8_t tag) noexcept nogil:
    return tag == TAG_INTEGER or tag == TAG_REAL


cdef class JsonLinesReader(Reader):
    """JSON lines; columns come into being as their members are first seen.

    The first value that isn't null decides an attribute's kind, unless `configure` has named it. Of a string `fields`
    holds the text, of a number in a numeric column `x`, of any other number the bytes that it is interned by.
    """

    def __init__(self, Schema schema not None, dict options not None):
        super().__init__(schema, options)
        self.empty_is_missing = False

    def configure(self, list columns not None):
        """As for all readers; these columns need never appear, and others may."""
        cdef size_t j
        cdef Vocabulary none
        Reader.configure(self, columns)
        self.names = none
        self.guessable.clear()
        self.order.clear()
        self.fields.clear()
        self.fields.resize(self.columns.size())
        self.raw.clear()
        self.raw.resize(self.columns.size())
        for j in range(self.columns.size()):
            self.adopt_kind(&self.columns[j])
            self.names.intern(TAG_STRING, self.columns[j].name.data(), <uint32_t>self.columns[j].name.size())
            self.guessable.push_back(is_guessable(self.columns[j].name.data(), self.columns[j].name.size()))

    def member_order(self) -> list:
        """The columns of the latest record's members, in its order."""
        return list(self.order)

    def raw_text(self, size_t column) -> bytes:
        """The latest record's text of a column, as it came."""
        if column >= self.fields.size() or self.fields[column].cell == CELL_ABSENT:
            return b""
        return self.raw[column].data[:self.raw[column].size]

    cdef Status next(self, Record& r) except? MALFORMED nogil:
        cdef Status status = self.next_line()
        if status == RECORD:
            status = self.check_bytes(self.record_start, self.record_end)
        if status != RECORD:
            return status
        if self.known_attributes != self.schema.attributes.size():
            self.look_up_columns()
        status = self.parse()
        self.order.resize(self.members)
        return self.fill(r) if status == RECORD else status

    # ------------------------------------------------------------ columns
    cdef int look_up_columns(self) except -1 nogil:
        cdef size_t j
        Reader.look_up_columns(self)
        for j in range(self.columns.size()):
            self.adopt_kind(&self.columns[j])
        return 0

    cdef int adopt_kind(self, Column* column) noexcept nogil:
        """What the schema knows of an attribute's kind holds for its column."""
        if column.kind == KIND_UNDECIDED and column.attribute >= 0:
            column.kind = self.schema.attributes[column.attribute].kind
        return 0

    cdef int32_t find_column(self, const char* p, uint32_t n) except -1 nogil:
        """The column of a member; a new one where the name is new."""
        cdef int32_t j = self.names.find(TAG_STRING, p, n)
        cdef Column* column
        if j >= 0:
            return j
        j = self.names.intern(TAG_STRING, p, n)
        self.columns.resize(j + 1)
        self.fields.resize(j + 1)
        self.raw.resize(j + 1)
        self.guessable.push_back(is_guessable(p, n))
        column = &self.columns[j]
        column.name.assign(p, n)
        column.attribute = self.schema.names.find(TAG_STRING, p, n)
        self.adopt_kind(column)
        return j

    # ------------------------------------------------------------ text to fields
    cdef Status parse(self) except? MALFORMED nogil:
        """The line's members to fields; all else is left absent."""
        cdef const char* p = self.buffer.data() + self.record_start
        cdef const char* end = self.buffer.data() + self.record_end
        cdef size_t i
        cdef Status status
        for i in range(self.order.size()):
            self.fields[self.order[i]].cell = CELL_ABSENT
        self.scratch.clear()
        self.scratched.clear()
        self.members = 0
        p = pass_blanks(p, end)
        if p == end or p[0] != 123:
            if p < end and p[0] == 91:
                return self.syntax("a list where an object should be", p,
                                   "JSON lines have one object a line: write each element on a line of its own")
            return self.syntax("expected '{'", p, "JSON lines have one object a line")
        p = pass_blanks(p + 1, end)
        if p < end and p[0] == 125:
            p += 1
        else:
            while True:
                status = self.read_member(&p, end)
                if status != RECORD:
                    return status
                p = pass_blanks(p, end)
                if p < end and p[0] == 44:
                    p = pass_blanks(p + 1, end)
                elif p < end and p[0] == 125:
                    p += 1
                    break
                else:
                    return self.expected("expected ',' or '}'", p, end)
        p = pass_blanks(p, end)
        if p < end:
            return self.syntax("more text behind the object", p, "write one object a line, or use --on-error skip")
        for i in range(0, self.scratched.size(), 2):
            self.fields[self.scratched[i]].data = self.scratch.data() + self.scratched[i + 1]
        return RECORD

    cdef Status read_member(self, const char** at, const char* end) except? MALFORMED nogil:
        """A name, a colon and a value."""
        cdef const char* p = at[0]
        cdef size_t offset, n, i = self.members
        cdef int32_t j = -1
        cdef Value name
        cdef Status status
        if p == end or p[0] != 34:
            return self.expected("expected a member's name in double quotes", p, end)
        p += 1
        if i < self.order.size() and self.guessable[self.order[i]]:
            n = self.columns[self.order[i]].name.size()
            if <size_t>(end - p) > n and p[n] == 34 and memcmp(p, self.columns[self.order[i]].name.data(), n) == 0:
                j = self.order[i]
                p += n + 1
        if j < 0:
            status = self.read_string(&p, end, &name, &offset)
            if status != RECORD:
                return status
            if name.data == NULL:
                name.data = self.scratch.data() + offset
            j = self.find_column(name.data, name.size)
            self.scratch.resize(offset)
        if self.fields[j].cell != CELL_ABSENT:
            return self.fail_on(DUPLICATE, j, self.columns[j].name.data(), self.columns[j].name.size())
        self.fields[j].cell = CELL_VALUE
        if i < self.order.size():
            self.order[i] = j
        else:
            self.order.push_back(j)
        self.members += 1
        p = pass_blanks(p, end)
        if p == end or p[0] != 58:
            return self.expected("expected ':'", p, end)
        p = pass_blanks(p + 1, end)
        at[0] = p
        status = self.read_value(at, end, j)
        self.raw[j].data, self.raw[j].size, self.raw[j].tag = p, <uint32_t>(at[0] - p), self.fields[j].tag
        return status

    cdef Status read_value(self, const char** at, const char* end, size_t j) except? MALFORMED nogil:
        """A value to the field of its column."""
        cdef const char* p = at[0]
        cdef Field* f = &self.fields[j]
        cdef Value v
        cdef size_t offset
        cdef Status status
        f.data, f.size = p, 0
        if p == end:
            return self.expected("expected a value", p, end)
        if p[0] == 34:
            at[0] += 1
            status = self.read_string(at, end, &v, &offset)
            f.data, f.size, f.tag = v.data, v.size, TAG_STRING
            if v.data == NULL and status == RECORD:
                self.scratched.push_back(j)
                self.scratched.push_back(offset)
            return status
        if p[0] == 45 or is_digit(p[0]):
            status = self.read_number(at, end, f)
            if status != RECORD or (self.columns[j].role == ROLE_ATTRIBUTE and (
                    self.columns[j].kind == KIND_NUMERIC or self.columns[j].kind == KIND_UNDECIDED)):
                return status
            return self.make_key(j)
        if p[0] == 123 or p[0] == 91:
            status = self.pass_nested(at, end)
            f.size, f.tag = <uint32_t>(at[0] - p), TAG_NESTED
            return status
        return self.read_word(at, end, &f.tag)

    cdef Status read_string(self, const char** at, const char* end, Value* v, size_t* offset) except? MALFORMED nogil:
        """A string, from behind its opening quote. With escapes in it: data is NULL, and the text in `scratch`."""
        cdef const char* p = at[0]
        cdef const char* q = pass_plain(p, end)
        cdef Status status
        offset[0] = self.scratch.size()
        if q < end and q[0] == 34:
            v.data, v.size = p, <uint32_t>(q - p)
            at[0] = q + 1
            return RECORD
        v.data = NULL
        v.size = 0
        while True:
            self.scratch.insert(self.scratch.end(), p, q)
            if q == end:
                return self.syntax("the line ends inside a string", q, MEND)
            if q[0] == 34:
                break
            if q[0] != 92:
                return self.syntax("a control character in a string", q,
                                   "write it as an escape, or use --on-error skip")
            p = q + 1
            status = self.read_escape(&p, end)
            if status != RECORD:
                return status
            q = pass_plain(p, end)
        v.size = <uint32_t>(self.scratch.size() - offset[0])
        at[0] = q + 1
        return RECORD

    cdef Status read_escape(self, const char** at, const char* end) except? MALFORMED nogil:
        """What stands behind a backslash, to the end of `scratch`."""
        cdef const char* p = at[0]
        cdef char[4] utf8
        cdef char c
        cdef int n
        if p == end:
            return self.syntax("the line ends inside a string", p, MEND)
        c = p[0]
        at[0] = p + 1
        if c == 117:  # u
            n = unicode_escape(at, end, utf8)
            if n == 0:
                return self.syntax("\\u without four hexadecimal digits", p - 1, MEND)
            if n < 0:
                return self.syntax("half a surrogate pair", p - 1, "write both halves, or use --on-error skip")
            self.scratch.insert(self.scratch.end(), &utf8[0], &utf8[0] + n)
            return RECORD
        if c == 98:
            c = 8
        elif c == 102:
            c = 12
        elif c == 110:
            c = 10
        elif c == 114:
            c = 13
        elif c == 116:
            c = 9
        elif c != 34 and c != 92 and c != 47:
            return self.syntax("an escape that JSON hasn't got", p - 1, MEND)
        self.scratch.push_back(c)
        return RECORD

    cdef Status read_number(self, const char** at, const char* end, Field* f) noexcept nogil:
        """A number: x, and TAG_INTEGER where it has neither a point nor an exponent."""
        cdef const char* p = at[0]
        cdef const char* digits
        cdef const char* part
        cdef uint64_t m = 0
        cdef long count, exponent = 0, e = 0
        cdef bint negative = p[0] == 45, negative_exponent = False
        f.tag = TAG_INTEGER
        p += negative
        digits = p
        if p < end and p[0] == 48:
            p += 1
        else:
            while p < end and is_digit(p[0]):
                m = m * 10 + <uint64_t>(p[0] - 48)
                p += 1
        if p == digits:
            return self.expected("expected a digit", p, end)
        count = p - digits
        if p < end and p[0] == 46:
            p += 1
            part = p
            while p < end and is_digit(p[0]):
                m = m * 10 + <uint64_t>(p[0] - 48)
                p += 1
            if p == part:
                return self.expected("expected a digit", p, end)
            exponent = -(p - part)
            count -= exponent
            f.tag = TAG_REAL
        if p < end and (p[0] | 32) == 101:
            p += 1
            if p < end and (p[0] == 45 or p[0] == 43):
                negative_exponent = p[0] == 45
                p += 1
            part = p
            while p < end and is_digit(p[0]):
                if e < 100000:
                    e = e * 10 + (p[0] - 48)
                p += 1
            if p == part:
                return self.expected("expected a digit", p, end)
            exponent += -e if negative_exponent else e
            f.tag = TAG_REAL
        f.data, f.size = at[0], <uint32_t>(p - at[0])
        # Clinger (1990), as in numbers.pxd
        if count <= 19 and m <= <uint64_t>9007199254740992 and -22 <= exponent <= 22:
            f.x = <double>m
            f.x = f.x / POWERS[-exponent] if exponent < 0 else f.x * POWERS[exponent]
        else:
            f.x = marked_digits_to_double(digits, p, 46)
        if negative and not (f.tag == TAG_INTEGER and m == 0 and count == 1):  # the integer -0 is 0
            f.x = -f.x
        at[0] = p
        return RECORD

    cdef Status make_key(self, size_t j) except? MALFORMED nogil:
        """The bytes by which a number is interned: 1 and 1.0 have the same, -0 those of 0."""
        cdef Field* f = &self.fields[j]
        if f.tag == TAG_INTEGER and f.size == 2 and f.data[0] == 45 and f.data[1] == 48:
            f.data, f.size = f.data + 1, 1
        if self.columns[j].role == ROLE_TARGET and (
                f.tag == TAG_REAL and isinf(f.x) or f.tag == TAG_INTEGER and f.size > MOST_DIGITS):
            return self.syntax("a number that is too large for a label", f.data,
                               "write it as a string, or use --on-error skip")
        if f.tag == TAG_REAL:
            if number_key(f.x, self.key):
                f.tag = TAG_INTEGER
            self.scratched.push_back(j)
            self.scratched.push_back(self.scratch.size())
            f.size = <uint32_t>self.key.size()
            self.scratch.insert(self.scratch.end(), self.key.data(), self.key.data() + self.key.size())
        return RECORD

    cdef Status read_word(self, const char** at, const char* end, uint8_t* tag) noexcept nogil:
        """true, false or null."""
        cdef const char* p = at[0]
        if end - p >= 4 and memcmp(p, "true", 4) == 0:
            tag[0] = TAG_TRUE
            at[0] += 4
        elif end - p >= 5 and memcmp(p, "false", 5) == 0:
            tag[0] = TAG_FALSE
            at[0] += 5
        elif end - p >= 4 and memcmp(p, "null", 4) == 0:
            tag[0] = TAG_MISSING
            at[0] += 4
        else:
            return self.expected("expected a value (a string in double quotes, a number, true, false or null)", p, end)
        return RECORD

    cdef Status pass_nested(self, const char** at, const char* end) except? MALFORMED nogil:
        """On behind an object or a list, however deep: its open brackets are kept in `nesting`."""
        cdef const char* p = at[0]
        cdef Value v
        cdef Field number
        cdef size_t offset
        cdef uint8_t tag
        cdef Status status
        self.nesting.clear()
        while True:  # at a value
            if p < end and (p[0] == 123 or p[0] == 91):
                self.nesting.push_back(p[0] + 2)  # what closes it
                p = pass_blanks(p + 1, end)
                if p < end and p[0] == self.nesting.back():
                    pass
                elif self.nesting.back() == 125:
                    status = self.pass_name(&p, end)
                    if status != RECORD:
                        return status
                    continue
                else:
                    continue
            else:
                if p < end and p[0] == 34:
                    p += 1
                    status = self.read_string(&p, end, &v, &offset)
                    if status == RECORD:
                        self.scratch.resize(offset)
                elif p < end and (p[0] == 45 or is_digit(p[0])):
                    status = self.read_number(&p, end, &number)
                else:
                    status = self.read_word(&p, end, &tag)
                if status != RECORD:
                    return status
            while True:  # behind a value, or at the end of an empty bracket
                p = pass_blanks(p, end)
                if p < end and p[0] == self.nesting.back():
                    p += 1
                    self.nesting.pop_back()
                    if self.nesting.empty():
                        at[0] = p
                        return RECORD
                elif p < end and p[0] == 44:
                    p = pass_blanks(p + 1, end)
                    break
                elif self.nesting.back() == 125:
                    return self.expected("expected ',' or '}'", p, end)
                else:
                    return self.expected("expected ',' or ']'", p, end)
            if self.nesting.back() == 125:
                status = self.pass_name(&p, end)
                if status != RECORD:
                    return status

    cdef Status pass_name(self, const char** at, const char* end) except? MALFORMED nogil:
        """On behind the name and the colon of a nested member."""
        cdef Value v
        cdef size_t offset
        cdef Status status
        if at[0] == end or at[0][0] != 34:
            return self.expected("expected a member's name in double quotes", at[0], end)
        at[0] += 1
        status = self.read_string(at, end, &v, &offset)
        if status != RECORD:
            return status
        self.scratch.resize(offset)
        at[0] = pass_blanks(at[0], end)
        if at[0] == end or at[0][0] != 58:
            return self.expected("expected ':'", at[0], end)
        at[0] = pass_blanks(at[0] + 1, end)
        return RECORD

    cdef Status expected(self, const char* what, const char* at, const char* end) noexcept nogil:
        if at == end:
            return self.syntax("the line ends before its object does", at, MEND)
        return self.syntax(what, at, MEND)

    # ------------------------------------------------------------ fields to a record
    cdef Status fill(self, Record& r) except? MALFORMED nogil:
        """The members to a record, in their order; a record that is malformed decides no kinds."""
        cdef size_t i
        cdef Status status = RECORD
        r.clear(self.schema.attributes.size())
        self.missing_cells = self.non_finite_cells = 0
        self.decided.clear()
        for i in range(self.order.size()):
            status = self.fill_cell(r, self.order[i])
            if status != RECORD:
                break
        if status != RECORD:
            for i in range(self.decided.size()):
                self.columns[self.decided[i]].kind = KIND_UNDECIDED
        return status

    cdef Status fill_cell(self, Record& r, size_t j) except? MALFORMED nogil:
        cdef Column* column = &self.columns[j]
        cdef Field* f = &self.fields[j]
        cdef const Value* raw = &self.raw[j]
        cdef bint number = is_number(f.tag)
        cdef Value v
        if f.tag == TAG_NESTED:
            if column.role != ROLE_DROP:
                return self.fail_on(NESTED, <int32_t>j, column.name.data(), column.name.size())
            return RECORD
        if (f.tag == TAG_MISSING or f.tag == TAG_STRING and self.is_marker(f.data, f.size)
                or number and self.is_marker(raw.data, raw.size)):
            f.cell = CELL_MISSING
            self.missing_cells += column.role == ROLE_ATTRIBUTE
            return RECORD
        v.data, v.size, v.tag = f.data, f.size, f.tag
        if column.role == ROLE_DROP:
            return RECORD
        if column.role == ROLE_TARGET:
            self.set_label(r, v)
            return RECORD
        if column.role == ROLE_WEIGHT:
            if not (number and 0 <= f.x <= LARGEST):
                return self.fail_on(BAD_WEIGHT, <int32_t>j, raw.data, raw.size)
            f.cell = CELL_NUMBER
            r.weight = f.x
            return RECORD
        if column.kind == KIND_UNDECIDED:
            column.kind = KIND_NUMERIC if number else KIND_NOMINAL
            self.decided.push_back(<int32_t>j)
        if number and not fabs(f.x) <= LARGEST:
            f.cell = CELL_NON_FINITE
            self.non_finite_cells += 1
        elif column.kind == KIND_NOMINAL:
            self.set_nominal(r, column, v)
        elif column.kind == KIND_NUMERIC:
            if not number:
                return self.fail_on(WRONG_TYPE, <int32_t>j, raw.data, raw.size)
            f.cell = CELL_NUMBER
            self.set_numeric(r, column, f.x)
        return RECORD


cdef bint is_guessable(const char* p, size_t n) noexcept nogil:
    """Whether JSON may write the name as it is, so that equal bytes are the same name."""
    return pass_plain(p, p + n) == p + n
