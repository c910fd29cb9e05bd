"""The reference against figures whose arithmetic is in sight."""

from __future__ import annotations

import math
from math import exp, log, pi, sqrt

import pytest
from reference import Reference, ReferenceBins

# The lecture's weather data: outlook, temperature, humidity, windy, play.
SYMBOLIC = """
rainy cool normal TRUE no
rainy mild high TRUE no
sunny hot high FALSE no
sunny hot high TRUE no
sunny mild high FALSE no
overcast cool normal TRUE yes
overcast hot high FALSE yes
overcast hot normal FALSE yes
overcast mild high TRUE yes
rainy cool normal FALSE yes
rainy mild high FALSE yes
rainy mild normal FALSE yes
sunny cool normal FALSE yes
sunny mild normal TRUE yes
"""
NUMERIC = """
sunny 85 85 FALSE no
sunny 80 90 TRUE no
overcast 83 86 FALSE yes
rainy 70 96 FALSE yes
rainy 68 80 FALSE yes
rainy 65 70 TRUE no
overcast 64 65 TRUE yes
sunny 72 95 FALSE no
sunny 69 70 FALSE yes
rainy 75 80 FALSE yes
sunny 75 70 TRUE yes
overcast 72 90 TRUE yes
overcast 81 75 FALSE yes
rainy 71 91 TRUE no
"""
WEATHER = ("outlook", "temperature", "humidity", "windy")
SUNNY = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "TRUE"}


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def rows(text, names, convert=str):
    """(x, y) of each line; the label is the last word, ? is missing."""
    for line in text.split("\n"):
        if line:
            *values, y = line.split()
            pairs = zip(names, values, strict=True)
            yield {name: None if v == "?" else convert(v) for name, v in pairs}, y


def number_or_word(text):
    try:
        return float(text)
    except ValueError:
        return text


def taught(model, records, **parameters):
    reference = Reference(model, **parameters)
    for x, y in records:
        reference.learn(x, y)
    return reference


def prequential(records, **parameters):
    """The probabilities before each record is learned."""
    reference = Reference(**parameters)
    answers = []
    for x, y in records:
        answers.append(reference.proba(x))
        reference.learn(x, y)
    return answers


# ------------------------------------------------------------------------------------ weather
@pytest.mark.parametrize(
    "parameters, p_no",
    [
        ({"estimate": "ml"}, 0.7954173486),
        ({"estimate": "awk"}, 0.6315739472),
        ({"estimate": "m", "m": 2}, 0.7408238235),
    ],
)
def test_symbolic_weather(parameters, p_no):
    reference = taught("nb", rows(SYMBOLIC, WEATHER), **parameters)
    assert reference.proba(SUNNY)["no"] == pytest.approx(p_no, abs=5e-11)
    assert reference.predict(SUNNY) == "no"


def test_symbolic_weather_by_hand():
    reference = taught("nb", rows(SYMBOLIC, WEATHER), estimate="ml")
    no, yes = 5 / 14 * 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5, 9 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9
    assert reference.log_joint(SUNNY) == {"no": close(log(no)), "yes": close(log(yes))}
    assert reference.proba(SUNNY)["no"] == close(no / (no + yes))


def test_weather_without_outlook():
    reference = taught("nb", rows(SYMBOLIC, WEATHER), estimate="ml")
    absent = {name: value for name, value in SUNNY.items() if name != "outlook"}
    for x in (absent, {**absent, "outlook": None}):
        assert reference.proba(x)["no"] == pytest.approx(0.5901639344, abs=5e-11)


def test_numeric_weather():
    reference = taught("nb", rows(NUMERIC, WEATHER, number_or_word), estimate="ml")
    x = {"outlook": "sunny", "temperature": 66, "humidity": 90, "windy": "TRUE"}
    assert reference.proba(x)["no"] == pytest.approx(0.7920979261, abs=5e-11)


# --------------------------------------------------------------------------- recorded cases
def test_nothing_learned():
    reference = Reference()
    assert reference.predict({"x": "u"}) is None
    assert reference.proba({"x": "u"}) == {}


