"""Batches of frames and arrays against the same rows one by one: equal states, byte for byte."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import schemas, streams

from streambayes.learners.registry import MODELS, learner_class

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

LEARNERS = [name for name in MODELS if hasattr(learner_class(name), "learn_many")]
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ROWS = [
    ({"sky": "sun", "wind": 2.5, "holiday": True, "n": 1}, "out"),
    ({"sky": "rain", "wind": None, "holiday": False, "n": 3}, "in"),
    ({"sky": None, "wind": 7.25, "holiday": None, "n": 2}, "in"),
    ({"sky": "sun", "wind": 1e200, "holiday": True, "n": 5}, "out"),
    ({"sky": "fog", "wind": 3.0, "holiday": False, "n": 4}, None),
    ({"sky": "snow", "wind": 9.0, "holiday": True, "n": 6}, "in"),
]
NAMES = ["sky", "wind", "holiday", "n"]


def column(name):
    return [x[name] for x, _ in ROWS]


def as_pandas(**dtypes):
    frame = pd.DataFrame({name: pd.Series(column(name), dtype=dtypes.get(name)) for name in NAMES})
    return frame.set_index(pd.Index([7, 3, 9, 1, 4, 8]))


def as_structured():
    table = np.zeros(
        len(ROWS), dtype=[("sky", object), ("wind", "f4"), ("holiday", object), ("n", "i2")]
    )
    for name in NAMES:
        for i, value in enumerate(column(name)):
            if name == "wind":
                value = (
                    math.nan if value is None else math.inf if value > 1e38 else value
                )  # in single precision
            table[name][i] = value
    return table


FRAMES = {
    "pandas": lambda: as_pandas(),
    "pandas, nullable": lambda: as_pandas(
        sky="string", wind="Float64", holiday="boolean", n="Int64"
    ),
    "pandas, categorical": lambda: as_pandas(sky="category", n="int8"),
    "pandas, arrow": lambda: as_pandas(
        sky="string[pyarrow]", wind="double[pyarrow]", holiday="bool[pyarrow]", n="int32[pyarrow]"
    ),
    "polars": lambda: pl.DataFrame({name: column(name) for name in NAMES}),
    "polars, categorical": lambda: pl.DataFrame(
        {name: column(name) for name in NAMES},
        schema_overrides={"sky": pl.Categorical, "n": pl.UInt8},
    ),
    "pyarrow": lambda: pa.table({name: column(name) for name in NAMES}),
    "pyarrow, chunked": lambda: pa.concat_tables(
        [pa.table({name: column(name)[i : i + 2] for name in NAMES}) for i in (0, 2, 4)]
    ),
    "pyarrow, dictionary": lambda: pa.table(
        {
            "sky": pa.array(column("sky")).dictionary_encode(),
            **{name: column(name) for name in NAMES[1:]},
        }
    ),
    "structured array": as_structured,
}


def one_by_one(learner, rows, weights=None):
    for i, (x, y) in enumerate(rows):
        learner.learn_one(x, y, 1.0 if weights is None else weights[i])
    return learner


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_frame_teaches_what_its_rows_teach(name, kind):
    many, one = learner_class(name)(), learner_class(name)()
    frame = FRAMES[kind]()
    many.learn_many(frame, [y for _, y in ROWS])
    assert many.state() == one_by_one(one, ROWS).state()
    before = many.state()
    expected = [one.predict_one(x) for x, _ in ROWS]
    predicted = many.predict_many(frame)
    assert list(predicted.to_pylist() if hasattr(predicted, "to_pylist") else predicted) == expected
    shares = many.predict_proba_many(frame)
    likelihoods = many.joint_log_likelihood_many(frame)
    for i, (x, _) in enumerate(ROWS):
        for j, (y, p) in enumerate(one.predict_proba_one(x).items()):
            log_p = one.joint_log_likelihood(x)[y]
            if isinstance(shares, np.ndarray):
                assert shares[i, j] == p and likelihoods[i, j] == log_p
            elif isinstance(shares, pd.DataFrame):
                assert shares[y].iloc[i] == p and likelihoods[y].iloc[i] == log_p
            else:
                assert (
                    shares[y][i] == p
                    if isinstance(shares, pl.DataFrame)
                    else shares[y][i].as_py() == p
                )
    assert many.state() == before


@pytest.mark.filterwarnings("ignore")
def test_frames_like_pandas_s_keep_their_index_too(monkeypatch):
    monkeypatch.setenv("MODIN_ENGINE", "Python")
    modin = pytest.importorskip("modin.pandas")
    plain, labels = as_pandas(), [True, 1, "1", True, None, "1"]
    frame, learner, twin = modin.DataFrame(plain), learner_class("nb")(), learner_class("nb")()
    learner.learn_many(frame, modin.Series(labels))
    twin.learn_many(plain, labels)
    assert learner.state() == twin.state()
    for part in (frame, frame[2:4]):
        for answers in (learner.predict_many(part), learner.predict_proba_many(part)):
            assert type(answers).__module__.startswith("modin.")
            assert list(answers.index) == list(part.index)
    assert learner.predict_many(frame).tolist() == twin.predict_many(plain).tolist()
    assert list(learner.predict_proba_many(frame)) == list(twin.predict_proba_many(plain))
    empty = learner_class("nb")().predict_proba_many(frame)
    assert empty.shape == (6, 0) and list(empty.index) == list(frame.index)


def test_answers_are_of_the_frame_s_kind_and_keep_its_index():
    learner = one_by_one(learner_class("nb")(), ROWS)
    frame = as_pandas()
    assert isinstance(learner.predict_many(frame), pd.Series)
    assert (
        list(learner.predict_many(frame).index)
        == list(frame.index)
        == list(learner.predict_proba_many(frame).index)
    )
    assert list(learner.predict_proba_many(frame).columns) == ["out", "in"]
    assert isinstance(learner.predict_many(FRAMES["polars"]()), pl.Series)
    assert isinstance(learner.predict_proba_many(FRAMES["polars"]()), pl.DataFrame)
    assert isinstance(learner.predict_many(FRAMES["pyarrow"]()), pa.ChunkedArray)
    assert isinstance(learner.predict_proba_many(FRAMES["pyarrow"]()), pa.Table)
    assert isinstance(learner.predict_many(as_structured()), np.ndarray)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "structured array"])
def test_before_anything_is_learned(kind):
    learner = learner_class("nb")()
    frame = FRAMES[kind]()
    predicted = learner.predict_many(frame)
    assert list(predicted.to_pylist() if hasattr(predicted, "to_pylist") else predicted) == [
        None
    ] * len(ROWS)
    assert learner.predict_proba_many(frame).shape[1] == 0


@pytest.mark.parametrize("name", LEARNERS)
@QUICK
@given(data=st.data())
def test_any_stream_in_any_batches(name, data):
    """Object columns: every mixture that dicts may have, cut into batches of 1, 2, 3, … rows."""
    one, many = learner_class(name)(), learner_class(name)()
    records = data.draw(streams(data.draw(schemas())))
    names = list(dict.fromkeys(key for x, *_ in records for key in x))
    for x, y, w in records:
        one.learn_one({key: x.get(key) for key in names}, y, w)
    start, size = 0, 1
    while start < len(records):
        part = records[start : start + size]
        frame = pd.DataFrame(
            {key: pd.Series([x.get(key) for x, *_ in part], dtype=object) for key in names},
            index=range(len(part)),
        )
        many.learn_many(frame, [y for _, y, _ in part], [w for *_, w in part])
        start, size = start + size, size + 1
    assert many.state() == one.state()


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "i8", ">f8"])
def test_arrays_of_numbers(dtype):
    rng = np.random.default_rng(1)
    table = (rng.normal(size=(60, 3)) * 20 + 50).astype(dtype)
    labels = rng.integers(0, 3, 60)
    names = ["a", "b", "c"]
    one = learner_class("nb")()
    for row, y in zip(table, labels, strict=True):
        one.learn_one(dict(zip(names, row.tolist(), strict=True)), int(y))
    for view in (
        table,
        np.asfortranarray(table),
        np.repeat(table, 2, axis=0)[::2],
        table[::-1][::-1],
    ):
        many = learner_class("nb")()
        many.learn_many(view, labels, names=names)
        assert many.state() == one.state()
        assert many.predict_many(view, names=names).tolist() == [
            one.predict_one(dict(zip(names, row.tolist(), strict=True))) for row in table
        ]
    unnamed = learner_class("nb")()
    unnamed.learn_many(table, labels)
    assert unnamed.attributes == {0: "numeric", 1: "numeric", 2: "numeric"}


def test_arrays_of_strings_and_booleans():
    one, many = learner_class("nb")(), learner_class("nb")()
    many.learn_many(np.array([["a", "x"], ["b", "y"]]), np.array(["u", "v"]))
    one_by_one(one, [({0: "a", 1: "x"}, "u"), ({0: "b", 1: "y"}, "v")])
    assert many.state() == one.state()
    assert many.predict_many(np.array([["b", "y"]])).tolist() == ["v"]
    one, many = learner_class("nb")(), learner_class("nb")()
    many.learn_many(np.array([[True], [False]]), np.array([True, False]))
    one_by_one(one, [({0: True}, True), ({0: False}, False)])
    assert many.state() == one.state()
    assert many.predict_many(np.array([[True], [False]])).tolist() == [True, False]


def test_later_numbers_in_a_nominal_attribute_are_values_of_their_own():
    one, many = learner_class("nb")(), learner_class("nb")()
    many.learn_many(pd.DataFrame({"a": ["1", "x"]}), ["u", "v"])
    many.learn_many(pd.DataFrame({"a": [1.0, 2.0]}), ["u", "v"])
    many.learn_many(pd.DataFrame({"a": [1, True]}, dtype=object), ["u", "v"])
    one_by_one(
        one, [({"a": a}, y) for a, y in zip(["1", "x", 1.0, 2.0, 1, True], "uvuvuv", strict=True)]
    )
    assert many.state() == one.state()


def test_a_categorical_column_is_nominal_whatever_its_categories():
    learner = learner_class("nb")()
    learner.learn_many(pd.DataFrame({"a": pd.Categorical([3, 1, 3])}), ["u", "v", "u"])
    assert learner.attributes == {"a": "nominal"}
    assert learner.predict_one({"a": 1}) == "v"


def test_labels_that_differ_in_type_stay_apart():
    learner = learner_class("nb")()
    learner.learn_many(
        pd.DataFrame({"a": [1.0, 2.0, 3.0, 3.5]}), pd.Series([True, 1, "1", None], dtype=object)
    )
    assert [(type(y), y) for y in learner.classes] == [(bool, True), (int, 1), (str, "1")]
    assert learner.learned == 3
    frame = learner.predict_proba_many(pl.DataFrame({"a": [1.0]}))
    assert frame.columns == ["true", "1", '"1"']
    assert learner.predict_many(pd.DataFrame({"a": [1.0, 2.0, 3.0]})).tolist()[2] == "1"


def test_values_beyond_max_values_share_a_slot():
    one, many = learner_class("nb")(max_values=2), learner_class("nb")(max_values=2)
    values = ["a", "b", "c", "d", "a", "c"]
    many.learn_many(pd.DataFrame({"v": values}), list("uvuvuv"))
    one_by_one(one, [({"v": v}, y) for v, y in zip(values, "uvuvuv", strict=True)])
    assert many.state() == one.state()
    assert many.predict_many(pd.DataFrame({"v": values})).tolist() == [
        one.predict_one({"v": v}) for v in values
    ]


@pytest.mark.parametrize(
    ("frame", "y", "w", "error", "says"),
    [
        (pd.DataFrame({"a": [1.0, 2.0]}), ["u"], 1.0, ValueError, "1 labels for 2 rows"),
        (pd.DataFrame({"a": [1.0, 2.0]}), ["u", "v"], [1.0], ValueError, "1 weights for 2 rows"),
        (
            pd.DataFrame({"a": [1.0, 2.0]}),
            ["u", "v"],
            [1.0, -1.0],
            ValueError,
            "the weight -1.0 is not a number from 0",
        ),
        (
            pd.DataFrame({"a": [1.0, 2.0]}),
            ["u", "v"],
            math.nan,
            ValueError,
            "the weight nan is not",
        ),
        (
            pd.DataFrame({"a": [1.0, "x"]}),
            ["u", "v"],
            1.0,
            ValueError,
            "'x' in the attribute 'a', whose first value",
        ),
        (pd.DataFrame({"a": [(1,), (2,)]}), ["u", "v"], 1.0, TypeError, "holds a tuple"),
        (
            pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"])}),
            ["u", "v"],
            1.0,
            TypeError,
            "Timestamp",
        ),
        (pd.DataFrame({"a": [1.0, 2.0]}), [(1,), "v"], 1.0, TypeError, "the label is a tuple"),
        (
            pl.DataFrame({"a": [1.0, 2.0]}).lazy(),
            ["u", "v"],
            1.0,
            TypeError,
            "LazyFrame is no data frame in memory",
        ),
        (np.zeros(3), ["u", "v", "w"], 1.0, ValueError, "an array of 1 dimension;"),
        ([{"a": 1}], ["u"], 1.0, TypeError, "list is no data frame"),
    ],
)
def test_what_is_refused_leaves_the_learner_alone(frame, y, w, error, says):
    learner = learner_class("nb")()
    before = learner.state()
    with pytest.raises(error, match=says.replace("(", r"\(")):
        learner.learn_many(frame, y, w)
    assert learner.state() == before


def test_a_string_in_a_known_numeric_attribute():
    learner = learner_class("nb")()
    learner.learn_many(pd.DataFrame({"a": [1.0, 2.0]}), ["u", "v"])
    for wrong in (["x", "y"], [True, False]):
        with pytest.raises(
            ValueError, match="in the attribute 'a', whose first value was a number"
        ):
            learner.learn_many(pd.DataFrame({"a": wrong}), ["u", "v"])
        with pytest.raises(
            ValueError, match="in the attribute 'a', whose first value was a number"
        ):
            learner.predict_many(pd.DataFrame({"a": wrong}))


def test_names_are_for_arrays_alone():
    learner = learner_class("nb")()
    with pytest.raises(ValueError, match="2 names for 3 columns"):
        learner.learn_many(np.zeros((2, 3)), ["u", "v"], names=["a", "b"])
    with pytest.raises(ValueError, match="names are for arrays"):
        learner.learn_many(pd.DataFrame({"a": [1.0]}), ["u"], names=["b"])


def test_frames_without_rows_or_columns():
    learner = one_by_one(learner_class("nb")(), ROWS)
    before = learner.state()
    learner.learn_many(pd.DataFrame({"sky": []}), [])
    assert learner.state() == before
    assert len(learner.predict_many(pd.DataFrame({"sky": []}))) == 0
    assert (
        learner.predict_many(pd.DataFrame(index=[1, 2])).tolist() == [learner.predict_one({})] * 2
    )


def test_memory_usage_is_at_least_the_state():
    for name in MODELS:
        learner = learner_class(name)()
        empty = learner.memory_usage()
        rng = np.random.default_rng(0)
        table = pd.DataFrame(
            {"n": rng.normal(size=400), "v": rng.integers(0, 300, 400).astype(str)}
        )
        learner.learn_many(table, rng.integers(0, 5, 400))
        state = sum(len(part) for part in learner.state().values() if isinstance(part, bytes))
        assert learner.memory_usage() > empty
        assert learner.memory_usage() >= state
        assert learner.__sizeof__() > learner.memory_usage()
