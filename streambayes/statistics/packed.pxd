# Vectors as bytes, little end first, and back: what model files are made of.
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

cdef bytes packed(const vector[double]& v)
cdef bytes packed_int32(const vector[int32_t]& v)
cdef bytes packed_int64(const vector[int64_t]& v)
# ValueError where the bytes are no whole number of elements; None isn't bytes.
cdef vector[double] unpacked(bytes b) except *
cdef vector[int32_t] unpacked_int32(bytes b) except *
cdef vector[int64_t] unpacked_int64(bytes b) except *
cdef bytes packed_uint64(const vector[uint64_t]& v)
cdef vector[uint64_t] unpacked_uint64(bytes b) except *
