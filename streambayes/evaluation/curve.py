"""Figures along a stream, row by row, and the file that they go to."""

from __future__ import annotations

import os

from ..records.problems import InputError, UsageError
from ..records.spelling import keys_of
from .metrics import figures, interval, more_figures, per_class


def anytime_of(account, results: dict) -> list[float] | None:
    """The accuracy's interval that is valid at all times; None where records have weights."""
    total = sum(map(sum, results["matrix"]))
    if not account.scored or abs(total - account.scored) > 1e-9 * total:
        return None
    from .intervals import anytime_accuracy

    i = anytime_accuracy(account.correct, account.scored)
    return [i.low, i.high]


def row_of(account, classes: list) -> dict:
    """All figures so far; those of the window and of the fading view have these words in front.

    Parameters
    ----------
    account : Account
        Without a course there are the summary's figures alone.
    classes : list
        The learner's labels.
    """
    results = account.results(classes)
    keys = keys_of(results["labels"])
    row = {
        "records": account.records,
        "scored": account.scored,
        "learned": account.learned,
        "skipped_records": account.skipped_records,
    }
    if not results["more"]:
        row |= figures(results, account.scored)
    for view, sums in results["more"].items():
        before = "" if view == "whole" else view + "_"
        row |= {before + name: x for name, x in more_figures(sums).items()}
        if not before:
            row["accuracy_ci95"] = interval(row["accuracy"], account.scored)
            if account.course.anytime:
                row["accuracy_anytime95"] = anytime_of(account, results)
        row[before + "per_class"] = dict(zip(keys, per_class(sums["matrix"]), strict=True))
    return row


def extra_figures(account, results: dict) -> dict:
    """What a summary has more of when it was asked for: new keys, and one object a view."""
    more = dict(results["more"])
    if not more:
        return {}
    from .metrics import reliability

    whole = more.pop("whole")
    extra = {
        name: x
        for name, x in more_figures(whole).items()
        if name not in ("accuracy", "kappa", "log_loss")
    }
    if account.course.anytime:
        extra["accuracy_anytime95"] = anytime_of(account, results)
    extra["reliability"] = reliability(whole["bins"])
    keys = keys_of(results["labels"])
    for view, sums in more.items():
        size = (
            {"size": account.course.window}
            if view == "window"
            else {"factor": account.course.fading}
        )
        extra[view] = (
            size
            | more_figures(sums)
            | {"per_class": dict(zip(keys, per_class(sums["matrix"]), strict=True))}
        )
    return extra


def _json(x) -> str:
    import json

    return json.dumps(x, ensure_ascii=False, allow_nan=False)


class CurveFile:
    """Rows of figures as they come, in csv or jsonl by the file's ending.

    In csv, what is a list or an object in jsonl is a cell of JSON; the header is the first row's.

    Raises
    ------
    UsageError
        For another ending.
    InputError
        If the file can't be written.
    """

    def __init__(self, path: str):
        self.path = path
        ending = os.path.splitext(path)[1].lower()
        if ending not in (".csv", ".jsonl"):
            raise UsageError(
                f"{path}: a curve is written as .csv or .jsonl; give the file one of these endings"
            )
        self.csv = None
        self.header: list[str] | None = None
        try:
            self.file = open(  # noqa: SIM115
                path, "w", encoding="utf-8", errors="surrogatepass", newline=""
            )
        except OSError as e:
            raise InputError(f"{path}: {e.strerror}; the curve can't be written") from None
        if ending == ".csv":
            import csv

            self.csv = csv.writer(self.file, lineterminator="\n")

    def add(self, row: dict) -> None:
        """Writes a row, so that whoever follows the file sees it at once."""
        try:
            if self.csv is None:
                self.file.write(_json(row) + "\n")
            else:
                if self.header is None:
                    self.header = list(row)
                    self.csv.writerow(self.header)
                self.csv.writerow([self._cell(row[name]) for name in self.header])
            self.file.flush()
        except OSError as e:
            raise InputError(f"{self.path}: {e.strerror}; the curve can't be written") from None

    @staticmethod
    def _cell(x):
        if x is None:
            return ""
        return _json(x) if isinstance(x, (dict, list)) else x

    def close(self) -> None:
        self.file.close()
