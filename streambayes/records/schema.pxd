# Schema: what a learner knows of names: attributes with their kinds and values, and the labels,
# each numbered in the order in which it was first learned.
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from .record cimport UNSEEN, Attribute, Record, Value, Vocabulary

# The code of a value of a nominal attribute: UNSEEN while there is room for new ones, else the shared slot.
cdef inline int32_t find_value(const Attribute& a, const Value& v, size_t max_values) noexcept nogil:
    cdef int32_t code = a.values.find(v.tag, v.data, v.size)
    if code >= 0:
        return code
    return UNSEEN if a.values.size() < max_values else <int32_t>max_values

# Reads vocabularies from the arrays that `vocabulary_bytes` makes.
cdef class VocabularyArrays:
    cdef bytes counts
    cdef bytes sizes
    cdef bytes tags
    cdef bytes text
    cdef size_t vocabulary       # how many were read, and so many ...
    cdef size_t value            # ... values ...
    cdef size_t byte             # ... and bytes

    cdef size_t left(self)
    cdef int read(self, Vocabulary& v, bint may_be_declared) except -1
    cdef int finish(self) except -1

cdef class Schema:
    cdef Vocabulary names               # attribute names; a code is an index into `attributes`
    cdef vector[Attribute] attributes
    cdef Vocabulary labels
    cdef size_t max_values              # later values of a nominal attribute share slot `max_values`
    cdef Vocabulary declared_names      # attributes that a header declares ...
    cdef vector[Attribute] declared     # ... with their kinds and values
    cdef public object target           # name of the label's column, or None

    cdef bint full                      # some attribute has max_values values

    # Numbers all that is new in a record that is about to be learned.
    cdef int admit(self, Record& r) except -1 nogil
    cdef int refresh(self, Record& r) except -1 nogil
    # How many of a learned record's cells are in a shared slot.
    cdef long overflowing(self, const Record& r) noexcept nogil
    cdef size_t held(self) noexcept nogil   # bytes
    cdef bint is_declared(self, size_t attribute, int32_t code) noexcept nogil
    cdef int32_t add_attribute(self, const Value& name, uint8_t kind) except -1 nogil
    cdef object name(self, size_t attribute)
    cdef object value(self, size_t attribute, size_t code)
    cdef object label(self, size_t code)
    cdef list merge_values(self, size_t attribute, Schema other, size_t others_attribute)
    cdef list waiting(self)
    cdef int merge_declared(self, Schema other) except -1
    cdef int restore_attribute(self, Attribute& attribute, uint8_t kind, VocabularyArrays values) except -1
    cdef int declare_attribute(self, bytes name, uint8_t kind, list values) except -1

cdef tuple exported(const Vocabulary& v)
cdef int read_one(str name, dict state, Vocabulary& v) except -1
cdef object value_to_object(uint8_t tag, const char* p, uint32_t n)
cdef Value object_to_value(object o, list keep) except *
