# The containers that hold the statistics (tables.hpp); owned by the learners, freed with them.
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

cdef extern from "statistics/tables.hpp" namespace "streambayes" nogil:
    size_t stride_for(size_t classes)
    void restride(vector[double]& v, size_t old, size_t new) except +

    cdef cppclass CountTable:
        size_t held()
        vector[double] n        # n(c, v): a row per value, `stride` classes long
        vector[double] present  # n(c, A present)
        vector[uint8_t] counts  # whether a value counts in |A|: declared, or n(v) > 0 ...
        int64_t distinct        # ... and how many do; both can be made anew at any time
        size_t rows(size_t stride)

    cdef cppclass MomentsTable:
        vector[double] n
        vector[double] mean
        vector[double] m2

    cdef cppclass Scores:
        vector[double] log_joint   # log P(c, x), an element per label; -inf: impossible or forgotten
        vector[double] p           # P(c | x)
        vector[double] work        # scratch
        vector[int64_t] exponent   # scratch
        double N                   # sum of n(c), set before scoring
        int32_t C                  # labels with n(c) > 0, likewise
        int32_t predicted          # a label's code; -1 before anything is learned
