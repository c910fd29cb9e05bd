"""The river classifiers: river's own checks, its pipelines and ensembles, and more.

No check is skipped.  (`river.checks` itself leaves out those for estimators of other kinds.)
"""

from __future__ import annotations

import copy
import doctest
import inspect
import itertools
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import streambayes
import streambayes.drift
from streambayes.learners.registry import MODELS

pytest.importorskip("river")
pytest.importorskip("sklearn")  # river.checks takes data sets from it
from river import (
    checks,
    compose,
    datasets,
    drift,
    ensemble,
    evaluate,
    feature_extraction,
    metrics,
    model_selection,
    multiclass,
    preprocessing,
    stream,
)

import streambayes.river as in_river

CLASSES = [getattr(in_river, name) for _, name, _ in MODELS.values()]
AROUND = [in_river.Fading, in_river.Sliding]
VARIANTS = [(cls, parameters) for cls in CLASSES + AROUND for parameters in cls._unit_test_params()]
# Parameters other than the defaults change the figures, not what river looks at: they wait for CI.
CHECKS = [
    pytest.param(
        cls,
        parameters,
        i,
        id=f"{cls.__name__}-{parameters}-{i}",
        marks=[pytest.mark.slow] if cls in CLASSES and parameters else [],
    )
    for cls, parameters in VARIANTS
    for i in range(len(list(checks.yield_checks(cls(**parameters)))))
]
each = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


# ------------------------------------------------------------ river's own checks
def test_there_is_a_river_class_for_each_model():
    others = ["Discretizer", "Fading", "Sliding"]
    assert sorted(in_river.__all__) == sorted([*others, *(c for _, c, _ in MODELS.values())])
    assert not any(cls(**parameters)._unit_test_skips() for cls, parameters in VARIANTS)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(("cls", "parameters", "i"), CHECKS)
def test_river_check(cls, parameters, i):
    model = cls(**parameters)
    next(itertools.islice(checks.yield_checks(model), i, None))(model.clone())


@each
def test_signature_is_the_table_of_parameters(cls):
    signature = inspect.signature(cls)
    assert {name: p.default for name, p in signature.parameters.items()} == {
        p.name: p.default for p in cls.PARAMETERS
    }
    assert cls()._get_params() == {p.name: p.default for p in cls.PARAMETERS}
    for p in cls.PARAMETERS:
        assert f"\n    {p.name}\n        {p.sentence[0].upper()}{p.sentence[1:]}" in cls.__doc__
    with pytest.raises(streambayes.UsageError, match="has no parameter nonsense"):
        cls(nonsense=1)


@each
def test_docstring_s_examples(cls):
    parser = doctest.DocTestParser().get_doctest(cls.__doc__, {}, cls.__name__, None, None)
    assert parser.examples
    assert doctest.DocTestRunner().run(parser).failed == 0


# ------------------------------------------------------------ as estimators
def trained(cls, n=150, **parameters):
    model = cls(**parameters)
    for x, y in datasets.ImageSegments().take(n):
        model.learn_one(x, y)
    return model


@each
def test_copies_share_nothing_and_know_the_same(cls):
    model = trained(cls, max_values=77)
    extra = {"note": ["mine"]}
    model.__dict__.update(copy.deepcopy(extra))
    x, y = next(iter(datasets.ImageSegments()))
    for twin in (
        copy.deepcopy(model),
        copy.copy(model),
        pickle.loads(pickle.dumps(model)),
        model.clone(include_attributes=True),
    ):
        assert type(twin) is cls
        assert twin.state() == model.state()
        assert twin.parameters == model.parameters
        assert repr(twin) == repr(model)
        twin.learn_one(x, y)
        assert twin.state() != model.state()
    assert copy.deepcopy(model).note == ["mine"] == pickle.loads(pickle.dumps(model)).note
    assert copy.deepcopy(model).note is not model.note
    assert model.clone().learned == 0
    assert model.clone({"max_values": 5}).max_values == 5


