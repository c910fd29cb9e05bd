"""Data frames and arrays to records, and answers back to frames: the door of the batch methods.

A column is encoded once: numbers stay where they lie (converted to doubles if they are of another
type), every distinct value of a nominal column is looked up once. What comes out is what DictDoor
makes of the same rows given as dicts: numbers are numeric, strings and booleans nominal, null, None
and NaN missing. A column of a categorical type is nominal whatever its categories are.
"""
from __future__ import annotations

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_GetItem
from cpython.object cimport Py_TYPE, PyObject
from libc.math cimport NAN
from libc.stdint cimport int32_t, uint8_t, uint32_t

from .record cimport KIND_NOMINAL, KIND_NUMERIC, KIND_UNDECIDED, MISSING, UNSEEN, Fresh, Record, Value
from .schema cimport Schema, find_value, object_to_value

from .dicts import plain
from .spelling import keys_of

cdef extern from "Python.h":
    bint PyUnicode_CheckExact(object o) noexcept
    bint PyLong_CheckExact(object o) noexcept
    Py_buffer* PyMemoryView_GET_BUFFER(object view) noexcept


cdef class Batch:
    """The rows of a frame or array by a schema, and their labels and weights.

    Parameters
    ----------
    schema : Schema
    columns : list of (name, values)
        `values` as `columns_of` gives them.
    rows : int
    y : sequence, series or array, optional
        The labels; None and NaN are missing.
    w : float or sequence
        The weight of all rows, or of each.

    Raises
    ------
    ValueError
        For lengths that differ, a weight that is negative or not finite, a string in a numeric attribute.
    TypeError
        For a cell, name or label that is neither a number, a string nor a boolean.
    """

    def __init__(self, Schema schema not None, list columns not None, Py_ssize_t rows, y=None, w=1.0):
        self.schema = schema
        self.rows = rows
        self.keep = []
        self.weight = 1.0
        self.known_attributes = <size_t>-1
        self.labels.kind = self.weights.kind = KIND_UNDECIDED
        learned = None
        if y is not None:
            self.take_labels(y)
            self.take_weights(w)
            learned = self.is_learned
        self.columns.resize(len(columns))
        for j in range(len(columns)):
            name, values = columns[j]
            self.columns[j].name = object_to_value(name, self.keep)
        self.look_up_columns()
        for j in range(len(columns)):
            name, values = columns[j]
            self.add_column(j, name, values, learned)

    # ------------------------------------------------------------ rows out
    cdef int look_up_columns(self) noexcept nogil:
        """Attributes that were learned since the last look get their codes."""
        cdef size_t j
        cdef FrameColumn* c
        self.known_attributes = self.schema.attributes.size()
        for j in range(self.columns.size()):
            c = &self.columns[j]
            if c.attribute < 0:
                c.attribute = self.schema.names.find(c.name.tag, c.name.data, c.name.size)
        return 0

    cdef int fill(self, size_t row, Record& r) except -1 nogil:
        """Sets `r` to a row."""
        cdef size_t j
        cdef int32_t i
        cdef double x
        cdef FrameColumn* c
        cdef Fresh fresh
        if self.known_attributes != self.schema.attributes.size():
            self.look_up_columns()
        r.clear(self.known_attributes)
        for j in range(self.columns.size()):
            c = &self.columns[j]
            if c.kind == KIND_NUMERIC:
                x = c.number(row)
                if not -1e150 <= x <= 1e150:
                    continue
                if c.attribute >= 0:
                    r.x[c.attribute] = x
                    continue
                fresh.x = x
            elif c.kind == KIND_NOMINAL:
                i = c.index(row)
                if i < 0:
                    continue
                if c.attribute >= 0:
                    if c.codes[i] == UNSEEN:
                        c.codes[i] = find_value(self.schema.attributes[c.attribute], c.values[i],
                                                self.schema.max_values)
                    r.code[c.attribute] = c.codes[i]
                    if c.codes[i] != UNSEEN:
                        continue
                fresh.value = c.values[i]
            else:
                continue
            fresh.attribute, fresh.kind, fresh.name = c.attribute, c.kind, c.name
            r.fresh.push_back(fresh)
        if self.labels.kind != KIND_UNDECIDED:
            i = self.labels.index(row)
            if i >= 0:
                if self.labels.codes[i] == UNSEEN:
                    self.labels.codes[i] = self.schema.labels.find(
                        self.labels.values[i].tag, self.labels.values[i].data, self.labels.values[i].size)
                    if self.labels.codes[i] < 0:
                        self.labels.codes[i] = UNSEEN
                r.label = self.labels.values[i]
                r.label_code = self.labels.codes[i]
        r.weight = self.weight if self.weights.data == NULL else self.weights.number(row)
        return 0

    def is_learned(self, size_t row) -> bool:
        """Whether a row has a label and a weight above 0."""
        return self.labels.index(row) >= 0 and (self.weight if self.weights.data == NULL
                                                else self.weights.number(row)) > 0

    # ------------------------------------------------------------ columns in
    cdef int add_column(self, size_t j, object name, object values, object learned) except -1:
        """One column: an array, (codes, categories) of a categorical one, or a list of Python objects."""
        cdef FrameColumn* c = &self.columns[j]
        cdef int known = self.schema.attributes[c.attribute].kind if c.attribute >= 0 else KIND_UNDECIDED
        if c.attribute < 0 and learned is None:
            return 0  # nothing was learned of it
        if isinstance(values, tuple):
            codes, categories = values
            if known != KIND_NUMERIC:
                c.kind = KIND_NOMINAL
                self.take_indices(c, codes)
                return self.take_values(c, categories)
            values = [categories[i] if i >= 0 else None for i in codes.tolist()]
        elif not isinstance(values, list):
            kind = values.dtype.kind
            if kind in "iuf" and known != KIND_NOMINAL:
                c.kind = KIND_NUMERIC
                return self.take_numbers(c, values)
            if kind == "b" and known != KIND_NUMERIC:
                c.kind = KIND_NOMINAL
                self.take_indices(c, values)
                return self.take_values(c, [False, True])
            values = values.tolist()
        return self.take_objects(c, name, values, learned, known)

    cdef int take_numbers(self, FrameColumn* c, object array) except -1:
        cdef Py_buffer* b
        if array.dtype != "=f8" or not array.flags.aligned:
            array = array.astype("=f8")
        view = memoryview(array)
        self.keep.append(view)
        b = PyMemoryView_GET_BUFFER(view)
        c.data, c.stride = <const char*>b.buf, b.strides[0]
        return 0

    cdef int take_indices(self, FrameColumn* c, object array) except -1:
        cdef Py_buffer* b
        view = memoryview(array.astype("=i4"))
        self.keep.append(view)
        b = PyMemoryView_GET_BUFFER(view)
        c.data, c.stride = <const char*>b.buf, b.strides[0]
        return 0

    cdef int take_values(self, FrameColumn* c, list values) except -1:
        for value in values:
            c.values.push_back(object_to_value(value, self.keep))
        c.codes.assign(c.values.size(), UNSEEN)
        return 0

    cdef int take_objects(self, FrameColumn* c, object name, list values, object learned, int kind) except -1:
        """Cells one by one, as DictDoor takes them; an unknown attribute is of its first learned value's kind."""
        cdef Py_ssize_t row, n = len(values)
        cdef bytes held = PyBytes_FromStringAndSize(NULL, n * <Py_ssize_t>sizeof(double))
        cdef double* numbers = <double*>PyBytes_AS_STRING(held)
        cdef int32_t* indices = <int32_t*>numbers
        cdef dict places = {}
        if kind == KIND_UNDECIDED:
            for row in range(n):
                value = present(name, values[row])
                if value is not None and learned(row):
                    kind = KIND_NOMINAL if isinstance(value, (str, bool)) else KIND_NUMERIC
                    break
            else:
                return 0
        for row in range(n):
            value = values[row]
            if kind == KIND_NOMINAL and PyUnicode_CheckExact(value):
                indices[row] = self.index_of(c, places, value)
                continue
            value = present(name, value)
            if kind == KIND_NOMINAL:
                indices[row] = MISSING if value is None else self.index_of(c, places, value)
            elif value is None:
                numbers[row] = NAN
            elif isinstance(value, (str, bool)):
                raise ValueError(f"{value!r} in the attribute {name!r}, whose first value was a number; "
                                 "give a number, or None where it is missing")
            else:
                numbers[row] = value
        c.kind = kind
        c.data = <const char*>numbers
        c.stride = sizeof(double) if kind == KIND_NUMERIC else sizeof(int32_t)
        c.codes.assign(c.values.size(), UNSEEN)
        self.keep.append(held)
        return 0

    cdef int32_t index_of(self, FrameColumn* c, dict places, object value) except -2:
        """The index of a value among the column's distinct ones; True, 1 and "1" are three."""
        cdef PyObject* same = PyDict_GetItem(places, <object>Py_TYPE(value))
        cdef PyObject* place
        if same == NULL:
            places[type(value)] = {}
            same = PyDict_GetItem(places, <object>Py_TYPE(value))
        place = PyDict_GetItem(<object>same, value)
        if place != NULL:
            return <int32_t><object>place
        c.values.push_back(object_to_value(value, self.keep))
        (<dict>same)[value] = c.values.size() - 1
        return <int32_t>c.values.size() - 1

    def take_labels(self, y):
        cdef FrameColumn* c = &self.labels
        cdef Py_ssize_t row
        cdef list labels
        cdef dict places = {}
        cdef bytes held
        cdef int32_t* indices
        c.kind = KIND_NOMINAL
        if type(getattr(y, "dtype", None)).__name__ == "BoolDType":  # numpy's own, which knows no missing ones
            from numpy import asarray

            if len(y) != <Py_ssize_t>self.rows:
                raise ValueError(f"{len(y)} labels for {self.rows} rows; give a label a row")
            self.take_indices(c, asarray(y))
            self.take_values(c, [False, True])
            return
        labels = objects_of(y)
        if len(labels) != <Py_ssize_t>self.rows:
            raise ValueError(f"{len(labels)} labels for {self.rows} rows; give a label a row")
        held = PyBytes_FromStringAndSize(NULL, len(labels) * <Py_ssize_t>sizeof(int32_t))
        self.keep.append(held)
        indices = <int32_t*>PyBytes_AS_STRING(held)
        for row in range(len(labels)):
            label = labels[row]
            if label is None or (not PyUnicode_CheckExact(label) and is_missing(label)):
                indices[row] = MISSING
                continue
            try:
                indices[row] = self.index_of(c, places, label)
            except TypeError as e:
                raise TypeError(f"the label is {e}") from None
        c.data, c.stride = <const char*>indices, sizeof(int32_t)
        c.codes.assign(c.values.size(), UNSEEN)

    def take_weights(self, w):
        if isinstance(w, (int, float)):
            self.weight = w
            if not 0 <= self.weight <= 1e150:
                raise ValueError(f"the weight {w!r} is not a number from 0; give one")
            return
        from numpy import asarray

        weights = asarray(w.to_numpy() if hasattr(w, "to_numpy") else w, dtype="=f8")
        if weights.ndim == 0:
            return self.take_weights(float(weights))
        if weights.shape != (self.rows,):
            raise ValueError(f"{weights.size} weights for {self.rows} rows; give one number, or a weight a row")
        if not ((weights >= 0) & (weights <= 1e150)).all():
            bad = weights[~((weights >= 0) & (weights <= 1e150))][0]
            raise ValueError(f"the weight {float(bad)!r} is not a number from 0; give one")
        self.take_numbers(&self.weights, weights)


