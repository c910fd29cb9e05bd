"""Speed and accuracy through river, on frames, on a stream that drifts; all tables from one run.

Run: python scripts/bench_river.py [--quick] [--streams FOLDER]
The electricity table needs `electricity.csv.gz` in FOLDER (default ../shared/data/streams) and is
left out without it. Times are the best of three runs; whole calls and imports are medians of runs
that take turns.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pandas as pd
from river import datasets, drift, dummy, ensemble, evaluate, metrics, naive_bayes, tree

import streambayes.river as ours
from streambayes import stream
from streambayes.drift import Fading, Retraining, Sliding

CLASSIFIERS = [name for name in ours.__all__ if name not in ("Discretizer", "Fading", "Sliding")]


def best(function, times=3) -> float:
    """Seconds of the fastest of some runs."""
    seconds = []
    for _ in range(times):
        began = perf_counter()
        function()
        seconds.append(perf_counter() - began)
    return min(seconds)


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    print(f"\n{title}")
    widths = [max(len(row[j]) for row in [head, *rows]) for j in range(len(head))]
    for row in [head, *rows]:
        print("  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip())


def numbers(rows: int, attributes: int):
    """Normal attributes of two classes: a stream of dicts, and the same as arrays."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, rows)
    x = rng.normal(size=(rows, attributes)) + y[:, None] * 0.5
    names = [f"a{j}" for j in range(attributes)]
    records = [
        (dict(zip(names, r, strict=True)), bool(t)) for r, t in zip(x.tolist(), y, strict=True)
    ]
    return records, x, y


def beside_dummy(data, model, times=15) -> tuple[float, float, float]:
    """Seconds of the whole call and of the dummy's; the median ratio of two calls in a row."""
    calls: list[tuple[float, float]] = []
    for _ in range(times):
        seconds = []
        for each in (model.clone(), dummy.NoChangeClassifier()):
            began = perf_counter()
            evaluate.progressive_val_score(data, each, metrics.Accuracy())
            seconds.append(perf_counter() - began)
        calls.append((seconds[0], seconds[1]))
    mine, theirs = zip(*calls, strict=True)
    return median(mine), median(theirs), median(a / b for a, b in calls)


def model_alone(data, model) -> float:
    def run():
        learner = model.clone()
        predict, learn = learner.predict_one, learner.learn_one
        for x, y in data:
            predict(x)
            learn(x, y)

    return best(run)


def speed(rows: int) -> None:
    lines = []
    for attributes in (5, 10, 20):
        data, _, _ = numbers(rows, attributes)
        gaussian = model_alone(data, naive_bayes.GaussianNB())
        whole = 0.0
        for name in CLASSIFIERS:
            model = getattr(ours, name)()
            alone = model_alone(data, model)
            call, whole, ratio = beside_dummy(data, model)
            lines.append(
                [
                    str(attributes),
                    name,
                    f"{alone / rows * 1e6:.2f}",
                    f"{gaussian / alone:.1f}",
                    f"{call / rows * 1e6:.2f}",
                    f"{ratio:.2f}",
                ]
            )
        lines.append(
            [str(attributes), "river's GaussianNB", f"{gaussian / rows * 1e6:.2f}", "1.0", "", ""]
        )
        lines.append(
            [
                str(attributes),
                "river's NoChangeClassifier",
                "",
                "",
                f"{whole / rows * 1e6:.2f}",
                "1.00",
            ]
        )
    table(
        "progressive_val_score, numeric attributes, µs a record",
        [
            "attributes",
            "model",
            "model alone",
            "times faster than GaussianNB",
            "whole call",
            "over dummy",
        ],
        lines,
    )


def batches(rows: int) -> None:
    from sklearn.naive_bayes import GaussianNB

    _, x, y = numbers(rows, 10)
    frame, labels = pd.DataFrame(x), pd.Series(y)
    kinds = {"numpy": (x, y), "pandas": (frame, labels)}
    try:
        import polars

        kinds["polars"] = polars.DataFrame(x, schema=[str(j) for j in range(10)]), polars.Series(y)
    except ImportError:
        pass
    lines = []
    for kind, (a, b) in kinds.items():
        parts = [(a[i : i + 1_000], b[i : i + 1_000]) for i in range(0, rows, 1_000)]

        def learn(parts=parts):
            model = ours.NaiveBayes()
            for part, target in parts:
                model.learn_many(part, target)

        def whole(a=a, b=b):
            ours.NaiveBayes().learn_many(a, b)

        def scikit(parts=parts):
            model = GaussianNB()
            for part, target in parts:
                model.partial_fit(part, target, classes=[0, 1])

        mine, all_at_once = rows / best(learn) / 1e6, rows / best(whole) / 1e6
        theirs = rows / best(scikit) / 1e6 if kind != "polars" else float("nan")
        lines.append(
            [kind, f"{all_at_once:.2f}", f"{mine:.2f}", f"{theirs:.2f}", f"{mine / theirs:.1f}"]
        )
    table(
        "learn_many, naive Bayes on 10 numeric attributes, million rows a second",
        ["frame", "at once", "batches of 1,000", "scikit-learn's partial_fit", "ratio"],
        lines,
    )