@each
def test_parameters_are_immutable_as_river_has_it(cls):
    model = cls()
    model.mutate({})
    with pytest.raises(ValueError, match="is not a mutable attribute"):
        model.mutate({"max_values": 3})


@each
def test_memory_is_told_also_inside_of_ensembles(cls):
    small, large = trained(cls, 20), cls()
    for i in range(3000):
        large.learn_one({"word": f"w{i}", "x": float(i % 7)}, i % 20)
    assert large._raw_memory_usage > large.memory_usage() > 3000 * 20 * 8
    assert large._raw_memory_usage > small._raw_memory_usage
    bagging = ensemble.BaggingClassifier(cls(), n_models=3, seed=1)
    bagging.models[0] = large
    assert bagging._raw_memory_usage > large._raw_memory_usage


@each
def test_answers_are_those_of_the_learner(cls):
    learner, model = getattr(streambayes, cls.__name__)(), cls()
    for x, y in datasets.ImageSegments().take(300):
        assert model.predict_proba_one(x) == learner.predict_proba_one(x)
        assert model.predict_one(x) == learner.predict_one(x)
        learner.learn_one(x, y, w=2.0)
        model.learn_one(x, y, w=2.0)
    assert model.state() == learner.state()


# ------------------------------------------------------------ what river doesn't check
@each
def test_predicting_leaves_the_state_alone(cls):
    model = trained(cls)
    before = pickle.dumps(model)
    for x, _ in datasets.ImageSegments().take(20):
        for asked in (x, {}, {**x, "never seen": "value"}, dict.fromkeys(x)):
            model.predict_one(asked)
            model.predict_proba_one(asked)
            model.joint_log_likelihood(asked)
    assert pickle.dumps(model) == before


@each
def test_missing_and_unseen_values(cls):
    model = cls()
    mixed = [
        ({"sky": "sun", "wind": 1.5, "holiday": True}, "out"),
        ({"sky": None, "wind": math.nan}, "in"),
        ({"sky": "rain", "wind": 8.0, "holiday": None}, "in"),
        ({"sky": "sun", "wind": 2.5}, "out"),
    ]
    for x, y in mixed * 3:
        model.learn_one(x, y)
    for x in ({}, {"sky": "hail"}, {"sky": None, "wind": math.nan}, {"wind": -1e9}, {"new": 3}):
        p = model.predict_proba_one(x)
        assert math.isclose(sum(p.values()), 1.0)
        assert all(0 <= share <= 1 for share in p.values())


@each
def test_a_weight_equals_repetition(cls):
    weighed, repeated = cls(), cls()
    for i, (x, y) in enumerate(datasets.ImageSegments().take(60)):
        weighed.learn_one(x, y, w=1 + i % 3)
        for _ in range(1 + i % 3):
            repeated.learn_one(x, y)
    assert weighed.class_counts == repeated.class_counts
    if not any(p.name == "warmup" for p in cls.PARAMETERS):  # cuts count records, not weights
        for x, _ in datasets.ImageSegments().take(20):
            assert weighed.predict_proba_one(x) == pytest.approx(
                repeated.predict_proba_one(x), rel=1e-6, abs=1e-9
            )


@each
def test_label_types_stay_apart(cls):
    model = cls()
    for value, y in ((1.0, True), (2.0, 1), (3.0, "1"), (1.2, True), (2.2, 1), (3.2, "1")):
        model.learn_one({"x": value}, y)
    assert [(type(y), y) for y in model.classes] == [(bool, True), (int, 1), (str, "1")]


def test_far_out_points_go_to_the_nearer_class():
    model = in_river.NaiveBayes()
    for i in range(20):
        model.learn_one({"x": i % 5 / 10}, "low")
        model.learn_one({"x": 10 + i % 5 / 10}, "high")
    assert model.predict_one({"x": 5000.0}) == "high"
    assert model.predict_one({"x": -5000.0}) == "low"
    assert model.predict_proba_one({"x": 5000.0})["high"] > 0.999