def test_first_records():
    answers = prequential(rows("u a\nu a\nv b\nu a", ["x"]), model="nb", estimate="laplace", k=0)
    assert answers[0] == {}
    assert answers[2] == {"a": 1.0}
    a, b = 2 / 3 * 3 / 4, 1 / 3 * 1 / 3
    assert answers[3] == {"a": close(a / (a + b)), "b": close(b / (a + b))}


CONSTANT = "7 1 a\n7 5 b\n7 3 a\n7 7 b\n7 3 a"


@pytest.mark.parametrize("names", [["k", "x"], ["x"]])
def test_constant_attribute_plain(names):
    text = CONSTANT if "k" in names else "1 a\n5 b\n3 a\n7 b\n3 a"
    answers = prequential(rows(text, names, float), k=0, var_prior=0)
    assert answers[2]["a"] == close(1 / 2)
    b = 1 / 3 * exp(-((7 - 5) ** 2) / (2 * 8 / 3)) / sqrt(8 / 3)
    a = 2 / 3 * exp(-((7 - 2) ** 2) / (2 * 2)) / sqrt(2)
    assert answers[3]["b"] == close(b / (a + b))
    assert answers[4]["a"] == close(1 / (1 + exp(-((3 - 6) ** 2 - (3 - 2) ** 2) / (2 * 2))))


def test_constant_attribute_with_prior():
    answers = prequential(rows(CONSTANT, ["k", "x"], float))
    assert answers[2]["a"] == close(1 / 2)
    b = 2 / 5 * exp(-((7 - 5) ** 2) / (2 * 8 / 3)) / sqrt(8 / 3)
    a = 3 / 5 * exp(-((7 - 2) ** 2) / (2 * 7 / 3)) / sqrt(7 / 3)
    assert answers[3]["b"] == close(b / (a + b))
    assert answers[4]["a"] == close(1 / (1 + exp(-((3 - 6) ** 2 - (3 - 2) ** 2) / (2 * 7 / 2))))


ONE_OF_B = "0 a\n2 a\n4 a\n10 b\n10 b"


def test_class_with_one_record_plain():
    answers = prequential(rows(ONE_OF_B, ["x"], float), k=0, var_prior=0)
    b, a = 1 / 4 / sqrt(14), 3 / 4 * exp(-((10 - 2) ** 2) / (2 * 4)) / sqrt(4)
    assert answers[4]["b"] == close(b / (a + b))


def test_class_with_one_record_with_prior():
    answers = prequential(rows(ONE_OF_B, ["x"], float))
    b, a = 2 / 6 / sqrt(14), 4 / 6 * exp(-((10 - 2) ** 2) / (2 * 22 / 3)) / sqrt(22 / 3)
    assert answers[4]["b"] == close(b / (a + b))


def test_large_offset():
    records = [({"t": 1e12 + t}, "ab"[i % 2]) for i, t in enumerate((1, 11, 3, 13, 5, 15, 7))]
    answers = prequential(records, k=0, var_prior=0)
    b = 1 / 3 * exp(-((13 - 11) ** 2) / (2 * 56 / 3)) / sqrt(56 / 3)
    a = 2 / 3 * exp(-((13 - 2) ** 2) / (2 * 2)) / sqrt(2)
    assert answers[3]["b"] == close(b / (a + b))
    assert answers[6]["a"] == close(1 / (1 + exp(-((7 - 13) ** 2 - (7 - 3) ** 2) / (2 * 4))))


def test_unseen_category():
    text = "red a\nblue b\nred a\nblue b\ngreen a\ngreen a\nyellow b"
    answers = prequential(rows(text, ["color"]), estimate="laplace", k=0)
    assert answers[3]["b"] == close((1 / 3 * 2 / 3) / (1 / 3 * 2 / 3 + 2 / 3 * 1 / 4))
    assert answers[4]["a"] == 0.5
    assert answers[5]["a"] == close((3 / 5 * 2 / 6) / (3 / 5 * 2 / 6 + 2 / 5 * 1 / 5))
    assert answers[6]["a"] == close((4 / 6 * 1 / 8) / (4 / 6 * 1 / 8 + 2 / 6 * 1 / 6))


