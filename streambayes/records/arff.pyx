# distutils: language = c++
"""ARFF: declared attributes, dense and sparse rows, instance weights."""
from __future__ import annotations

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from .escapes cimport unicode_escape
from .numbers cimport NUMBER, is_digit, parse_number
from .reader cimport BAD_WEIGHT, MALFORMED, MORE, RAGGED, RECORD, Field, Reader, Status
from .record cimport ROLE_WEIGHT, Record
from .schema cimport Schema

import re

from .problems import InputError, MalformedHeader
from .reader import shown

cdef const char* MEND = "mend the row, or pass over such ones with --on-error skip"

KEYWORD = re.compile(r"@(\w*)[ \t]*")
BARE_NAME = re.compile(r"[^ \t{]+")
BARE_VALUE = re.compile(r"[^,}]*")
BARE_TYPE = re.compile(r"[A-Za-z]*")
BLANKS = re.compile(r"[ \t]*")
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))")
QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
NUMERIC = ("numeric", "real", "integer")
REFUSED = ("date", "relational")


cdef inline bint is_blank(char c) noexcept nogil:
    return c == 32 or c == 9


cdef inline const char* pass_blanks(const char* p, const char* end) noexcept nogil:
    while p < end and is_blank(p[0]):
        p += 1
    return p


