# Batch: the rows of a data frame or array as Records. Columns are encoded once, rows are then read
# without Python objects.
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from .record cimport Record, Value
from .schema cimport Schema

cdef extern from "records/frame_column.hpp" namespace "streambayes" nogil:
    cdef cppclass FrameColumn:
        Value name
        uint8_t kind
        int32_t attribute
        const char* data
        ptrdiff_t stride
        vector[Value] values
        vector[int32_t] codes
        double number(size_t row)
        int32_t index(size_t row)

cdef class Batch:
    cdef Schema schema
    cdef readonly size_t rows
    cdef vector[FrameColumn] columns
    cdef FrameColumn labels          # `kind` undecided: there are none
    cdef FrameColumn weights         # `data` NULL: all weigh `weight`
    cdef double weight
    cdef size_t known_attributes     # of the schema, when `columns` were last looked up
    cdef list keep                   # what the columns borrow from

    cdef int fill(self, size_t row, Record& r) except -1 nogil
    cdef int look_up_columns(self) noexcept nogil
    cdef int add_column(self, size_t j, object name, object values, object learned) except -1
    cdef int take_numbers(self, FrameColumn* c, object array) except -1
    cdef int take_indices(self, FrameColumn* c, object array) except -1
    cdef int take_values(self, FrameColumn* c, list values) except -1
    cdef int take_objects(self, FrameColumn* c, object name, list values, object learned, int kind) except -1
    cdef int32_t index_of(self, FrameColumn* c, dict places, object value) except -2