def test_tie_goes_to_the_label_learned_first():
    for first, second in ("ab", "ba"):
        reference = taught("nb", [({"x": "u"}, first), ({"x": "u"}, second)])
        assert reference.predict({"x": "u"}) == first


def test_missing_enters_no_count():
    text = "u p a\nu q b\n? p a\nv q b\nu ? a"
    answers = prequential(rows(text, ["s", "t"]), estimate="laplace", k=0)
    a, b = 2 / 3 * 1 / 3 * 1 / 4, 1 / 3 * 1 / 3 * 2 / 3
    assert answers[3]["a"] == close(a / (a + b))
    a, b = 1 / 2 * (1 + 1) / (1 + 2), 1 / 2 * (1 + 1) / (2 + 2)
    assert answers[4]["a"] == close(a / (a + b))


PAIRS = "u p a\nu q b\nv p a\nv q b\nu p a\nu q b"
ONE_ATTRIBUTE = "u a\nu b\nv a\nv b\nu a\nu b"


def test_aode_laplace():
    answers = prequential(rows(PAIRS, ["s", "t"]), model="aode", estimate="laplace", limit=0)
    a, b = 2 / 6 * 1 / 3, 1 / 6 * 1 / 2
    assert answers[2]["a"] == close(a / (a + b))
    a, b = 3 / 9 * 1 / 4 + 1 / 9 * 1 / 2, 2 / 9 * 2 / 3 + 3 / 9 * 2 / 4
    assert answers[5]["a"] == close(a / (a + b))


def test_aode_m_estimate():
    answers = prequential(rows(PAIRS, ["s", "t"]), model="aode", limit=0)
    a, b = 5 / 12 * 1 / 4, 1 / 12 * 1 / 2
    assert answers[2]["a"] == close(a / (a + b))
    a, b = 9 / 24 * 1 / 6 + 1 / 24 * 1 / 2, 5 / 24 * 3 / 4 + 9 / 24 * 1 / 2
    assert answers[5]["a"] == close(a / (a + b))


def test_aode_limit():
    answers = prequential(rows(PAIRS, ["s", "t"]), model="aode")
    a, b = 1 / 2 * 1 / 4 * 3 / 4, 1 / 2 * 1 / 4 * 1 / 4  # none above the limit: naive Bayes
    assert answers[2]["a"] == close(a / (a + b))
    assert answers[5]["a"] == close(8 / 41)


@pytest.mark.parametrize(
    "parameters, a, b",
    [({"estimate": "laplace"}, 3 / 9, 2 / 9), ({}, 9 / 24, 5 / 24)],
)
def test_aode_with_one_attribute(parameters, a, b):
    records = list(rows(ONE_ATTRIBUTE, ["s"]))
    answers = prequential(records, model="aode", limit=0, **parameters)
    assert answers[5]["a"] == close(a / (a + b))


def test_every_value_is_new():
    reference = Reference("nb", estimate="laplace", k=0, max_values=100)
    for i in range(2000):
        reference.learn({"id": f"k{i}"}, "b" if i % 4 == 3 else "a")
    a, b = 3 / 4 * (1425 + 1) / (1500 + 101), 1 / 4 * (475 + 1) / (500 + 101)
    assert reference.proba({"id": "fresh"})["a"] == close(a / (a + b))


def test_shared_slot():
    text = "p a\nq b\nr a\ns b\np a\nt b"
    answers = prequential(rows(text, ["x"]), estimate="laplace", k=0, max_values=2)
    assert answers[2]["a"] == 0.5
    a, b = 2 / 3 * 2 / 5, 1 / 3 * 1 / 4
    assert answers[3]["a"] == close(a / (a + b))
    assert answers[4]["a"] == close((2 / 4 * 2 / 5) / (2 / 4 * 2 / 5 + 2 / 4 * 1 / 5))
    a, b = 3 / 5 * 2 / 6, 2 / 5 * 2 / 5
    assert answers[5]["a"] == close(a / (a + b))


