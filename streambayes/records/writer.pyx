"""Records out: echoed as csv, tsv, blank-separated or JSON lines, with their predictions."""
from __future__ import annotations

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy
from libcpp.string cimport string
from libcpp.vector cimport vector

from ..statistics.tables cimport Scores
from .numbers cimport double_to_digits, is_digit
from .reader cimport (CELL_ABSENT, CELL_MISSING, CELL_NON_FINITE, CELL_NUMBER, CELL_VALUE, Field, Reader)
from .record cimport TAG_FALSE, TAG_INTEGER, TAG_NESTED, TAG_REAL, TAG_STRING, TAG_TRUE
from .schema cimport Schema, value_to_object

from .problems import ModelFileError
from .spelling import keys_of, spelled

cdef enum Style:
    CSV, TSV, BLANKS, JSON

STYLES = {"csv": CSV, "tsv": TSV, "ws": BLANKS, "jsonl": JSON}


cdef inline int put(vector[char]& out, const char* p, size_t n) except -1 nogil:
    out.insert(out.end(), p, p + n)
    return 0


cdef inline int put_string(vector[char]& out, const string& s) except -1 nogil:
    out.insert(out.end(), s.data(), s.data() + s.size())
    return 0


cdef int put_number(vector[char]& out, double x) except -1 nogil:
    cdef char digits[40]
    return put(out, digits, double_to_digits(x, digits))


cdef int put_json_string(vector[char]& out, const char* p, size_t n) except -1 nogil:
    cdef size_t i, start = 0
    cdef unsigned char c
    cdef const char* hexadecimal = b"0123456789abcdef"
    out.push_back(34)
    for i in range(n):
        c = p[i]
        if c >= 32 and c != 34 and c != 92:
            continue
        put(out, p + start, i - start)
        start = i + 1
        out.push_back(92)
        if c == 34 or c == 92:
            out.push_back(c)
        elif c == 10:
            out.push_back(110)
        elif c == 9:
            out.push_back(116)
        elif c == 13:
            out.push_back(114)
        else:
            put(out, b"u00", 3)
            out.push_back(hexadecimal[c >> 4])
            out.push_back(hexadecimal[c & 15])
    put(out, p + start, n - start)
    out.push_back(34)
    return 0


cdef int put_csv(vector[char]& out, const char* p, size_t n, char delimiter) except -1 nogil:
    """RFC 4180: quoted where it holds a delimiter, a quote or a line end."""
    cdef size_t i
    for i in range(n):
        if p[i] == delimiter or p[i] == 34 or p[i] == 10 or p[i] == 13:
            break
    else:
        return put(out, p, n)
    out.push_back(34)
    for i in range(n):
        if p[i] == 34:
            out.push_back(34)
        out.push_back(p[i])
    out.push_back(34)
    return 0


cdef int put_tsv(vector[char]& out, const char* p, size_t n) except -1 nogil:
    """Tabs and line ends, which a TSV field can't hold, as \\t, \\n and \\r."""
    cdef size_t i
    cdef char letter
    for i in range(n):
        if p[i] == 9 or p[i] == 10 or p[i] == 13:
            out.push_back(92)
            letter = 114
            if p[i] == 9:
                letter = 116
            elif p[i] == 10:
                letter = 110
            out.push_back(letter)
        else:
            out.push_back(p[i])
    return 0


cdef bint is_json_number(const char* p, const char* end) noexcept nogil:
    if p < end and p[0] == 45:
        p += 1
    if p == end or not is_digit(p[0]) or (p[0] == 48 and end - p > 1 and is_digit(p[1])):
        return False
    while p < end and is_digit(p[0]):
        p += 1
    if p < end and p[0] == 46:
        p += 1
        if p == end or not is_digit(p[0]):
            return False
        while p < end and is_digit(p[0]):
            p += 1
    if p < end and (p[0] | 32) == 101:
        p += 1
        if p < end and (p[0] == 43 or p[0] == 45):
            p += 1
        if p == end:
            return False
        while p < end and is_digit(p[0]):
            p += 1
    return p == end


cdef string json_string(text):
    """JSON text as UTF-8; a lone surrogate, which UTF-8 can't hold, is escaped."""
    import json

    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()


