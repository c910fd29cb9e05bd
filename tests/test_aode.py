"""AODE: figures worked by hand, wide and many attributes, warm-ups that end, cuts that move."""

from __future__ import annotations

import math
import pickle
import random

import pytest
from reference import Reference

from streambayes import AODE, load
from streambayes.records.problems import UsageError

# s, t and the label: six records
SIX = [("u", "p", "a"), ("u", "q", "b"), ("v", "p", "a"), ("v", "q", "b"), ("u", "p", "a")]


def taught(records, **parameters):
    model = AODE(**parameters)
    for s, t, y in records:
        model.learn_one({"s": s, "t": t}, y)
    return model


# ------------------------------------------------------------------------- figures worked by hand
def test_laplace_by_hand():
    # u, p: N = 5, C = 2, |S| = |T| = 2; n(a) = 3 (up, vp, up), n(b) = 2
    # a: P(a,u)·P(p|a,u) + P(a,p)·P(u|a,p) = (2+1)/(5+4)·(2+1)/(2+2) + (3+1)/(5+4)·(2+1)/(3+2)
    # b: P(b,u)·P(p|b,u) + P(b,p)·P(u|b,p) = (1+1)/(5+4)·(0+1)/(1+2) + (0+1)/(5+4)·(0+1)/(0+2)
    joint = taught(SIX, estimate="laplace", limit=0).joint_log_likelihood({"s": "u", "t": "p"})
    assert math.exp(joint["a"]) == pytest.approx(3 / 9 * 3 / 4 + 4 / 9 * 3 / 5, rel=1e-13)
    assert math.exp(joint["b"]) == pytest.approx(2 / 9 * 1 / 3 + 1 / 9 * 1 / 2, rel=1e-13)


def test_m_estimate_by_hand():
    # a: (2 + 1/4)/(5+1)·(2 + 1/2)/(2+1) + (3 + 1/4)/(5+1)·(2 + 1/2)/(3+1)
    joint = taught(SIX).joint_log_likelihood({"s": "u", "t": "p"})
    expected = 2.25 / 6 * 2.5 / 3 + 3.25 / 6 * 2.5 / 4
    assert math.exp(joint["a"]) == pytest.approx(expected, rel=1e-13)


def test_at_the_limit_and_one_past_it():
    # n(u) = 3, n(p) = 3: with limit 3 none qualifies and naive Bayes answers
    by_limit = {
        limit: taught(SIX, limit=limit).joint_log_likelihood({"s": "u", "t": "p"})["a"]
        for limit in (2, 3)
    }
    assert math.exp(by_limit[2]) == pytest.approx(2.25 / 6 * 2.5 / 3 + 3.25 / 6 * 2.5 / 4)
    # P(a)·P(u|a)·P(p|a) = (3+1)/(5+2)·(2 + 1/2)/(3+1)·(3 + 1/2)/(3+1)
    assert math.exp(by_limit[3]) == pytest.approx(4 / 7 * 2.5 / 4 * 3.5 / 4)


def test_a_missing_superparent_enters_no_count():
    # T is missing once: P(a_i = p|c, u) = (2 + 1/2)/(n(a, u, T present) + 1), not n(a, u) = 3
    model = taught(SIX)
    model.learn_one({"s": "u"}, "a")
    joint = model.joint_log_likelihood({"s": "u", "t": "p"})
    expected = (3 + 1 / 4) / (6 + 1) * (2 + 1 / 2) / (2 + 1) + (3 + 1 / 4) / (5 + 1) * 2.5 / 4
    assert math.exp(joint["a"]) == pytest.approx(expected, rel=1e-13)


def test_subsumption_drops_what_is_implied():
    # q implies female, and not the other way round: the model without sex answers the same
    records = [("m", "p", "a"), ("f", "p", "b"), ("f", "q", "a"), ("f", "q", "b"), ("f", "q", "b")]
    model = taught(records, subsumption=True, critical=2)
    without = AODE()
    for _, t, y in records:
        without.learn_one({"t": t}, y)
    both = model.joint_log_likelihood({"s": "f", "t": "q"})
    alone = without.joint_log_likelihood({"t": "q"})
    assert both == pytest.approx(alone)
    # at the critical weight it no longer implies anything
    kept = taught(records, subsumption=True, critical=3)
    assert kept.joint_log_likelihood({"s": "f", "t": "q"}) != pytest.approx(alone)