def accuracy(streams: Path) -> None:
    sets = {
        "Phishing": lambda: datasets.Phishing(),
        "ImageSegments": lambda: datasets.ImageSegments(),
        "Bananas": lambda: datasets.Bananas(),
    }
    if (streams / "electricity.csv.gz").exists():
        sets["electricity"] = lambda: list(stream(streams / "electricity.csv.gz", target="class"))
    models = {name: (lambda name=name: getattr(ours, name)()) for name in CLASSIFIERS}
    models["river GaussianNB"] = naive_bayes.GaussianNB
    models["river BernoulliNB"] = naive_bayes.BernoulliNB
    if hasattr(naive_bayes, "CategoricalNB"):
        models["river CategoricalNB"] = naive_bayes.CategoricalNB
    models["river HoeffdingTree"] = tree.HoeffdingTreeClassifier
    lines = []
    for name, make in models.items():
        line = [name]
        for data in sets.values():
            try:
                score = evaluate.progressive_val_score(data(), make(), metrics.Accuracy()).get()
                line.append(f"{score:.2%}")
            except (TypeError, ValueError) as error:  # BernoulliNB on words
                line.append(type(error).__name__)
        lines.append(line)
    table("accuracy, test then train", ["model", *sets], lines)


def drifting(streams: Path) -> None:
    path = streams / "electricity.csv.gz"
    if not path.exists():
        print(f"\nno {path}: the table of drift is left out")
        return
    data = list(stream(path, target="class"))
    models = {
        "plain": lambda: ours.NaiveBayes(),
        "--forget 0.99": lambda: Fading(ours.NaiveBayes(), 0.99),
        "--forget 0.999": lambda: Fading(ours.NaiveBayes(), 0.999),
        "--sliding 200": lambda: Sliding(ours.NaiveBayes(), 200),
        "--sliding 1000": lambda: Sliding(ours.NaiveBayes(), 1_000),
        "--drift adwin": lambda: Retraining(ours.NaiveBayes(), "adwin"),
        "--drift ddm": lambda: Retraining(ours.NaiveBayes(), "ddm"),
        "--drift page-hinkley": lambda: Retraining(ours.NaiveBayes(), "page-hinkley"),
        "river ADWIN bagging of GaussianNB": lambda: ensemble.ADWINBaggingClassifier(
            naive_bayes.GaussianNB(), n_models=10, seed=1
        ),
        "river retraining GaussianNB by DDM": lambda: drift.DriftRetrainingClassifier(
            naive_bayes.GaussianNB(), drift.binary.DDM()
        ),
    }
    lines = []
    for name, make in models.items():
        model, right = make(), 0
        began = perf_counter()
        for x, y in data:
            right += model.predict_one(x) == y
            model.learn_one(x, y)
        lines.append([name, f"{right / len(data):.2%}", f"{perf_counter() - began:.2f}"])
    table("electricity through the Python API", ["model", "accuracy", "seconds"], lines)
    lines = []
    for options in ("", "--forget 0.99", "--sliding 200", "--drift adwin", "--drift ddm"):
        command = [
            sys.executable,
            "-m",
            "streambayes",
            "-q",
            "--summary",
            "json",
            *options.split(),
            str(path),
        ]
        began = perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds = perf_counter() - began
        import json

        lines.append(
            [options or "plain", f"{json.loads(done.stdout)['accuracy']:.2%}", f"{seconds:.2f}"]
        )
    table(
        "electricity on the command line, start-up and imports included",
        ["options", "accuracy", "seconds"],
        lines,
    )


def imports(rounds: int) -> None:
    statements = (
        "import river.base",
        "import streambayes.river",
        *(f"from streambayes.river import {name}" for name in ("NaiveBayes", "HAODE")),
    )
    seconds: dict[str, list[float]] = {statement: [] for statement in statements}
    for _ in range(rounds):  # in turn, so that all see the same machine
        for statement, runs in seconds.items():
            began = perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            runs.append(perf_counter() - began)
    middle = {statement: median(runs) for statement, runs in seconds.items()}
    table(
        f"whole runs of python -c, milliseconds, median of {rounds}",
        ["import", "ms", "ratio"],
        [
            [statement, f"{ms * 1e3:.1f}", f"{ms / middle['import river.base']:.3f}"]
            for statement, ms in middle.items()
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer records")
    parser.add_argument(
        "--streams", type=Path, default=Path(__file__).parents[2] / "shared/data/streams"
    )
    options = parser.parse_args()
    imports(5 if options.quick else 21)
    speed(2_000 if options.quick else 10_000)
    batches(50_000 if options.quick else 200_000)
    accuracy(options.streams)
    drifting(options.streams)


if __name__ == "__main__":
    main()
