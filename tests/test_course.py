"""The figures over a stream against their definitions, from the answers that were printed."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from math import log

import pytest

from streambayes.evaluation.account import Account
from streambayes.evaluation.course import Course
from streambayes.evaluation.curve import row_of
from streambayes.learners.registry import learner_from

WINDOW, FADING, STEP = 30, 0.95, 40
VIEWS = {"": None, "window_": WINDOW, "fading_": FADING}


def records(n=200, seed=3):
    """Weighted records, every ninth without a label, whose chances change half way; a late class.
    """
    rng = random.Random(seed)
    for i in range(n):
        y = rng.choice("ab" if i < 60 else "abbc")
        x = rng.gauss("abc".index(y) if i < n // 2 else -"abc".index(y), 1.2)
        yield {
            "x": round(x, 3),
            "color": rng.choice("rgb"),
            "w": rng.choice([1, 0.5, 3]),
            "y": None if i % 9 == 8 else y,
        }


def run(path, *options):
    command = [sys.executable, "-m", "streambayes", "-t", "y", "--weight", "w", *options, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def baselines(rows, delay):
    """What no change and the majority answer to each record, with the labels that had come by then.
    """
    latest, weights, answers, due = None, {}, [], 0
    for i in range(len(rows)):
        until = i - max(delay, 1) + 1
        for j in range(due, max(until, due)):
            y = rows[j]["y"]
            if y is not None:
                latest = y
                weights[y] = weights.get(y, 0) + rows[j]["w"]
        due = max(until, due)
        answers.append((latest, max(weights, key=weights.get) if weights else None))
    return answers


def figures(outcomes):
    """By definition, of (truth, answer, probabilities, no change, majority, weight)."""
    total = sum(w for *_, w in outcomes)
    share = sum(w for y, a, *_, w in outcomes if y == a) / total
    labels = {y for y, *_ in outcomes} | {a for _, a, *_ in outcomes}
    expected = (
        sum(
            sum(w for y, *_, w in outcomes if y == c) * sum(w for _, a, *_, w in outcomes if a == c)
            for c in labels
        )
        / total**2
    )
    dumb = [
        sum(w for o in outcomes for y, w in [(o[0], o[5])] if o[k] == y) / total for k in (3, 4)
    ]
    ece = 0
    for b in range(10):
        inside = [(p[a], y == a, w) for y, a, p, *_, w in outcomes if min(int(p[a] * 10), 9) == b]
        ece += abs(sum(w * (right - p) for p, right, w in inside)) / total
    return {
        "accuracy": share,
        "kappa": (share - expected) / (1 - expected),
        "kappa_no_change": (share - dumb[0]) / (1 - dumb[0]),
        "kappa_majority": (share - dumb[1]) / (1 - dumb[1]),
        "log_loss": -sum(w * log(max(p.get(y, 0), 1e-15)) for y, _, p, *_, w in outcomes) / total,
        "brier": sum(
            w * sum((p.get(c, 0) - (c == y)) ** 2 for c in {*p, y}) for y, _, p, *_, w in outcomes
        )
        / total,
        "calibration_error": ece,
    }


@pytest.mark.parametrize("delay", [0, 1, 2, 25])
def test_rows_are_as_defined(tmp_path, delay):
    rows = list(records())
    path, curve = tmp_path / "in.jsonl", tmp_path / "curve.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run(
        path,
        "--delay",
        str(delay),
        "--output",
        "jsonl",
        "--proba",
        "--only",
        "--window",
        str(WINDOW),
        "--fading",
        str(FADING),
        "--every",
        str(STEP),
        "--curve",
        str(curve),
        "--summary",
        "json",
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    outcomes = [
        (row["y"], a["predicted"], a["probabilities"], *dumb, row["w"])
        for row, a, dumb in zip(rows, answers, baselines(rows, delay), strict=True)
    ]
    written = [json.loads(line) for line in curve.read_text().splitlines()]
    assert [row["records"] for row in written] == [40, 80, 120, 160, 200] + [200] * (delay > 1)
    for row in written:
        n = row["records"]
        # the labels of the last `delay` records are out, until the end
        settled = n - delay if delay > 1 and row is not written[-1] else n
        scored = [o for o in outcomes[:settled] if o[0] is not None and o[1] is not None]
        assert row["scored"] == len(scored)
        for before, view in VIEWS.items():
            part = scored[-WINDOW:] if view == WINDOW else scored
            if view == FADING:
                part = [
                    (*o[:5], o[5] * FADING ** (len(scored) - 1 - i)) for i, o in enumerate(scored)
                ]
            if part:
                for name, x in figures(part).items():
                    assert row[before + name] == pytest.approx(x, abs=1e-9), (n, before + name)
                for label, cells in row[before + "per_class"].items():
                    support = sum(w for y, *_, w in part if y == label)
                    assert cells["support"] == pytest.approx(support)
    summary = json.loads(done.stderr.splitlines()[-1])
    for name in ("accuracy", "kappa", "kappa_no_change", "brier", "calibration_error", "log_loss"):
        assert summary[name] == pytest.approx(written[-1][name])
    assert summary["window"]["accuracy"] == written[-1]["window_accuracy"]
    assert summary["window"]["size"] == WINDOW and summary["fading"]["factor"] == FADING
    assert summary["accuracy_anytime95"] is None  # the records have weights


def test_the_csv_says_what_the_jsonl_says(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in records()))
    for ending in ("csv", "jsonl"):
        run(
            path,
            "-q",
            "--every",
            "50",
            "--window",
            "9",
            "--curve",
            str(tmp_path / f"c.{ending}"),
            "--summary",
            "none",
        )
    with open(tmp_path / "c.csv", newline="") as f:
        table = list(csv.DictReader(f))
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert len(table) == len(lines) == 4
    for cells, row in zip(table, lines, strict=True):
        assert list(cells) == list(row)
        for name, x in row.items():
            assert (json.loads(cells[name]) if cells[name] else None) == x


def test_without_being_asked_the_summary_has_no_more_keys(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in records(20)))
    few = json.loads(run(path, "-q", "--summary", "json").stdout)
    everything = json.loads(run(path, "-q", "--summary", "json", "--figures", "all").stdout)
    assert set(everything) - set(few) == {
        "kappa_no_change",
        "kappa_majority",
        "brier",
        "calibration_error",
        "accuracy_anytime95",
        "reliability",
    }
    for name in set(few) - {"seconds", "records_per_second"}:
        assert few[name] == everything[name]


def test_a_fading_view_of_a_long_run_stays_finite():
    account = Account(learner_from("nb").schema, Course(fading=0.5))
    for i in range(3000):  # 2^3000 is beyond a double
        account.take("ab"[i % 2], "a", {"a": 0.75, "b": 0.25})
    row = row_of(account, ["a", "b"])
    # the last record, wrong, weighs 1; the one before it 1/2, and so on: 1/3 of the weight is right
    assert row["fading_accuracy"] == pytest.approx(1 / 3)
    assert row["fading_per_class"]["b"]["support"] == pytest.approx(4 / 3)


def test_python_answers_account_as_the_loop_does(tmp_path):
    rows = list(records())
    path, curve = tmp_path / "in.jsonl", tmp_path / "curve.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(path, "-q", "--window", "30", "--fading", "0.9", "--curve", str(curve))
    last = json.loads(curve.read_text().splitlines()[-1])
    learner = learner_from("nb")
    account = Account(learner.schema, Course(30, 0.9))
    for row in rows:
        x = {"x": row["x"], "color": row["color"]}
        account.take(row["y"], learner.predict_one(x), learner.predict_proba_one(x), row["w"])
        learner.learn_one(x, row["y"], row["w"])
    ours = row_of(account, learner.classes)
    for name in set(ours) - {"learned"}:
        if isinstance(ours[name], float):
            assert ours[name] == pytest.approx(last[name], rel=1e-12), name
        else:
            assert ours[name] == last[name] or name.endswith("per_class")


@pytest.mark.parametrize(
    "options, message",
    [
        (["--fading", "1"], "not a factor between 0 and 1"),
        (["--curve", "x.txt"], ".csv or .jsonl"),
        (["--report", "x.txt"], ".html"),
        (["--plot", "x.gif"], ".png, .svg or .pdf"),
    ],
)
def test_what_is_refused(tmp_path, options, message):
    path = tmp_path / "in.csv"
    path.write_text("x,y\n1,a\n")
    done = subprocess.run(
        [sys.executable, "-m", "streambayes", "-q", *options, str(path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and message in done.stderr and len(done.stderr.splitlines()) == 1
