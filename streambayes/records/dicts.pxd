# DictDoor: dicts of Python objects to Records, by the same codes that the readers of bytes use.
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

from .record cimport Record
from .schema cimport Schema

# An attribute by the name that the latest dict had at the same place; the names are compared by identity.
cdef struct Guess:
    PyObject* name                # kept alive by `guessed_names`
    int32_t code
    bint is_numeric

# All but `schema` and `keep` are caches: emptied, they change no answer.
cdef class DictDoor:
    cdef Schema schema
    cdef dict codes               # attribute name (as a Python object) to code
    cdef list guessed_names
    cdef vector[Guess] guessed
    cdef list keep                # bytes that the record borrows
    cdef list label_objects       # labels by their address ...
    cdef int32_t label_codes[16]  # ... and their codes
    cdef PyObject* latest         # the dict that the record was made from, borrowed and never read ...
    cdef uint64_t version         # ... and the state of it; NULL: it may not be taken for the same again
    cdef bint is_lasting          # no cell of it can change but with the dict
    cdef readonly long non_finite

    # `r` is the same record from call to call, and nobody else writes to it: it is left as it is
    # where it was made from the same dict.
    cdef int encode(self, object x, Record& r) except -1
    cdef int encode_label(self, object y, Record& r) except -1
    cdef int guess(self, size_t i, object key, int32_t a) except -1
    cdef int encode_cell(self, object name, int32_t attribute, object value, Record& r) except -1
