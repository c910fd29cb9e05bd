# Naive Bayes over mixed records; what GAODE and HAODE are built on.
from libcpp.vector cimport vector

from ..statistics.moments cimport Moments
from ..statistics.tables cimport MomentsTable
from .nominal cimport NominalCounts

cdef enum Estimate:
    M_ESTIMATE = 0
    LAPLACE = 1
    AWK = 2

cdef class NaiveBayes(NominalCounts):
    cdef Estimate estimate
    cdef double var_prior
    cdef double given_var_prior         # in weights
    cdef vector[MomentsTable] moments   # by attribute and class; empty for nominal ones
    cdef vector[Moments] overall        # by attribute, over all classes
    cdef vector[double] origin          # the attribute's first value, which the moments measure from; NaN before
