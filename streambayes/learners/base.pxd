# Learner: what all learners share. A subclass supplies `add` (what a record adds to its sums) and
# `score` (log P(c, x) of each class), and the verbs on its sums: resize, merge_sums, scale_sums,
# export_sums, import_sums.
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.dicts cimport DictDoor
from ..records.record cimport Record
from ..records.schema cimport Schema
from ..statistics.tables cimport Scores

# How another learner's codes translate into ours, when their sums are added.
cdef struct Mapping:
    const int32_t* labels
    size_t label_count
    const int32_t* attributes
    size_t attribute_count

cdef class Learner:
    cdef readonly dict parameters     # by name; None where a preset decides
    cdef readonly Schema schema
    cdef readonly long long learned   # records in its life
    cdef vector[double] class_n       # n(c), `stride` long
    cdef size_t stride                # room for classes in every table
    cdef double k                     # the prior's pseudo-count, in the unit of the sums
    cdef double one                   # a weight of 1 in that unit: it grows while the past fades
    cdef size_t work_rows             # rows of `stride` doubles that `score` works in ...
    cdef size_t exponent_rows         # ... and of exponents
    cdef size_t work_extra            # and doubles beyond them
    cdef DictDoor door
    cdef list label_objects           # a cache of schema.known_labels() ...
    cdef list label_keys              # ... and of the labels as keys of one dict
    cdef Scores scores                # room for the answers of the Python methods
    cdef Record record                # the latest dict's; the door alone fills it

    # For the loop.
    cdef int learn(self, Record& r) except -1 nogil
    cdef int unlearn(self, Record& r) except -1 nogil
    cdef int weigh(self, const Record& r, Scores& s, double* most) except -1 nogil
    cdef int answer(self, const Record& r, Scores& s) except -1 nogil
    cdef int predict(self, const Record& r, Scores& s) except -1 nogil
    cdef double total(self) noexcept nogil
    cdef int labels_seen(self) noexcept nogil
    cdef int prepare(self, Scores& s) except -1 nogil
    cdef int ensure_room(self) except -1 nogil
    cdef int fade_by(self, double f) except -1 nogil
    cdef int settle(self) except -1
    cdef dict export_state(self)

    # What a subclass supplies.
    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil
    cdef void score(self, const Record& r, Scores& s) noexcept nogil
    cdef int resize(self, size_t old_stride) except -1 nogil    # more labels or attributes than there is room for
    cdef void measure(self) noexcept nogil                      # its pseudo-counts and limits by `one`
    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1
    cdef int scale_sums(self, double f) except -1
    cdef size_t held(self) noexcept nogil                       # bytes of its tables
    cdef dict export_sums(self)
    cdef int import_sums(self, dict sums) except -1
    cdef list label_list(self)
    cdef list key_list(self)
    # ValueError, before anything is changed, where the other's sums can't be added to ours: `attributes`
    # are the codes that its attributes have here, -1 where they are new.
    cdef int refuse_merge(self, Learner other, list attributes) except -1
    cdef object answers(self, list columns, Py_ssize_t rows, int what)

# Sums from a model file, so many of them; anything else raises ModelFileError.
cdef vector[double] counts_from(bytes b, size_t n) except *    # each from 0
cdef vector[double] doubles_from(bytes b, size_t n) except *   # each finite
