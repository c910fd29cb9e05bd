# Account: what a run is judged by; sums only.
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.record cimport Record, Value, Vocabulary
from ..records.schema cimport Schema
from ..statistics.tables cimport Scores
from .course cimport Course

cdef class Account:
    cdef Schema schema
    cdef readonly long long records       # predicted
    cdef readonly long long labelled
    cdef readonly long long unpredicted
    cdef readonly long long scored
    cdef readonly long long correct
    cdef readonly long long learned
    cdef public long long skipped_records
    cdef readonly long long missing_values
    cdef readonly long long non_finite_values
    cdef readonly long long overflow_values
    cdef double log_loss                  # sum of -w log p
    cdef Vocabulary labels                # labels scored or predicted, in this account's own order
    cdef vector[int32_t] own              # a label's code in the schema to its code here
    cdef vector[long long] label_counts   # labelled records by label
    cdef vector[double] confusion         # weights: a row per true label, `room` columns
    cdef size_t room
    cdef readonly Course course           # what else was asked for, or None
    cdef bint following                   # whether there is a course

    cdef int32_t own_label(self, int32_t code, const Value& v) except -2 nogil
    cdef int count_label(self, const Record& r) except -1 nogil
    cdef int score(self, const Record& r, int32_t predicted, double p_true) except -1 nogil
    cdef int foresee(self, const Scores& s) except -1 nogil
    cdef int follow(self, const Record& r, int32_t predicted, double p_true) except -1 nogil
    cdef void note(self, int32_t truth, int32_t answer, double weight, double p_true) noexcept nogil
    cdef int follow_own(self, int32_t truth, int32_t answer, double weight, double p_true) except -1 nogil
    # The three steps of a record, for a loop over several accounts.
    cdef int predicted_record(self, const Scores& s, long missing, long non_finite) except -1 nogil
    cdef int settled_record(self, const Record& r, int32_t predicted, double p_true) except -1 nogil
    cdef int learned_record(self, const Record& r) except -1 nogil
