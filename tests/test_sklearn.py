"""The scikit-learn classifier: scikit-learn's own checks, its searches, mixed data."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from streambayes import NaiveBayes, UsageError
from streambayes.learners.registry import MODELS, learner_class
from streambayes.sklearn import StreamingClassifier

# Nothing is excused: every one of scikit-learn's checks has to pass.
MODELS_TO_CHECK = [StreamingClassifier(model) for model in MODELS]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(MODELS_TO_CHECK)
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", MODELS)
def test_cross_validation_and_grid_search(model):
    x, y = load_iris(return_X_y=True)
    assert cross_val_score(StreamingClassifier(model), x, y, cv=5).mean() > 0.9
    search = GridSearchCV(
        StreamingClassifier(model), {"k": [0.0, 1.0], "max_values": [10, 100]}, cv=3
    )
    if not {"k", "max_values"} <= {p.name for p in learner_class(model).PARAMETERS}:
        search = GridSearchCV(
            StreamingClassifier(), {"model": [model, f"{model}:max_values=10"]}, cv=3
        )
    search.fit(x, y)
    assert search.best_score_ > 0.9
    assert (
        make_pipeline(StandardScaler(), clone(search.best_estimator_)).fit(x, y).score(x, y) > 0.9
    )


def test_it_is_the_learner():
    x, y = load_iris(return_X_y=True)
    model, learner = StreamingClassifier(m=0.5).fit(x, y), NaiveBayes(m=0.5)
    learner.learn_many(x, y)
    assert model.learner_.state() == learner.state()
    assert np.array_equal(model.predict(x), learner.predict_many(x))
    assert np.array_equal(model.predict_proba(x), learner.predict_proba_many(x))
    assert np.allclose(np.exp(model.predict_log_proba(x)), model.predict_proba(x))
    parts = StreamingClassifier(m=0.5)
    for i in range(0, 150, 7):
        parts.partial_fit(x[i : i + 7], y[i : i + 7])
    assert parts.learner_.state() == learner.state()
    assert parts.classes_.tolist() == [0, 1, 2]


def test_weights_and_late_labels():
    model = StreamingClassifier().partial_fit(
        [[1.0]], ["b"], classes=["a", "b", "c"], sample_weight=[3.0]
    )
    assert model.predict_proba([[1.0]]).tolist() == [[0.0, 1.0, 0.0]]
    assert model.learner_.class_counts == {"b": 3.0}
    with pytest.raises(ValueError, match="`classes` didn't name"):
        model.partial_fit([[1.0]], ["z"])
    model = StreamingClassifier().partial_fit([[1.0]], ["b"])
    assert model.partial_fit([[2.0]], ["a"]).classes_.tolist() == ["a", "b"]
    assert model.predict([[2.0], [1.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_mixed_frames(library):
    frames = pytest.importorskip(library)
    x = frames.DataFrame(
        {"sky": ["sun", "rain", "sun", None] * 5, "wind": [1.0, 8.0, None, 9.0] * 5}
    )
    y = ["out", "in", "out", "in"] * 5
    model = StreamingClassifier().fit(x, y)
    assert model.feature_names_in_.tolist() == ["sky", "wind"]
    assert model.n_features_in_ == 2
    assert model.score(x, y) == 1.0
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frames.DataFrame({"other": ["sun"], "wind": [1.0]}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.predict(np.array([["sun", 1.0]], dtype=object)).tolist() == ["out"]


def test_parameters_are_those_of_the_models():
    names = list(inspect.signature(StreamingClassifier).parameters)
    assert set(names) == {"model", *(p.name for m in MODELS for p in learner_class(m).PARAMETERS)}
    assert StreamingClassifier("nb:m=0.5").fit([[1.0]], [1]).learner_.parameters["m"] == 0.5
    assert StreamingClassifier("nb:m=0.5", k=2).fit([[1.0]], [1]).learner_.parameters["k"] == 2.0
    with pytest.raises(TypeError, match="no model has a parameter nonsense"):
        StreamingClassifier(nonsense=1)
    with pytest.raises(UsageError, match="leave one out"):
        StreamingClassifier("nb:m=0.5", m=1).fit([[1.0]], [1])
    with pytest.raises(UsageError, match="there is no model x"):
        StreamingClassifier("x").fit([[1.0]], [1])
