"""`compare`: several models on one stream, or cross-validated on data sets."""

from __future__ import annotations

import argparse
import os
import re
from time import perf_counter

from ..learners.registry import MODELS, learner_from
from ..records.problems import InputError, UsageError
from ..records.stream import Interrupted
from .figures import Curve, add_figure_options, new_course
from .options import Complaints, Parser, add_input_options, count, opened_stream, refuse_text
from .output import say
from .signals import Signals
from .summary import _number, _percent, _table, as_json

HELP = """\
Compare models: on one stream, in a single reading of it, or with --cv on data sets, one a FILE.

examples:
  python -m streambayes compare -m nb,nb:estimate=laplace examples/weather.csv
  python -m streambayes compare -m nb -m nb:k=2,m=2 --every 1000 --plot curve.svg big.csv.gz
  python -m streambayes compare --cv 5x2 --jobs 2 -m nb,nb:var_prior=5 iris.arff wine.arff"""


def split_models(texts: list[str]) -> list[str]:
    """The specs of one or more -m: a comma separates models where a model's name follows it.

    >>> split_models(["nb:estimate=m,k=1,nb", "nb:k=2"])
    ['nb:estimate=m,k=1', 'nb', 'nb:k=2']
    """
    names = "|".join(re.escape(name) for name in MODELS)
    specs = [spec for text in texts for spec in re.split(rf",(?=(?:{names})(?:[:,]|$))", text)]
    repeated = sorted({spec for spec in specs if specs.count(spec) > 1})
    if repeated:
        raise UsageError(f"{repeated[0]} is named twice; name each model once")
    return specs


def positive(text: str) -> int:
    number = count(text)
    if not number:
        raise argparse.ArgumentTypeError("0 is too few; give a number from 1")
    return number


def level(text: str) -> float:
    from .figures import fraction

    return fraction(text)


def parser() -> Parser:
    p = Parser(
        prog="streambayes compare",
        usage="python -m streambayes compare [OPTIONS] [FILE …]",
        description=HELP,
    )
    add_input_options(p)
    add = p.add_argument_group("comparing").add_argument
    add(
        "-m",
        "--model",
        action="append",
        default=[],
        metavar="NAME[:KEY=VALUE,…],…",
        help="the models, comma-separated or one a -m (default: all models)",
    )
    add(
        "--delay",
        type=count,
        default=0,
        metavar="N",
        help="a record's label comes just before the N-th record after it is predicted",
    )
    add(
        "--cv",
        metavar="5x2|K",
        help="cross-validate, each FILE a data set: five times two folds, or K folds",
    )
    add("--seed", type=count, default=1, metavar="N", help="of the folds (default 1)")
    add(
        "--alpha",
        type=level,
        default=0.05,
        metavar="A",
        help="the level of marks, wins and losses (default 0.05)",
    )
    add("--against", metavar="FILE", help="with --cv: print the figures of this table beside ours")
    add("--jobs", type=positive, default=1, metavar="N", help="with --cv: processes (default 1)")
    add("--json", action="store_true", help="as one JSON object")
    add_figure_options(p)
    return p