def test_weights_by_mutual_information():
    # T says all (log 2 nats), S nothing: S's term is gone
    records = [(s, t, "a" if t == "p" else "b") for s in "uv" for t in "pq"] * 3
    joint = taught(records, weight="mi").joint_log_likelihood({"s": "u", "t": "p"})
    # log 2 · (6 + 1/4)/(12 + 1) · (3 + 1/2)/(6 + 1)
    assert math.exp(joint["a"]) == pytest.approx(math.log(2) * 6.25 / 13 * 3.5 / 7)
    plain = taught([(s, "p", y) for s, _, y in records])
    only_noise = taught([(s, "p", y) for s, _, y in records], weight="mi")
    x = {"s": "u", "t": "p"}
    assert only_noise.joint_log_likelihood(x) == pytest.approx(plain.joint_log_likelihood(x))


def test_tables_tell_which_superparents_carry_weight():
    records = [(s, t, "a" if t == "p" else "b") for s in "uv" for t in "pq"] + [("w", "p", "a")]
    s, t = (table["superparent"] for table in taught(records).tables())
    assert s["share"] == pytest.approx(4 / 5)  # w was seen once, which is no more than the limit
    assert t["share"] == 1
    assert t["mutual_information"] == pytest.approx(
        -3 / 5 * math.log(3 / 5) - 2 / 5 * math.log(2 / 5)
    )
    assert s["mutual_information"] < t["mutual_information"]


# ------------------------------------------------------------------------- against the reference
def equal(model, reference, x):
    assert model.joint_log_likelihood(x) == pytest.approx(
        reference.log_joint(x), rel=1e-9, abs=1e-9
    )


def mixed(rng, missing=0.1):
    y = rng.choice("abc")
    x = {
        "x": rng.gauss("abc".index(y), 0.7),
        "z": round(rng.gauss(-"abc".index(y), 1.0), 1),
        "n": rng.choice("uv" if y == "a" else "vw"),
        "c": rng.choice("pq"),
    }
    return {name: value for name, value in x.items() if rng.random() > missing}, y


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize(
    "parameters",
    [
        {"warmup": 20},
        {"warmup": 15, "bins": 6, "estimate": "laplace", "limit": 0.0},
        {"warmup": 10, "cuts": "equal-frequency", "weight": "mi"},
        {"warmup": 12, "subsumption": True, "critical": 3.0},
        {"bins_file": {"x": [0.0, 1.0], "z": [-2.0, -1.0, 0.0]}},
    ],
)
def test_warm_ups_end_and_cuts_move(parameters, missing, tmp_path):
    rng = random.Random(3)
    model, reference = AODE(**parameters), Reference("aode", **parameters)
    for i in range(160):
        x, y = mixed(rng, missing)
        if i < 12:
            x.pop("z", None)  # an attribute that comes late
        w = rng.choice((1.0, 1.0, 2.0, 0.5))
        model.learn_one(x, y, w)
        reference.learn(x, y, w)
        if i % 13 == 0:
            equal(model, reference, mixed(rng, missing)[0])
    model.save(tmp_path / "a.model")
    for twin in (model, pickle.loads(pickle.dumps(model)), load(tmp_path / "a.model")):
        for _ in range(5):
            equal(twin, reference, mixed(rng, missing)[0])
    assert pickle.dumps(pickle.loads(pickle.dumps(model))) == pickle.dumps(model)


def test_cuts_moved():
    rng = random.Random(5)
    model, seen = AODE(warmup=20), set()
    for i in range(400):
        model.learn_one(*mixed(rng))
        if i > 30:  # the warm-up is over
            seen.add(tuple(model.cuts()["x"]))
    assert len(seen) >= 4


def test_forgetting_a_window():
    rng = random.Random(11)
    stream = [mixed(rng) for _ in range(120)]
    model, reference = AODE(warmup=15), Reference("aode", warmup=15)
    for i, (x, y) in enumerate(stream):
        model.learn_one(x, y)
        reference.learn(x, y)
        if i >= 40:
            model.forget_one(*stream[i - 40])
            reference.forget(*stream[i - 40])
        if i % 17 == 0:
            equal(model, reference, stream[(7 * i) % 120][0])


def test_merging_on_shared_edges_is_one_pass():
    rng = random.Random(2)
    edges = {"x": [-0.5, 0.5, 1.5], "z": [-1.5, -0.5]}
    parts, whole = [AODE(bins_file=edges) for _ in range(2)], AODE(bins_file=edges)
    for i in range(100):
        x, y = mixed(rng)
        parts[i >= 50].learn_one(x, y)
        whole.learn_one(x, y)
    merged = parts[0] + parts[1]
    for _ in range(10):
        x, _ = mixed(rng)
        assert merged.joint_log_likelihood(x) == pytest.approx(
            whole.joint_log_likelihood(x), rel=1e-12
        )


