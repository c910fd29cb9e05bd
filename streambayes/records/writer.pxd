# RecordWriter: each record echoed in a format, with its prediction appended.
from libc.stdint cimport int32_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from ..statistics.tables cimport Scores
from .reader cimport Field, Reader
from .schema cimport Schema

cdef class RecordWriter:
    cdef vector[char] out             # what is to be written
    cdef readonly str format          # csv, tsv, ws or jsonl
    cdef uint8_t style
    cdef char delimiter
    cdef bint raw                     # echo the bytes as they came
    cdef bint from_json
    cdef bint echo
    cdef bint proba
    cdef bint header_due
    cdef bint header
    cdef vector[size_t] written       # csv, tsv and ws: the columns that are written, in their order
    cdef vector[string] names         # of the columns, as this format spells them
    cdef string predicted_name        # as JSON keys: "predicted": ...
    cdef string probability_name
    cdef string probabilities_name
    cdef vector[string] label_values  # labels as this format spells them ...
    cdef vector[string] label_keys    # ... and as JSON keys

    cdef int write(self, Reader reader, Schema schema, const Scores& s, const double* class_n) except -1 nogil
    cdef int write_fields(self, Reader reader) except -1 nogil
    cdef int write_object(self, Reader reader) except -1 nogil
    cdef int write_probabilities(self, const Scores& s, const double* class_n, size_t labels) except -1 nogil
    cdef int put_text(self, const char* p, size_t n) except -1 nogil
    cdef int put_json_cell_as_text(self, const Field* f) except -1 nogil
    cdef int spell_labels(self, Schema schema) except -1
    cdef int spell_names(self, Reader reader) except -1
    cdef int choose_columns(self, Reader reader) except -1