@each
def test_classes_of_one_record(cls):
    model = cls()
    for i in range(5):
        model.learn_one({"x": float(i), "y": float(-i), "z": "abcde"[i]}, i)
    for i in range(5):
        assert model.predict_one({"x": float(i), "y": float(-i), "z": "abcde"[i]}) == i


def test_river_s_own_example_of_gaussian_naive_bayes():
    """Six points of two classes, as river's page on GaussianNB has them."""
    pd = pytest.importorskip("pandas")
    points, labels = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]], [1, 1, 1, 2, 2, 2]
    model = in_river.NaiveBayes()
    for x, y in stream.iter_array(np.array(points), labels):
        model.learn_one(x, y)
    assert model.predict_one({0: -0.8, 1: -1}) == 1
    many = in_river.NaiveBayes()
    many.learn_many(pd.DataFrame(points), pd.Series(labels))
    assert many.state() == model.state()
    predicted = many.predict_many(pd.DataFrame([[-0.8, -1], [2.8, 1.5]]))
    assert predicted.tolist() == [1, 2]
    assert predicted.dtype == "int64"


# ------------------------------------------------------------ pipelines, ensembles, evaluation
PIPELINES = {
    "select": lambda m: compose.Select("is_popular", "https", "age_of_domain") | m,
    "discard": lambda m: compose.Discard("https") | m,
    "scaler": lambda m: preprocessing.StandardScaler() | m,
    "min-max": lambda m: preprocessing.MinMaxScaler() | m,
    "one-hot and scaler": lambda m: (
        (compose.Select("https") | preprocessing.OneHotEncoder())
        + (compose.Discard("https") | preprocessing.StandardScaler())
        | m
    ),
    "polynomials": lambda m: feature_extraction.PolynomialExtender(degree=2) | m,
    "function": lambda m: compose.FuncTransformer(in_words) | m,
    "bagging": lambda m: ensemble.BaggingClassifier(m, n_models=3, seed=1),
    "ADWIN bagging": lambda m: ensemble.ADWINBaggingClassifier(m, n_models=3, seed=1),
    "ADWIN boosting": lambda m: ensemble.ADWINBoostingClassifier(m, n_models=3, seed=1),
    "AdaBoost": lambda m: ensemble.AdaBoostClassifier(m, n_models=3, seed=1),
    "leveraging bagging": lambda m: ensemble.LeveragingBaggingClassifier(m, n_models=3, seed=1),
    "streaming patches": lambda m: ensemble.SRPClassifier(m, n_models=3, seed=1),
    "stacking": lambda m: ensemble.StackingClassifier([m, m.clone()], meta_classifier=m.clone()),
    "voting": lambda m: ensemble.VotingClassifier([m, m.clone()]),
    "retraining": lambda m: drift.DriftRetrainingClassifier(m, drift.binary.DDM()),
    "one against the rest": lambda m: multiclass.OneVsRestClassifier(m),
    "one against one": lambda m: multiclass.OneVsOneClassifier(m),
    "halving": lambda m: model_selection.SuccessiveHalvingClassifier(
        [m, m.clone({"max_values": 50})], metrics.Accuracy(), budget=200, seed=1
    ),
}


def in_words(x):
    return {**x, "https": "yes" if x["https"] else "no", "age": None}


@pytest.mark.parametrize("pipeline", PIPELINES)
@each
def test_in_pipelines_and_ensembles(cls, pipeline):
    model = PIPELINES[pipeline](cls())
    metric = evaluate.progressive_val_score(
        datasets.Phishing().take(400), model, metrics.Accuracy()
    )
    assert metric.get() > 0.7
    assert repr(model)
    twin = copy.deepcopy(model)
    x, _ = next(iter(datasets.Phishing()))
    assert twin.predict_one(x) == model.predict_one(x)
    assert pickle.loads(pickle.dumps(model)).predict_one(x) == model.predict_one(x)
    assert model.clone().predict_one(x) in (None, True, False)


