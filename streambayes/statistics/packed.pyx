"""Vectors as bytes and back."""
from __future__ import annotations

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector


cdef bytes packed(const vector[double]& v):
    return (<const char*>v.data())[:v.size() * sizeof(double)] if v.size() else b""


cdef bytes packed_int32(const vector[int32_t]& v):
    return (<const char*>v.data())[:v.size() * sizeof(int32_t)] if v.size() else b""


cdef bytes packed_int64(const vector[int64_t]& v):
    return (<const char*>v.data())[:v.size() * sizeof(int64_t)] if v.size() else b""


cdef int check(bytes b, size_t size) except -1:
    if b is None or len(b) % size:
        raise ValueError("a table is cut short")
    return 0


cdef vector[double] unpacked(bytes b) except *:
    cdef vector[double] v
    check(b, sizeof(double))
    v.resize(len(b) // sizeof(double))
    if v.size():
        memcpy(v.data(), PyBytes_AS_STRING(b), v.size() * sizeof(double))
    return v


cdef vector[int32_t] unpacked_int32(bytes b) except *:
    cdef vector[int32_t] v
    check(b, sizeof(int32_t))
    v.resize(len(b) // sizeof(int32_t))
    if v.size():
        memcpy(v.data(), PyBytes_AS_STRING(b), v.size() * sizeof(int32_t))
    return v


cdef vector[int64_t] unpacked_int64(bytes b) except *:
    cdef vector[int64_t] v
    check(b, sizeof(int64_t))
    v.resize(len(b) // sizeof(int64_t))
    if v.size():
        memcpy(v.data(), PyBytes_AS_STRING(b), v.size() * sizeof(int64_t))
    return v


cdef bytes packed_uint64(const vector[uint64_t]& v):
    return (<const char*>v.data())[:v.size() * sizeof(uint64_t)] if v.size() else b""


cdef vector[uint64_t] unpacked_uint64(bytes b) except *:
    cdef vector[uint64_t] v
    check(b, sizeof(uint64_t))
    v.resize(len(b) // sizeof(uint64_t))
    if v.size():
        memcpy(v.data(), PyBytes_AS_STRING(b), v.size() * sizeof(uint64_t))
    return v