@pytest.mark.parametrize("split", [10, 18, 30, 60])
def test_merging_a_warm_up_is_one_pass(split):
    rng = random.Random(4)
    stream = [mixed(rng) for _ in range(80)]
    left, right, whole = (AODE(warmup=25) for _ in range(3))
    for i, (x, y) in enumerate(stream):
        (left if i < split else right).learn_one(x, y)
        whole.learn_one(x, y)
    if split in (10, 18):  # the second is settled, on edges of its own
        assert (right + left).learned == (left + right).learned == 80
        for x, _ in stream[:5]:
            p = (left + right).predict_proba_one(x)
            assert math.fsum(p.values()) == pytest.approx(1)
    elif split == 30:
        with pytest.raises(ValueError, match="bins_file"):
            left.merge(right)
    else:
        merged = left + right
        assert merged.learned == 80
        for x, _ in stream[:10]:
            expected = whole.joint_log_likelihood(x)
            if merged.cuts() == whole.cuts():
                assert merged.joint_log_likelihood(x) == pytest.approx(expected, rel=1e-12)


def test_merging_into_an_empty_model_keeps_what_was_missing():
    model = AODE(warmup=6)
    for _ in range(6):
        model.learn_one({"b": -4.0}, "a")
    model.learn_one({"b": -4.0, "c": "red"}, "a")
    x = {"b": -4.0, "c": "red"}
    # P(a, b) = 1 and P(red|a, b) = (1 + 1)/(n(a, b, C present) + 1), which is 1 + 1
    for merged in (model, AODE(warmup=6) + model, model + AODE(warmup=6)):
        assert merged.joint_log_likelihood(x) == {"a": 0.0}


# ------------------------------------------------------------------------- wide and many
def test_wide_attributes_stay_small():
    model, reference = AODE(limit=0), Reference("aode", limit=0.0)
    rng = random.Random(1)
    for i in range(600):
        x = {"a": f"a{i}", "b": f"b{i % 500}", "c": rng.choice("pq")}
        y = rng.choice("ab")
        model.learn_one(x, y)
        if i < 300:
            reference.learn(x, y)
        if i == 299:
            equal(model, reference, {"a": "a7", "b": "b7", "c": "p"})
            equal(model, reference, {"a": "a7", "b": "b8", "c": "new"})
    assert model.pair_bytes < 1 << 20  # 600 x 500 pairs of values would take 5 MB
    twin = pickle.loads(pickle.dumps(model))
    x = {"a": "a7", "b": "b7", "c": "p"}
    assert twin.joint_log_likelihood(x) == model.joint_log_likelihood(x)
    model.forget_one(x | {"a": "a599", "b": "b99"}, y)


@pytest.mark.parametrize("estimate", ["m", "laplace"])
def test_many_attributes_are_finite(estimate):
    # 900 attributes that all agree: the product of a term is beyond the range of doubles
    model = AODE(estimate=estimate)
    for i in range(12):
        y = "ab"[i % 2]
        model.learn_one({f"c{j}": y if (i + j) % 5 else "z" for j in range(900)}, y)
    joint = model.joint_log_likelihood({f"c{j}": "a" for j in range(900)})
    p = model.predict_proba_one({f"c{j}": "a" if j % 2 else "b" for j in range(900)})
    assert all(map(math.isfinite, joint.values()))
    assert joint["b"] < -746 < joint["a"]
    assert math.fsum(p.values()) == pytest.approx(1)


def test_products_are_renormalised_right():
    rng = random.Random(9)
    names = [f"c{j}" for j in range(40)]
    for parameters in ({}, {"estimate": "laplace"}, {"m": 1e-8}, {"m": 0.0}):
        model, reference = AODE(**parameters), Reference("aode", **parameters)
        for _ in range(8):
            x = {name: rng.choice("uvw") for name in names if rng.random() > 0.05}
            y, w = rng.choice("abc"), rng.choice((1.0, 1e9, 1e15))
            model.learn_one(x, y, w)
            reference.learn(x, y, w)
        for _ in range(2):
            equal(model, reference, {name: rng.choice("uvwx") for name in names})


@pytest.mark.parametrize(
    "parameters",
    [
        {"estimate": "ml"},
        {"estimate": "laplace", "m": 1},
        {"limit": -1},
        {"weight": "gain"},
        {"critical": -1},
        {"subsumption": 2},
        {"k": 1},
        {"bins": 0},
    ],
)
def test_refused_parameters(parameters):
    with pytest.raises(UsageError):
        AODE(**parameters)