cdef bint is_missing(object label) except -1:
    """Whether a label is NaN or pandas' NA."""
    return not PyLong_CheckExact(label) and (type(label).__name__ in ("NAType", "NaTType") or label != label)


def present(name, value):
    """A cell as a str, bool, int or float; None where it is missing or beyond 1e150."""
    if value is not None:
        value = plain(name, value)
    if value is None or isinstance(value, (str, bool)) or -1e150 <= value <= 1e150:
        return value
    return None


def objects_of(y) -> list:
    """A series, array or sequence as a list of Python objects."""
    if hasattr(y, "tolist"):
        y = y.tolist()
    elif hasattr(y, "to_pylist"):
        y = y.to_pylist()
    elif hasattr(y, "to_list"):
        y = y.to_list()
    y = list(y)
    if y and isinstance(y[0], list):
        raise ValueError("the labels are a table; give a label a row")
    return y


def columns_of(X, names=None):
    """What a batch is read from: (columns, rows, frame), `frame` None for arrays.

    Parameters
    ----------
    X : data frame that narwhals reads, or numpy array
        Of an array that isn't structured the columns are named 0, 1, … or as `names` has them.

    Returns
    -------
    columns : list of (name, values)
        `values` is an array, (codes, categories) or a list.
    rows : int
    frame : narwhals.DataFrame or None
    """
    import numpy

    if isinstance(X, numpy.ndarray):
        if X.dtype.names is not None and X.ndim == 1:
            return [(name, X[name]) for name in X.dtype.names], len(X), None
        if X.ndim != 2:
            raise ValueError(f"an array of {X.ndim} dimension{'s' * (X.ndim != 1)}; give one of rows and columns")
        if X.dtype.kind not in "fbOUT":
            X = X.astype(float) if X.dtype.kind in "iu" else X.astype(object)
        elif X.dtype.kind == "f" and X.dtype != "=f8":
            X = X.astype("=f8")
        names = range(X.shape[1]) if names is None else list(names)
        if len(names) != X.shape[1]:
            raise ValueError(f"{len(names)} names for {X.shape[1]} columns; name each")
        return [(name, X[:, j]) for j, name in enumerate(names)], len(X), None
    if names is not None:
        raise ValueError("names are for arrays, a data frame has its own; leave them out")
    if is_pandas(X):
        return pandas_columns(X), len(X), X
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        raise TypeError(f"a {type(X).__name__} is no data frame in memory; give one, or a numpy array "
                        "(collect a lazy frame first)") from None
    columns = []
    for series in frame.iter_columns():
        values = series.to_numpy()
        columns.append((series.name, values if values.dtype.kind in "iufb" else series.to_list()))
    return columns, len(frame), frame


