# distutils: language = c++
"""CSV (RFC 4180), TSV and blank-separated records."""
from __future__ import annotations

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy
from libcpp.vector cimport vector

from .numbers cimport NON_FINITE, NUMBER, CellKind, is_identifier, parse_number
from .reader cimport (BAD_SYNTAX, CELL_MISSING, MALFORMED, MORE, OPEN_QUOTE, RAGGED, RECORD, TOO_LONG, Column, Field,
                      Reader, Status)
from .record cimport KIND_UNDECIDED, ROLE_ATTRIBUTE, TAG_STRING, Record
from .schema cimport Schema

from .problems import MalformedHeader

cdef size_t LONGEST = 16 << 20

cdef extern from * nogil:
    int __builtin_ctzll(uint64_t)

cdef extern from "records/scan.hpp" namespace "streambayes" nogil:
    uint64_t matches(const char* p, const char* end, char c)

cdef uint64_t ONES = 0x0101010101010101
cdef uint64_t HIGHS = 0x8080808080808080


cdef inline const char* find_byte(const char* p, const char* end, uint64_t pattern) noexcept nogil:
    """The first byte equal to those of `pattern`, or end; eight at a time."""
    cdef uint64_t word
    while end - p >= 8:
        memcpy(&word, p, 8)
        word ^= pattern
        word = (word - ONES) & ~word & HIGHS
        if word:
            return p + (__builtin_ctzll(word) >> 3)
        p += 8
    while p < end and <unsigned char>p[0] != (pattern & 255):
        p += 1
    return p


cdef size_t newlines(const char* p, const char* end) noexcept nogil:
    cdef size_t n = 0
    while p < end:
        n += p[0] == 10
        p += 1
    return n


cdef inline bint is_blank(char c) noexcept nogil:
    return c == 32 or c == 9


