"""Bytes to records: what all formats share."""
from __future__ import annotations

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdio cimport snprintf
from libc.string cimport memchr, memcmp, memmove

from .numbers cimport NON_FINITE, NOT_A_NUMBER, NUMBER, CellKind, is_identifier, parse_number
from .record cimport (KIND_NOMINAL, KIND_NUMERIC, KIND_TEXT, KIND_UNDECIDED, MISSING, ROLE_ATTRIBUTE, ROLE_DROP,
                      ROLE_TARGET, ROLE_WEIGHT, TAG_FALSE, TAG_MISSING, TAG_STRING, TAG_TRUE, UNSEEN, Attribute, Fresh)
from .schema cimport find_value, object_to_value, value_to_object
from .utf8 cimport first_bad_byte, has_high_bit

from .schema import KINDS, NUMBERS_OF_KINDS

cdef size_t LONGEST = 16 << 20

ENOUGH, IS_MALFORMED = RECORD, MALFORMED
ROLES = {"attribute": ROLE_ATTRIBUTE, "target": ROLE_TARGET, "weight": ROLE_WEIGHT, "drop": ROLE_DROP}
ROLE_NAMES = {number: name for name, number in ROLES.items()}


cdef class Reader:
    """Turns the bytes of one format into records.

    Parameters
    ----------
    schema : Schema
        Where names, values and labels are looked up; reading never writes to it.
    options : dict
        `missing` (list of str), `decimal`, `comment`, `skip_lines`, `encoding` and the format's own.
    """

    def __init__(self, Schema schema not None, dict options not None):
        cdef bytes marker
        self.schema = schema
        self.options = options
        self.file_name = "<stdin>"
        self.decimal = ord(options.get("decimal", "."))
        self.comment = (options.get("comment") or "").encode()
        self.transcoded = bool(options.get("encoding"))
        self.empty_is_missing = True
        for marker in [m.encode() for m in options.get("missing", ["?"])]:
            if marker:
                self.markers.push_back(marker)
                self.marker_start[marker[0]] = True
        self.line = 1
        self.file_number = -1

    # ------------------------------------------------------------ bytes in
    def begin_file(self, str name not None):
        """A new file begins: its lines count from 1."""
        self.file_name = name
        self.file_number += 1
        self.buffer.clear()
        self.base = 0
        self.at = self.searched = self.record_start = self.record_end = 0
        self.line = 1
        self.last_block = self.discarding = False
        self.at_mark = True
        self.lines_to_skip = self.options.get("skip_lines", 0)

    def feed(self, bytes block not None):
        """More bytes of the file; what was read of the last ones is let go."""
        cdef size_t left = self.buffer.size() - self.at
        cdef const char* p = PyBytes_AS_STRING(block)
        if self.at > 0:
            memmove(self.buffer.data(), self.buffer.data() + self.at, left)
            self.buffer.resize(left)
            self.searched = self.searched - self.at if self.searched > self.at else 0
            self.base += self.at
            self.at = 0
        self.buffer.insert(self.buffer.end(), p, p + PyBytes_GET_SIZE(block))

    def end_of_file(self):
        """No more bytes come in this file: its last line may lack a newline."""
        self.last_block = True

    def position(self) -> tuple:
        """Where reading goes on: the file's number from 0, bytes of it (unpacked) before that, the line."""
        return self.file_number, self.base + self.at, self.line

    def latest_bytes(self, size_t most) -> bytes:
        """The last bytes that were read of the latest record."""
        cdef size_t start = self.record_start
        if self.at > start + most:
            start = self.at - most
        return self.buffer.data()[start:self.at]

    def go_to(self, long file_number, size_t offset, size_t line):
        """Reading goes on at a record's start: the next bytes fed are those from `offset` on."""
        self.file_number = file_number
        self.buffer.clear()
        self.at = self.searched = self.record_start = self.record_end = 0
        self.base, self.line = offset, line
        self.at_mark = offset == 0
        self.last_block = self.discarding = False
        self.lines_to_skip = 0

    cdef bint skip_mark(self) noexcept nogil:
        """Passes over a byte-order mark; False while it can't be told yet."""
        cdef size_t n = self.buffer.size() - self.at
        if n < 3 and not self.last_block and (
                n == 0 or memcmp(self.buffer.data() + self.at, b"\xef\xbb\xbf", n) == 0):
            return False
        if n >= 3 and memcmp(self.buffer.data() + self.at, b"\xef\xbb\xbf", 3) == 0:
            self.at += 3
            self.searched = self.at
        self.at_mark = False
        return True

    cdef bint find_line(self, size_t* end) noexcept nogil:
        """Where the line at `at` ends (its newline, or the end of the file); False where it can't be told."""
        cdef const char* p = self.buffer.data()
        cdef const char* newline
        cdef size_t size = self.buffer.size()
        if self.searched < self.at:
            self.searched = self.at
        newline = NULL
        if self.searched < size:
            newline = <const char*>memchr(p + self.searched, 10, size - self.searched)
        if newline != NULL:
            end[0] = newline - p
            self.searched = end[0]
            return True
        self.searched = size
        end[0] = size
        return self.last_block and self.at < size

    cdef Status too_long(self) noexcept nogil:
        """After find_line has failed: MORE, or a record that has outgrown its limit."""
        if self.buffer.size() - self.at <= LONGEST or self.last_block:
            return MORE
        self.record_line = self.line
        self.discarding = True
        return self.fail(TOO_LONG, -1, 0, 0)

    cdef Status check_bytes(self, size_t start, size_t end) noexcept nogil:
        """RECORD where the bytes are UTF-8 and not too many."""
        cdef const char* p = self.buffer.data() + start
        cdef const char* stop = self.buffer.data() + end
        cdef const char* bad
        cdef size_t byte
        if end - start > LONGEST:
            return self.fail(TOO_LONG, -1, 0, 0)
        if not has_high_bit(p, stop):
            return RECORD
        bad = first_bad_byte(p, stop)
        if bad == stop:
            return RECORD
        byte = <unsigned char>bad[0]
        if self.transcoded and byte == 0xED and stop - bad > 2:  # U+DC00 + byte, as surrogateescape has it
            byte = ((<unsigned char>bad[1] & 3) << 6) | (<unsigned char>bad[2] & 63)
        return self.fail(BAD_BYTE, -1, byte, bad - p + 1)

    cdef Status next_line(self) noexcept nogil:
        """The next line that is neither blank nor a comment: record_start and record_end; `at` is behind it."""
        cdef const char* p
        cdef size_t end
        if self.at_mark and not self.skip_mark():
            return MORE
        while True:
            if not self.find_line(&end):
                if self.discarding:
                    self.at = self.buffer.size()
                    return MORE
                return self.too_long()
            self.record_start, self.record_end, self.record_line = self.at, end, self.line
            self.at = end + 1 if end < self.buffer.size() else end
            self.line += 1
            if self.discarding or self.lines_to_skip > 0:
                self.lines_to_skip -= not self.discarding
                self.discarding = False
                continue
            p = self.buffer.data()
            if end > self.record_start and p[end - 1] == 13:
                end -= 1
                self.record_end = end
            if self.comment.size() > 0 and end - self.record_start >= self.comment.size() and memcmp(
                    p + self.record_start, self.comment.data(), self.comment.size()) == 0:
                continue
            end = self.record_start
            while end < self.record_end and (p[end] == 32 or p[end] == 9):
                end += 1
            if end < self.record_end:
                return RECORD

    # ------------------------------------------------------------ cells
    cdef Status next(self, Record& r) except? MALFORMED nogil:
        return MORE

    cdef bint is_marker(self, const char* p, size_t n) noexcept nogil:
        cdef size_t i
        if n == 0:
            return self.empty_is_missing
        if not self.marker_start[<unsigned char>p[0]]:
            return False
        for i in range(self.markers.size()):
            if self.markers[i].size() == n and memcmp(self.markers[i].data(), p, n) == 0:
                return True
        return False

    cdef int look_up_columns(self) except -1 nogil:
        """Attributes that were learned since the last look get their codes."""
        cdef size_t j
        self.known_attributes = self.schema.attributes.size()
        for j in range(self.columns.size()):
            if self.columns[j].role == ROLE_ATTRIBUTE and self.columns[j].attribute < 0:
                self.columns[j].attribute = self.schema.names.find(
                    TAG_STRING, self.columns[j].name.data(), <uint32_t>self.columns[j].name.size())
        return 0

    cdef int set_nominal(self, Record& r, Column* column, const Value& v) except -1 nogil:
        cdef int32_t code, a = column.attribute
        if a >= 0:
            code = find_value(self.schema.attributes[a], v, self.schema.max_values)
            r.code[a] = code
            if code != UNSEEN:
                return 0
        return self.add_fresh(r, column, v)

    cdef int add_fresh(self, Record& r, Column* column, const Value& v) except -1 nogil:
        cdef Fresh fresh
        fresh.attribute, fresh.kind, fresh.value = column.attribute, KIND_NOMINAL, v
        fresh.name.data, fresh.name.size, fresh.name.tag = column.name.data(), <uint32_t>column.name.size(), TAG_STRING
        r.fresh.push_back(fresh)
        return 0

    cdef int set_numeric(self, Record& r, Column* column, double x) except -1 nogil:
        cdef Fresh fresh
        if column.attribute >= 0:
            r.x[column.attribute] = x
            return 0
        fresh.kind, fresh.x = KIND_NUMERIC, x
        fresh.name.data, fresh.name.size, fresh.name.tag = column.name.data(), <uint32_t>column.name.size(), TAG_STRING
        r.fresh.push_back(fresh)
        return 0

    cdef int set_label(self, Record& r, const Value& v) except -1 nogil:
        r.label = v
        r.label_code = self.schema.labels.find(v.tag, v.data, v.size)
        if r.label_code < 0:
            r.label_code = UNSEEN
        return 0

    cdef Status resolve(self, Record& r) except? MALFORMED nogil:
        """The fields of a text format to a record."""
        cdef size_t j, n = self.columns.size()
        cdef Column* column
        cdef Field* f
        cdef Value v
        cdef CellKind kind
        cdef const Attribute* attributes
        cdef size_t max_values = self.schema.max_values
        cdef int32_t code
        if self.known_attributes != self.schema.attributes.size():
            self.look_up_columns()
        attributes = self.schema.attributes.data()
        r.clear(self.schema.attributes.size())
        self.missing_cells = self.non_finite_cells = 0
        v.tag = TAG_STRING
        for j in range(n):
            column = &self.columns[j]
            f = &self.fields[j]
            f.cell = CELL_VALUE
            if not f.quoted and (f.size == 0 or self.marker_start[<unsigned char>f.data[0]]) and (
                    self.is_marker(f.data, f.size)):
                f.cell = CELL_MISSING
                self.missing_cells += column.role == ROLE_ATTRIBUTE
                continue
            if column.role == ROLE_ATTRIBUTE and column.kind == KIND_NOMINAL:
                v.data, v.size = f.data, f.size
                if column.strict and column.declared.find(TAG_STRING, v.data, v.size) < 0:
                    return self.fail_on(UNDECLARED, <int32_t>j, v.data, v.size)
                code = UNSEEN
                if column.attribute >= 0:
                    code = find_value(attributes[column.attribute], v, max_values)
                    r.code[column.attribute] = code
                if code == UNSEEN:
                    self.add_fresh(r, column, v)
            elif column.role == ROLE_ATTRIBUTE and column.kind == KIND_NUMERIC:
                kind = parse_number(f.data, f.data + f.size, self.decimal, &f.x)
                if kind == NUMBER:
                    f.cell = CELL_NUMBER
                    if column.attribute >= 0:
                        r.x[column.attribute] = f.x
                    else:
                        self.set_numeric(r, column, f.x)
                elif kind == NON_FINITE:
                    f.cell = CELL_NON_FINITE
                    self.non_finite_cells += 1
                elif self.is_padded_marker(f):
                    f.cell = CELL_MISSING
                    self.missing_cells += 1
                else:
                    return self.fail_on(NOT_NUMERIC, <int32_t>j, f.data, f.size)
            elif column.role == ROLE_TARGET:
                v.data, v.size = f.data, f.size
                if column.strict and column.declared.find(TAG_STRING, v.data, v.size) < 0:
                    return self.fail_on(UNDECLARED, <int32_t>j, v.data, v.size)
                self.set_label(r, v)
            elif column.role == ROLE_WEIGHT:
                kind = parse_number(f.data, f.data + f.size, self.decimal, &f.x)
                if kind != NUMBER or f.x < 0:
                    return self.fail_on(BAD_WEIGHT, <int32_t>j, f.data, f.size)
                f.cell = CELL_NUMBER
                r.weight = f.x
        return RECORD

    # ------------------------------------------------------------ problems
    cdef Status fail(self, ProblemCode code, int32_t column, size_t a, size_t b) noexcept nogil:
        self.problem.code, self.problem.column = code, column
        self.problem.line, self.problem.a, self.problem.b = self.record_line, a, b
        return MALFORMED

    cdef Status fail_on(self, ProblemCode code, int32_t column, const char* p, size_t n) noexcept nogil:
        self.problem_text.assign(p, n if n < 200 else 200)
        return self.fail(code, column, 0, 0)

    cdef Status syntax(self, const char* what, const char* at, const char* advice) noexcept nogil:
        """A sentence of a format's own about a place in the latest line."""
        cdef char sentence[256]
        cdef size_t n = snprintf(sentence, sizeof(sentence), "%s at position %zu; %s", what,
                 <size_t>(at - self.buffer.data()) - self.record_start + 1, advice)
        self.problem_text.assign(sentence, n if n < sizeof(sentence) else sizeof(sentence) - 1)
        return self.fail(BAD_SYNTAX, -1, 0, 0)

    def problem_message(self) -> str:
        """The latest problem as `FILE:LINE: what is wrong; what to do`."""
        p = self.problem
        value = shown(bytes(self.problem_text))
        column = ""
        if p.column >= 0:
            column = shown(bytes(self.columns[p.column].name))
        if p.code == RAGGED:
            what = (f"{p.a} field{'s' * (p.a != 1)} where the header has {p.b}; "
                    "mend the record, or pass over such ones with --on-error skip")
            if self.options.get("no_header"):
                what = what.replace("the header has", "the first record has")
        elif p.code == NOT_NUMERIC:
            what = (f"'{value}' in the numeric column {column} is not a number; "
                    f"mend it, read the column with --nominal, name it with --missing, or use --on-error skip")
        elif p.code == WRONG_TYPE:
            what = (f"{value} in {column}, whose first value was a number; "
                    f"mend it, read the member with --nominal, or use --on-error skip")
        elif p.code == BAD_WEIGHT:
            what = f"the weight '{value}' is not a number from 0; mend it, or use --on-error skip"
        elif p.code == BAD_BYTE:
            what = (f"byte 0x{p.a:02x} at position {p.b} is not {self.options.get('encoding') or 'UTF-8'}; "
                    "name the right one with --encoding, or use --on-error skip")
        elif p.code == TOO_LONG:
            what = "a record of more than 16 MiB; check the quotes and line ends, or use --on-error skip"
        elif p.code == OPEN_QUOTE:
            what = "a quote is opened here and never closed; close it, or read quotes as plain characters with --format tsv"
        elif p.code == UNDECLARED:
            what = f"'{value}' is not among the values declared for {column}; declare it, or use --on-error skip"
        elif p.code == DUPLICATE:
            what = f"the member '{value}' comes twice; give each member once, or use --on-error skip"
        elif p.code == NESTED:
            what = f"the member '{value}' holds an object or a list; flatten it, or leave it out with --drop"
        else:
            what = bytes(self.problem_text).decode("utf-8", "replace")
        return f"{self.file_name}:{p.line}: {what}"

    # ------------------------------------------------------------ columns
    def read_header(self):
        """Names in the header, or None while it isn't whole; formats without one answer []."""
        return []

    def configure(self, list columns not None):
        """Sets the part each column plays: (name, role, kind or None, declared values or None) each."""
        cdef Column* c
        cdef Value v
        cdef list keep = []
        self.columns.clear()
        for name, role, kind, declared in columns:
            self.columns.resize(self.columns.size() + 1)
            c = &self.columns.back()
            c.name = name.encode("utf-8", "surrogatepass")
            c.role = ROLES[role]
            c.kind = NUMBERS_OF_KINDS[kind or "undecided"]
            c.strict = declared is not None
            for value in declared or ():
                v = object_to_value(value, keep)
                c.declared.intern(v.tag, v.data, v.size)
        self.look_up_columns()

    def layout(self) -> list:
        """(name, role, kind) of each column, in stream order."""
        cdef size_t j
        return [(text_of(self.columns[j].name), ROLE_NAMES[self.columns[j].role], KINDS[self.columns[j].kind])
                for j in range(self.columns.size())]

    def observe(self, long limit):
        """Reads on until `limit` records have been looked at, counting what the undecided cells are.

        Returns the status at which it stopped: 0 (more bytes are needed), 1 (enough), 2 (malformed).
        """
        cdef Record r
        cdef Status status
        cdef size_t j
        cdef Field* f
        cdef CellKind kind
        if self.numbers.size() != self.columns.size():
            self.numbers.assign(self.columns.size(), 0)
            self.others.assign(self.columns.size(), 0)
        while self.observed < limit:
            status = self.next(r)
            if status != RECORD:
                return status
            self.observed += 1
            for j in range(self.columns.size()):
                f = &self.fields[j]
                if self.columns[j].kind != KIND_UNDECIDED or f.cell != CELL_VALUE:
                    continue
                kind = parse_number(f.data, f.data + f.size, self.decimal, &f.x)
                if kind == NUMBER and not is_identifier(f.data, f.data + f.size):
                    self.numbers[j] += 1
                elif kind == NUMBER or kind == NOT_A_NUMBER and not self.is_padded_marker(f):
                    self.others[j] += 1
        return RECORD

    cdef bint is_padded_marker(self, const Field* f) noexcept nogil:
        """A missing value with blanks around it, as numeric columns may have it."""
        cdef const char* p = f.data
        cdef const char* end = f.data + f.size
        while p < end and (p[0] == 32 or p[0] == 9):
            p += 1
        while p < end and ((end - 1)[0] == 32 or (end - 1)[0] == 9):
            end -= 1
        return not f.quoted and self.is_marker(p, end - p)

    def decided_kinds(self) -> list:
        """The kind of each column by what was observed: numeric when it has a number and nothing else."""
        cdef size_t j
        return [KINDS[self.columns[j].kind] if self.columns[j].kind != KIND_UNDECIDED else
                "numeric" if self.numbers.size() and self.numbers[j] and not self.others[j] else "nominal"
                for j in range(self.columns.size())]

    def raw_record(self) -> bytes:
        """The bytes of the latest record, without its line end."""
        return self.buffer.data()[self.record_start:self.record_end]

    # ------------------------------------------------------------ one record for Python
    def read(self):
        """The next record as (status, x, y, w): for Python loops.

        Status 0: more bytes are needed; 1: a record; 2: a malformed one (see `problem_message`).
        """
        cdef Record r
        cdef Status status = self.next(r)
        if status != RECORD:
            return status, None, None, None
        return status, self.attributes_of_record(), (
            None if r.label_code == MISSING else value_to_object(r.label.tag, r.label.data, r.label.size)), r.weight

    def attributes_of_record(self) -> dict:
        cdef dict x = {}
        cdef size_t j
        cdef Field* f
        for j in range(self.columns.size()):
            f = &self.fields[j]
            if self.columns[j].role != ROLE_ATTRIBUTE or f.cell == CELL_ABSENT:
                continue
            name = text_of(self.columns[j].name)
            if f.cell == CELL_NUMBER and self.columns[j].kind == KIND_NUMERIC:
                x[name] = f.x
            elif f.cell == CELL_VALUE:
                x[name] = value_to_object(f.tag, f.data, f.size)
            else:
                x[name] = None
        return x


cdef str text_of(string s):
    return (<bytes>s).decode("utf-8", "surrogatepass")


def shown(bytes value) -> str:
    """A value as an error message shows it: one line, no control characters, not too long."""
    text = value.decode("utf-8", "replace")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text if len(text) <= 80 else text[:80] + "…"