def is_pandas(X) -> bool:
    """Whether X is pandas' own frame: it is read without narwhals, which costs more than learning the rows."""
    return type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "columns")


def pandas_columns(X) -> list:
    """(name, values) of each column."""
    from numpy import dtype, nan

    if not X.columns.is_unique:
        raise ValueError("two columns have the same name; name them apart")
    kinds = X.dtypes.tolist()
    if kinds and isinstance(kinds[0], dtype) and kinds[0].kind in "iufb" and kinds.count(kinds[0]) == len(kinds):
        table = X.to_numpy()
        return [(name, table[:, j]) for j, name in enumerate(X.columns)]
    columns = []
    for (name, series), kind in zip(X.items(), kinds):
        if getattr(kind, "name", "") == "category":
            values = series.cat.codes.to_numpy(), series.cat.categories.tolist()
        elif isinstance(kind, dtype) and kind.kind in "iufb":
            values = series.to_numpy()
        elif kind.kind in "iuf":
            values = series.to_numpy(dtype=float, na_value=nan)
        else:
            values = series.tolist()
        columns.append((name, values))
    return columns


# ------------------------------------------------------------ answers
def typed(list labels, codes):
    """labels[code] for each code as an array of the labels' own type, of objects where they are mixed."""
    import numpy

    kinds = {type(y) for y in labels}
    if len(kinds) == 1 and not (len(codes) and codes.min() < 0):
        values = numpy.array(labels)
        if values.dtype.kind in "bifU":
            return values[codes]
    values = numpy.empty(len(labels) + 1, dtype=object)
    values[:len(labels)] = labels
    return values[codes]  # code -1: None, which stands last


