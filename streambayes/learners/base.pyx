"""What all learners share: learn, forget, answer, merge, scale, copy."""
from __future__ import annotations

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from libc.math cimport INFINITY, exp
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from ..records.dicts cimport DictDoor
from ..records.frames cimport Batch
from ..records.record cimport MISSING, UNSEEN, Attribute, Record, Value
from ..records.schema cimport Schema
from ..statistics.counts cimport counted
from ..statistics.tables cimport Scores, restride, stride_for

from ..records.frames import columns_of, frame_of, series_of, typed
from ..records.problems import ModelFileError
from ..records.spelling import dict_keys_of
from .parameters import resolved

cdef extern from "Python.h":
    Py_buffer* PyMemoryView_GET_BUFFER(object view) noexcept

cdef double MOST_ONE = 1 << 20  # values of 1e140 still have a square that fits

cdef enum:
    PREDICTED, PROBABILITIES, LOG_JOINT

cdef double LARGEST = 1e300  # of any sum of weights


cdef class Learner:
    """A one-pass classifier whose state is a sum.

    Learning adds a record, forgetting subtracts it, merging adds two learners; predicting reads and
    never writes. Beside sums it keeps the order in which labels, attributes and values were first
    learned.
    """

    NAME = ""
    PARAMETERS = ()

    def __init__(self, **parameters):
        self.parameters = resolved(self.NAME, self.PARAMETERS, parameters)
        self.schema = Schema(self.parameters.get("max_values") or 10_000)
        self.door = DictDoor(self.schema)
        self.stride = stride_for(0)
        self.class_n.assign(self.stride, 0.0)
        self.label_objects = []
        self.label_keys = []
        self.one = 1.0

    # ------------------------------------------------------------ for the loop
    cdef int learn(self, Record& r) except -1 nogil:
        """Adds a record that has a label and a weight above 0."""
        if r.label_code == MISSING or not r.weight > 0:
            return 0
        self.schema.admit(r)
        self.ensure_room()
        self.class_n[r.label_code] += r.weight * self.one
        self.learned += 1
        return self.add(r, r.label_code, r.weight * self.one)

    cdef int unlearn(self, Record& r) except -1 nogil:
        """Subtracts a record; values that were never learned have nothing to give."""
        if r.label_code < 0 or not r.weight > 0:
            return 0
        if self.one != 1.0:
            with gil:
                self.settle()  # what is left below 1e-9 is measured in weights
        self.class_n[r.label_code] = counted(self.class_n[r.label_code], -r.weight)
        self.learned -= self.learned > 0
        return self.add(r, r.label_code, -r.weight)

    cdef int fade_by(self, double f) except -1 nogil:
        """Multiplies all sums by 0 < f <= 1 without touching them: what comes after weighs more instead.

        The sums are kept in a unit in which a weight of 1 is `one`; pseudo-counts and limits are turned
        into that unit by `measure`, so that every fraction is what it is in weights. Where `one` has become
        large, once in a long while, the sums are multiplied.
        """
        if f == 1.0:
            return 0
        self.one /= f
        if self.one > MOST_ONE:
            with gil:
                self.settle()
        self.measure()
        return 0

    cdef int settle(self) except -1:
        """Turns the sums back into weights."""
        cdef double f = 1.0 / self.one
        self.one = 1.0
        self.scale(f)
        self.measure()
        return 0

    cdef int ensure_room(self) except -1 nogil:
        """Tables for all labels and attributes that the schema knows."""
        cdef size_t old = self.stride
        if self.schema.labels.size() > old:
            self.stride = stride_for(self.schema.labels.size())
            restride(self.class_n, old, self.stride)
        return self.resize(old)

    cdef double total(self) noexcept nogil:
        # N = sum over c of n(c)
        cdef double n = 0
        cdef size_t c
        for c in range(self.schema.labels.size()):
            n += self.class_n[c]
        return n

    cdef int labels_seen(self) noexcept nogil:
        # C
        cdef int seen = 0
        cdef size_t c
        for c in range(self.schema.labels.size()):
            seen += self.class_n[c] > 0
        return seen

    cdef int prepare(self, Scores& s) except -1 nogil:
        cdef size_t work = self.work_rows * self.stride + self.work_extra
        cdef size_t exponents = self.exponent_rows * self.stride
        if s.log_joint.size() != self.stride:
            s.log_joint.assign(self.stride, 0.0)
            s.p.assign(self.stride, 0.0)
        if s.work.size() < work:
            s.work.assign(work, 0.0)
        if s.exponent.size() < exponents:
            s.exponent.assign(exponents, 0)
        return 0

    cdef int weigh(self, const Record& r, Scores& s, double* most) except -1 nogil:
        """Sets s.log_joint, and `most` to the greatest of them."""
        cdef size_t c, labels = self.schema.labels.size()
        cdef const double* n = self.class_n.data()
        cdef double* log_joint
        self.prepare(s)
        log_joint = s.log_joint.data()
        most[0] = -INFINITY
        s.N, s.C = 0.0, 0
        for c in range(labels):
            s.N += n[c]
            s.C += n[c] > 0
        if s.C == 0:
            return 0
        self.score(r, s)
        for c in range(labels):
            if not n[c] > 0 or log_joint[c] != log_joint[c]:
                log_joint[c] = -INFINITY
            elif log_joint[c] > most[0]:
                most[0] = log_joint[c]
        return 0

    cdef int answer(self, const Record& r, Scores& s) except -1 nogil:
        """Sets s.log_joint, s.p and s.predicted; P(c|x) = P(c, x) / sum over c of P(c, x)."""
        cdef size_t c, labels = self.schema.labels.size()
        cdef double most, sum_p = 0.0, best = 0.0
        cdef const double* n = self.class_n.data()
        cdef double* log_joint
        cdef double* p
        self.weigh(r, s, &most)
        log_joint, p = s.log_joint.data(), s.p.data()
        s.predicted = -1
        if s.C == 0:
            return 0
        for c in range(labels):
            if most == -INFINITY:  # all are impossible: the prior
                p[c] = n[c] + self.k if n[c] > 0 else 0.0
            else:
                p[c] = 1.0 if log_joint[c] == most else exp(log_joint[c] - most)
            sum_p += p[c]
        for c in range(labels):
            p[c] /= sum_p
            if p[c] > best:
                best = p[c]
                s.predicted = <int32_t>c
        return 0

    cdef int predict(self, const Record& r, Scores& s) except -1 nogil:
        """Sets s.predicted as `answer` does, without the probabilities where one label is clearly ahead."""
        cdef size_t c, near = 0
        cdef double most
        self.weigh(r, s, &most)
        s.predicted = -1
        for c in range(self.schema.labels.size() if most > -INFINITY else 0):
            if most - s.log_joint[c] < 1e-9:
                near += 1
                s.predicted = <int32_t>c
        if near == 1 or s.C == 0:
            return 0
        return self.answer(r, s)

    # ------------------------------------------------------------ what a subclass supplies
    cdef int add(self, const Record& r, size_t c, double w) except -1 nogil:
        return 0

    cdef void score(self, const Record& r, Scores& s) noexcept nogil:
        pass

    cdef int resize(self, size_t old_stride) except -1 nogil:
        return 0

    cdef void measure(self) noexcept nogil:
        pass

    cdef int merge_sums(self, Learner other, list labels, list attributes, list values) except -1:
        return 0

    cdef int refuse_merge(self, Learner other, list attributes) except -1:
        return 0

    cdef int scale_sums(self, double f) except -1:
        return 0

    cdef size_t held(self) noexcept nogil:
        return 0

    cdef dict export_sums(self):
        return {}

    cdef int import_sums(self, dict sums) except -1:
        return 0

    # ------------------------------------------------------------ for Python
    cdef list label_list(self):
        if len(self.label_objects) != <Py_ssize_t>self.schema.labels.size():
            self.label_objects = self.schema.known_labels()
            self.label_keys = dict_keys_of(self.label_objects)
        return self.label_objects

    cdef list key_list(self):
        self.label_list()
        return self.label_keys

    def learn_one(self, x, y, w=1.0):
        """Learns a record.

        Parameters
        ----------
        x : dict
            Attribute name to value: numbers are numeric, strings and booleans nominal, None and NaN
            missing. Names may come and go; an attribute keeps the kind of its first value.
        y : str, bool, int, float or None
            The label; None or a weight of 0: nothing is learned.
        w : float
            The record's weight.

        Raises
        ------
        ValueError
            For a weight that is negative or not finite, or a string in a numeric attribute.
        TypeError
            For a cell or label that is neither a number, a string, a boolean nor None.
        """
        cdef double weight = w
        if not 0 <= weight <= 1e150:
            raise ValueError(f"the weight {w!r} is not a number from 0; give one")
        self.door.encode(x, self.record)
        self.door.encode_label(y, self.record)
        self.record.weight = weight
        self.learn(self.record)

    def forget_one(self, x, y, w=1.0):
        """Subtracts a record that was learned: the inverse of `learn_one`.

        Raises
        ------
        ValueError
            For a label that was never learned, and as in `learn_one`.
        """
        cdef double weight = w
        if not 0 <= weight <= 1e150:
            raise ValueError(f"the weight {w!r} is not a number from 0; give one")
        self.door.encode(x, self.record)
        self.door.encode_label(y, self.record)
        if self.record.label_code == UNSEEN and weight > 0:
            raise ValueError(f"the label {y!r} was never learned, so it can't be forgotten")
        self.record.weight = weight
        self.unlearn(self.record)

    @cython.binding(False)
    @cython.embedsignature.format("clinic")
    def predict_one(self, x):
        """The most probable label, None before anything is learned; ties go to the label learned first."""
        self.door.encode(x, self.record)
        self.predict(self.record, self.scores)
        if self.scores.predicted < 0:
            return None
        return self.label_list()[self.scores.predicted]

    @cython.binding(False)
    @cython.embedsignature.format("clinic")
    def predict_proba_one(self, x):
        """Label to P(label | x), in the order in which they were first learned; {} before that.

        True and 1 (False and 0) are two labels, but one key of a Python dict: the one that was learned
        later is given as its JSON text, "1" or "true". A string that is spelled so is then given as
        JSON too, with its quotes.

        Examples
        --------
        >>> from streambayes import NaiveBayes
        >>> model = NaiveBayes()
        >>> for y in (1, True, True):
        ...     model.learn_one({}, y)
        >>> list(model.predict_proba_one({}))
        [1, 'true']
        """
        cdef dict p = {}
        cdef size_t c
        cdef list labels = self.key_list()
        self.door.encode(x, self.record)
        self.answer(self.record, self.scores)
        if self.scores.predicted >= 0:
            for c in range(self.schema.labels.size()):
                if self.class_n[c] > 0:
                    p[labels[c]] = self.scores.p[c]
        return p

    def joint_log_likelihood(self, x):
        """Label to log P(label, x), the natural logarithm before normalising; -inf where it is impossible.

        Labels are given as `predict_proba_one` gives them.
        """
        cdef dict p = {}
        cdef size_t c
        cdef list labels = self.key_list()
        self.door.encode(x, self.record)
        self.answer(self.record, self.scores)
        if self.scores.predicted >= 0:
            for c in range(self.schema.labels.size()):
                if self.class_n[c] > 0:
                    p[labels[c]] = self.scores.log_joint[c]
        return p

    # ------------------------------------------------------------ for data frames and arrays
    def learn_many(self, X, y, w=1.0, names=None):
        """Learns the rows of a data frame or array: the state is that of `learn_one` row by row.

        Parameters
        ----------
        X : data frame, or numpy array
            Any frame in memory that narwhals reads (pandas, polars, pyarrow, …), or an array: structured,
            or of rows and columns. Numbers are numeric, strings and booleans nominal, and so is a column of
            a categorical type; null, None and NaN are missing.
        y : series, array or sequence
            The labels; rows without one (None, NaN) are passed over.
        w : float or sequence of float
            The weight of all rows, or of each; a weight of 0 learns nothing.
        names : sequence, optional
            Of an array's columns; without them they are 0, 1, …

        Raises
        ------
        ValueError, TypeError
            As in `learn_one`, and for lengths that differ; nothing is learned then.
        """
        cdef size_t row
        cdef Batch batch
        cdef Record record
        columns, rows, _ = columns_of(X, names)
        batch = Batch(self.schema, columns, rows, y, w)
        with nogil:
            for row in range(batch.rows):
                batch.fill(row, record)
                self.learn(record)

    def predict_many(self, X, names=None):
        """The most probable label of each row: a series of the frame's kind, or an array.

        None stands for rows that are predicted before anything is learned.
        """
        columns, rows, frame = columns_of(X, names)
        codes = self.answers(columns, rows, PREDICTED)
        return series_of(typed(self.label_list(), codes), frame, self.schema.target)

    def predict_proba_many(self, X, names=None):
        """P(label | row): a frame of the same kind with a column a label, as first learned, or an array."""
        columns, rows, frame = columns_of(X, names)
        return frame_of(self.answers(columns, rows, PROBABILITIES), self.classes, list(self.class_counts), frame)

    def joint_log_likelihood_many(self, X, names=None):
        """log P(label, row), laid out as `predict_proba_many` is."""
        columns, rows, frame = columns_of(X, names)
        return frame_of(self.answers(columns, rows, LOG_JOINT), self.classes, list(self.class_counts), frame)

    cdef object answers(self, list columns, Py_ssize_t rows, int what):
        """Codes of the labels predicted, or a row of figures each, as an array."""
        from numpy import empty

        cdef Batch batch = Batch(self.schema, columns, rows)
        cdef Record record
        cdef size_t row, c, labels = self.schema.labels.size(), seen = self.labels_seen()
        answer = empty(rows, "=i4") if what == PREDICTED else empty((rows, seen))
        view = memoryview(answer)
        cdef int32_t* code = <int32_t*>PyMemoryView_GET_BUFFER(view).buf
        cdef double* figure = <double*>code
        with nogil:
            for row in range(batch.rows):
                batch.fill(row, record)
                if what == PREDICTED:
                    self.predict(record, self.scores)
                    code[row] = self.scores.predicted
                    continue
                self.answer(record, self.scores)
                for c in range(labels):
                    if self.class_n[c] > 0:
                        figure[0] = self.scores.p[c] if what == PROBABILITIES else self.scores.log_joint[c]
                        figure += 1
        return answer

    @property
    def classes(self):
        """The labels with anything learned, as first learned."""
        return [y for c, y in enumerate(self.label_list()) if self.class_n[c] > 0]

    @property
    def class_counts(self):
        """Label, as `predict_proba_one` gives it, to n(c)."""
        return {y: self.class_n[c] / self.one for c, y in enumerate(self.key_list()) if self.class_n[c] > 0}

    def priors(self) -> list:
        """(label, n(c), P(c)) of each label."""
        cdef double N = self.total()
        cdef int C = self.labels_seen()
        cdef size_t c
        cdef list labels = self.label_list()
        return [(labels[c], self.class_n[c] / self.one, (self.class_n[c] + self.k) / (N + self.k * C))
                for c in range(self.schema.labels.size()) if self.class_n[c] > 0]

    @property
    def attributes(self):
        """Attribute name to kind, as first learned."""
        return self.schema.attribute_kinds()

    def scale(self, double factor):
        """Multiplies all sums by `factor`, from 0 (all is forgotten) up.

        Raises
        ------
        ValueError
            For a factor that is negative or not finite, or one that takes the sums beyond 1e300.
        """
        cdef size_t c
        if not 0 <= factor <= 1e150:
            raise ValueError(f"the factor {factor!r} is not a number from 0; give one")
        if not self.total() * factor <= LARGEST:
            raise ValueError(f"the factor {factor!r} takes the sums of weights beyond 1e300; give a smaller one")
        for c in range(self.class_n.size()):
            self.class_n[c] *= factor
        self.scale_sums(factor)

    def fade(self, double factor):
        """Multiplies all sums by `factor`, above 0 and up to 1, at a cost that doesn't hang on their number.

        Called before each record that is learned, the past fades: the i-th record before the latest has
        the weight factor**i.

        Raises
        ------
        ValueError
            For a factor that is not above 0 and up to 1.
        """
        if not 0 < factor <= 1:
            raise ValueError(f"the factor {factor!r} is not above 0 and up to 1; give such a one")
        self.fade_by(factor)

    def reset(self):
        """Forgets all that was learned; labels, attributes and values keep their order."""
        self.scale(0.0)
        self.learned = 0

    def merge(self, other):
        """Adds what another learner with the same parameters has learned; answers itself.

        Labels, attributes and values that only the other knows come behind one's own. Counts are those
        of one pass over both streams, to the bit where weights are whole numbers; moments may differ
        from its in the last digits.

        Raises
        ------
        ValueError
            If the other is of another class, has other parameters or another target, or an attribute
            of another kind.
        """
        cdef Learner o
        cdef Schema mine = self.schema, theirs
        cdef Value v
        cdef size_t a, i
        if type(other) is not type(self):
            raise ValueError(f"a {type(other).__name__} can't be merged into a {type(self).__name__}; "
                             "merge models of one kind")
        if other is self:
            other = self.copy()
        o = other
        if o.one != 1.0:
            o = o.copy()
        if self.one != 1.0:
            self.settle()
        theirs = o.schema
        if o.effective_parameters() != self.effective_parameters():
            raise ValueError("the parameters differ, "
                             f"{self.effective_parameters()} and {o.effective_parameters()}; give both the same")
        if None is not mine.target != theirs.target is not None:
            raise ValueError(f"the target is {mine.target} here and {theirs.target} there; "
                             "merge models of one target")
        if not self.total() + o.total() <= LARGEST:
            raise ValueError("together the sums of weights are beyond 1e300; scale the models down before")
        kinds = mine.attribute_kinds()
        for name, kind in theirs.attribute_kinds().items():
            if kinds.get(name, kind) != kind:
                raise ValueError(f"the attribute {name} is {kinds[name]} here and {kind} there; "
                                 "have it read as one kind (--nominal, --numeric)")
        self.refuse_merge(o, [mine.names.find(theirs.names.entries[a].tag, theirs.names.data(a),
                                              theirs.names.entries[a].size) for a in range(theirs.attributes.size())])
        labels, attributes, values = [], [], []
        for i in range(theirs.labels.size()):
            labels.append(mine.labels.intern(theirs.labels.entries[i].tag, theirs.labels.data(i),
                                             theirs.labels.entries[i].size))
        for a in range(theirs.attributes.size()):
            v.tag, v.data, v.size = theirs.names.entries[a].tag, theirs.names.data(a), theirs.names.entries[a].size
            attributes.append(mine.add_attribute(v, theirs.attributes[a].kind))
            values.append(mine.merge_values(attributes[a], theirs, a))
        self.ensure_room()
        for i in range(len(labels)):
            self.class_n[<size_t>labels[i]] += o.class_n[i]
        self.learned += o.learned
        if mine.target is None:
            mine.target = theirs.target
        mine.merge_declared(theirs)
        self.merge_sums(o, labels, attributes, values)
        return self

    def __add__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return self.copy().merge(other)

    def memory_usage(self) -> int:
        """Bytes that the learner holds: its tables, names and values, with the room kept for more."""
        return (self.class_n.capacity() * sizeof(double) + self.schema.held() + self.held()
                + (self.scores.log_joint.capacity() + self.scores.p.capacity() + self.scores.work.capacity())
                * sizeof(double) + self.scores.exponent.capacity() * sizeof(int64_t)
                + self.record.code.capacity() * sizeof(int32_t) + self.record.x.capacity() * sizeof(double))

    def __sizeof__(self):
        return object.__sizeof__(self) + self.memory_usage()

    def copy(self):
        """A learner with the same state that shares nothing with this one."""
        return rebuilt(type(self), *self.__reduce__()[1][1:])

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return rebuilt, (type(self), self.effective_parameters(), self.state())

    def effective_parameters(self) -> dict:
        """The parameters with presets worked out."""
        return dict(self.parameters)

    def __repr__(self):
        given = ", ".join(f"{p.name}={self.parameters[p.name]!r}" for p in self.PARAMETERS
                          if self.parameters[p.name] != p.default)
        return f"{type(self).__name__}({given})"

    # ------------------------------------------------------------ state as bytes
    def state(self) -> dict:
        """All sums and names as {name: bytes or number}: canonical, little end first, equal for equal models."""
        cdef Learner twin
        if self.one == 1.0:
            return self.export_state()
        twin = rebuilt(type(self), self.effective_parameters(), self.export_state())
        twin.scale(1.0 / self.one)
        return twin.export_state()

    cdef dict export_state(self):
        cdef size_t labels = self.schema.labels.size()
        state = {"learned": self.learned, "target": self.schema.target}
        state.update(self.schema.export())
        state["class_n"] = (<const char*>self.class_n.data())[:labels * sizeof(double)]
        state.update(self.export_sums())
        return state

    def restore(self, dict state not None):
        """The inverse of `state`, for an empty learner.

        Raises
        ------
        ModelFileError
            If anything in it doesn't fit together.
        """
        cdef vector[double] class_n
        cdef size_t c
        if list(state) != list(self.state()):
            raise ModelFileError(f"its arrays are not those of the model {self.NAME}")
        learned, target = state["learned"], state["target"]
        if type(learned) is not int or not 0 <= learned < 1 << 63 or not isinstance(target, (str, type(None))):
            raise ModelFileError("its number of records or its target is none")
        self.schema.restore(state)
        class_n = counts_from(state["class_n"], self.schema.labels.size())
        self.learned = learned
        self.schema.target = target
        self.ensure_room()
        for c in range(class_n.size()):
            self.class_n[c] = class_n[c]
        if not self.total() <= LARGEST:
            raise ModelFileError("its sums of weights are too large")
        try:
            self.import_sums(state)
        except ValueError as e:  # from statistics/, which knows nothing of model files
            raise ModelFileError(str(e)) from None

    def to_bytes(self) -> bytes:
        """The learner as a model file's bytes: equal models are equal bytes (docs/model-file.md)."""
        from ..modelfile import to_bytes

        return to_bytes(self)

    @classmethod
    def from_bytes(cls, data):
        """The learner that `to_bytes` wrote.

        Raises
        ------
        ModelFileError
            If the bytes are damaged, foreign, newer, or another class's.
        """
        from ..modelfile import from_bytes

        learner = from_bytes(data)
        if not isinstance(learner, cls):
            raise ModelFileError(f"the model is a {type(learner).__name__}, no {cls.__name__}; "
                                 f"read it with {type(learner).__name__} or streambayes.load")
        return learner

    def save(self, path):
        """Writes a model file, whole or not at all; `streambayes.load` reads it.

        Raises
        ------
        ModelFileError
            If it can't be written.
        """
        from ..modelfile import save

        save(self, path)


cdef vector[double] doubles_from(bytes b, size_t n) except *:
    cdef vector[double] v
    cdef size_t i
    if <size_t>len(b) % sizeof(double) or <size_t>len(b) // sizeof(double) != n:
        raise ModelFileError("a table has the wrong size")
    v.resize(n)
    if n:
        memcpy(v.data(), PyBytes_AS_STRING(b), len(b))
    for i in range(n):
        if not -INFINITY < v[i] < INFINITY:
            raise ModelFileError("a sum is not finite")
    return v


cdef vector[double] counts_from(bytes b, size_t n) except *:
    cdef vector[double] v = doubles_from(b, n)
    cdef size_t i
    for i in range(n):
        if not 0 <= v[i] <= LARGEST:
            raise ModelFileError("a count is not a number from 0")
    return v


def rebuilt(cls, parameters, state):
    """A learner from its class, parameters and state: what pickle calls."""
    learner = cls(**parameters)
    (<Learner?>learner).restore(state)
    return learner