# ------------------------------------------------------------------------------------ on one stream
class OneStream:
    """All models on one reading of a stream."""

    def __init__(self, options, specs: list[str]):
        from ..evaluation.contest import Contest

        options.figures, options.resume = "all", False
        self.options = options
        self.specs = specs
        self.learners = [learner_from(spec) for spec in specs]
        self.contest = Contest(self.learners, [new_course(options) for _ in specs], options.delay)
        self.curve = Curve(options)
        self.began = perf_counter()
        self.complaints = Complaints()

    def run(self) -> int:
        """Reads the stream to its end, or to a signal."""
        failure = None
        with Signals() as signals:
            stream = opened_stream(self.options, self.learners[0].schema, signals.wait)
            try:
                self._go(stream)
            except Interrupted:
                pass
            except InputError as e:
                failure = e
            if stream.reader is not None:
                self.contest.settle_all()
            number = signals.number
        if self.options.delay > 1 or not self.curve.is_due(self.contest.records):
            self._points()
        self.curve.close()
        self.kinds = stream.kinds_by_name()
        self.report()
        if failure is not None:
            raise failure
        return 128 + number if number else 0

    def _go(self, stream):
        from ..evaluation.prequential import IS_MALFORMED, NEEDS_BYTES

        reader = stream.start()
        for learner in self.learners:
            refuse_text(learner, stream.kinds_by_name())
        limit = self._next_limit()
        while True:
            status = self.contest.run(reader, limit)
            if status == NEEDS_BYTES:
                if not stream.pump():
                    return
            elif status == IS_MALFORMED:
                if self.options.on_error == "fail":
                    raise InputError(reader.problem_message())
                self._complain(reader.problem_message())
            else:
                self._pause()
                limit = self._next_limit()

    def _complain(self, message: str):
        for account in self.contest.accounts:
            account.skipped_records += 1
        self.complaints.add(message)

    def _next_limit(self) -> int:
        n = self.contest.records
        return min(
            [n - n % step + step for step in (self.options.every, self.curve.step) if step],
            default=1 << 62,
        )

    def _points(self):
        for spec, account, learner in zip(
            self.specs, self.contest.accounts, self.learners, strict=True
        ):
            self.curve.add(account, learner, spec)

    def _pause(self):
        n = self.contest.records
        if self.curve.is_due(n):
            self._points()
        if self.options.every and n % self.options.every == 0:
            from sys import stderr

            from ..evaluation.curve import row_of

            cells = []
            for spec, account, learner in zip(
                self.specs, self.contest.accounts, self.learners, strict=True
            ):
                row = row_of(account, learner.classes)
                share = next(
                    row[k] for k in ("window_accuracy", "fading_accuracy", "accuracy") if k in row
                )
                cells.append(f"{spec} {_percent(share)}")
            print(f"{n:>12}  " + "  ".join(cells), file=stderr, flush=True)

    def report(self):
        """Prints what came of it; draws it."""
        from ..evaluation.comparison import StreamComparison, pair_of

        contest, specs = self.contest, self.specs
        pairs = [
            pair_of(
                specs[i],
                specs[j],
                contest.alone_right(i, j),
                contest.alone_right(j, i),
                contest.compared,
            )
            for i in range(len(specs))
            for j in range(i + 1, len(specs))
        ]
        result = StreamComparison(
            specs, contest.accounts, [learner.classes for learner in self.learners], pairs
        )
        data = as_data(
            result, self.learners, self.kinds, perf_counter() - self.began, self.complaints.count
        )
        say(as_json(data) if self.options.json else as_text(data))
        if self.options.plot or self.options.report:
            from .report import draw_comparison

            draw_comparison(self.options, data, self.curve.points)


def as_data(result, learners, kinds: dict, seconds: float, skipped: int) -> dict:
    """A comparison on one stream as strict JSON can hold it."""
    from ..records.spelling import keys_of

    models = []
    for name, learner in zip(result.names, learners, strict=True):
        figures = result.figures(name)
        keys = keys_of(figures["labels"])
        confusion = {"labels": figures.pop("labels"), "matrix": figures.pop("confusion")}
        per_class = dict(zip(keys, figures.pop("per_class"), strict=True))
        models.append(
            {
                "spec": name,
                "name": learner.NAME,
                "parameters": learner.effective_parameters(),
                **figures,
                "confusion": confusion,
                "per_class": per_class,
            }
        )
    first = result.accounts[0]
    return {
        "records": first.records,
        "labelled": first.labelled,
        "compared": result.pairs[0].n if result.pairs else 0,
        "skipped_records": skipped,
        "models": models,
        "pairs": [pair.as_dict() for pair in result.pairs],
        "schema": {"target": learners[0].schema.target, "attributes": kinds},
        "seconds": round(seconds, 6),
    }


def interval_text(bounds) -> str:
    return "-" if bounds is None else f"{100 * bounds[0]:.2f}–{100 * bounds[1]:.2f}"