cdef class ArffReader(Reader):
    """ARFF rows, behind the header that `read_header` reads.

    Options: `drop` (names, or positions from 1 or from the end, of attributes that may be of any type).
    """
    cdef list attributes            # the header so far: (name, type, declared values or None, line)
    cdef object inside              # the relational attribute whose own attributes are being passed over
    cdef bint began                 # the header has begun
    cdef vector[string] omitted     # per attribute: what an omitted entry of a sparse row stands for ...
    cdef vector[uint8_t] omitted_quoted
    cdef bint has_weights           # a column is the weight: instance weights are read and not used
    cdef double weight              # of the latest row
    cdef size_t field_count
    cdef vector[uint8_t] given      # per column: the latest sparse row has it
    cdef vector[char] scratch       # values whose escapes had to be undone ...
    cdef vector[size_t] scratched   # ... and which: index, offset

    def __init__(self, Schema schema not None, dict options not None):
        super().__init__(schema, options)
        self.empty_is_missing = True  # an omitted string; an empty field between commas is malformed before
        self.attributes = []

    def begin_file(self, str name not None):
        Reader.begin_file(self, name)
        self.attributes = []
        self.inside = None
        self.began = False

    def configure(self, list columns not None):
        cdef size_t j
        Reader.configure(self, columns)
        self.has_weights = False
        for j in range(self.columns.size()):
            self.has_weights |= self.columns[j].role == ROLE_WEIGHT

    cdef Status next(self, Record& r) except? MALFORMED nogil:
        cdef Status status = self.next_row()
        if status == RECORD:
            status = self.split()
        if status == RECORD:
            status = self.resolve(r)
        if status == RECORD and not self.has_weights:
            r.weight = self.weight
        return status

    cdef Status next_row(self) noexcept nogil:
        """The next line that is neither blank nor a comment."""
        cdef Status status
        cdef size_t at
        while True:
            status = self.next_line()
            if status != RECORD:
                return status
            at = self.record_start
            while is_blank(self.buffer[at]):  # the line isn't blank
                at += 1
            if self.buffer[at] != 37:
                return self.check_bytes(self.record_start, self.record_end)

    # ------------------------------------------------------------ rows
    cdef Status split(self) except? MALFORMED nogil:
        """The line's values to fields."""
        cdef const char* p = self.buffer.data() + self.record_start
        cdef const char* end = self.buffer.data() + self.record_end
        cdef size_t i
        cdef Status status
        self.scratch.clear()
        self.scratched.clear()
        self.weight = 1
        p = pass_blanks(p, end)
        if p[0] == 123:
            status = self.split_sparse(p + 1, end)
        else:
            status = self.split_dense(p, end)
        if status != RECORD:
            return status
        for i in range(0, self.scratched.size(), 2):
            self.fields[self.scratched[i]].data = self.scratch.data() + self.scratched[i + 1]
        return RECORD

    cdef Status split_dense(self, const char* p, const char* end) except? MALFORMED nogil:
        """Values between commas or tabs; one comma too many at the end, and a weight in braces behind all."""
        cdef Field f
        cdef bint separated = False
        cdef Status status
        self.fields.clear()
        self.field_count = 0
        while p < end and p[0] != 37:
            if p[0] == 123 and self.field_count > 0:
                status = self.read_weight(&p, end)
                if status != RECORD:
                    return status
                break
            status = self.read_value(&p, end, &f, False, self.field_count)
            if status != RECORD:
                return status
            self.field_count += 1
            if self.fields.size() < self.columns.size():
                self.fields.push_back(f)
            separated = False
            while p < end and is_blank(p[0]):
                separated |= p[0] == 9
                p += 1
            if p < end and p[0] == 44:
                p = pass_blanks(p + 1, end)
            elif p < end and not separated and p[0] != 37 and p[0] != 123:
                return self.syntax("text behind a closing quote", p, "put a comma between them, or use --on-error skip")
        if self.field_count != self.columns.size():
            return self.fail(RAGGED, -1, self.field_count, self.columns.size())
        return RECORD

    cdef Status split_sparse(self, const char* p, const char* end) except? MALFORMED nogil:
        """`index value` pairs, in any order, from behind the opening brace."""
        cdef size_t index, j, n = self.columns.size()
        cdef const char* start
        cdef Field f
        cdef Status status
        self.fields.resize(n)
        self.given.assign(n, False)
        for j in range(n):
            f.data = NULL
            f.size = 0
            f.quoted = False
            if j < self.omitted.size():
                f.data, f.size = self.omitted[j].data(), <uint32_t>self.omitted[j].size()
                f.quoted = self.omitted_quoted[j]
            self.fields[j] = f
        p = pass_blanks(p, end)
        while p < end and p[0] != 125:
            start = p
            index = 0
            while p < end and is_digit(p[0]):
                if index < n:
                    index = index * 10 + <size_t>(p[0] - 48)
                p += 1
            if p == start or p == end or not is_blank(p[0]):
                return self.syntax("expected an attribute's number and a blank", start, MEND)
            if index >= n:
                return self.syntax("an attribute's number beyond the last one", start,
                                   "they count from 0: mend the row, or use --on-error skip")
            if self.given[index]:
                return self.syntax("an attribute's number for the second time", start, MEND)
            self.given[index] = True
            p = pass_blanks(p, end)
            status = self.read_value(&p, end, &self.fields[index], True, index)
            if status != RECORD:
                return status
            p = pass_blanks(p, end)
            if p < end and p[0] == 44:
                p = pass_blanks(p + 1, end)
            elif p < end and p[0] != 125:
                return self.syntax("expected ',' or '}'", p, MEND)
        if p == end:
            return self.syntax("expected '}'", p, MEND)
        p = pass_blanks(p + 1, end)
        if p < end and p[0] == 44:
            p = pass_blanks(p + 1, end)
        if p < end and p[0] == 123:
            return self.read_weight(&p, end)
        if p < end and p[0] != 37:
            return self.syntax("text behind the row", p, MEND)
        return RECORD

    cdef Status read_value(self, const char** at, const char* end, Field* f, bint sparse,
                           size_t index) except? MALFORMED nogil:
        """A value, in quotes or bare."""
        cdef const char* p = at[0]
        cdef const char* start = p
        if p < end and (p[0] == 39 or p[0] == 34):
            return self.read_quoted(at, end, f, index)
        while p < end and p[0] != 44:
            if sparse:
                if p[0] == 125:
                    break
            elif p[0] == 9 or (p[0] == 37 or p[0] == 123) and p > start and is_blank((p - 1)[0]):
                break  # a tab separates; behind a blank, a comment or the weight may begin
            p += 1
        at[0] = p
        while p > start and is_blank((p - 1)[0]):
            p -= 1
        if p == start:
            return self.syntax("an empty value", p, "write ? where it is missing, or use --on-error skip")
        f.data, f.size = start, <uint32_t>(p - start)
        f.quoted = False
        return RECORD

    cdef Status read_quoted(self, const char** at, const char* end, Field* f, size_t index) except? MALFORMED nogil:
        """A value in quotes, escapes undone; `at` is moved behind the closing quote."""
        cdef const char* opened = at[0]
        cdef const char* p = opened + 1
        cdef const char* q = p
        cdef size_t offset = self.scratch.size()
        cdef char quote = opened[0]
        cdef char[4] utf8
        cdef char c
        cdef int n
        while True:
            while q < end and q[0] != quote and q[0] != 92:
                q += 1
            if q == end or q[0] == 92 and q + 1 == end:
                return self.syntax("a quote that is never closed", opened, "close it, or use --on-error skip")
            if q[0] == quote:
                break
            self.scratch.insert(self.scratch.end(), p, q)
            c = q[1]
            p = q + 2
            if c == 117:
                n = unicode_escape(&p, end, utf8)
                if n == 0:
                    return self.syntax("\\u without four hexadecimal digits", q, MEND)
                if n < 0:
                    return self.syntax("half a surrogate pair", q, "write both halves, or use --on-error skip")
                self.scratch.insert(self.scratch.end(), &utf8[0], &utf8[0] + n)
            else:
                if c == 110:
                    c = 10
                elif c == 114:
                    c = 13
                elif c == 116:
                    c = 9
                self.scratch.push_back(c)
            q = p
        at[0] = q + 1
        f.quoted = True
        if p == opened + 1:
            f.data, f.size = p, <uint32_t>(q - p)
            return RECORD
        self.scratch.insert(self.scratch.end(), p, q)
        self.scratched.push_back(index)
        self.scratched.push_back(offset)
        f.size = <uint32_t>(self.scratch.size() - offset)
        return RECORD

    cdef Status read_weight(self, const char** at, const char* end) noexcept nogil:
        """The row's weight in braces, which ends it."""
        cdef const char* start = at[0] + 1
        cdef const char* p = start
        while p < end and p[0] != 125:
            p += 1
        if p == end:
            return self.syntax("expected '}'", p, MEND)
        if parse_number(start, p, self.decimal, &self.weight) != NUMBER or self.weight < 0:
            return self.fail_on(BAD_WEIGHT, -1, start, p - start)
        p = pass_blanks(p + 1, end)
        if p < end and p[0] != 37:
            return self.syntax("text behind the row's weight", p, MEND)
        at[0] = p
        return RECORD

    # ------------------------------------------------------------ header
    def read_header(self):
        """(name, kind, declared values or None) of each attribute; None while `@data` isn't read.

        [] where the file ends before anything is declared.

        Raises
        ------
        MalformedHeader
            If it can't be read, or its names are empty or repeated.
        InputError
            If an attribute is a date or relational, and not dropped.
        """
        cdef Status status
        while True:
            status = self.next_row()
            if status == MORE:
                if not self.last_block:
                    return None
                if not self.began:
                    return []
                raise MalformedHeader(f"{self.file_name}:{self.line}: the file ends before @data; "
                                      "complete it")
            if status == MALFORMED:
                raise MalformedHeader(self.problem_message())
            self.began = True
            line = self.buffer.data()[self.record_start:self.record_end].decode().strip(" \t")
            if self.declare(line):
                return self.finish_header()

    def declare(self, str line not None):
        """Takes a line of the header; True where it is `@data`."""
        found = KEYWORD.match(line)
        keyword = found[1].lower() if found else ""
        rest = line[found.end():] if found else ""
        if self.inside is not None:
            if keyword == "end" and (not rest or name_of(rest)[0] == self.inside):
                self.inside = None
            return False
        if keyword == "data":
            return True
        if keyword == "attribute":
            self.declare_attribute(rest)
        elif keyword != "relation":
            raise self.refuse(f"{line[:40]!r} in the header; begin its lines with @relation, @attribute or @data")
        return False

    def refuse(self, str what not None):
        return MalformedHeader(f"{self.file_name}:{self.record_line}: {what}")

    def declare_attribute(self, str text not None):
        name, rest = name_of(text)
        if name is None:
            raise self.refuse("an attribute whose name's quote is never closed; close it")
        if not name:
            raise self.refuse("an attribute without a name; name it")
        if any(name == other for other, *_ in self.attributes):
            raise self.refuse(f"the name {shown(name.encode())} comes twice; rename one")
        values = None
        if rest.startswith("{"):
            kind, rest = "list", rest[1:]
            values, rest = values_of(rest)
            if values is None:
                raise self.refuse(f"the list of the attribute {shown(name.encode())} is never closed, or a quote in it; close it "
                                  "on the same line")
        else:
            kind = BARE_TYPE.match(rest)[0]
            rest = rest[len(kind):].strip(" \t")
            kind = kind.lower()
            if kind not in (*NUMERIC, *REFUSED, "string"):
                raise self.refuse(f"the attribute {shown(name.encode())} is of no known type; "
                                  "say numeric, string or a list of values in braces")
            if kind == "relational":
                self.inside = name
        rest = rest.strip(" \t")
        if rest and rest[0] not in "[{%" and kind not in REFUSED:
            raise self.refuse(f"{rest[:40]!r} behind the type of the attribute {shown(name.encode())}; take it out")
        self.attributes.append((name, kind, values, self.record_line))

    def finish_header(self):
        """What the attributes are, and what an omitted entry of a sparse row stands for."""
        cdef bytes omitted
        dropped = self.options.get("drop") or ()
        count = len(self.attributes)
        answer = []
        self.omitted.clear()
        self.omitted_quoted.clear()
        for position, (name, kind, values, line) in enumerate(self.attributes, 1):
            if kind in REFUSED and not {name, str(position), str(position - count - 1)} & set(dropped):
                what = "a date" if kind == "date" else "relational"
                text = shown(name.encode())
                raise InputError(f"{self.file_name}:{line}: the attribute {text} is {what}, which no learner reads; "
                                 f"leave it out with --drop {position if set(text) & set(', ') else text}")
            omitted, quoted = b"", False
            declared = None
            if kind in NUMERIC:
                omitted = b"0"
            elif values is not None:
                declared = list(dict.fromkeys(value for value, _ in values))
                if values:
                    omitted, quoted = values[0][0].encode(), values[0][1]
            self.omitted.push_back(omitted)
            self.omitted_quoted.push_back(quoted)
            answer.append((name, "numeric" if kind in NUMERIC else "nominal", declared))
        return answer