# ------------------------------------------------------------------------------------ estimates
def test_refused_parameters():
    for parameters in (
        {"estimate": "laplace", "m": 2},
        {"estimate": "nope"},
        {"nope": 1},
        {"k": -1},
        {"model": "node"},
        {"model": "aode", "estimate": "ml"},
        {"model": "aode", "limit": -1},
        {"model": "haode", "units": "metres"},
    ):
        with pytest.raises(ValueError):
            Reference(**parameters)


def test_true_one_and_the_string_are_three_values():
    records = [({"x": "1"}, "s"), ({"x": True}, "t"), ({"x": 1}, "n")]
    reference = taught("nb", records, estimate="ml")
    assert reference.proba({"x": "1"}) == {"s": 1.0, "t": 0.0, "n": 0.0}
    assert reference.proba({"x": True}) == {"s": 0.0, "t": 1.0, "n": 0.0}
    assert reference.proba({"x": 1.0}) == {"s": 0.0, "t": 0.0, "n": 1.0}


def test_labels_of_several_types():
    reference = taught("nb", [({}, True), ({}, 1), ({}, "1"), ({}, 1.0)], k=0)
    assert [(type(label), exp(score)) for label, score in reference.scores({})] == [
        (bool, close(1 / 4)),
        (int, close(2 / 4)),
        (str, close(1 / 4)),
    ]


def test_all_impossible_is_the_prior():
    records = [({"x": "u", "y": "p"}, "a"), ({"x": "v", "y": "q"}, "b"), ({"x": "v"}, "b")]
    reference = taught("nb", records, estimate="ml")
    x = {"x": "u", "y": "q"}
    assert reference.log_joint(x) == {"a": -math.inf, "b": -math.inf}
    assert reference.proba(x) == {"a": close(1 / 3), "b": close(2 / 3)}
    assert reference.predict(x) == "b"


def test_declared_values_count():
    reference = Reference("nb", declared={"x": ["u", "v", "w"]}, k=0)
    reference.learn({"x": "u"}, "a")
    assert reference.log_joint({"x": "u"})["a"] == close(log((1 + 1 / 3) / 2))


def test_missing_numbers():
    reference = taught("nb", [({"x": 0.0}, "a"), ({"x": 2}, "a"), ({"x": 5.0}, "b")])
    for x in (None, math.nan, math.inf, -math.inf, 1.1e150, 10**400):
        assert reference.log_joint({"x": x}) == reference.log_joint({})
    assert reference.log_joint({"x": 1e150}) != reference.log_joint({})
    with pytest.raises(ValueError):
        reference.learn({"x": "word"}, "a")


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150 / 4])
def test_scale_of_numbers(scale):
    values = [(0.0, "a"), (2.0, "a"), (1.0, "b"), (4.0, "b")]
    reference = taught("nb", [({"x": v * scale}, y) for v, y in values], var_prior=0)
    a = exp(-((3 - 1) ** 2) / (2 * 2)) / sqrt(2)
    b = exp(-((3 - 2.5) ** 2) / (2 * 4.5)) / sqrt(4.5)
    assert reference.proba({"x": 3.0 * scale})["a"] == pytest.approx(a / (a + b), rel=1e-12)


def test_forget_takes_away():
    records = list(rows(SYMBOLIC, WEATHER))
    reference = taught("nb", records)
    reference.forget(*records[0])
    left = taught("nb", records[1:])
    assert reference.log_joint(SUNNY) == left.log_joint(SUNNY)
    with pytest.raises(ValueError):
        reference.forget(*records[0])


def test_weight_is_repetition():
    twice, heavy = Reference(), Reference()
    for x, y in rows(SYMBOLIC, WEATHER):
        heavy.learn(x, y, 2)
        twice.learn(x, y)
        twice.learn(x, y)
    heavy.learn(SUNNY, "new", 0)
    assert heavy.log_joint(SUNNY) == twice.log_joint(SUNNY)


