"""Discretising a stream by itself: numbers in, the names of their bins out (SPEC 3)."""
from __future__ import annotations

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..records.dicts cimport DictDoor
from ..records.record cimport KIND_NUMERIC, MISSING, Record
from ..records.schema cimport Schema
from ..statistics.fine_bins cimport (BinRule, FineBins, cuts_of, export_bins, find_bin, find_fine_bin, import_bins,
                                     learn_value, refresh_bins, restride_bins, rule_of, start_bins_on)
from ..statistics.tables cimport stride_for

from ..records.problems import ModelFileError
from .discrete_naive_bayes import DISCRETISING, intervals
from .parameters import resolved


cdef class Discretizer:
    """Cuts numeric attributes into bins as the stream goes by.

    The first `warmup` values of an attribute give at most `bins` fine bins; a bin is a run of fine
    bins, cut by Fayyad and Irani's MDL on the fine class counts whenever the attribute's records
    have grown by half [1]_. Until the warm-up is full the values kept so far stand in for it.
    Keeps 24 bytes x `warmup` for each numeric attribute, then 8 bytes x (classes + 2) x 2 `bins` at most.

    Parameters
    ----------
    bins : int, default 64
        Most fine bins of an attribute.
    warmup : int, default 200
        Values that the fine bins are made from.
    cuts : {'mdl', 'equal-frequency'}, default 'mdl'
        How fine bins are joined to bins; `equal-frequency` makes ten at most.
    bins_file : str or dict, optional
        A JSON file (or a dict) of attribute to ascending edges: bins that stay.

    Raises
    ------
    UsageError
        For an unknown parameter, or a value it can't have.

    References
    ----------
    .. [1] Fayyad, U. M., Irani, K. B. (1993). Multi-interval discretization of continuous-valued
       attributes for classification learning. IJCAI-93, 1022-1027.

    Examples
    --------
    >>> from streambayes import Discretizer
    >>> bins = Discretizer()
    >>> for degrees in range(10):
    ...     bins.learn_one({"degrees": degrees, "sky": "clear"}, "cold" if degrees < 5 else "warm")
    >>> bins.transform_one({"degrees": 7, "sky": "clear"})
    {'degrees': '(4.5, inf)', 'sky': 'clear'}
    >>> bins.cuts()
    {'degrees': [4.5]}
    """

    PARAMETERS = DISCRETISING

    cdef readonly dict parameters
    cdef readonly Schema schema
    cdef DictDoor door
    cdef Record record
    cdef BinRule rule
    cdef vector[FineBins] bins       # by attribute; unused for nominal ones
    cdef vector[int32_t] numeric
    cdef size_t stride
    cdef dict names                  # a cache of the bins' names, by attribute

    def __init__(self, **parameters):
        self.parameters = resolved("Discretizer", self.PARAMETERS, parameters)
        self.schema = Schema(1 << 30)
        self.door = DictDoor(self.schema)
        self.rule = rule_of(self.parameters)
        self.stride = stride_for(0)
        self.names = {}

    def learn_one(self, x, y, w=1.0):
        """Learns the numbers of a record, with its label.

        Parameters
        ----------
        x : dict
            Attribute name to value; numbers are discretised, all else is left alone.
        y : str, bool, int, float or None
            The label; None or a weight of 0: nothing is learned.
        w : float
            The record's weight.

        Raises
        ------
        ValueError
            For a weight that is negative or not finite, or a string in a numeric attribute.
        """
        cdef double weight = w
        cdef size_t i, a
        if not 0 <= weight <= 1e150:
            raise ValueError(f"the weight {w!r} is not a number from 0; give one")
        self.door.encode(x, self.record)
        self.door.encode_label(y, self.record)
        if self.record.label_code == MISSING or weight == 0:
            return
        self.schema.admit(self.record)
        self.make_room()
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            if self.record.x[a] == self.record.x[a]:
                if learn_value(self.bins[a], self.record.x[a], find_fine_bin(self.bins[a], self.record.x[a]),
                               self.record.label_code, weight, self.stride,
                               self.rule) or self.bins[a].stale:
                    self.names.pop(a, None)

    def transform_one(self, x) -> dict:
        """The record with the name of its bin, such as `(2.5, 7]`, in place of each number.

        Missing values stay as they are; a number in an attribute that was never learned is in the
        only bin, `(-inf, inf)`.
        """
        cdef size_t i, a
        cdef dict out = dict(x)
        self.door.encode(x, self.record)
        for i in range(self.numeric.size()):
            a = self.numeric[i]
            if self.record.x[a] == self.record.x[a]:
                if a not in self.names:
                    refresh_bins(self.bins[a], self.stride, self.rule)
                    self.names[a] = intervals(cuts_of(self.bins[a]))
                out[self.schema.name(a)] = self.names[a][find_bin(self.bins[a], self.record.x[a])]
        for i in range(self.record.fresh.size()):
            if self.record.fresh[i].attribute < 0 and self.record.fresh[i].kind == KIND_NUMERIC:
                name = self.record.fresh[i].name
                out[name.data[:name.size].decode()] = intervals([])[0]
        return out

    def cuts(self) -> dict:
        """Each numeric attribute's ascending edges between the bins now in force."""
        cdef size_t a
        for a in self.numeric:
            refresh_bins(self.bins[a], self.stride, self.rule)
        return {self.schema.name(a): cuts_of(self.bins[a]) for a in self.numeric}

    cdef int make_room(self) except -1:
        cdef size_t a, old = self.stride
        if self.schema.labels.size() > old:
            self.stride = stride_for(self.schema.labels.size())
            for a in range(self.bins.size()):
                restride_bins(self.bins[a], old, self.stride)
        for a in range(self.bins.size(), self.schema.attributes.size()):
            self.bins.resize(a + 1)
            if self.schema.attributes[a].kind != KIND_NUMERIC:
                continue
            self.numeric.push_back(<int32_t>a)
            edges = (self.parameters["bins_file"] or {}).get(self.schema.name(a))
            start_bins_on(self.bins[a], edges, self.stride)
        return 0

    def __reduce__(self):
        state = self.schema.export()
        state.update(export_bins(self.bins, self.numeric, self.schema.labels.size(), self.stride))
        return rebuilt, (type(self), self.parameters, state)

    def __repr__(self):
        given = ", ".join(f"{p.name}={self.parameters[p.name]!r}" for p in self.PARAMETERS
                          if self.parameters[p.name] != p.default)
        return f"{type(self).__name__}({given})"


def rebuilt(cls, parameters, state):
    """A discretizer from its class, parameters and state: what pickle calls."""
    cdef Discretizer bins = cls(**parameters)
    bins.schema.restore(state)
    bins.make_room()
    try:
        import_bins(bins.bins, bins.numeric, state, bins.schema.labels.size(), bins.stride, bins.rule)
    except ValueError as e:
        raise ModelFileError(str(e)) from None
    return bins
