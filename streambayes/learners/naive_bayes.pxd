# Naive Bayes over mixed records. The learners that fall back on it (no superparent qualifies) and
# HAODE's class normals use the functions below on sums of the same kind.
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from ..records.record cimport Record
from ..statistics.moments cimport Moments
from ..statistics.tables cimport CountTable, MomentsTable, Scores
from .base cimport Learner

cdef enum Estimate:
    M_ESTIMATE = 0
    LAPLACE = 1
    AWK = 2

cdef class NaiveBayes(Learner):
    cdef Estimate estimate
    cdef double m                       # the pseudo-counts are in the unit of the sums
    cdef double var_prior
    cdef double given_k                 # ... and here in weights
    cdef double given_m
    cdef double given_var_prior
    cdef vector[CountTable] counts      # by attribute; empty tables for numeric ones
    cdef vector[MomentsTable] moments   # by attribute and class; empty for nominal ones
    cdef vector[Moments] overall        # by attribute, over all classes
    cdef vector[double] origin          # the attribute's first value, which the moments measure from; NaN before
    cdef vector[int32_t] nominal        # the attributes of each kind, as first learned
    cdef vector[int32_t] numeric


cdef bytes as_bytes(const vector[double]& v)
cdef vector[double] as_doubles(bytes b) except *