# ------------------------------------------------------------------------------------ AODE
def test_subsumption():
    """pregnant implies female: with critical = 1 the record is answered without sex."""
    text = "f yes a\nf yes a\nf no b\nm no b\nm no a\nf no b"
    subsumed = taught("aode", rows(text, ["sex", "pregnant"]), subsumption=True, critical=1)
    x = {"sex": "f", "pregnant": "yes"}
    a, b = (2 + 1 / 4) / (6 + 1), (0 + 1 / 4) / (6 + 1)
    assert subsumed.log_joint(x) == {"a": close(log(a)), "b": close(log(b))}
    held = taught("aode", rows(text, ["sex", "pregnant"]), subsumption=True, critical=2)
    plain = taught("aode", rows(text, ["sex", "pregnant"]))
    assert held.log_joint(x) == plain.log_joint(x)


def test_subsumption_of_two_that_imply_each_other():
    text = "u p a\nu p b\nv q b\nu p a"
    subsumed = taught("aode", rows(text, ["s", "t"]), subsumption=True, critical=2)
    alone = taught("aode", rows("u a\nu b\nv b\nu a", ["s"]))
    x = {"t": "p", "s": "u"}
    assert subsumed.log_joint(x) == alone.log_joint({"s": "u"})


def test_weight_by_mutual_information():
    text = "u p a\nu q a\nv p b\nv q b"  # s tells the class, t nothing
    weighted = taught("aode", rows(text, ["s", "t"]), weight="mi")
    a = log(2) * (2 + 1 / 4) / (4 + 1) * (1 + 1 / 2) / (2 + 1)
    b = log(2) * (0 + 1 / 4) / (4 + 1) * (0 + 1 / 2) / (0 + 1)
    x = {"s": "u", "t": "p"}
    assert weighted.log_joint(x) == {"a": close(log(a)), "b": close(log(b))}
    text = "u p a\nu p b"  # none tells anything: equal weights
    assert taught("aode", rows(text, ["s", "t"]), weight="mi").log_joint(x) == taught(
        "aode", rows(text, ["s", "t"])
    ).log_joint(x)


# ------------------------------------------------------------------------------------ GAODE
def normal(x, mean, variance):
    return exp(-((x - mean) ** 2) / (2 * variance)) / sqrt(2 * pi * variance)


CLOUD = [(0.0, 1.0), (2.0, 0.0), (4.0, 5.0), (6.0, 2.0)]  # means 3, 2; M2 20, 14; C 8


def test_gaode_is_twice_the_bivariate_normal():
    records = [({"x": x, "y": y}, "a") for x, y in CLOUD]
    reference = taught("gaode", records, var_prior=0)
    s_xx, s_yy, s_xy = 20 / 3, 14 / 3, 8 / 3
    det = s_xx * s_yy - s_xy**2
    dx, dy = 1.0 - 3.0, 4.0 - 2.0
    square = (s_yy * dx * dx - 2 * s_xy * dx * dy + s_xx * dy * dy) / det
    density = exp(-square / 2) / (2 * pi * sqrt(det))
    assert reference.log_joint({"x": 1.0, "y": 4.0})["a"] == close(log(2 * density))


def test_gaode_with_prior_and_hugin():
    records = [({"x": x, "y": y}, "a") for x, y in CLOUD]
    s_xx, s_yy, s_xy = (20 + 5) / 4, (14 + 3.5) / 4, 8 / 4  # v = 20/4, 14/4
    own_x, own_y = normal(1, 3, s_xx), normal(4, 2, s_yy)
    b, d = s_xy / s_xx, s_xy / s_yy
    cg = own_x * normal(4, 2 + b * (1 - 3), s_yy - b * s_xy)
    cg += own_y * normal(1, 3 + d * (4 - 2), s_xx - d * s_xy)
    hugin = own_x * normal(4, 2 + b * 1, s_yy) + own_y * normal(1, 3 + d * 4, s_xx)
    x = {"x": 1.0, "y": 4.0}
    assert taught("gaode", records).log_joint(x)["a"] == close(log(cg))
    assert taught("gaode", records, conditional="hugin").log_joint(x)["a"] == close(log(hugin))


