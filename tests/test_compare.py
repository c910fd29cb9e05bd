"""The command compare, and the API behind it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("scipy")

from streambayes.cli.against import read_published
from streambayes.cli.compare import split_models
from streambayes.evaluate import compare, cross_validate, prequential
from streambayes.evaluation.comparison import Scheme, stratified_folds
from streambayes.evaluation.tests import f_5x2cv, wilcoxon
from streambayes.learners.registry import MODELS, learner_from
from streambayes.records.problems import InputError, UsageError

SHARED = Path(__file__).parents[2] / "shared" / "data" / "gaode"


def command(*arguments, status=0):
    """Runs the program in this process, which has scipy and matplotlib already."""
    from streambayes.cli.main import main

    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            with (
                open(1, "w", closefd=False, encoding="utf-8") as stdout,
                open(2, "w", closefd=False, encoding="utf-8") as stderr,
                contextlib.redirect_stdout(stdout),
                contextlib.redirect_stderr(stderr),
            ):
                ended = main([str(a) for a in arguments])
        finally:
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
            os.close(kept[0])
            os.close(kept[1])
        out.seek(0)
        err.seek(0)
        done = SimpleNamespace(stdout=out.read().decode(), stderr=err.read().decode())
    assert ended == status, done.stderr
    return done


def records(n, seed=5):
    """Mixed records with missing values, new values and a class that comes late."""
    rng = random.Random(seed)
    for i in range(n):
        y = rng.choice("ab" if i < n // 3 else "abc")
        x = {
            "size": None if rng.random() < 0.1 else round(rng.gauss("abc".index(y), 1), 2),
            "color": rng.choice(["red", "green", f"new{i // 20}"]) if y != "b" else "blue",
            "heat": round(rng.gauss(0, 1) * (1 + "abc".index(y)), 2),
        }
        yield x, None if i % 11 == 10 else y


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "in.csv"
    rows = ["size,color,heat,y"]
    rows += [
        ",".join("?" if v is None else str(v) for v in (*x.values(), y)) for x, y in records(300)
    ]
    path.write_text("\n".join(rows) + "\n")
    return path


# ------------------------------------------------------------------------------------ on one stream
@pytest.mark.parametrize("delay", [0, 7])
def test_each_model_does_in_company_what_it_does_alone(stream, delay):
    together = json.loads(
        command("compare", "-m", ",".join(MODELS), "--json", "--delay", delay, stream).stdout
    )
    assert [m["spec"] for m in together["models"]] == list(MODELS)
    for m in together["models"]:
        alone = json.loads(
            command(
                "-q",
                "-m",
                m["spec"],
                "--summary",
                "json",
                "--delay",
                delay,
                "--figures",
                "all",
                stream,
            ).stdout
        )
        for name in (
            "scored",
            "accuracy",
            "accuracy_ci95",
            "accuracy_anytime95",
            "kappa",
            "log_loss",
            "brier",
            "kappa_no_change",
            "confusion",
            "per_class",
            "reliability",
        ):
            assert m[name] == alone[name], (m["spec"], name)


def test_pairs_count_who_alone_was_right(stream):
    specs = list(MODELS)[:2] if len(MODELS) > 1 else ["nb", "nb:k=50"]
    said = [
        [
            json.loads(line)["predicted"]
            for line in command(
                "-m", spec, "--only", "--output", "jsonl", stream
            ).stdout.splitlines()
        ]
        for spec in specs
    ]
    truth = [line.split(",")[-1] for line in stream.read_text().splitlines()[1:]]
    first = second = n = 0
    for a, b, y in zip(*said, truth, strict=True):
        if y != "?" and a is not None:
            n += 1
            first += a == y != b
            second += b == y != a
    data = json.loads(command("compare", "-m", ",".join(specs), "--json", stream).stdout)
    (pair,) = data["pairs"]
    assert (pair["first_alone"], pair["second_alone"], pair["n"]) == (first, second, n)
    assert pair["difference"] == pytest.approx((first - second) / n)


def test_the_api_says_what_the_command_says(stream):
    specs = list(MODELS)
    data = json.loads(
        command("compare", "-m", ",".join(specs), "--json", "--window", 50, stream).stdout
    )
    from streambayes import stream as read

    ours = prequential(read(str(stream)), specs, window=50)
    for m in data["models"]:
        figures = ours.figures(m["spec"])
        for name in ("records", "scored", "correct", "accuracy", "kappa", "log_loss", "brier"):
            assert figures[name] == pytest.approx(m[name], rel=1e-12), (m["spec"], name)
        assert figures["window"]["accuracy"] == m["window"]["accuracy"]
    for ours_pair, pair in zip(ours.pairs, data["pairs"], strict=True):
        assert ours_pair.as_dict() == pair


def test_models_of_river_may_take_part():
    naive_bayes = pytest.importorskip("river.naive_bayes")
    pairs = [({"a": x["heat"]}, y) for x, y in records(200) if y]
    result = prequential(
        pairs, {"ours": "nb", "theirs": naive_bayes.GaussianNB()}, delay=3, every=50
    )
    assert [row["model"] for row in result.rows[:2]] == ["ours", "theirs"]
    assert result.figures("theirs")["scored"] > 150
    assert result.best() in ("ours", "theirs")


def test_curve_and_rows_of_several(stream, tmp_path):
    curve = tmp_path / "c.jsonl"
    done = command("compare", "-m", "nb,nb:k=9", "--every", 100, "--curve", curve, stream)
    rows = [json.loads(line) for line in curve.read_text().splitlines()]
    assert [(row["model"], row["records"]) for row in rows] == [
        (m, n) for n in (100, 200, 300) for m in ("nb", "nb:k=9")
    ]
    assert len(done.stderr.splitlines()) == 3


def test_a_malformed_record_ends_it_after_the_table(stream):
    stream.write_text(stream.read_text() + "1,2\n")
    done = command("compare", "-m", "nb,nb:k=9", stream, status=1)
    assert "records: 300" in done.stdout and "in.csv:302:" in done.stderr
    done = command("compare", "-m", "nb,nb:k=9", "--on-error", "skip", stream)
    assert "1 malformed records skipped" in done.stdout


@pytest.mark.parametrize(
    "texts, specs",
    [
        (["nb"], ["nb"]),
        (["nb,nb:k=2"], ["nb", "nb:k=2"]),
        (["nb:estimate=m,k=1,nb"], ["nb:estimate=m,k=1", "nb"]),
        (["nb:k=2,m=3", "nb"], ["nb:k=2,m=3", "nb"]),
    ],
)
def test_where_models_are_split(texts, specs):
    assert split_models(texts) == specs


@pytest.mark.parametrize(
    "options, message",
    [
        (["-m", "nb,nb"], "twice"),
        (["-m", "nope"], "no model nope"),
        (["-m", "nb,nb:max_values=5"], "max_values"),
        (["--jobs", "2"], "--cv"),
        (["--against", "x"], "--cv"),
        (["--cv", "1"], "5x2"),
        (["--cv", "5x2", "--every", "5"], "--every"),
    ],
)
def test_wrong_usage_is_one_line(stream, options, message):
    done = command("compare", *options, stream, status=2)
    assert message in done.stderr and len(done.stderr.splitlines()) == 1


# ------------------------------------------------------------------------------------ on data sets
def test_folds_are_stratified_and_seeded():
    labels = list("a" * 51 + "b" * 30 + "c" * 5)
    folds = stratified_folds(labels, 4, random.Random(3))
    assert sorted(i for fold in folds for i in fold) == list(range(86))
    for y in "abc":
        sizes = [sum(labels[i] == y for i in fold) for fold in folds]
        assert max(sizes) - min(sizes) <= 1
    assert max(map(len, folds)) - min(map(len, folds)) <= 1
    assert folds == stratified_folds(labels, 4, random.Random(3))
    assert folds != stratified_folds(labels, 4, random.Random(4))


def test_a_fold_is_learned_from_the_others_alone():
    seen = []

    class Spy:
        def __init__(self):
            self.learned = []
            seen.append(self)

        def learn_one(self, x, y):
            self.learned.append(x["i"])

        def predict_one(self, x):
            assert x["i"] not in self.learned
            return "a"

    data = [({"i": i}, "ab"[i % 2]) for i in range(20)]
    assert cross_validate(Spy, data, "5x2") == [[0.5, 0.5]] * 5
    assert len(seen) == 10 and all(len(spy.learned) == 10 for spy in seen)


def data_sets():
    def shifted(seed, by):
        rng = random.Random(seed)
        return [
            ({"x": rng.gauss(by * (i % 2), 1), "z": rng.gauss(0, 1)}, "ab"[i % 2])
            for i in range(120)
        ]

    return {f"s{by}": shifted(by, by / 2) for by in range(5)}


class Stubborn:
    """Always says a."""

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return "a"


def test_what_a_comparison_concludes():
    result = compare({"nb": lambda: learner_from("nb"), "a": Stubborn}, data_sets())
    wins, ties, losses = result.wins_ties_losses("nb", "a")
    assert wins >= 3 and losses == 0 and wins + ties == 5
    assert result.wins_ties_losses("a", "nb") == (0, ties, wins)
    for s in result.sets:
        better = result.mean(s, "nb") > result.mean(s, "a")
        differences = [
            [p - q for p, q in zip(r, t, strict=True)]
            for r, t in zip(result.folds[s, "nb"], result.folds[s, "a"], strict=True)
        ]
        rejected = f_5x2cv(differences).p_value < 0.05
        assert result.not_worse(s) == [better or not rejected, not better or not rejected]
    assert result.wilcoxon("nb", "a") == wilcoxon(*zip(*result.table(), strict=True))
    assert sum(result.friedman().ranks) == pytest.approx(3)


def arff(path, records):
    lines = ["@relation r", "@attribute x real", "@attribute z real", "@attribute y {a,b}", "@data"]
    path.write_text("\n".join([*lines, *(f"{x['x']},{x['z']},{y}" for x, y in records)]) + "\n")
    return path


def test_the_command_says_what_the_api_says(tmp_path):
    sets = data_sets()
    files = [arff(tmp_path / f"{name}.arff", records) for name, records in sets.items()]
    specs = ["nb", "nb:var_prior=500"]
    ours = compare(specs, sets, declare=lambda learner: None)
    answers = [
        json.loads(
            command(
                "compare", "--cv", "5x2", "--json", "--jobs", jobs, "-m", ",".join(specs), *files
            ).stdout
        )
        for jobs in (1, 2)
    ]
    for data in answers:
        data.pop("seconds")
    assert answers[0] == answers[1]
    for row in answers[0]["sets"]:
        for spec in specs:
            assert row["folds"][spec] == ours.folds[row["set"], spec]
    (pair,) = answers[0]["pairs"]
    assert tuple(pair["wins_ties_losses"]) == ours.wins_ties_losses(*specs)
    again = json.loads(
        command("compare", "--cv", "5x2", "--json", "--seed", 2, "-m", "nb", files[1]).stdout
    )
    assert again["sets"][0]["folds"]["nb"] != answers[0]["sets"][1]["folds"]["nb"]
    text = command("compare", "--cv", "3", "-m", ",".join(specs), *files).stdout
    assert "paired t test" in text and "Friedman" in text and "Nemenyi" in text


def test_a_bad_data_set_is_named(tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("x,y\n" + "1,a\n2,b\n" * 8)
    bad.write_text("x,y\n1,a\n1\n")
    for jobs in (1, 2):
        done = command(
            "compare", "--cv", "5x2", "--jobs", jobs, "-m", "nb,nb:k=9", good, bad, status=1
        )
        assert "bad.csv:3:" in done.stderr and len(done.stderr.splitlines()) == 1
    bad.write_text("x,y\n1,a\n")
    done = command("compare", "--cv", "5x2", "-m", "nb", bad, status=1)
    assert "can't be cut into 2 folds" in done.stderr


def test_published_figures_are_found(tmp_path):
    table = tmp_path / "t.md"
    table.write_text(
        "| set | NB-G | NB |\n|---|---|---|\n"
        "| iris | 1.0 / 95.07 | 2.0 / 93.47 |\n| x | 5.5 | 1 / 4 |\n"
    )
    assert read_published(str(table), ["nb", "nb-disc", "nb:k=2"]) == {
        ("iris", "nb"): 95.07,
        ("iris", "nb-disc"): 93.47,
        ("x", "nb-disc"): 4.0,
    }
    table = tmp_path / "t.csv"
    table.write_text('set,nb,"nb:k=2,m=1"\niris,95.07,90\n')
    assert read_published(str(table), ["nb", "nb:k=2,m=1"]) == {
        ("iris", "nb"): 95.07,
        ("iris", "nb:k=2,m=1"): 90.0,
    }
    with pytest.raises(InputError, match="no table"):
        read_published(str(table), ["nope"])
    with pytest.raises(InputError, match="can't be read"):
        read_published(str(tmp_path / "absent"), ["nb"])


def test_schemes():
    assert Scheme.parse("5x2") == Scheme(5, 2) and Scheme.parse(10) == Scheme(1, 10)
    for text in ("2x5", "1", "0", "x"):
        with pytest.raises(UsageError):
            Scheme.parse(text)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="../shared is absent")
def test_the_papers_naive_bayes(tmp_path):
    files = [
        SHARED / "numeric" / f"{name}.arff.gz" for name in ("iris", "wine", "diabetes", "ecoli")
    ]
    data = json.loads(
        command(
            "compare",
            "--cv",
            "5x2",
            "--json",
            "-m",
            "nb",
            "--against",
            SHARED / "REFERENCE.md",
            *files,
        ).stdout
    )
    for row in data["sets"]:
        assert row["accuracy"]["nb"] == pytest.approx(row["published"]["nb"], abs=0.02)


# ------------------------------------------------------------------------------------ pictures
@pytest.fixture(scope="module")
def matplotlib():
    return pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    "ending, start", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_pictures_of_all_kinds(matplotlib, stream, tmp_path, ending, start):
    path = tmp_path / f"p.{ending}"
    command("-q", "--summary", "none", "--every", 50, "--plot", path, stream)
    assert path.read_bytes().startswith(start)
    path.unlink()
    command("inspect", "--plot", path, stream)
    assert path.read_bytes().startswith(start)


def test_reports_need_nothing_else(matplotlib, stream, tmp_path):
    sets = [arff(tmp_path / f"{name}<&>.arff", records) for name, records in data_sets().items()]
    for i, arguments in enumerate(
        [
            ("-q", "--window", 40, stream),
            ("compare", "-m", "nb,nb:k=9", stream),
            ("compare", "--cv", "5x2", "-m", "nb,nb:var_prior=500", *sets),
        ]
    ):
        report = tmp_path / f"r{i}.html"
        command(*arguments, "--report", report)
        text = report.read_text()
        assert text.startswith("<!DOCTYPE html>") and text.count("<svg") >= 2
        for outside in ("<script", "src=", "@import", "<link", "<&>"):
            assert outside not in text, outside


def test_the_same_run_draws_the_same_svg(matplotlib, stream, tmp_path):
    drawn = []
    for i in range(2):
        path = tmp_path / f"{i}.svg"
        command(
            "-q",
            "--summary",
            "none",
            "--every",
            50,
            "--plot",
            path,
            stream,
        )
        drawn.append(path.read_bytes())
    assert drawn[0] == drawn[1]


def test_nothing_to_draw_is_said(matplotlib, tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("x,y\n1,?\n")
    done = command("-q", "--summary", "none", "--plot", tmp_path / "p.png", path, status=1)
    assert "nothing was scored" in done.stderr and not os.path.exists(tmp_path / "p.png")


def test_a_run_without_figures_imports_no_more_than_before():
    code = (
        "import sys; from streambayes.cli.main import main\n"
        "main(['-q', sys.argv[1], '--every', '5'])\n"
        "print(sorted({m.split('.')[0] for m in sys.modules}"
        " & {'numpy', 'scipy', 'matplotlib', 'river', 'pandas', 'json'}))"
    )
    example = Path(__file__).parents[1] / "examples" / "weather.csv"
    done = subprocess.run(
        [sys.executable, "-c", code, str(example)], capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
