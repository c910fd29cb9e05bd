"""Discretising in one pass: figures worked by hand, the reference, edges from a file."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ReferenceBins

from streambayes import DiscreteNaiveBayes, Discretizer
from streambayes.records.problems import InputError, UsageError


def taught(pairs, **parameters):
    bins = Discretizer(**parameters)
    for x, y in pairs:
        bins.learn_one({"x": x}, y)
    return bins


def test_two_even_classes_are_parted_in_the_middle():
    # N = 10, k = 2, Ent(S) = 1 bit, nothing remains at 4.5: the gain is 1, and it must exceed
    # (log2 9 + log2(3^2 - 2) - 2·1) / 10 = (3.170 + 2.807 - 2) / 10 = 0.398
    bins = taught((x, "a" if x < 5 else "b") for x in range(10))
    assert bins.cuts() == {"x": [4.5]}
    assert bins.transform_one({"x": 4.5}) == {"x": "(-inf, 4.5]"}
    assert bins.transform_one({"x": 4.6}) == {"x": "(4.5, inf)"}


def test_a_gain_that_is_too_small_cuts_nothing():
    # a a b: at best one a apart leaves 2/3 of a bit; the gain 0.918 - 0.667 = 0.252 is below
    # (log2 2 + log2 7 - (2·0.918 - 1·0 - 2·1)) / 3 = (1 + 2.807 + 0.163) / 3, and a a | b leaves 0
    # with the gain 0.918 against (1 + 2.807 - 2·0.918) / 3 = 0.657: that is accepted
    assert taught([(1, "a"), (2, "a"), (3, "b")]).cuts() == {"x": [2.5]}
    assert taught([(1, "a"), (2, "b"), (3, "a")]).cuts() == {"x": []}


def test_of_equally_good_cuts_the_lowest():
    # a a b b a a: 2.5 and 4.5 leave the same entropy; with many such values one is accepted, and
    # each half is cut again
    pairs = [(x, "b" if x in (3, 4) else "a") for x in range(1, 7) for _ in range(20)]
    assert taught(pairs).cuts() == {"x": [2.5, 4.5]}


def test_equal_frequency():
    # 200 values, 64 fine bins at quantiles; ten bins of twenty values, give or take a fine bin
    bins = taught(((x, "a") for x in range(200)), cuts="equal-frequency")
    cuts = bins.cuts()["x"]
    assert len(cuts) == 9
    for part, cut in enumerate(cuts, 1):
        assert 20 * part - 1 <= cut <= 20 * part + 4
    few = taught([(1, "a"), (2, "b"), (3, "a")], cuts="equal-frequency")
    assert few.cuts() == {"x": [1.5, 2.5]}


def test_fine_bins_stay_and_cuts_move():
    # a warm-up in which the class says nothing, then a class that begins above 49.5
    bins = taught(((x, "ab"[x % 2]) for x in range(100)), warmup=100)
    assert bins.cuts() == {"x": []}
    for _ in range(9):
        for x in range(100):
            bins.learn_one({"x": x}, "a" if x < 50 else "b")
    (cut,) = bins.cuts()["x"]
    assert abs(cut - 49.5) <= 1  # the nearest edge of 64 fine bins over 100 values


def test_edges_from_a_file(tmp_path):
    file = tmp_path / "edges.json"
    file.write_text(json.dumps({"x": [1, 2.5], "other": []}))
    for given_ in (str(file), {"x": [1, 2.5], "other": []}):
        bins = Discretizer(bins_file=given_)
        bins.learn_one({"x": 0.0, "y": 3.0}, "a")
        names = [bins.transform_one({"x": x})["x"] for x in (-9, 1, 1.1, 2.5, 2.6)]
        assert names == ["(-inf, 1]", "(-inf, 1]", "(1, 2.5]", "(1, 2.5]", "(2.5, inf)"]
        twin = pickle.loads(pickle.dumps(bins))
        assert twin.transform_one({"x": 2}) == {"x": "(1, 2.5]"}


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"x": 1}', '{"x": [1, 1]}', '{"x": [2, 1]}', '{"x": [NaN]}', '{"x": ["1"]}',
     '{"x": [true]}',
     '{"x": [1], "x": [2]}', '{"x": [1e151]}'],
)  # fmt: skip
def test_a_file_that_holds_no_edges_is_refused(tmp_path, text):
    file = tmp_path / "edges.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"edges\.json"):
        Discretizer(bins_file=str(file))


def test_refused_parameters(tmp_path):
    with pytest.raises(InputError, match=r"none\.json"):
        Discretizer(bins_file=str(tmp_path / "none.json"))
    for parameters in (
        {"bins": 0},
        {"warmup": 0},
        {"cuts": "entropy"},
        {"bins_file": {"x": [2, 1]}},
        {"m": 1},
    ):
        with pytest.raises(UsageError):
            Discretizer(**parameters)


def test_what_is_not_a_number_is_left_alone():
    bins = taught([(1, "a"), (2, "b")])
    x = {"x": None, "sky": "clear", "flag": True, "new": 7}
    assert bins.transform_one(x) == {"x": None, "sky": "clear", "flag": True, "new": "(-inf, inf)"}
    assert math.isnan(bins.transform_one({"x": math.nan})["x"])
    with pytest.raises(ValueError, match="first value was a number"):
        bins.learn_one({"x": "word"}, "a")


def test_transforming_writes_nothing():
    bins = taught([(1, "a"), (2, "b"), (3, "b")])
    before = pickle.dumps(bins)
    bins.transform_one({"x": 5, "new": 1.0})
    assert pickle.dumps(bins) == before
    assert pickle.dumps(copy.deepcopy(bins)) == before


VALUES = st.sampled_from([x / 4 for x in range(-12, 13)])
WEIGHTS = st.sampled_from((1.0, 1.0, 1.0, 2.0, 0.5))
LESSONS = st.lists(st.tuples(VALUES, st.sampled_from("abc"), WEIGHTS), max_size=80)


@pytest.mark.parametrize("rule", ["mdl", "equal-frequency"])
@settings(max_examples=60, deadline=None)
@given(LESSONS, st.sampled_from((1, 5, 20, 200)), st.sampled_from((1, 3, 8, 64)))
def test_cuts_are_those_of_the_reference(rule, lesson, warmup, bins):
    ours = Discretizer(warmup=warmup, bins=bins, cuts=rule)
    reference = ReferenceBins(warmup, bins, rule)
    for x, y, w in lesson:
        ours.learn_one({"x": x}, y, w)
        reference.learn(x, y, w)
        assert ours.cuts() == {"x": reference.cuts}


def test_long_streams_have_the_cuts_of_the_reference():
    rng = random.Random(7)
    ours, reference = Discretizer(), ReferenceBins()
    for i in range(1500):
        y = rng.choice("abc")
        x = rng.gauss("abc".index(y), 0.6)
        ours.learn_one({"x": x}, y)
        reference.learn(x, y, 1.0)
        if i % 50 == 0:
            assert ours.cuts() == {"x": reference.cuts}
    assert ours.cuts() == {"x": reference.cuts}
    assert len(ours.cuts()["x"]) >= 2


def stream(seed, n, shift=0.0):
    rng = random.Random(seed)
    for _ in range(n):
        y = rng.choice("ab")
        yield {"x": rng.gauss(shift + "ab".index(y), 1.0)}, y


def test_learners_with_fine_bins_of_their_own_do_not_merge():
    first, second = DiscreteNaiveBayes(warmup=20), DiscreteNaiveBayes(warmup=20)
    for model, seed in ((first, 1), (second, 2)):
        for x, y in stream(seed, 30):
            model.learn_one(x, y)
    before = pickle.dumps(first)
    with pytest.raises(ValueError, match="bins_file"):
        first.merge(second)
    assert pickle.dumps(first) == before


def test_fixed_edges_merge_to_one_pass():
    edges = {"x": [-1.0, 0.0, 0.5, 2.0]}
    parts = [DiscreteNaiveBayes(bins_file=edges) for _ in range(2)]
    whole = DiscreteNaiveBayes(bins_file=edges)
    for seed, part in enumerate(parts):
        for x, y in stream(seed, 300):
            part.learn_one(x, y)
            whole.learn_one(x, y)
    assert pickle.dumps(parts[0] + parts[1]) == pickle.dumps(whole)


def test_a_warm_up_goes_into_bins_that_are_settled():
    settled, whole = DiscreteNaiveBayes(warmup=20), DiscreteNaiveBayes(warmup=20)
    fresh = DiscreteNaiveBayes(warmup=20)
    for i, (x, y) in enumerate(stream(3, 39)):
        (settled if i < 29 else fresh).learn_one(x, y)
        whole.learn_one(x, y)
    for merged in (settled + fresh, fresh + settled):
        for x, _ in stream(4, 20):
            assert merged.predict_proba_one(x) == pytest.approx(
                whole.predict_proba_one(x), rel=1e-12
            )


def test_merging_two_warm_ups_takes_the_first_values():
    left, right, whole = (DiscreteNaiveBayes(warmup=20) for _ in range(3))
    for i, (x, y) in enumerate(stream(5, 30)):
        (left if i < 15 else right).learn_one(x, y)
        whole.learn_one(x, y)
    assert pickle.dumps(left + right) == pickle.dumps(whole)
