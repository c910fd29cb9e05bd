"""Streams that change: learners that forget, and that start anew when their errors grow.

`Fading` multiplies all sums by a factor before each record, `Sliding` remembers exactly the latest
records, `Retraining` watches the errors with one of river's drift detectors. Each is put around any
learner; on the command line they are `--forget`, `--sliding` and `--drift`.

Examples
--------
>>> from streambayes import NaiveBayes
>>> from streambayes.drift import Sliding
>>> model = Sliding(NaiveBayes(), 2)
>>> for wind, y in [(1.0, "out"), (2.0, "out"), (9.0, "in"), (8.0, "in")]:
...     model.learn_one({"wind": wind}, y)
>>> model.class_counts
{'in': 2.0}
"""

from __future__ import annotations

from collections import deque

from .evaluation.prequential import DRIFTED, NO_CHANGE, WARNED
from .records.problems import UsageError

DETECTORS = ("adwin", "ddm", "page-hinkley", "kswin")
MOST_NOTED = 10_000  # records kept while a warning lasts


class Watch:
    """One of river's drift detectors, fed with errors: 0 for a right answer, 1 for a wrong one.

    A change to fewer errors is no drift.

    Parameters
    ----------
    detector : {'adwin', 'ddm', 'page-hinkley', 'kswin'} or a river detector
        By name: river's with its own parameters (Page-Hinkley looks for an increase alone, KSWIN
        draws with seed 0).
    on_drift : callable, optional
        Called with the number of the record at which a drift is seen.

    Attributes
    ----------
    drifts : list of int
        The numbers of these records.

    Raises
    ------
    UsageError
        For a name that no detector has.
    """

    def __init__(self, detector="adwin", on_drift=None):
        self.detector = made(detector) if isinstance(detector, str) else detector
        self.on_drift = on_drift
        self.drifts: list[int] = []
        self._errors = 0
        self._scored = 0
        self._recent: deque = deque(maxlen=30)

    def saw(self, wrong, record: int) -> int:
        """Takes an error; answers NO_CHANGE, WARNED or DRIFTED."""
        estimated = getattr(self.detector, "estimation", None)
        self.detector.update(int(wrong))
        self._errors += wrong
        self._scored += 1
        self._recent.append(wrong)
        if self.detector.drift_detected and self._rose(estimated):
            self._errors = self._scored = 0
            self._recent.clear()
            self.drifts.append(record)
            if self.on_drift is not None:
                self.on_drift(record)
            return DRIFTED
        return WARNED if getattr(self.detector, "warning_detected", False) else NO_CHANGE

    def _rose(self, estimated) -> bool:
        """Whether errors grew: by the detector's own estimate, else by the latest ones."""
        if estimated is not None:  # ADWIN has dropped the older part of its window
            return self.detector.estimation > estimated
        return sum(self._recent) * self._scored > self._errors * len(self._recent)


def made(name: str):
    """A river detector by its name on the command line."""
    if name not in DETECTORS:
        raise UsageError(f"there is no drift detector {name}; they are {', '.join(DETECTORS)}")
    from river import drift

    if name == "adwin":
        return drift.ADWIN()
    if name == "ddm":
        return drift.binary.DDM()
    if name == "page-hinkley":
        return drift.PageHinkley(mode="up")
    return drift.KSWIN(seed=0)


class _Around:
    """A learner with another way to learn; it answers as the learner does."""

    def __init__(self, model):
        self.model = model

    def learn_many(self, X, y, w=1.0):
        """Learns the rows of a data frame in their order, one by one."""
        import narwhals.stable.v2 as nw

        from .records.frames import objects_of

        labels = objects_of(y)
        weights = [w] * len(labels) if isinstance(w, (int, float)) else objects_of(w)
        rows = nw.from_native(X, eager_only=True).iter_rows(named=True)
        for x, label, weight in zip(rows, labels, weights, strict=True):
            self.learn_one(x, label, weight)

    def reset(self):
        """Forgets all that was learned."""
        self.model.reset()

    def predict_one(self, x):
        return self.model.predict_one(x)

    def predict_proba_one(self, x):
        return self.model.predict_proba_one(x)

    def joint_log_likelihood(self, x):
        return self.model.joint_log_likelihood(x)

    def predict_many(self, X):
        return self.model.predict_many(X)

    def predict_proba_many(self, X):
        return self.model.predict_proba_many(X)

    @property
    def classes(self) -> list:
        return self.model.classes

    @property
    def class_counts(self) -> dict:
        return self.model.class_counts

    @property
    def attributes(self) -> dict:
        return self.model.attributes