def model_rows(data: dict) -> list[list[str]]:
    """The table of figures, its header first."""
    head = [
        "model",
        "accuracy",
        "95 %",
        "any time 95 %",
        "kappa",
        "vs no change",
        "vs majority",
        "log loss",
        "Brier",
        "calibration",
    ]
    views = [view for view in ("window", "fading") if view in data["models"][0]]
    rows = [head + [f"{view} acc." for view in views]]
    for m in data["models"]:
        rows.append(
            [
                m["spec"],
                _percent(m["accuracy"]),
                interval_text(m["accuracy_ci95"]),
                interval_text(m["accuracy_anytime95"]),
                _number(m["kappa"]),
                _number(m["kappa_no_change"]),
                _number(m["kappa_majority"]),
                _number(m["log_loss"]),
                _number(m["brier"]),
                _number(m["calibration_error"]),
                *(_percent(m[view]["accuracy"]) for view in views),
            ]
        )
    return rows


def p_text(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def pair_rows(data: dict) -> list[list[str]]:
    """The table of pairs, its header first."""
    rows = [
        ["pair", "alone right", "difference", "any time 95 %", "any time p", "McNemar p", "verdict"]
    ]
    for pair in data["pairs"]:
        name = f"{pair['first']} : {pair['second']}"
        if pair["difference"] is None:
            rows.append([name, "-", "-", "-", "-", "-", "nothing to compare"])
            continue
        verdict = f"{pair['winner']} is better" if pair["winner"] else "open"
        low, high = pair["difference_anytime95"]
        rows.append(
            [
                name,
                f"{pair['first_alone']} : {pair['second_alone']}",
                f"{100 * pair['difference']:+.2f}",
                f"{100 * low:+.2f} to {100 * high:+.2f}",
                p_text(pair["anytime_p"]),
                p_text(pair["mcnemar_p"]),
                verdict,
            ]
        )
    return rows


def as_text(data: dict) -> str:
    """A comparison on one stream for a person."""
    lines = [
        f"records: {data['records']} ({data['labelled']} labelled); target: "
        f"{data['schema']['target']}"
    ]
    if data["skipped_records"]:
        lines.append(f"{data['skipped_records']} malformed records skipped")
    lines += _table(model_rows(data))
    if data["pairs"]:
        lines.append(
            f"pairs, on the {data['compared']} records that all answered (differences in points):"
        )
        lines += _table(pair_rows(data))
    lines.append(f"{data['seconds']:.3f} s")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------ on data sets
def data_set_name(path: str) -> str:
    """A file's name without its endings.

    >>> data_set_name("sets/iris.arff.gz"), data_set_name("anneal.ORIG.arff")
    ('iris', 'anneal.ORIG')
    """
    return re.sub(
        r"(\.(arff|csv|tsv|txt|dat|data|jsonl|json|gz|bz2|xz|zst))+$",
        "",
        os.path.basename(path),
        flags=re.IGNORECASE,
    )


def read_set(options, path: str):
    """The records of a file, and what tells a new learner its columns."""
    from ..records.reader import IS_MALFORMED
    from ..records.schema import Schema

    stream = opened_stream(argparse.Namespace(**{**vars(options), "files": [path]}), Schema())
    reader = stream.start()
    records: list = []
    if reader is None:
        return records, stream
    while True:
        status, x, y, w = reader.read()
        if status == IS_MALFORMED:
            if options.on_error == "fail":
                raise InputError(reader.problem_message())
        elif status == 1:
            records.append((x, y, w))
        elif not stream.pump():
            return records, stream


def folds_of(task) -> list[list[float]]:
    """Cross-validates one model on one file: what a process does."""
    from ..evaluation.comparison import cross_validate

    options, path, spec, scheme = task
    records, stream = read_set(options, path)
    refuse_text(learner_from(spec), stream.kinds_by_name())
    try:
        return cross_validate(
            spec, records, scheme, options.seed, lambda learner: stream.declare(learner.schema)
        )
    except UsageError as e:
        raise InputError(f"{path}: {e}") from None


def all_folds(options, tasks: list) -> list:
    """The answers of all tasks, in their order."""
    if options.jobs == 1 or len(tasks) == 1:
        return [folds_of(task) for task in tasks]
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    order = sorted(
        range(len(tasks)),
        key=lambda i: -os.path.getsize(tasks[i][1]) if os.path.exists(tasks[i][1]) else 0,
    )
    answers: list = [None] * len(tasks)
    with ProcessPoolExecutor(
        min(options.jobs, len(tasks)), mp_context=get_context("spawn")
    ) as pool:
        futures = {i: pool.submit(folds_of, tasks[i]) for i in order}
        try:
            for i in range(len(tasks)):
                answers[i] = futures[i].result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return answers


def cross_validated(options, specs: list[str]) -> int:
    from ..evaluation.comparison import Scheme, SetComparison
    from .against import read_published

    scheme = Scheme.parse(options.cv)
    files = options.files
    if not files or "-" in files:
        raise UsageError("--cv reads each data set more than once; name files")
    sets = [data_set_name(path) for path in files]
    repeated = sorted({s for s in sets if sets.count(s) > 1})
    if repeated:
        raise UsageError(f"two data sets are called {repeated[0]}; rename one of the files")
    for spec in specs:
        learner_from(spec)
    published = read_published(options.against, specs) if options.against else {}
    began = perf_counter()
    tasks = [(options, path, spec, scheme) for path in files for spec in specs]
    answers = all_folds(options, tasks)
    folds = {
        (s, spec): a
        for (s, spec), a in zip(((s, spec) for s in sets for spec in specs), answers, strict=True)
    }
    result = SetComparison(specs, sets, scheme, folds, options.alpha)
    data = sets_as_data(result, published, perf_counter() - began)
    say(as_json(data) if options.json else sets_as_text(data))
    if options.plot or options.report:
        from .report import draw_sets

        draw_sets(options, data)
    return 0


def sets_as_data(result, published: dict, seconds: float) -> dict:
    """A cross-validation as strict JSON can hold it."""
    from ..evaluation.tests import wilcoxon

    names = result.names
    rows = []
    for s in result.sets:
        row = {
            "set": s,
            "accuracy": {n: result.mean(s, n) for n in names},
            "not_worse": dict(zip(names, result.not_worse(s), strict=True)),
            "folds": {n: result.folds[s, n] for n in names},
        }
        if published:
            row["published"] = {
                n: published[s, n] / 100 if (s, n) in published else None for n in names
            }
        rows.append(row)
    pairs = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            w = result.wilcoxon(a, b)
            pair = {
                "first": a,
                "second": b,
                "wins_ties_losses": list(result.wins_ties_losses(a, b)),
                "wilcoxon": {"r_plus": w.r_plus, "r_minus": w.r_minus, "n": w.n, "p": w.p_value},
            }
            both = [s for s in result.sets if (s, a) in published and (s, b) in published]
            if both:
                v = wilcoxon([published[s, a] for s in both], [published[s, b] for s in both])
                pair["published_wilcoxon"] = {
                    "r_plus": v.r_plus,
                    "r_minus": v.r_minus,
                    "n": v.n,
                    "p": v.p_value,
                }
            pairs.append(pair)
    f, n = result.friedman(), result.nemenyi()
    data = {
        "cv": str(result.scheme),
        "alpha": result.alpha,
        "models": names,
        "sets": rows,
        "pairs": pairs,
        "mean": {m: sum(row["accuracy"][m] for row in rows) / len(rows) for m in names},
        "friedman": None,
        "nemenyi": None,
        "seconds": round(seconds, 3),
    }
    if published:
        known = {
            m: [row["published"][m] for row in rows if row["published"][m] is not None]
            for m in names
        }
        data["published_mean"] = {m: sum(x) / len(x) if x else None for m, x in known.items()}
    if f is not None and n is not None:
        finite = f.f if f.f < float("inf") else None
        data["friedman"] = {
            "ranks": dict(zip(names, f.ranks, strict=True)),
            "chi_square": f.chi_square,
            "p_chi_square": f.p_chi_square,
            "f": finite,
            "p": f.p_value,
            "n": f.n,
        }
        data["nemenyi"] = {
            "critical_difference": n.critical_difference,
            "q": n.q,
            "groups": [[names[j] for j in group] for group in n.groups],
        }
    return data


def set_rows(data: dict) -> list[list[str]]:
    """The table by data set, its header first: our accuracy with its mark, and the published one.
    """
    names = data["models"]
    published = "published_mean" in data
    rows = [["data set", *names]]
    def cell(ours: float, mark: str, theirs: float | None) -> str:
        text = f"{100 * ours:.2f}{mark}"
        if published:
            text += " /  -   " if theirs is None else f" / {100 * theirs:5.2f}"
        return text

    for row in data["sets"]:
        marks = {m: "*" if row["not_worse"][m] else " " for m in names}
        theirs = row["published"] if published else dict.fromkeys(names)
        rows.append([row["set"], *(cell(row["accuracy"][m], marks[m], theirs[m]) for m in names)])
    theirs = data["published_mean"] if published else dict.fromkeys(names)
    last = [cell(data["mean"][m], " ", theirs[m]) for m in names]
    rows.append(["mean", *last])
    return rows


def verdict(w: dict, alpha: float) -> str:
    """Wilcoxon's p with the better side: > where the row is better, < where the column is, = open.
    """
    sign = "=" if w["p"] >= alpha else ">" if w["r_plus"] > w["r_minus"] else "<"
    return f"{sign} p={p_text(w['p'])}"


def matrix_rows(data: dict) -> list[list[str]]:
    """Wins-ties-losses of the row against the column, Wilcoxon's verdict in the line under it."""
    names = data["models"]
    by_pair = {(p["first"], p["second"]): p for p in data["pairs"]}
    rows = [["", *names[1:]]]
    for a in names[:-1]:
        upper, lower, theirs = [a], [""], [""]
        for b in names[1:]:
            p = by_pair.get((a, b))
            upper.append("-".join(map(str, p["wins_ties_losses"])) if p else "")
            lower.append(verdict(p["wilcoxon"], data["alpha"]) if p else "")
            theirs.append(
                f"({verdict(p['published_wilcoxon'], data['alpha'])})"
                if p and "published_wilcoxon" in p
                else ""
            )
        rows += [upper, lower] + ([theirs] if any(theirs) else [])
    return rows


def sets_as_text(data: dict) -> str:
    """A cross-validation for a person."""
    test = "5x2cv F test" if data["cv"] == "5x2" else "paired t test"
    beside = "; behind the stroke: the published figure" if "published_mean" in data else ""
    lines = [
        f"accuracy in %, {data['cv']} cross-validation; * not significantly worse than the best "
        f"({test}, {data['alpha']:g}){beside}"
    ]
    lines += _table(set_rows(data))
    if data["pairs"]:
        lines.append("")
        lines.append(
            f"wins-ties-losses of the row against the column ({test}); under it Wilcoxon over "
            "the sets' means, "
            "> the row is better, < the column"
            + ("; in brackets over the published figures" if "published_mean" in data else "")
        )
        lines += _table(matrix_rows(data))
    if data["friedman"] is not None:
        f, n = data["friedman"], data["nemenyi"]
        lines.append("")
        ranks = sorted(f["ranks"].items(), key=lambda item: item[1])
        lines.append("average ranks: " + ", ".join(f"{name} {rank:.3f}" for name, rank in ranks))
        value = f"F = {f['f']:.2f}" if f["f"] is not None else "F has no bound"
        lines.append(
            f"Friedman: chi-square = {f['chi_square']:.2f} (p = {p_text(f['p_chi_square'])}), "
            f"{value} (p = {p_text(f['p'])}) over {f['n']} sets"
        )
        lines.append(
            f"Nemenyi: ranks differ from a distance of {n['critical_difference']:.3f} on; not "
            "told apart: " + ("; ".join(", ".join(g) for g in n["groups"]) or "none")
        )
    lines.append(f"{data['seconds']:.1f} s")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    p = parser()
    options = p.parse_intermixed_args(arguments)
    specs = split_models(options.model) if options.model else list(MODELS)
    if options.cv is None:
        for name, given in (("--against", options.against), ("--jobs", options.jobs > 1)):
            if given:
                raise UsageError(f"{name} is for cross-validation; give --cv 5x2 or --cv K too")
        return OneStream(options, specs).run()
    for name in ("every", "window", "fading", "curve", "delay"):
        if getattr(options, name):
            raise UsageError(f"--{name} is for one stream; leave it or --cv out")
    return cross_validated(options, specs)
