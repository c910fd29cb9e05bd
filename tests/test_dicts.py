"""Dicts as records: what is remembered of the latest one never changes an answer."""

from __future__ import annotations

import collections
import inspect
import math
import pickle
import random

import numpy as np
import pytest

import streambayes
from streambayes.learners.registry import MODELS, learner_class

each_model = pytest.mark.parametrize("name", MODELS)


def fresh_copy(x):
    """The same record in a dict, keys and values that share nothing with the first."""
    return {
        "".join(key): float(repr(v)) if type(v) is float else "".join(v) if type(v) is str else v
        for key, v in x.items()
    }


def changed(x, random):
    """Changes a dict in place, in one of the ways in which dicts change."""
    how = random.randrange(8)
    if how == 0:
        x["number"] = random.choice((0.5, 1.5, 7.25, None, math.nan, 3, 1e200))
    elif how == 1:
        x["word"] = random.choice(("a", "b", "c", "never", None, True))
    elif how == 2:
        x.pop(random.choice(list(x)), None) if x else None
    elif how == 3:
        x[random.choice(("number", "word", "other", "late"))] = random.choice((None, "a"))
        x.pop("other", None)
        x["number"] = 2.5
    elif how == 4:
        x.clear()
        x.update(word="b", number=random.random())
    elif how == 5:
        x.setdefault("other", random.random())
    elif how == 6 and x:
        x.popitem()
    elif how == 7:  # the other order
        items = list(x.items())
        x.clear()
        x.update(reversed(items))


@each_model
@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
def test_dicts_that_change_between_two_calls(name, kind):
    random_ = random.Random(5)
    model, other = learner_class(name)(), learner_class(name)()
    x = kind(number=1.0, word="a")
    for i in range(600):
        if random_.random() < 0.6:
            changed(x, random_)
        if random_.random() < 0.1:
            x = kind(x)
        y = random_.choice(("in", "out", True, 1, "1", 1.5))
        step = random_.randrange(4)
        numeric_word = isinstance(x.get("late"), str) or isinstance(x.get("number"), str)
        if step == 3 and not numeric_word:
            model.learn_one(x, y)
            other.learn_one(fresh_copy(x), y)
        elif not numeric_word:
            assert model.predict_one(x) == other.predict_one(fresh_copy(x)), i
            assert repr(model.predict_proba_one(x)) == repr(other.predict_proba_one(fresh_copy(x)))
    assert model.state() == other.state()


@each_model
def test_predicted_learned_and_forgotten_with_one_dict(name):
    model = learner_class(name)()
    data = [({"x": float(i % 7), "s": "uvw"[i % 3]}, "ab"[i % 2]) for i in range(40)]
    for x, y in data:
        model.learn_one(x, y)
    twin = pickle.loads(pickle.dumps(model))
    x = {"x": 2.0, "s": "u"}
    for y in ("a", "new", "b", np.str_("a"), None):
        model.predict_one(x)
        model.learn_one(x, y)
        model.predict_proba_one(x)
        twin.learn_one(fresh_copy(x), y)
    assert model.state() == twin.state()
    model.forget_one(x, "a")
    twin.forget_one(fresh_copy(x), "a")
    assert model.state() == twin.state()


def test_values_that_change_inside_an_unchanged_dict():
    class Gauge:
        reading = 1.0

        def __float__(self):
            return self.reading

    for value, turn in (
        (np.array(1.0), lambda v: v.fill(9.0)),
        (Gauge(), lambda v: setattr(v, "reading", 9.0)),
    ):
        model = streambayes.NaiveBayes()
        for i in range(20):
            model.learn_one({"x": float(i % 2)}, "low")
            model.learn_one({"x": 9.0 + i % 2}, "high")
        x = {"x": value}
        assert model.predict_one(x) == "low"
        turn(value)
        assert model.predict_one(x) == "high"


def test_frames_between_two_looks_at_one_dict():
    pd = pytest.importorskip("pandas")
    model = streambayes.NaiveBayes()
    for i in range(20):
        model.learn_one({"x": float(i % 2)}, "low")
        model.learn_one({"x": 9.0 + i % 2}, "high")
    x = {"x": 0.5}
    before = model.predict_proba_one(x)
    assert model.predict_many(pd.DataFrame({"x": [9.0, 9.5]})).tolist() == ["high", "high"]
    assert model.predict_proba_one(x) == before
    model.learn_many(pd.DataFrame({"x": [9.0]}), ["high"])
    assert model.predict_one(x) == "low"


def test_what_was_new_at_the_first_look_and_is_not_at_the_second():
    pd = pytest.importorskip("pandas")
    model, other = streambayes.NaiveBayes(), streambayes.NaiveBayes()
    for learner in (model, other):
        learner.learn_one({"s": "a"}, "low")
        learner.learn_one({"s": "b"}, "high")
    x = {"s": "new and longer than eight bytes", "t": None}
    assert model.predict_one(x) == "low"
    for learner in (model, other):
        learner.learn_many(pd.DataFrame({"s": [x["s"]] * 3}), ["high"] * 3)
    assert model.predict_proba_one(x) == other.predict_proba_one(fresh_copy(x))
    x["t"] = "v"
    assert model.predict_proba_one(x) == other.predict_proba_one(fresh_copy(x))
    for learner in (model, other):
        learner.learn_many(pd.DataFrame({f"z{i}": [1.5, 2.5] for i in range(99)}), ["low", "high"])
    assert model.predict_proba_one(x) == other.predict_proba_one(fresh_copy(x))


def test_many_labels_and_equal_ones_of_other_types():
    """More labels than places to remember them by, objects that come and go."""
    model, counts = streambayes.NaiveBayes(), collections.Counter()
    for i in range(3000):
        y = (i * 7 % 97, f"label {i % 61}", i % 13 + 0.5, i % 2 == 0, str(i % 2))[i % 5]
        model.learn_one({}, y)
        counts[repr(y)] += 1
    assert {repr(y) for y in model.classes} == set(counts)
    assert list(model.class_counts.values()) == list(counts.values())


def test_no_label_is_taken_for_an_equal_one_at_its_place():
    kinds = [float] + [
        type("Real", (float,), {"__slots__": tuple("abcdefgh"[:k])}) for k in range(9)
    ]
    ones = [kind("1") for kind in kinds for _ in range(64)]  # of all sizes, so at all places
    model = streambayes.NaiveBayes()
    for one in ones:
        model.learn_one({}, True)
        model.learn_one({}, one)
    assert list(model.class_counts.items()) == [(True, 640.0), ("1", 640.0)]


@each_model
def test_predict_one_is_the_first_of_the_most_probable(name):
    model = learner_class(name)()
    random_ = random.Random(3)
    for i in range(300):
        x = {"s": random_.choice("uv"), "t": random_.choice("uv")}
        if i % 3:
            x["n"] = random_.choice((1.0, 2.0, 3.0))
        p = model.predict_proba_one(x)
        assert model.predict_one(x) == (max(p, key=p.get) if p else None)
        if i % 4 == 0:
            for y in ("a", "b", "c"):  # ties
                model.learn_one(x, y)
        if i % 50 == 7:
            model.learn_one(x, random_.choice("abc"))


def test_signatures_and_docstrings_of_what_is_called_most():
    model = streambayes.NaiveBayes()
    for method, names in (
        (model.learn_one, ["x", "y", "w"]),
        (model.predict_one, ["x"]),
        (model.predict_proba_one, ["x"]),
    ):
        assert list(inspect.signature(method).parameters) == names
        assert method.__doc__ and not method.__doc__.startswith(method.__name__)