cdef class DelimitedReader(Reader):
    """CSV with quotes, TSV without, or runs of blanks (`ws`).

    Options: `format` (csv, tsv, ws), `delimiter`, `no_header`, `skip_initial_space`.
    """
    cdef char delimiter
    cdef bint quotes
    cdef bint blanks              # fields are separated by runs of blanks
    cdef bint skip_space
    cdef size_t field_count       # of the latest row; `fields` holds no more than are wanted
    cdef size_t wanted            # how many fields are kept, 0: all
    cdef bint many_lines          # the latest row has newlines in its quotes
    cdef vector[char] scratch     # fields whose quotes had to be undone ...
    cdef vector[size_t] scratched # ... and which: index, offset

    def __init__(self, Schema schema not None, dict options not None):
        super().__init__(schema, options)
        format = options.get("format", "csv")
        self.delimiter = ord(options.get("delimiter") or {"csv": ",", "tsv": "\t", "ws": " "}[format])
        self.quotes = format == "csv"
        self.blanks = format == "ws"
        self.empty_is_missing = format != "ws"
        self.skip_space = bool(options.get("skip_initial_space")) and self.delimiter != 32

    cdef Status next(self, Record& r) except? MALFORMED nogil:
        cdef Status status = self.split()
        if status != RECORD:
            return status
        if self.field_count != self.columns.size():
            return self.fail(RAGGED, -1, self.field_count, self.columns.size())
        return self.resolve(r)

    cdef Status split(self) except? MALFORMED nogil:
        """The next row's fields; blank lines and comments are passed over."""
        cdef const char* p
        cdef size_t end, stop
        cdef Status status
        if self.at_mark and not self.skip_mark():
            return MORE
        while True:
            if not self.find_line(&end):
                if self.discarding:
                    self.at = self.buffer.size()
                    return MORE
                return self.too_long()
            p = self.buffer.data()
            if self.discarding or self.lines_to_skip > 0:
                self.lines_to_skip -= not self.discarding
                self.discarding = False
                self.pass_line(end)
                continue
            stop = end
            if stop > self.at and p[stop - 1] == 13:
                stop -= 1
            if self.is_blank_line(p + self.at, p + stop) or self.is_comment(p + self.at, p + stop):
                self.pass_line(end)
                continue
            self.record_start, self.record_line = self.at, self.line
            self.scratch.clear()
            self.scratched.clear()
            self.fields.resize(self.wanted)
            self.field_count = 0
            self.many_lines = False
            if self.blanks:
                self.split_blanks(p + self.at, p + stop)
            else:
                status = self.split_delimited(&end, &stop)
                if status != RECORD:
                    return status
            self.record_end = stop
            if self.many_lines:
                self.line += newlines(p + self.at, p + end)
            self.pass_line(end)
            return self.check_bytes(self.record_start, stop)

    cdef inline void pass_line(self, size_t end) noexcept nogil:
        self.at = end + 1 if end < self.buffer.size() else end
        self.line += 1

    cdef inline bint is_blank_line(self, const char* p, const char* end) noexcept nogil:
        if p < end and self.columns.size() == 1 and not self.blanks:
            return False  # a lone column may hold blanks
        while p < end and is_blank(p[0]) and not p[0] == self.delimiter:
            p += 1
        if self.blanks:
            while p < end and is_blank(p[0]):
                p += 1
        return p == end

    cdef inline bint is_comment(self, const char* p, const char* end) noexcept nogil:
        cdef size_t i, n = self.comment.size()
        if n == 0 or <size_t>(end - p) < n:
            return False
        for i in range(n):
            if p[i] != self.comment[i]:
                return False
        return True

    cdef inline int add_field(self, const char* p, size_t n) except -1 nogil:
        cdef Field* f
        if self.field_count >= self.fields.size():
            if self.wanted:  # a ragged row: its fields are counted, no more
                self.field_count += 1
                return 0
            self.fields.resize(self.field_count + 1)
        f = &self.fields[self.field_count]
        f.data, f.size = p, <uint32_t>n
        self.field_count += 1
        return 0

    cdef int split_blanks(self, const char* p, const char* end) except -1 nogil:
        cdef const char* start
        while True:
            while p < end and is_blank(p[0]):
                p += 1
            if p == end:
                return 0
            start = p
            while p < end and not is_blank(p[0]):
                p += 1
            self.add_field(start, p - start)

    cdef Status split_delimited(self, size_t* line_end, size_t* line_stop) except? MALFORMED nogil:
        """Splits the row that begins at `at`; quotes may carry it over further lines."""
        cdef const char* base = self.buffer.data()
        cdef const char* readable = base + self.buffer.size()
        cdef const char* p = base + self.at
        cdef const char* end = base + line_stop[0]
        cdef const char* block = p            # the delimiters of the 64 bytes from here ...
        cdef uint64_t delimiters = matches(block, readable, self.delimiter)  # ... that lie behind p
        cdef const char* q
        cdef size_t i, at
        cdef Status status
        while True:
            if self.skip_space:
                while p < end and p[0] == 32:
                    p += 1
            if self.quotes and p < end and p[0] == 34:
                at = p - base
                status = self.unquote(&at, line_end, line_stop)
                if status != RECORD:
                    return status
                p = base + at
                end = base + line_stop[0]
                block = p
                delimiters = matches(block, readable, self.delimiter)
            else:
                while delimiters == 0 and end - block > 64:
                    block += 64
                    delimiters = matches(block, readable, self.delimiter)
                q = end
                if delimiters:
                    q = block + __builtin_ctzll(delimiters)
                    if q > end:
                        q = end
                self.add_field(p, q - p)
                p = q
            if p == end:
                break
            delimiters &= delimiters - 1
            p += 1
        for i in range(0, self.scratched.size(), 2):
            self.fields[self.scratched[i]].data = self.scratch.data() + self.scratched[i + 1]
        return RECORD

    cdef Status unquote(self, size_t* at, size_t* line_end, size_t* line_stop) except? MALFORMED nogil:
        """A field that begins with a quote: on to the delimiter or line end behind it, which may be lines away."""
        cdef const char* base = self.buffer.data()
        cdef const char* p = base + at[0] + 1
        cdef const char* end = base + self.buffer.size()
        cdef const char* quote
        cdef const char* rest
        cdef const char* newline
        cdef size_t opened = at[0], offset = self.scratch.size()
        cdef bint copied = False
        while True:
            quote = <const char*>memchr(p, 34, end - p)
            if quote == NULL or (quote + 1 == end and not self.last_block):
                return self.open_quote(opened)
            if quote + 1 < end and quote[1] == 34:
                self.scratch.insert(self.scratch.end(), p, quote + 1)
                copied = True
                p = quote + 2
                continue
            break
        if quote > base + line_end[0]:  # the row goes on behind newlines inside the quotes
            self.many_lines = True
            newline = <const char*>memchr(quote, 10, end - quote)
            if newline == NULL and not self.last_block:
                return self.open_quote(opened)
            line_end[0] = newline - base if newline != NULL else self.buffer.size()
            line_stop[0] = line_end[0]
            if base + line_stop[0] > quote + 1 and base[line_stop[0] - 1] == 13:
                line_stop[0] -= 1
        rest = find_byte(quote + 1, base + line_stop[0], ONES * <unsigned char>self.delimiter)
        if copied or rest > quote + 1:  # text behind the closing quote belongs to the field, as csv readers have it
            self.scratch.insert(self.scratch.end(), p, quote)
            self.scratch.insert(self.scratch.end(), quote + 1, rest)
            if self.wanted == 0 or self.field_count < self.wanted:
                self.scratched.push_back(self.field_count)
                self.scratched.push_back(offset)
            self.add_field(NULL, self.scratch.size() - offset)
        else:
            self.add_field(base + opened + 1, quote - base - opened - 1)
        at[0] = rest - base
        return RECORD

    cdef Status open_quote(self, size_t opened) noexcept nogil:
        """No closing quote in the buffer: MORE, or the end of patience; reading resumes on the next line."""
        cdef const char* base = self.buffer.data()
        cdef const char* newline
        cdef size_t line = self.line + newlines(base + self.at, base + opened)
        cdef bint long_one = self.buffer.size() - self.at > LONGEST
        if not self.last_block and not long_one:
            return MORE
        newline = <const char*>memchr(base + opened, 10, self.buffer.size() - opened)
        self.at = newline + 1 - base if newline != NULL else self.buffer.size()
        self.discarding = newline == NULL and not self.last_block
        self.line = line + (newline != NULL)
        self.record_line = line
        return self.fail(TOO_LONG if long_one else OPEN_QUOTE, -1, 0, 0)

    def read_header(self):
        """The names in the file's first row; None while it isn't whole, [] where the file ends before.

        Raises
        ------
        MalformedHeader
            If the row can't be read, or its names are empty or repeated.
        """
        cdef Status status
        cdef size_t i
        self.wanted = 0
        status = self.split()
        if status == MORE:
            return [] if self.last_block else None
        if status == MALFORMED:
            raise MalformedHeader(self.problem_message())
        names = [self.fields[i].data[:self.fields[i].size].decode() for i in range(self.field_count)]
        self.wanted = len(names)
        where = f"{self.file_name}:{self.record_line}"
        seen = set()
        for position, name in enumerate(names, 1):
            if not name:
                raise MalformedHeader(f"{where}: the name of column {position} in the header is empty; "
                                      "name it, or use --no-header with --skip-lines 1")
            if name in seen:
                raise MalformedHeader(f"{where}: the name {name} comes twice in the header; "
                                      "rename one, or use --no-header with --skip-lines 1")
            seen.add(name)
        return names

    def count_columns(self):
        """How many fields the first row has, without reading it; None while it isn't whole, 0 at the end."""
        cdef Status status
        self.wanted = 0
        status = self.split()
        if status == MORE:
            return 0 if self.last_block else None
        if status == MALFORMED:
            raise MalformedHeader(self.problem_message())
        self.at, self.line, self.searched = self.record_start, self.record_line, self.record_start
        self.wanted = self.field_count
        return self.field_count