def _id_of(label) -> tuple:
    """True, 1 and "1" are three labels; 1.0 and numpy's 1 are 1."""
    label = label.item() if hasattr(label, "item") else label
    return isinstance(label, bool), label


def _is_learned(y, w) -> bool:
    return y is not None and y == y and w > 0


class Fading(_Around):
    """A learner whose past fades: the i-th record before the latest has the weight factor**i.

    The cost per record doesn't hang on the size of the learner: it isn't the sums that are made
    smaller, but the unit in which they are kept that grows.

    Parameters
    ----------
    model : a learner
    factor : float
        Above 0 and up to 1. 0.999 remembers as much as the last 1,000 records together weigh.

    Raises
    ------
    UsageError
        For a factor that isn't above 0 and up to 1.

    Examples
    --------
    >>> from streambayes import NaiveBayes
    >>> from streambayes.drift import Fading
    >>> model = Fading(NaiveBayes(), 0.5)
    >>> for y in ("a", "b", "b"):
    ...     model.learn_one({}, y)
    >>> model.class_counts
    {'a': 0.25, 'b': 1.5}
    """

    def __init__(self, model, factor: float):
        if not 0 < factor <= 1:
            raise UsageError(f"the factor {factor!r} is not above 0 and up to 1; give such a one")
        super().__init__(model)
        self.factor = factor

    def learn_one(self, x, y, w=1.0):
        if _is_learned(y, w):
            self.model.fade(self.factor)
        self.model.learn_one(x, y, w)


class Sliding(_Around):
    """A learner that remembers exactly the latest records: older ones are subtracted.

    Once `size` records were subtracted, the sums are made anew from those remembered, so that
    rounding doesn't add up; a record costs three times as much to learn. Until then an attribute
    that has become constant in the window may count as one that hardly varies: sums can't tell.

    Parameters
    ----------
    model : a learner
        That has learned nothing yet.
    size : int
        How many records are remembered, from 1.

    Raises
    ------
    UsageError
        For a size below 1, or a learner that has learned something.

    Examples
    --------
    >>> from streambayes import NaiveBayes
    >>> from streambayes.drift import Sliding
    >>> model = Sliding(NaiveBayes(), 2)
    >>> for y in ("a", "b", "b"):
    ...     model.learn_one({}, y)
    >>> model.class_counts
    {'b': 2.0}
    """

    def __init__(self, model, size: int):
        if size < 1 or size != int(size):
            raise UsageError(f"a window of {size} records; give a whole number from 1")
        if model.learned:
            raise UsageError(
                "the model has learned records that can't leave the window; give an empty one"
            )
        super().__init__(model)
        self.size = size
        self.window: deque = deque()
        self._forgotten = 0

    def learn_one(self, x, y, w=1.0):
        self.model.learn_one(x, y, w)
        if not _is_learned(y, w):
            return
        self.window.append((dict(x), y, w))
        if len(self.window) <= self.size:
            return
        oldest = self.window.popleft()
        self._forgotten += 1
        if self._forgotten < self.size:
            self.model.forget_one(*oldest)
            return
        self._forgotten = 0
        self.model.reset()
        for record in self.window:
            self.model.learn_one(*record)

    def reset(self):
        """Forgets all that was learned."""
        self.model.reset()
        self.window.clear()
        self._forgotten = 0


class Retraining(_Around):
    """A learner that starts anew when a drift is seen in its errors.

    Before a record is learned it is predicted, and the detector is told whether that was right.
    With a detector that warns (DDM) the new start includes the records since the warning, at most
    the last 10,000 of them.

    Parameters
    ----------
    model : a learner, or one of this module's around a learner
    detector : {'adwin', 'ddm', 'page-hinkley', 'kswin'} or a river detector

    Attributes
    ----------
    drifts : list of int
        The numbers of the records, from 1 and among those learned from, at which a drift was seen.
    """

    def __init__(self, model, detector="adwin"):
        super().__init__(model)
        self.watch = Watch(detector)
        self._since_warning: deque = deque(maxlen=MOST_NOTED)
        self._records = 0

    @property
    def drifts(self) -> list[int]:
        return self.watch.drifts

    def learn_one(self, x, y, w=1.0):
        if not _is_learned(y, w):
            return
        self._records += 1
        predicted = self.model.predict_one(x)
        if predicted is not None:
            wrong = _id_of(predicted) != _id_of(y)
            signal = self.watch.saw(wrong, self._records)
            if signal == DRIFTED:
                self.model.reset()
                for record in self._since_warning:
                    self.model.learn_one(*record)
            if signal == WARNED:
                self._since_warning.append((dict(x), y, w))
            else:
                self._since_warning.clear()
        self.model.learn_one(x, y, w)
