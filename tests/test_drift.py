"""Learners that forget and start anew, by their definitions; the command line against the API."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from strategies import schemas, streams

from streambayes import NaiveBayes, UsageError
from streambayes.drift import DETECTORS, Fading, Retraining, Sliding, Watch
from streambayes.learners.registry import MODELS, learner_class

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
each_model = pytest.mark.parametrize("name", MODELS)
NB = (
    {},
    {"estimate": "laplace"},
    {"estimate": "awk"},
    {"estimate": "ml"},
    {"m": 0.0, "var_prior": 0.25},
)


def learned(records):
    return [(x, y, w) for x, y, w in records if y is not None and w > 0]


def close(a, b):
    return a == pytest.approx(b, rel=1e-7, abs=1e-9)


# ------------------------------------------------------------ fading
@each_model
@QUICK
@given(data=st.data(), factor=st.sampled_from((1.0, 0.999, 0.75, 0.4)))
def test_fading_is_multiplying_all_sums_before_each_record(name, data, factor):
    schema = data.draw(schemas())
    records = data.draw(streams(schema))
    fading, plain = Fading(learner_class(name)(), factor), learner_class(name)()
    for x, y, w in records:
        fading.learn_one(x, y, w)
        if y is not None and w > 0:
            plain.scale(factor)
        plain.learn_one(x, y, w)
    assert close(fading.class_counts, plain.class_counts)
    for x, _, _ in records[-3:]:
        assert close(fading.predict_proba_one(x), plain.predict_proba_one(x))


@pytest.mark.parametrize("parameters", NB, ids=str)
@QUICK
@given(data=st.data(), factor=st.sampled_from((0.999, 0.75, 0.4)))
def test_fading_is_weighing_the_past_less(parameters, data, factor):
    records = learned(data.draw(streams(data.draw(schemas()))))
    fading, weighed = Fading(NaiveBayes(**parameters), factor), NaiveBayes(**parameters)
    for i, (x, y, w) in enumerate(records):
        fading.learn_one(x, y, w)
        weighed.learn_one(x, y, w * factor ** (len(records) - 1 - i))
    for x, _, _ in records[-3:]:
        assert close(fading.joint_log_likelihood(x), weighed.joint_log_likelihood(x))
    twin = pickle.loads(pickle.dumps(fading))
    for x, _, _ in records[-3:]:
        assert close(twin.predict_proba_one(x), fading.predict_proba_one(x))


def weather(n):
    return [
        ({"sky": "srf"[i * i % 7 % 3], "wind": float(i * 37 % 11), "n": i % 4}, "ab"[i * 5 % 3 % 2])
        for i in range(n)
    ]


def test_a_hundred_halvings():
    """More than one unit can hold: the sums are turned back on the way."""
    model = Fading(NaiveBayes(), 0.5)
    for x, y in weather(100):
        model.learn_one(x, y)
    assert sum(model.class_counts.values()) == pytest.approx(2.0, rel=1e-12)


@each_model
def test_fading_through_many_units_with_cuts_that_move(name):
    cls = learner_class(name)
    given = {"warmup": 10} if "warmup" in {p.name for p in cls.PARAMETERS} else {}
    fading, plain = cls(**given), cls(**given)
    for i, (x, y) in enumerate(weather(150)):
        x["height"] = i * 13 % 29 / 7 + (y == "a")
        for model in (fading, plain):
            assert (model.predict_one(x) is None) == (i == 0)
        fading.fade(0.7)
        plain.scale(0.7)
        fading.learn_one(x, y)
        plain.learn_one(x, y)
        assert close(fading.predict_proba_one(x), plain.predict_proba_one(x)), i
    assert close(fading.class_counts, plain.class_counts)
    assert list(fading.state()) == list(plain.state())
    twin = pickle.loads(pickle.dumps(fading))
    assert close(twin.joint_log_likelihood(x), fading.joint_log_likelihood(x))


def test_a_faded_learner_merges_forgets_copies_and_tells_its_tables_in_weights():
    records = weather(30)
    faded, plain = NaiveBayes(), NaiveBayes()
    for i, (x, y) in enumerate(records):
        faded.fade(0.9)
        faded.learn_one(x, y)
        plain.learn_one(x, y, 0.9 ** (len(records) - 1 - i))
    assert close(faded.class_counts, plain.class_counts)
    for mine, theirs in zip(faded.tables(), plain.tables(), strict=True):
        if mine["kind"] == "nominal":
            assert all(
                close(a[2], b[2]) for a, b in zip(mine["values"], theirs["values"], strict=True)
            )
        else:
            assert close(mine["sd"], theirs["sd"]) and close(
                mine["variance_used"], theirs["variance_used"]
            )
    assert all(close(a[1:], b[1:]) for a, b in zip(faded.priors(), plain.priors(), strict=True))
    before = pickle.dumps(faded)
    x = records[0][0]
    for a, b in (
        (copy.deepcopy(faded), plain),
        (faded + plain, plain + plain),
        (plain + faded, plain + plain),
    ):
        assert close(a.predict_proba_one(x), b.predict_proba_one(x))
        assert close(a.class_counts, b.class_counts)
    assert pickle.dumps(faded) == before
    faded.forget_one(*records[-1])
    plain.forget_one(*records[-1])
    assert close(faded.predict_proba_one(x), plain.predict_proba_one(x))


def test_factors_out_of_range():
    for factor in (0.0, -0.5, 1.5, float("nan")):
        with pytest.raises(UsageError, match="is not above 0 and up to 1"):
            Fading(NaiveBayes(), factor)
        with pytest.raises(ValueError, match="is not above 0 and up to 1"):
            NaiveBayes().fade(factor)


# ------------------------------------------------------------ the latest records
@each_model
@QUICK
@given(data=st.data(), size=st.integers(1, 6))
def test_sliding_knows_the_latest_records_and_no_others(name, data, size):
    if any(p.name == "warmup" for p in learner_class(name).PARAMETERS):
        schema = schemas(numeric=False)  # cuts stay where the first values put them
    else:
        schema = schemas()
    records = learned(data.draw(streams(data.draw(schema))))
    sliding, fresh = Sliding(learner_class(name)(), size), learner_class(name)()
    for x, y, w in records:
        sliding.learn_one(x, y, w)
    try:
        for x, y, w in records[-size:]:
            fresh.learn_one(x, y, w)
        for x, _, _ in records[-3:]:
            fresh.predict_proba_one(x)
    except ValueError:  # an attribute's first value, which tells its kind, has left the window
        reject()
    kinds = sliding.model.attributes
    if any(kinds[attribute] != kind for attribute, kind in fresh.attributes.items()):
        reject()  # likewise
    assert sliding.class_counts == fresh.class_counts
    assert sliding.model.learned == min(size, len(records))
    # Sums cannot tell an attribute that has become constant again from one that hardly varies.
    values = {}
    for x, _, _ in records[-size:]:
        for attribute, value in x.items():
            if isinstance(value, float) and value == value:
                values.setdefault(attribute, set()).add(value)
    for x, _, _ in records[-3:]:
        told = {a: v for a, v in x.items() if len(values.get(a, ())) != 1}
        assert close(sliding.predict_proba_one(told), fresh.predict_proba_one(told))


def test_a_far_out_value_leaves_no_trace():
    sliding, fresh = Sliding(NaiveBayes(), 20), NaiveBayes()
    records = [({"x": i % 5 / 4}, "ab"[i % 2]) for i in range(100)]
    records[30] = ({"x": 1e14}, "a")
    for x, y in records:
        sliding.learn_one(x, y)
    for x, y in records[-20:]:
        fresh.learn_one(x, y)
    assert close(sliding.joint_log_likelihood({"x": 0.3}), fresh.joint_log_likelihood({"x": 0.3}))


def test_windows_that_are_refused():
    for size in (0, -1, 1.5):
        with pytest.raises(UsageError, match="give a whole number from 1"):
            Sliding(NaiveBayes(), size)
    model = NaiveBayes()
    model.learn_one({}, "a")
    with pytest.raises(UsageError, match="give an empty one"):
        Sliding(model, 3)


@each_model
def test_reset_forgets_all_but_the_order(name):
    model, fresh = learner_class(name)(), learner_class(name)()
    for x, y in weather(30):
        model.learn_one(x, y)
    model.reset()
    assert model.learned == 0 and model.classes == [] and model.predict_one({}) is None
    for x, y in reversed(weather(9)):
        model.learn_one(x, y)
        fresh.learn_one(x, y)
    assert model.class_counts == fresh.class_counts
    if not any(p.name == "warmup" for p in learner_class(name).PARAMETERS):
        for x, _ in weather(12):
            assert close(model.predict_proba_one(x), fresh.predict_proba_one(x))


# ------------------------------------------------------------ drift
def turning(n):
    """A stream whose labels change sides half way."""
    return [
        ({"x": float(i * 37 % 20), "s": "uv"[i % 2]}, "ab"[(i * 37 % 20 >= 10) != (i >= n // 2)])
        for i in range(n)
    ]


@pytest.mark.parametrize("detector", DETECTORS)
def test_a_turn_is_seen_and_answered(detector):
    data = turning(2000)
    plain, watching = NaiveBayes(), Retraining(NaiveBayes(), detector)
    right = [0, 0]
    for x, y in data:
        for i, model in enumerate((plain, watching)):
            right[i] += model.predict_one(x) == y
            model.learn_one(x, y)
    assert watching.drifts
    assert all(1000 < record <= 1400 for record in watching.drifts)
    assert right[1] > right[0] + 300
    assert watching.model.learned < 1000


def test_fewer_errors_are_no_drift():
    watch = Watch("adwin")
    for i in range(3000):
        watch.saw(i % 2 if i < 1500 else 0, i)
    assert watch.drifts == []
    for i in range(500):
        watch.saw(1, 3000 + i)
    assert watch.drifts


def test_any_detector_of_river_s_and_around_a_fading_learner():
    drift = pytest.importorskip("river.drift")
    model = Retraining(Fading(NaiveBayes(), 0.999), drift.ADWIN(delta=0.01))
    for x, y in turning(1000):
        model.learn_one(x, y)
    assert model.drifts and len(model.classes) == 2
    with pytest.raises(UsageError, match="no drift detector nonsense; they are adwin, ddm"):
        Retraining(NaiveBayes(), "nonsense")


# ------------------------------------------------------------ the command line
def run(options, text, status=0):
    done = subprocess.run(
        [sys.executable, "-m", "streambayes", *options],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done


def as_csv(data):
    names = list(data[0][0])
    return (
        "\n".join(
            [",".join([*names, "y"])]
            + [",".join([*(f"{x[n]}" for n in names), y]) for x, y in data]
        )
        + "\n"
    )


# No delay with --drift: the API predicts just before it learns, the run when the record came.
@pytest.mark.parametrize(
    ("options", "around", "delay"),
    [
        (["--forget", "0.97"], lambda m: Fading(m, 0.97), 0),
        (["--forget", "0.97"], lambda m: Fading(m, 0.97), 7),
        (["--sliding", "50"], lambda m: Sliding(m, 50), 0),
        (["--sliding", "50"], lambda m: Sliding(m, 50), 7),
        (["--drift", "ddm"], lambda m: Retraining(m, "ddm"), 0),
        (
            ["--drift", "page-hinkley", "--forget", "0.99"],
            lambda m: Retraining(Fading(m, 0.99), "page-hinkley"),
            0,
        ),
        (["--drift", "ddm", "--sliding", "300"], lambda m: Retraining(Sliding(m, 300), "ddm"), 0),
    ],
)
def test_the_command_line_answers_as_the_api_does(options, around, delay):
    data = turning(1200)
    done = run(
        [
            *options,
            "--only",
            "--output",
            "jsonl",
            "--proba",
            "--summary",
            "json",
            "--delay",
            str(delay),
        ],
        as_csv(data),
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    model = around(NaiveBayes())
    for i, ((x, y), row) in enumerate(zip(data, rows, strict=True)):
        if delay and i >= delay:
            model.learn_one(*data[i - delay])
        assert row["probabilities"] == model.predict_proba_one(x), i
        if not delay:
            model.learn_one(x, y)
    messages = done.stderr.splitlines()
    summary = json.loads(messages[-1])
    if "--drift" in options:
        assert summary["drifts"] == model.drifts != []
        assert [json.loads(line) for line in messages[:-1]] == [{"drift": n} for n in model.drifts]
    else:
        assert "drifts" not in summary


def test_a_drift_is_told_in_words():
    done = run(["--drift", "ddm", "-q"], as_csv(turning(1200)))
    assert re.search(
        r"^drift seen at record 6\d\d \(ddm\); the model starts anew$", done.stderr, re.M
    )
    assert re.search(r"^\d drifts? seen, at records? 6\d\d", done.stdout, re.M)


def test_drifts_are_drawn_where_they_were_seen(tmp_path):
    pytest.importorskip("matplotlib")
    picture, report = tmp_path / "run.svg", tmp_path / "run.html"
    pictures = ["--plot", str(picture), "--report", str(report), "--every", "100"]
    text = as_csv(turning(1200))
    done = run(["--drift", "ddm", "-q", "--summary", "json", *pictures], text)
    drifts = json.loads(done.stdout.splitlines()[-1])["drifts"]
    drawn = re.findall('<g id="drift-(\\d+)">', picture.read_text())
    assert [int(record) for record in drawn] == drifts != []
    page = report.read_text()
    assert [int(n) for n in re.findall('id="drift-(\\d+)"', page)] == drifts * 2  # wide and narrow
    assert re.search(rf"<p>\d drifts? seen, at records? {drifts[0]}\b.* \(ddm\)", page)
    run(["-q", *pictures], text)
    assert "drift" not in picture.read_text() + report.read_text().lower()


def test_a_drift_s_line_stands_at_its_record():
    figure = pytest.importorskip("matplotlib.figure").Figure()
    from streambayes.evaluation.plots import accuracy_panel

    rows = [
        {"records": n, "accuracy": 0.9, "accuracy_anytime95": [0.8, 1.0]} for n in (10, 500, 1000)
    ]
    for drifts, said in (([], []), ([321], ["drift seen"]), ([321, 900], ["2 drifts seen"])):
        ax = figure.add_subplot()
        accuracy_panel(rows, drifts).draw(ax)
        lines = [line.get_xdata()[0] for line in ax.lines if line.get_gid()]
        assert lines == drifts
        assert [text.get_text() for text in ax.texts if "drift" in text.get_text()] == said


def test_nothing_of_river_is_loaded_without_need():
    code = (
        "import sys; from streambayes.cli.main import main; main(['-q', '--forget', '0.9',"
        " '--summary', 'none']); print('river' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="a,y\n1,b\n", capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--forget", "0"], "0 is not a number above 0 and up to 1"),
        (["--forget", "1.01"], "1.01 is not a number above 0"),
        (["--forget", "x"], "x is not a number above 0"),
        (["--sliding", "-1"], "-1 is not a whole number from 0"),
        (["--drift", "nonsense"], "invalid choice: 'nonsense'"),
        (["--forget", "0.9", "--sliding", "5"], "leave one out"),
        (["--forget", "0.9", "--no-learn"], "leave one out"),
        (["--drift", "ddm", "--no-learn"], "leave one out"),
    ],
)
def test_wrong_usage(options, says):
    done = run(options, "a,y\n1,b\n", status=2)
    assert says in done.stderr and done.stderr.count("\n") == 1