@each
def test_a_bag_of_words_in_front(cls):
    model = feature_extraction.BagOfWords() | cls()
    for text, y in (
        ("good fine good", "+"),
        ("bad poor", "-"),
        ("fine film", "+"),
        ("poor film bad", "-"),
    ):
        model.learn_one(text, y)
    assert model.predict_one("film") in ("+", "-")


@each
def test_mixed_dicts_need_no_encoder(cls):
    rows = [
        (
            {"a": "x" if i % 2 else "y", "b": i / 10, "c": i % 3 == 0, "d": None, "e": math.nan},
            i % 2 == 1,
        )
        for i in range(100)
    ]
    metric = evaluate.progressive_val_score(rows, cls(), metrics.ROCAUC())
    assert metric.get() > 0.9


@each
def test_progressive_validation_with_delay(cls):
    data = list(datasets.Bananas().take(500))
    metric = evaluate.progressive_val_score(data, cls(), metrics.Accuracy(), delay=7)
    model, right, seen = cls(), 0, 0
    for i, (x, y) in enumerate(data):
        if i >= 7:
            model.learn_one(*data[i - 7])
        predicted = model.predict_one(x)
        seen += predicted is not None
        right += predicted == y
    assert metric.get() == right / seen


@each
def test_weights_come_through_progressive_validation(cls):
    data = [(x, y, {"w": 2.0}) for x, y in datasets.Bananas().take(50)]
    model = cls()
    evaluate.progressive_val_score(data, model, metrics.Accuracy())
    assert sum(model.class_counts.values()) == 100


@each
def test_learn_many_through_a_pipeline(cls):
    pd = pytest.importorskip("pandas")
    x = pd.DataFrame([x for x, _ in datasets.Bananas().take(100)])
    y = pd.Series([y for _, y in datasets.Bananas().take(100)])
    model = preprocessing.StandardScaler() | cls()
    for i in range(0, 100, 20):
        model.learn_many(x[i : i + 20], y[i : i + 20])
    assert len(model.predict_many(x)) == 100
    assert model.predict_proba_many(x).shape == (100, 2)