def test_gaode_pairs_are_of_the_records_that_have_both():
    records = [({"x": x, "y": y}, "a") for x, y in CLOUD]
    records += [({"x": 3.0}, "a"), ({"y": 9.0}, "b"), ({"x": 8.0}, "b")]
    reference = taught("gaode", records)
    # b never showed both, so that x given y is its own normal in b, and y given x likewise
    m2_x, m2_y = 20 + 5 * 1 / 6 * 25, 14 + 4 * 1 / 5 * 49  # M2 + n·n'/(n + n')·(difference)²
    v_x, v_y = m2_x / 6, m2_y / 5
    own = normal(1, 8, v_x) * normal(4, 9, v_y)
    prior_a, prior_b = (5 + 1) / (7 + 2), (2 + 1) / (7 + 2)
    s_xx, s_yy, s_xy = (20 + v_x) / 4, (14 + v_y) / 4, 8 / 4
    own_x, own_y = normal(1, 3, (20 + v_x) / 5), normal(4, 2, s_yy)
    b, d = s_xy / s_xx, s_xy / s_yy
    a = own_x * normal(4, 2 + b * (1 - 3), s_yy - b * s_xy)
    a += own_y * normal(1, 3 + d * (4 - 2), s_xx - d * s_xy)
    joint = reference.log_joint({"x": 1.0, "y": 4.0})
    assert joint == {"a": close(log(prior_a * a)), "b": close(log(prior_b * 2 * own))}


def test_gaode_nominal_parents_and_children():
    records = [({"n": "u", "x": 0.0}, "a"), ({"n": "u", "x": 4.0}, "a"), ({"n": "v"}, "a")]
    reference = taught("gaode", records)
    v = 4.0
    own = normal(1, 2, (8 + v) / 2)
    numeric = own * (2 + 1 / 2) / (3 + 1)
    nominal = (2 + 1 / 2) / (3 + 1) * own  # both values of x go with u
    assert reference.log_joint({"n": "u", "x": 1.0})["a"] == close(log(numeric + nominal))
    assert reference.log_joint({"n": "v", "x": 1.0})["a"] == close(log(own * (1 + 1 / 2) / (3 + 1)))
    assert reference.log_joint({})["a"] == 0.0


# ------------------------------------------------------------------------------------ HAODE
def test_haode_by_hand():
    records = [
        ({"n": "u", "x": 0.0}, "a"),
        ({"n": "u", "x": 4.0}, "a"),
        ({"n": "v", "x": 8.0}, "b"),
    ]
    edges = {"x": [6.0]}
    v = 32 / 3
    x = {"n": "u", "x": 1.0}
    of_n_a = (2 + 1 / 4) / (3 + 1) * normal(1, 2, (8 + v) / 2)
    of_n_b = (0 + 1 / 4) / (3 + 1) * normal(1, 8, v)  # b never with u: b's mean, and v
    of_x_a = (2 + 1 / 4) / (3 + 1) * (2 + 1 / 2) / (2 + 1)
    of_x_b = (0 + 1 / 4) / (3 + 1) * (0 + 1 / 2) / (0 + 1)
    for units, factor in (("sd", sqrt(v)), ("raw", 1.0)):
        reference = taught("haode", records, units=units, bins_file=edges)
        assert reference.log_joint(x) == {
            "a": close(log(of_n_a * factor + of_x_a)),
            "b": close(log(of_n_b * factor + of_x_b)),
        }


def test_haode_units_do_not_show():
    def answer(scale, units):
        records = [
            (
                {"n": "uv"[i % 2], "x": scale * (i * i % 7), "y": scale * (i * 5 % 11)},
                "ab"[i % 3 % 2],
            )
            for i in range(12)
        ]
        reference = taught("haode", records, units=units)
        return reference.proba({"n": "u", "x": scale * 3.0, "y": scale * 4.0})["a"]

    assert answer(1000.0, "sd") == close(answer(1.0, "sd"))
    assert abs(answer(1000.0, "raw") - answer(1.0, "raw")) > 1e-4


def test_haode_without_a_superparent_is_naive_bayes():
    records = [({"x": float(i), "n": f"k{i}"}, "ab"[i % 2]) for i in range(4)]
    x = {"x": 1.0, "n": "k1"}
    reference = taught("haode", records, limit=10)
    assert reference.log_joint(x) == taught("nb", records).log_joint(x)


