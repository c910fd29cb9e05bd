# Record, Value, Fresh, Vocabulary (record.hpp, vocabulary.hpp): see there for what each field means.
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

cdef extern from "records/record.hpp" namespace "streambayes" nogil:
    cdef enum Tag "streambayes::Tag":
        TAG_STRING, TAG_INTEGER, TAG_REAL, TAG_TRUE, TAG_FALSE, TAG_MISSING, TAG_NESTED
    cdef enum Kind "streambayes::Kind":
        KIND_UNDECIDED, KIND_NOMINAL, KIND_NUMERIC, KIND_TEXT
    cdef enum Role "streambayes::Role":
        ROLE_ATTRIBUTE, ROLE_TARGET, ROLE_WEIGHT, ROLE_DROP
    const int32_t MISSING
    const int32_t UNSEEN

    cdef cppclass Entry:
        size_t offset
        uint32_t size
        uint8_t tag
        cbool declared

    cdef cppclass Vocabulary:
        vector[Entry] entries
        vector[char] arena
        size_t size()
        size_t held()
        const char* data(size_t code)
        int32_t find(uint8_t tag, const char* p, uint32_t n)
        int32_t intern(uint8_t tag, const char* p, uint32_t n) except +
        void reserve(size_t values, size_t bytes) except +

    cdef cppclass Value:
        const char* data
        uint32_t size
        uint8_t tag

    cdef cppclass Fresh:
        int32_t attribute
        uint8_t kind
        Value name
        Value value
        double x

    cdef cppclass Record:
        vector[int32_t] code
        vector[double] x
        vector[Fresh] fresh
        Value label
        int32_t label_code
        double weight
        void clear(size_t attributes) except +
        void keep() except +
        void copy(const Record& r) except +

    cdef cppclass Attribute:
        uint8_t kind
        Vocabulary values
