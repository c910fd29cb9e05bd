# Reader: bytes to Records. `next` is what a format supplies; the loop feeds blocks of bytes and asks
# for records until MORE are needed. Nothing here depends on where the blocks were cut.
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from .record cimport Record, Value, Vocabulary
from .schema cimport Schema

cdef extern from "records/column.hpp" namespace "streambayes" nogil:
    cdef cppclass Column:
        string name
        uint8_t role            # ROLE_*
        uint8_t kind            # KIND_*
        int32_t attribute       # its code in the schema; -1 while it was never learned
        cbool strict            # only `declared` values are well formed (ARFF)
        Vocabulary declared

    cdef cppclass Field:
        const char* data        # the value's bytes, quotes and escapes undone
        uint32_t size
        uint8_t tag             # TAG_STRING from text formats; JSON's types
        cbool quoted            # in ARFF's quotes, where a '?' is a value
        double x                # numeric columns
        uint8_t cell            # CELL_*, set by `resolve`

    cdef enum CellState "streambayes::CellState":
        CELL_MISSING, CELL_NON_FINITE, CELL_NUMBER, CELL_VALUE, CELL_ABSENT

cdef enum Status:
    MORE = 0       # the buffer holds no whole record: feed, or end_of_file
    RECORD = 1
    MALFORMED = 2  # `problem` says why; the record is passed over

cdef enum ProblemCode:
    NO_PROBLEM = 0
    RAGGED         # a fields where there should be b
    NOT_NUMERIC    # `problem_text` in a numeric column
    BAD_WEIGHT
    BAD_BYTE       # byte a at offset b of the line
    TOO_LONG
    OPEN_QUOTE
    UNDECLARED
    DUPLICATE      # member `problem_text` twice
    NESTED         # member `problem_text`
    WRONG_TYPE     # JSON: a string, true or false in a numeric attribute
    BAD_SYNTAX     # problem_text holds the sentence, "what is wrong; what to do"

cdef struct Problem:
    ProblemCode code
    size_t line        # physical line, from 1
    int32_t column     # -1: none
    size_t a
    size_t b

cdef class Reader:
    cdef readonly dict options
    cdef readonly str file_name
    cdef Schema schema
    cdef vector[Column] columns
    cdef vector[Field] fields        # of the latest record, an element per column
    cdef Problem problem
    cdef string problem_text
    cdef vector[char] buffer
    cdef size_t at                   # the next byte to read
    cdef size_t base                 # bytes of the file in front of the buffer
    cdef long file_number            # of the file among all, from 0
    cdef size_t searched             # there is no newline in [at, searched)
    cdef size_t line                 # the physical line of `at`, from 1
    cdef size_t record_start         # the latest record: buffer[record_start:record_end], no line end
    cdef size_t record_end
    cdef readonly size_t record_line
    cdef bint last_block             # no more bytes come in this file
    cdef bint at_mark                # a byte-order mark may come
    cdef bint discarding             # inside a record that is too long: pass over it
    cdef long lines_to_skip
    cdef bint transcoded             # bytes went through --encoding: a bad one is a lone surrogate
    cdef char decimal
    cdef vector[string] markers      # what stands for a missing value
    cdef bint marker_start[256]
    cdef bint empty_is_missing
    cdef string comment
    cdef size_t known_attributes     # of the schema, when `columns` were last looked up
    cdef vector[long] numbers        # what `observe` saw in each column ...
    cdef vector[long] others
    cdef long observed               # ... in so many records
    cdef long missing_cells          # of the latest record
    cdef long non_finite_cells

    cdef Status next(self, Record& r) except? MALFORMED nogil
    # What the formats share:
    cdef bint find_line(self, size_t* end) noexcept nogil
    cdef bint skip_mark(self) noexcept nogil
    cdef Status too_long(self) noexcept nogil
    cdef Status check_bytes(self, size_t start, size_t end) noexcept nogil
    cdef Status resolve(self, Record& r) except? MALFORMED nogil
    cdef int look_up_columns(self) except -1 nogil
    cdef bint is_marker(self, const char* p, size_t n) noexcept nogil
    cdef bint is_padded_marker(self, const Field* f) noexcept nogil
    cdef int set_nominal(self, Record& r, Column* column, const Value& v) except -1 nogil
    cdef int add_fresh(self, Record& r, Column* column, const Value& v) except -1 nogil
    cdef int set_numeric(self, Record& r, Column* column, double x) except -1 nogil
    cdef int set_label(self, Record& r, const Value& v) except -1 nogil
    cdef Status fail(self, ProblemCode code, int32_t column, size_t a, size_t b) noexcept nogil
    cdef Status fail_on(self, ProblemCode code, int32_t column, const char* p, size_t n) noexcept nogil
    # For the formats that have a record a line:
    cdef Status next_line(self) noexcept nogil
    cdef Status syntax(self, const char* what, const char* at, const char* advice) noexcept nogil