# ------------------------------------------------------------------------------------ bins
def bins_of(values, **parameters):
    bins = ReferenceBins(**parameters)
    for value, label in values:
        bins.learn(value, label, 1.0)
    return bins


def test_mdl_cuts_where_classes_part():
    values = [(float(i), "a" if i < 10 else "b") for i in range(20)]
    assert bins_of(values).cuts == [9.5]
    assert bins_of([(float(i), "ab"[i % 2]) for i in range(20)]).cuts == []


def test_mdl_accepts_to_the_letter():
    """n + n records that part cleanly: the gain is 1 bit, to beat is

    (log2(2n - 1) + log2(3² - 2) - 2·1 + 0 + 0) / 2n: 0.9037 for n = 2, 1.4037 for n = 1.
    """
    assert (math.log2(3) + math.log2(7) - 2) / 4 < 1 < (math.log2(1) + math.log2(7) - 0) / 2
    assert bins_of([(0.0, "a"), (1.0, "a"), (2.0, "b"), (3.0, "b")]).cuts == [1.5]
    assert bins_of([(0.0, "a"), (3.0, "b")]).cuts == [1.5]  # (0 + 0.807) / 2 < 1
    assert bins_of([(0.0, "a"), (1.0, "b"), (2.0, "a")]).cuts == []


def test_cuts_are_made_again_when_records_have_grown_by_half():
    bins = bins_of([(float(i % 4), "a") for i in range(8)], warmup=8)
    assert bins.edges == [0.5, 1.5, 2.5]
    assert bins.cuts == []
    bins = bins_of([(float(i % 4), "a") for i in range(8)], warmup=8)
    for step in range(4):
        assert bins.cuts == [], step
        bins.learn(3.0, "b", 2.0)
    assert bins.cuts == [2.5]  # 12 records = 1.5 · 8
    frozen = bins_of([(float(i % 4), "a") for i in range(8)], warmup=8, freeze=True)
    for _ in range(40):
        frozen.learn(3.0, "b", 1.0)
    assert frozen.cuts == []


def test_fine_bins_at_quantiles():
    bins = bins_of([(float(i), "a") for i in range(10)], warmup=10, bins=4)
    assert bins.edges == [2.5, 4.5, 7.5]  # the first edges with 2.5, 5 and 7.5 values below
    few = bins_of([(float(i), "a") for i in range(4)], warmup=4, bins=4)
    assert few.edges == [0.5, 1.5, 2.5]


def test_equal_frequency():
    bins = bins_of([(float(i), "a") for i in range(20)], cuts="equal-frequency")
    assert bins.cuts == [1.5, 3.5, 5.5, 7.5, 9.5, 11.5, 13.5, 15.5, 17.5]
    assert bins_of([(1.0, "a"), (2.0, "b")], cuts="equal-frequency").cuts == [1.5]


def test_forgotten_in_the_warm_up():
    values = [(float(i), "a" if i < 4 else "b") for i in range(8)]
    bins = bins_of([*values, (99.0, "c")])
    bins.forget(99.0, "c", 1.0)
    assert bins.cuts == bins_of(values).cuts


def test_fixed_edges_are_low_open_high_closed():
    records = [({"x": v}, y) for v, y in ((1.0, "a"), (2.0, "a"), (2.5, "b"), (9.0, "b"))]
    reference = taught("nb-disc", records, k=0, bins_file={"x": [2.0, 5.0]})
    a, b = 1 / 2 * (2 + 1 / 3) / (2 + 1), 1 / 2 * (0 + 1 / 3) / (2 + 1)
    assert reference.log_joint({"x": 2.0}) == {"a": close(log(a)), "b": close(log(b))}
    a, b = 1 / 2 * (0 + 1 / 3) / (2 + 1), 1 / 2 * (1 + 1 / 3) / (2 + 1)
    assert reference.log_joint({"x": 2.1}) == {"a": close(log(a)), "b": close(log(b))}