def unescaped(str text not None):
    """A quoted text without its backslashes."""
    if "\\" not in text:
        return text
    text = ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else ESCAPED.get(found[2], found[2]), text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # joins pairs


def name_of(str text not None):
    """A name, quoted or bare, and what follows it; None where its quote isn't closed."""
    if text[:1] in ("'", '"'):
        found = QUOTED.match(text)
        if found is None:
            return None, ""
        name = unescaped(found[1] if found[1] is not None else found[2])
    else:
        found = BARE_NAME.match(text)
        if found is None:
            return "", ""
        name = found[0]
    return name, text[found.end():].strip(" \t")


def values_of(str text not None):
    """The declared values, each with whether it was quoted, from behind the brace; and what follows the list."""
    values = []
    at = BLANKS.match(text).end()
    while at < len(text):
        if text[at] == "}":
            return values, text[at + 1:]
        if text[at] in "'\"":
            found = QUOTED.match(text, at)
            if found is None:
                return None, ""
            values.append((unescaped(found[1] if found[1] is not None else found[2]), True))
        else:
            found = BARE_VALUE.match(text, at)
            if found[0]:
                values.append((found[0].strip(" \t"), False))
        at = BLANKS.match(text, found.end()).end()
        if text[at:at + 1] == ",":
            at = BLANKS.match(text, at + 1).end()
    return None, ""
