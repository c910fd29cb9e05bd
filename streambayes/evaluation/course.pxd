# Course: the figures beyond the summary's, of the whole run, a window of it, and a fading view.
# Asked for, or not there: the loop pays one test a record without it.
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..statistics.tables cimport Scores

# What is known of a prediction before its label comes.
cdef struct Forecast:
    double p_answer        # probability of the predicted label
    double squares         # sum over c of P(c | x)²
    int32_t no_change      # what the two simplest classifiers would say; -1: nothing yet
    int32_t majority

# A scored record, labels as the account numbers them.
cdef struct Outcome:
    int32_t truth
    int32_t answer
    double weight
    double p_true
    Forecast forecast

cdef class Tally:
    cdef vector[double] confusion  # weights: a row per true label, `room` columns
    cdef size_t room
    cdef double log_loss           # weighted sums
    cdef double brier
    cdef double no_change          # what the two simplest classifiers got right
    cdef double majority
    cdef vector[double] bins       # weight, sum of p, weight of those right: for each calibration bin

    cdef int make_room(self, size_t labels) except -1 nogil
    cdef int add(self, const Outcome& o, double weight) except -1 nogil
    cdef int scale(self, double factor) except -1 nogil
    cdef int clear(self) except -1 nogil

cdef class Course:
    cdef readonly Tally whole
    cdef readonly Tally faded
    cdef readonly size_t window
    cdef readonly double fading
    cdef readonly bint anytime     # whether the interval that is valid at any time is wanted
    cdef double gain               # what a record weighs in `faded` now: 1 / fading a record
    cdef vector[Outcome] ring      # the last `window` outcomes
    cdef size_t ring_at
    cdef vector[Forecast] waiting  # of records whose labels are still out, from `waiting_at` on
    cdef size_t waiting_at
    cdef vector[double] label_weight
    cdef int32_t latest
    cdef int32_t commonest

    cdef int foresee(self, const Scores& s, size_t labels) except -1 nogil
    cdef Forecast settle(self) noexcept nogil
    cdef int take_label(self, int32_t truth, double weight) except -1 nogil
    cdef int take(self, const Outcome& o) except -1 nogil
