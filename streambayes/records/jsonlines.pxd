# JsonLinesReader: what a writer may take from it to echo a record.
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from .reader cimport MALFORMED, Column, Field, Reader, Status
from .record cimport Record, Value, Vocabulary

cdef class JsonLinesReader(Reader):
    cdef vector[int32_t] order      # the latest record's members, as columns
    cdef vector[Value] raw          # per column: the latest record's text of it, quotes and escapes as they came
    cdef Vocabulary names           # of the columns: a code is an index into `columns`
    cdef vector[uint8_t] guessable  # per column: its name is written in JSON as it is, so bytes may be compared
    cdef vector[char] scratch       # strings whose escapes had to be undone, and the keys of numbers ...
    cdef vector[size_t] scratched   # ... and whose they are: column, offset
    cdef vector[char] nesting       # the brackets that are open
    cdef string key
    cdef size_t members             # how many the latest record has had so far
    cdef vector[int32_t] decided    # columns whose kind the latest record decided

    cdef Status parse(self) except? MALFORMED nogil
    cdef Status read_member(self, const char** at, const char* end) except? MALFORMED nogil
    cdef Status read_value(self, const char** at, const char* end, size_t j) except? MALFORMED nogil
    cdef Status read_string(self, const char** at, const char* end, Value* v, size_t* offset) except? MALFORMED nogil
    cdef Status read_escape(self, const char** at, const char* end) except? MALFORMED nogil
    cdef Status read_number(self, const char** at, const char* end, Field* f) noexcept nogil
    cdef Status read_word(self, const char** at, const char* end, uint8_t* tag) noexcept nogil
    cdef Status pass_nested(self, const char** at, const char* end) except? MALFORMED nogil
    cdef Status pass_name(self, const char** at, const char* end) except? MALFORMED nogil
    cdef Status expected(self, const char* what, const char* at, const char* end) noexcept nogil
    cdef Status make_key(self, size_t j) except? MALFORMED nogil
    cdef int adopt_kind(self, Column* column) noexcept nogil
    cdef int32_t find_column(self, const char* p, uint32_t n) except -1 nogil
    cdef Status fill(self, Record& r) except? MALFORMED nogil
    cdef Status fill_cell(self, Record& r, size_t j) except? MALFORMED nogil
