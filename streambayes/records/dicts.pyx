"""Dicts to records: the door of the Python API."""
from __future__ import annotations

from cpython.dict cimport PyDict_GetItem, PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from .record cimport (KIND_NOMINAL, KIND_NUMERIC, MISSING, TAG_STRING, UNSEEN, Fresh, Record, Value)
from .schema cimport Schema, find_value, object_to_value

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object o, Py_ssize_t* n) except NULL
    double PyFloat_AS_DOUBLE(object o) noexcept
    bint PyFloat_CheckExact(object o) noexcept
    bint PyUnicode_CheckExact(object o) noexcept
    bint PyDict_Check(object o) noexcept
    bint PyLong_CheckExact(object o) noexcept
    bint PyBool_Check(object o) noexcept
    PyObject* PyList_GET_ITEM(object list, Py_ssize_t i) noexcept

cdef extern from *:
    """
    // Changes with every change of the dict, and no other dict ever has the same; 0: not told.
    static inline uint64_t streambayes_version_of(PyObject *dict) {
    #if PY_VERSION_HEX < 0x030C0000 && !defined(PYPY_VERSION)
        return ((PyDictObject *)dict)->ma_version_tag;
    #else
        (void)dict;
        return 0;
    #endif
    }
    """
    uint64_t version_of "streambayes_version_of" (object dict) noexcept

cdef enum:
    PLACES = 16  # for labels by their address


cdef class DictDoor:
    """Encodes dicts by a schema: numbers are numeric, strings and booleans nominal, None and NaN missing."""

    def __init__(self, Schema schema not None):
        self.schema = schema
        self.codes = {}
        self.guessed_names = []
        self.keep = []
        self.label_objects = [None] * PLACES

    cdef int encode(self, object x, Record& r) except -1:
        cdef PyObject* key
        cdef PyObject* value
        cdef PyObject* known
        cdef Py_ssize_t at = 0
        cdef size_t i = 0, attributes = self.schema.attributes.size()
        cdef int32_t a
        cdef double number
        cdef uint64_t version
        if not PyDict_Check(x):
            if not hasattr(x, "items"):
                raise TypeError(f"x is a {type(x).__name__}; give a dict of attribute name to value")
            x = dict(x)
        if self.keep:
            self.keep = []
        version = version_of(x)
        if <PyObject*>x == self.latest and version == self.version and r.x.size() == attributes:
            return 0
        self.latest = NULL
        self.is_lasting = version != 0
        r.clear(attributes)
        self.non_finite = 0
        if len(self.codes) != <Py_ssize_t>attributes:
            self.codes = {self.schema.name(j): j for j in range(attributes)}
            self.guessed_names = []
            self.guessed.clear()
        while PyDict_Next(x, &at, &key, &value):
            if i < self.guessed.size() and self.guessed[i].name == key:
                a = self.guessed[i].code
                if self.guessed[i].is_numeric and PyFloat_CheckExact(<object>value):
                    number = PyFloat_AS_DOUBLE(<object>value)
                    if -1e150 <= number <= 1e150:
                        r.x[a] = number
                    else:
                        self.non_finite += 1
                    i += 1
                    continue
            else:
                known = PyDict_GetItem(self.codes, <object>key)
                a = -1 if known == NULL else <int32_t><object>known
                self.guess(i, <object>key, a)
            i += 1
            self.encode_cell(<object>key, a, <object>value, r)
        if self.is_lasting and r.fresh.empty():
            self.latest, self.version = <PyObject*>x, version
        return 0

    cdef int guess(self, size_t i, object key, int32_t a) except -1:
        cdef Guess g
        if a < 0:
            return 0
        g.name, g.code, g.is_numeric = <PyObject*>key, a, self.schema.attributes[a].kind == KIND_NUMERIC
        if i < self.guessed.size():
            self.guessed_names[i] = key
            self.guessed[i] = g
        elif i == self.guessed.size():
            self.guessed_names.append(key)
            self.guessed.push_back(g)
        return 0

    cdef int encode_cell(self, object name, int32_t attribute, object value, Record& r) except -1:
        """Any cell but the commonest, a float of a known numeric attribute."""
        cdef Fresh f
        cdef Py_ssize_t n
        cdef int32_t code
        cdef int kind = self.schema.attributes[attribute].kind if attribute >= 0 else 0
        if value is None:
            return 0
        if PyUnicode_CheckExact(value) and kind == KIND_NOMINAL:
            try:
                f.value.data = PyUnicode_AsUTF8AndSize(value, &n)
                f.value.size, f.value.tag = <uint32_t>n, TAG_STRING
            except UnicodeEncodeError:
                f.value = object_to_value(value, self.keep)
        else:
            if not is_immutable(value):
                self.is_lasting = False
            value = plain(name, value)
            if value is None:
                return 0
            is_number = not isinstance(value, (str, bool))
            if kind == 0:
                kind = KIND_NUMERIC if is_number else KIND_NOMINAL
            if kind == KIND_NUMERIC and not is_number:
                raise ValueError(f"{value!r} in the attribute {name!r}, whose first value was a number; "
                                 "give a number, or None where it is missing")
            if is_number and not -1e150 <= value <= 1e150:
                self.non_finite += value == value
                return 0
            if kind == KIND_NUMERIC:
                f.x = value
                if attribute >= 0:
                    r.x[attribute] = f.x
                    return 0
            else:
                f.value = object_to_value(value, self.keep)
        if attribute >= 0:
            code = find_value(self.schema.attributes[attribute], f.value, self.schema.max_values)
            r.code[attribute] = code
            if code != UNSEEN:
                return 0
        else:
            f.name = object_to_value(name, self.keep)
        f.attribute = attribute
        f.kind = kind
        r.fresh.push_back(f)
        return 0

    cdef int encode_label(self, object y, Record& r) except -1:
        cdef Py_ssize_t n
        cdef Value nothing
        cdef size_t place = (<size_t><PyObject*>y >> 4) % PLACES
        r.label = nothing
        r.label_code = MISSING
        if y is None:
            return 0
        if PyList_GET_ITEM(self.label_objects, place) == <PyObject*>y:
            r.label_code = self.label_codes[place]
            return 0
        if PyUnicode_CheckExact(y):
            try:
                r.label.data = PyUnicode_AsUTF8AndSize(y, &n)
                r.label.size, r.label.tag = <uint32_t>n, TAG_STRING
            except UnicodeEncodeError:
                r.label = object_to_value(y, self.keep)
        else:
            if y != y:
                return 0
            try:
                r.label = object_to_value(y, self.keep)
            except TypeError as e:
                raise TypeError(f"the label is {e}") from None
        r.label_code = self.schema.labels.find(r.label.tag, r.label.data, r.label.size)
        if r.label_code < 0:
            r.label_code = UNSEEN
        elif is_immutable(y):
            self.label_objects[place] = y
            self.label_codes[place] = r.label_code
        return 0


cdef inline bint is_immutable(object value) noexcept:
    return (PyFloat_CheckExact(value) or PyUnicode_CheckExact(value) or PyLong_CheckExact(value)
            or PyBool_Check(value) or value is None)


def plain(name, value):
    """A cell as a str, bool, int or float; None where it is missing."""
    if isinstance(value, (str, bool, int, float)):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return plain(name, value.item())
    if hasattr(value, "__float__"):  # Decimal, Fraction
        return float(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    raise TypeError(f"the attribute {name!r} holds a {type(value).__name__}, {value!r:.60}; "
                    "give a number, a string, a boolean or None")