def series_of(values, frame, name):
    """An array as a series of the frame's kind, with its index."""
    if frame is None:
        return values
    if values.dtype.kind == "U":
        values = values.astype(object)
    if is_pandas(frame):
        from pandas import Series

        return Series(values, index=frame.index, name=name)
    import narwhals.stable.v2 as nw

    if frame.implementation.is_pandas_like():  # modin, cuDF
        namespace = nw.get_native_namespace(frame)
        return namespace.Series(values, index=nw.to_native(frame).index, name=name)
    objects = values.tolist()
    if frame.implementation.is_polars() and len({type(value) for value in objects} - {type(None)}) > 1:
        namespace = nw.get_native_namespace(frame)
        return namespace.Series(name or "", objects, dtype=namespace.Object)
    return nw.new_series(name or "", objects, backend=frame.implementation).to_native()


def frame_of(matrix, list labels, list keys, frame):
    """An array with a column a label as a frame of the given one's kind, with its index.

    Where any object may be a name the columns have the labels' `keys`, as in predict_proba_one.
    """
    if frame is None:
        return matrix
    if is_pandas(frame):
        from pandas import DataFrame, Index

        return DataFrame(matrix, columns=Index(keys) if keys else [], index=frame.index)
    import narwhals.stable.v2 as nw

    if frame.implementation.is_pandas_like():
        namespace = nw.get_native_namespace(frame)
        return namespace.DataFrame(matrix, columns=keys or None, index=nw.to_native(frame).index)
    columns = {name: matrix[:, j] for j, name in enumerate(keys_of(labels))}
    return nw.from_dict(columns, backend=frame.implementation).to_native()
