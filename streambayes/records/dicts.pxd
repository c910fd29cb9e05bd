# DictDoor: dicts of Python objects to Records, by the same codes that the readers of bytes use.
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from .record cimport Record
from .schema cimport Schema

cdef class DictDoor:
    cdef Schema schema
    cdef dict codes               # attribute name (as a Python object) to code
    cdef list guessed_names       # the names of the latest dict, in order ...
    cdef vector[int32_t] guessed  # ... and their codes
    cdef list keep                # bytes that the record borrows
    cdef readonly long non_finite

    cdef int encode(self, object x, Record& r) except -1
    cdef int encode_label(self, object y, Record& r) except -1
    cdef int guess(self, size_t i, object key, int32_t a) except -1
    cdef int encode_cell(self, object name, int32_t attribute, object value, Record& r) except -1