# ------------------------------------------------------------ what is imported
def modules_after(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def imported_by(statement):
    return {module.partition(".")[0] for module in modules_after(statement)}


def test_the_package_itself_imports_no_river():
    statement = "import streambayes; streambayes.NaiveBayes().learn_one({'a': 1.5}, 'y')"
    assert not imported_by(statement) & {"river", "numpy", "narwhals", "pandas", "scipy", "sklearn"}


def test_the_river_module_adds_itself_alone_to_what_river_base_imports():
    """The compiled rooms come with the first class that is asked for, and only that class's."""
    plain = modules_after("import river.base")
    assert modules_after("import streambayes.river") - plain == {"streambayes", "streambayes.river"}
    named = modules_after("from streambayes.river import NaiveBayes") - plain
    assert "streambayes.learners.naive_bayes" in named
    assert not named & {f"streambayes.learners.{m}" for m in ("aode", "gaode", "haode", "registry")}


def test_names_are_known_before_a_class_is_made():
    code = (
        "import pickle, streambayes.river as r; d = dir(r); a = r.__all__;"
        " assert set(a) <= set(d) and 'NaiveBayes' not in vars(r), d;"
        " exec('from streambayes.river import *'); assert {*a} <= {*vars(r)};"
        " assert type(pickle.loads(pickle.dumps(r.GAODE()))) is r.GAODE"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    pickled = pickle.dumps(in_river.NaiveBayes())
    code = f"import pickle; print(type(pickle.loads({pickled!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "<class 'streambayes.river.NaiveBayes'>\n"


def test_a_river_class_imports_what_river_base_does():
    extra = imported_by("import streambayes.river as r; r.NaiveBayes") - imported_by(
        "import river.base"
    )
    assert not extra & {
        "pandas",
        "narwhals",
        "polars",
        "pyarrow",
        "sklearn",
        "matplotlib",
        "msgspec",
        "scipy",
    }


# ------------------------------------------------------------ around a classifier
around = pytest.mark.parametrize(
    ("outer", "given"),
    [("Fading", {"factor": 0.97}), ("Sliding", {"size": 70})],
    ids=["Fading", "Sliding"],
)


@around
@each
def test_fading_and_sliding_are_those_of_the_library(outer, given, cls):
    model = getattr(in_river, outer)(cls(), **given)
    plain = getattr(streambayes.drift, outer)(getattr(streambayes, cls.__name__)(), **given)
    data = list(datasets.ImageSegments())[::8][:260]
    for x, y in data[:200]:
        assert model.predict_one(x) == plain.predict_one(x)
        model.learn_one(x, y)
        plain.learn_one(x, y)
    assert model.model.state() == plain.model.state()
    twins = (
        model,
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
        model.clone(include_attributes=True),
    )
    for twin in twins:
        assert type(twin) is type(model) and repr(twin) == repr(model)
        for x, y in data[200:]:
            twin.learn_one(x, y, w=2.0)
    for x, y in data[200:]:
        plain.learn_one(x, y, w=2.0)
    assert model.model.state() == plain.model.state()
    for twin in twins:  # a copy turns faded sums back into weights: the last digits may differ
        assert twin.model.learned == plain.model.learned
        assert twin.class_counts == pytest.approx(plain.class_counts, rel=1e-9)
        for x, _ in data[::20]:
            assert twin.predict_proba_one(x) == pytest.approx(plain.predict_proba_one(x), rel=1e-6)
    empty = model.clone({next(iter(given)): 1})
    assert empty.predict_one(data[0][0]) is None and empty.model.learned == 0
    for x, y in data[:3]:
        empty.learn_one(x, y)
    assert empty._get_params()[next(iter(given))] == 1
    assert sum(empty.class_counts.values()) == (1 if outer == "Sliding" else 3)


@around
def test_fading_and_sliding_where_river_puts_estimators(outer, given):
    def make():
        return getattr(in_river, outer)(in_river.NaiveBayes(), **given)

    for model in (
        make(),
        preprocessing.StandardScaler() | make(),
        ensemble.BaggingClassifier(make(), n_models=3, seed=1),
        drift.DriftRetrainingClassifier(make(), drift.binary.DDM()),
    ):
        score = evaluate.progressive_val_score(
            datasets.Phishing().take(400), model, metrics.Accuracy()
        )
        assert score.get() > 0.7
    pd = pytest.importorskip("pandas")
    rows = list(datasets.Bananas().take(100))
    x, y = pd.DataFrame([x for x, _ in rows]), pd.Series([y for _, y in rows])
    many, one = make(), make()
    many.learn_many(x, y)
    for row, label in rows:
        one.learn_one(row, label)
    assert many.model.state() == one.model.state()
    answers = many.predict_many(x.to_numpy(), names=list(x))
    assert list(answers) == [one.predict_one(row) for row, _ in rows]
    with pytest.raises(TypeError, match="nonsense"):
        one.learn_one(rows[0][0], True, nonsense=1)
    for other in (streambayes.NaiveBayes(), preprocessing.StandardScaler()):
        with pytest.raises(streambayes.UsageError, match=r"is no learner of streambayes\.river"):
            getattr(in_river, outer)(other, **given)
    test_docstring_s_examples(getattr(in_river, outer))


# ------------------------------------------------------------ the discretizer
DISCRETIZER_CHECKS = [check.__name__ for check in checks.yield_checks(in_river.Discretizer())]


@pytest.mark.parametrize("i", range(len(DISCRETIZER_CHECKS)), ids=DISCRETIZER_CHECKS)
def test_river_check_of_the_discretizer(i):
    bins = in_river.Discretizer()
    next(itertools.islice(checks.yield_checks(bins), i, None))(bins.clone())


def test_the_discretizer_in_a_pipeline():
    model = in_river.Discretizer() | in_river.NaiveBayes()
    metric = evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    assert metric.get() > 0.8
    assert set(model["NaiveBayes"].attributes.values()) == {"nominal"}
    test_docstring_s_examples(in_river.Discretizer)