cdef class RecordWriter:
    """Writes records in a format, with `predicted` and `probability` appended.

    Parameters
    ----------
    source : {'csv', 'tsv', 'ws', 'arff', 'jsonl'}
        The format that the records came in.
    format : {'same', 'csv', 'tsv', 'jsonl'}
    echo : bool
        False: the predictions alone.
    proba : bool
        Append `probabilities`, a JSON object of label to probability, too.
    header : bool
        Whether names were read, so that csv, tsv and ws print them.
    delimiter : str, optional
        The one that the csv records came with.
    """

    def __init__(self, str source not None, str format="same", *, echo=True, proba=False, header=True,
                 delimiter=None):
        if format == "same":
            format = "csv" if source == "arff" else source
        self.format = format
        self.style = STYLES[format]
        self.raw = source == format and format != "ws"
        self.from_json = source == "jsonl"
        self.delimiter = {CSV: ord(","), TSV: 9, BLANKS: 32, JSON: 0}[self.style]
        if self.raw and delimiter:
            self.delimiter = ord(delimiter)
        self.echo = echo
        self.proba = proba
        self.header = header

    def begin(self, Reader reader not None, bytes raw_header=None):
        """Names the columns; prints the header where this format has one."""
        self.header_due = self.header and self.style != JSON
        self.spell_names(reader)
        if not self.from_json:
            self.written = range(self.names.size())
            if self.header_due:
                self.write_header(raw_header)

    def progress(self) -> tuple:
        """(whether the header is still due, the columns that are written), for `resume`."""
        return bool(self.header_due), list(self.written)

    def resume(self, Reader reader not None, bint header_due, list written not None):
        """In place of `begin`, where another run has written the beginning.

        Raises
        ------
        ModelFileError
            For a column that isn't there.
        """
        self.spell_names(reader)
        if any(not 0 <= j < self.names.size() for j in written):
            raise ModelFileError("a written column is none of the input's")
        self.header_due, self.written = header_due, written

    def take(self) -> bytes:
        """What was written since the last time."""
        cdef bytes block = self.out.data()[:self.out.size()] if self.out.size() else b""
        self.out.clear()
        return block

    cdef int spell_names(self, Reader reader) except -1:
        """Names as this format spells them; one that is taken gets a trailing underscore."""
        names = [name for name, *_ in reader.layout()]
        taken = set(names) if self.echo else set()
        own = []
        for name in ("predicted", "probability", "probabilities"):
            while name in taken:
                name += "_"
            own.append(name)
        self.names.clear()
        for name in names:
            self.names.push_back(json_string(name) if self.style == JSON
                                 else name.encode("utf-8", "surrogatepass"))
        predicted, probability, probabilities = own
        if self.style == JSON:
            self.predicted_name = b'"' + predicted.encode() + b'": '
            self.probability_name = b', "' + probability.encode() + b'": '
            self.probabilities_name = b', "' + probabilities.encode() + b'": '
        else:
            self.predicted_name, self.probability_name = predicted.encode(), probability.encode()
            self.probabilities_name = probabilities.encode()
        return 0

    cdef int choose_columns(self, Reader reader) except -1:
        """JSON lines as rows: the members of the first record, then those that options name."""
        members = reader.member_order()
        self.written = members + [j for j in range(self.names.size()) if j not in members]
        return 0

    def write_header(self, bytes raw_header=None):
        cdef size_t j
        self.header_due = False
        if self.echo and self.raw and raw_header is not None:
            put(self.out, raw_header, len(raw_header))
            self.out.push_back(self.delimiter)
        elif self.echo:
            for j in self.written:
                self.put_text(self.names[j].data(), self.names[j].size())
                self.out.push_back(self.delimiter)
        put_string(self.out, self.predicted_name)
        self.out.push_back(self.delimiter)
        put_string(self.out, self.probability_name)
        if self.proba:
            self.out.push_back(self.delimiter)
            put_string(self.out, self.probabilities_name)
        self.out.push_back(10)

    cdef int put_text(self, const char* p, size_t n) except -1 nogil:
        if self.style == CSV:
            return put_csv(self.out, p, n, self.delimiter)
        if self.style == TSV:
            return put_tsv(self.out, p, n)
        return put(self.out, p, n)

    cdef int spell_labels(self, Schema schema) except -1:
        labels = schema.known_labels()
        self.label_values.clear()
        self.label_keys.clear()
        for y, key in zip(labels, keys_of(labels)):
            self.label_values.push_back(json_string(y) if self.style == JSON
                                        else spelled(y).encode("utf-8", "backslashreplace"))
            if self.proba:
                self.label_keys.push_back(json_string(key))
        return 0

    cdef int write(self, Reader reader, Schema schema, const Scores& s, const double* class_n) except -1 nogil:
        """Appends a record and its answer."""
        cdef size_t labels = schema.labels.size()
        cdef int32_t y = s.predicted
        if self.label_values.size() != labels:
            with gil:
                self.spell_labels(schema)
        if self.from_json and self.echo and self.names.size() != reader.columns.size():
            with gil:
                self.spell_names(reader)
        if self.header_due:
            with gil:
                self.choose_columns(reader)
                self.write_header()
        if self.style == JSON:
            if self.echo:
                self.write_object(reader)
            else:
                self.out.push_back(123)
            put_string(self.out, self.predicted_name)
            if y < 0:
                put(self.out, b"null", 4)
                put_string(self.out, self.probability_name)
                put(self.out, b"null", 4)
            else:
                put_string(self.out, self.label_values[y])
                put_string(self.out, self.probability_name)
                put_number(self.out, s.p[y])
            if self.proba:
                put_string(self.out, self.probabilities_name)
                self.write_probabilities(s, class_n, labels)
            put(self.out, b"}\n", 2)
            return 0
        if self.echo:
            self.write_fields(reader)
        if y < 0:
            if self.style == BLANKS:
                put(self.out, b"? ?", 3)
            else:
                self.out.push_back(self.delimiter)
        else:
            self.put_text(self.label_values[y].data(), self.label_values[y].size())
            self.out.push_back(self.delimiter)
            put_number(self.out, s.p[y])
        if self.proba:
            self.out.push_back(self.delimiter)
            self.write_probabilities(s, class_n, labels)
        self.out.push_back(10)
        return 0

    cdef int write_probabilities(self, const Scores& s, const double* class_n, size_t labels) except -1 nogil:
        cdef vector[char] object
        cdef size_t c, i
        object.push_back(123)
        if s.predicted >= 0:
            for c in range(labels):
                if not class_n[c] > 0:
                    continue
                if object.size() > 1:
                    object.push_back(44)
                    if self.style != BLANKS:
                        object.push_back(32)
                put_string(object, self.label_keys[c])
                object.push_back(58)
                if self.style != BLANKS:
                    object.push_back(32)
                put_number(object, s.p[c])
        object.push_back(125)
        if self.style == CSV:
            return put_csv(self.out, object.data(), object.size(), self.delimiter)
        if self.style != BLANKS:
            return put(self.out, object.data(), object.size())
        for i in range(object.size()):  # a blank in a label's name would end the field
            if object[i] == 32:
                put(self.out, b"\\u0020", 6)
            else:
                self.out.push_back(object[i])
        return 0

    cdef int write_fields(self, Reader reader) except -1 nogil:
        cdef size_t j
        cdef Field* f
        if self.raw:
            put(self.out, reader.buffer.data() + reader.record_start, reader.record_end - reader.record_start)
            self.out.push_back(self.delimiter)
            return 0
        for j in self.written:
            f = &reader.fields[j]
            if self.from_json:
                self.put_json_cell_as_text(f)
            else:
                self.put_text(f.data, f.size)
            self.out.push_back(self.delimiter)
        return 0

    cdef int put_json_cell_as_text(self, const Field* f) except -1 nogil:
        if f.cell == CELL_ABSENT or (f.cell == CELL_MISSING and f.tag != TAG_STRING):
            return 0
        if f.tag == TAG_TRUE:
            return put(self.out, b"true", 4)
        if f.tag == TAG_FALSE:
            return put(self.out, b"false", 5)
        if f.tag == TAG_REAL:
            return put_number(self.out, f.x)
        return self.put_text(f.data, f.size)

    cdef int write_object(self, Reader reader) except -1 nogil:
        """The record as an open JSON object, up to where `predicted` comes."""
        cdef size_t j, start, end
        cdef Field* f
        cdef const char* p
        cdef const char* stop
        if self.raw:
            p = reader.buffer.data()
            start, end = reader.record_start, reader.record_end
            while end > start and p[end - 1] != 125:
                end -= 1
            end -= 1
            put(self.out, p + start, end - start)
            while end > start and (p[end - 1] == 32 or p[end - 1] == 9):
                end -= 1
            if p[end - 1] != 123:
                put(self.out, b", ", 2)
            return 0
        self.out.push_back(123)
        for j in range(reader.columns.size()):
            f = &reader.fields[j]
            put_string(self.out, self.names[j])
            put(self.out, b": ", 2)
            if f.cell == CELL_MISSING or f.cell == CELL_NON_FINITE:
                put(self.out, b"null", 4)
            elif f.cell == CELL_NUMBER:
                p, stop = f.data, f.data + f.size
                if is_json_number(p, stop):
                    put(self.out, p, f.size)
                else:
                    put_number(self.out, f.x)
            else:
                put_json_string(self.out, f.data, f.size)
            put(self.out, b", ", 2)
        return 0
