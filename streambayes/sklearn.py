"""The learners as one scikit-learn classifier, for cross_val_score, GridSearchCV and their like.

Examples
--------
>>> from sklearn.datasets import load_iris
>>> from sklearn.model_selection import cross_val_score
>>> from streambayes.sklearn import StreamingClassifier
>>> x, y = load_iris(return_X_y=True)
>>> round(float(cross_val_score(StreamingClassifier(), x, y, cv=5).mean()), 2)
0.95
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from .learners.registry import MODELS, learner_class, learner_from
from .records.problems import UsageError

__all__ = ["StreamingClassifier"]


def _parameters() -> list[str]:
    """The names of all models' parameters, each once."""
    return list(dict.fromkeys(p.name for model in MODELS for p in learner_class(model).PARAMETERS))


class StreamingClassifier(ClassifierMixin, BaseEstimator):
    """A streaming learner behind scikit-learn's interface.

    Arrays of numbers, arrays and data frames of mixed kinds are taken as they are: numbers are
    numeric, strings and booleans nominal, NaN and None missing. `fit` learns the rows in their
    order, `partial_fit` goes on from there.

    Parameters
    ----------
    model : str, default 'nb'
        A model's name as the command line has it, with parameters or without: `'nb'`, `'nb:m=0.5'`.
    **parameters
        The parameters of all models, by name; None leaves the model's own default. One that the
        model hasn't got is refused by `fit`.

    Attributes
    ----------
    classes_ : array of the labels, sorted
    learner_ : the learner
    n_features_in_ : int
    feature_names_in_ : array of str, for data frames whose names are strings

    Examples
    --------
    >>> from streambayes.sklearn import StreamingClassifier
    >>> model = StreamingClassifier("nb", m=0.5)
    >>> model.fit([["sun", 2.5], ["rain", 9.0], ["sun", 1.0]], ["out", "in", "out"]).classes_
    array(['in', 'out'], dtype='<U3')
    >>> model.predict([["sun", 3.0]])
    array(['out'], dtype='<U3')
    """

    def __init__(self, model="nb", **parameters):
        self.model = model
        for name in _parameters():
            setattr(self, name, parameters.pop(name, None))
        if parameters:
            raise TypeError(f"no model has a parameter {next(iter(parameters))}")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    # ------------------------------------------------------------ learning
    def fit(self, X, y, sample_weight=None):
        """Learns the rows in their order, from nothing."""
        for name in ("learner_", "classes_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)
        return self._learn(X, y, None, sample_weight, True)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learns more rows.

        Parameters
        ----------
        classes : array, optional
            All labels that may come, so that `classes_` is whole from the first call on. Without it
            `classes_` grows as labels come.
        """
        return self._learn(X, y, classes, sample_weight, not hasattr(self, "learner_"))

    def _learn(self, X, y, classes, sample_weight, first):
        X = self._validated(X, first)
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if len(y) != len(X):
            raise ValueError(f"inconsistent numbers of samples: {len(X)} rows, {len(y)} labels")
        labels = np.unique(y) if classes is None else np.unique(np.asarray(classes))
        weights = 1.0
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        if first:
            self.learner_ = self._made()
            self.classes_ = labels
        elif classes is not None and not np.array_equal(labels, self.classes_):
            raise ValueError(
                f"`classes={classes}` is not what it was on an earlier call: {self.classes_}"
            )
        if not np.isin(y, self.classes_).all():
            if getattr(self, "_declared", False):
                raise ValueError("y has labels that `classes` didn't name")
            self.classes_ = np.unique(np.concatenate([self.classes_, labels]))
        if first:
            self._declared = classes is not None
        self.learner_.learn_many(X, y, weights, **self._named(X))
        return self

    def _made(self):
        learner = learner_from(self.model)
        given = {
            name: getattr(self, name) for name in _parameters() if getattr(self, name) is not None
        }
        if not given:
            return learner
        named = {k: v for k, v in learner.parameters.items() if v is not None}
        both = [k for k in given if ":" in self.model and f"{k}=" in self.model]
        if both:
            raise UsageError(f"{both[0]} is given by the model's name and by itself; leave one out")
        return type(learner)(**{**named, **given})

    # ------------------------------------------------------------ answers
    def predict(self, X):
        """The most probable label of each row; ties go to the label learned first."""
        X = self._asked(X)
        labels, places = self._places()
        predicted = self.learner_.predict_many(X, **self._named(X))
        index = {_id_of(label): place for label, place in zip(labels, places, strict=True)}
        return self.classes_[[index[_id_of(label)] for label in _listed(predicted)]]

    def predict_proba(self, X):
        """P(label | row), a column for each of `classes_`; 0 for one that wasn't learned yet."""
        return self._spread(X, "predict_proba_many", 0.0)

    def predict_log_proba(self, X):
        """The natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_joint_log_proba(self, X):
        """log P(label, row); -inf for a label that wasn't learned yet."""
        return self._spread(X, "joint_log_likelihood_many", -np.inf)

    def _spread(self, X, method, nothing):
        X = self._asked(X)
        _, places = self._places()
        figures = np.full((len(X), len(self.classes_)), nothing)
        answers = getattr(self.learner_, method)(X, **self._named(X))
        figures[:, places] = answers if isinstance(answers, np.ndarray) else _matrix(answers)
        return figures

    def _places(self):
        """The learner's labels, and where in `classes_` they stand."""
        index = {_id_of(label): i for i, label in enumerate(self.classes_.tolist())}
        labels = self.learner_.classes
        return labels, [index[_id_of(label)] for label in labels]

    # ------------------------------------------------------------ what comes in
    def _asked(self, X):
        check_is_fitted(self)
        return self._validated(X, False)

    def _validated(self, X, reset):
        if hasattr(X, "__dataframe__") or hasattr(X, "__arrow_c_stream__"):
            _check_feature_names(self, X, reset=reset)
            _check_n_features(self, X, reset=reset)
            if reset and not len(X):
                raise ValueError("Found array with 0 sample(s); give one at least")
            return X
        if not hasattr(X, "dtype"):
            X = _array(X)
        numeric = getattr(getattr(X, "dtype", None), "kind", "O") in "fiuc"
        return validate_data(
            self, X, reset=reset, dtype=np.float64 if numeric else None, ensure_all_finite=False
        )

    def _named(self, X) -> dict[str, Any]:
        if not isinstance(X, np.ndarray):
            return {}
        return {"names": getattr(self, "feature_names_in_", None)}


def _array(X):
    """Lists of rows: an array of numbers, or of objects where the cells are of several kinds."""
    try:
        array = np.asarray(X)
    except ValueError:  # ragged: validate_data says so
        return X
    if array.dtype.kind in "US":
        return np.array(X, dtype=object)
    return array


def _id_of(label) -> tuple:
    return isinstance(label, (bool, np.bool_)), label


def _listed(series) -> list:
    return series.to_pylist() if hasattr(series, "to_pylist") else list(series)


def _matrix(frame):
    return frame.to_numpy() if hasattr(frame, "to_numpy") else np.column_stack(frame.columns)


setattr(  # noqa: B010
    StreamingClassifier.__init__,
    "__signature__",
    Signature(
        [
            Parameter("self", Parameter.POSITIONAL_OR_KEYWORD),
            Parameter("model", Parameter.POSITIONAL_OR_KEYWORD, default="nb"),
            *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in _parameters()),
        ]
    ),
)
