"""What a run tells at its end: one JSON object, or the same for a person."""

from __future__ import annotations

from ..evaluation.curve import extra_figures, row_of
from ..evaluation.metrics import figures, per_class
from ..records.spelling import keys_of


def whole(x: float):
    """A sum of weights as an int where it is one."""
    return int(x) if x == int(x) else x


def summary(account, learner, kinds: dict[str, str], seconds: float) -> dict:
    """The summary of SPEC 4 as a dict that strict JSON can hold."""
    results = account.results(learner.classes)
    labels = results["labels"]
    keys = keys_of(labels)
    matrix = [[whole(cell) for cell in row] for row in results["matrix"]]
    rows = per_class(results["matrix"])
    counted = {id_of(y): n for y, n in results["class_counts"]}
    return {
        "records": account.records,
        "labelled": account.labelled,
        "unpredicted": account.unpredicted,
        "scored": account.scored,
        "correct": account.correct,
        "learned": account.learned,
        "skipped_records": account.skipped_records,
        "missing_values": account.missing_values,
        "non_finite_values": account.non_finite_values,
        "overflow_values": account.overflow_values,
        **figures(results, account.scored),
        **extra_figures(account, results),
        "class_counts": {
            key: counted[id_of(y)]
            for y, key in zip(labels, keys, strict=True)
            if id_of(y) in counted
        },
        "confusion": {"labels": labels, "matrix": matrix},
        "per_class": {
            key: {**row, "support": whole(row["support"])}
            for key, row in zip(keys, rows, strict=True)
        },
        "seconds": round(seconds, 6),
        "records_per_second": round(account.records / seconds, 1) if seconds > 0 else None,
        "classes": learner.classes,
        "model": {
            "name": learner.NAME,
            "parameters": learner.effective_parameters(),
            "learned": learner.learned,
        },
        "schema": {"target": learner.schema.target, "attributes": kinds},
    }


def id_of(label) -> tuple:
    """True, 1 and "1" are three labels."""
    return type(label), label


def as_json(figures: dict) -> str:
    import json

    return json.dumps(figures, ensure_ascii=False, allow_nan=False)


def _percent(x: float | None) -> str:
    return "-" if x is None else f"{100 * x:.2f} %"


def _number(x: float | None, digits: int = 4) -> str:
    return "-" if x is None else f"{x:.{digits}f}"


def _table(rows: list[list[str]], indent: str = "  ") -> list[str]:
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        (
            indent
            + "  ".join(
                cell.rjust(w) if j else cell.ljust(w)
                for j, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
        ).rstrip()
        for row in rows
    ]


def confusion_lines(labels: list, matrix: list[list[float]], most: int = 12) -> list[str]:
    """The matrix as a table: a row per true label, a column per predicted one."""
    if len(labels) > most:
        return [f"  ({len(labels)} labels; --summary json has the matrix)"]
    names = [key if len(key) <= 16 else key[:15] + "…" for key in keys_of(labels)]
    rows = [["true \\ predicted", *names]]
    rows += [
        [name, *(f"{cell:g}" for cell in row)] for name, row in zip(names, matrix, strict=True)
    ]
    return _table(rows)


def as_text(s: dict) -> str:
    """The summary for a person: what was read as what, how good it was, where it erred."""
    lines = []
    by_kind: dict[str, list[str]] = {}
    for name, kind in s["schema"]["attributes"].items():
        by_kind.setdefault(kind, []).append(name)
    for kind, names in by_kind.items():
        shown = ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
        lines.append(f"read as {kind}: {shown}")
    if s["schema"]["target"] is not None:
        lines.append(
            f"target: {s['schema']['target']}; model: {s['model']['name']} "
            + ", ".join(f"{k}={v}" for k, v in s["model"]["parameters"].items() if v is not None)
        )
    lines.append(
        f"records: {s['records']} ({s['labelled']} labelled, "
        f"{s['unpredicted']} before any label was known, {s['learned']} learned)"
    )
    odd = [
        (s["skipped_records"], "malformed records skipped"),
        (s["missing_values"], "missing values"),
        (s["non_finite_values"], "non-finite values (taken as missing)"),
        (s["overflow_values"], "values beyond max_values (they share a slot)"),
    ]
    lines += [f"{n} {what}" for n, what in odd if n]
    if s["scored"]:
        low, high = s["accuracy_ci95"]
        lines.append(
            f"accuracy: {_percent(s['accuracy'])} (95 %: {100 * low:.2f} to {100 * high:.2f}); "
            f"kappa: {_number(s['kappa'])}; log loss: {_number(s['log_loss'])}"
        )
        lines += more_lines(s)
        lines += confusion_lines(s["confusion"]["labels"], s["confusion"]["matrix"])
    if s.get("drifts"):
        lines.append(drift_line(s["drifts"]))
    rate = f", {s['records_per_second']:.0f} records/s" if s["records_per_second"] else ""
    lines.append(f"{s['seconds']:.3f} s{rate}")
    return "\n".join(lines)


def drift_line(drifts: list[int], most: int = 12) -> str:
    """At which records drift was seen, for a person."""
    shown = ", ".join(map(str, drifts[:most])) + (", …" if len(drifts) > most else "")
    s_of = "s" * (len(drifts) > 1)
    return f"{len(drifts)} drift{s_of} seen, at record{s_of} {shown}"


def more_lines(s: dict) -> list[str]:
    """The figures of `--figures all`, of the window and of the fading view, for a person."""
    lines = []
    if "brier" in s:
        lines.append(
            f"Brier score: {_number(s['brier'])}; "
            f"calibration error: {_number(s['calibration_error'])}"
        )
        lines.append(
            f"kappa against no change: {_number(s['kappa_no_change'])}; "
            f"against the majority: {_number(s['kappa_majority'])}"
        )
    if s.get("accuracy_anytime95"):
        low, high = s["accuracy_anytime95"]
        lines.append(f"accuracy, 95 % at any time: {100 * low:.2f} to {100 * high:.2f}")
    for view, what in (("window", "the last {size}"), ("fading", "fading by {factor:g}")):
        if view in s:
            v = s[view]
            lines.append(
                f"{what.format(**v)}: accuracy {_percent(v['accuracy'])}, kappa "
                f"{_number(v['kappa'])}, log loss {_number(v['log_loss'])}, "
                f"Brier {_number(v['brier'])}, "
                f"calibration error {_number(v['calibration_error'])}"
            )
    return lines


def progress_row(account, learner, seconds: float, style: str, first: bool) -> str:
    """A row of `--every`: the figures so far."""
    row = {**row_of(account, learner.classes), "seconds": round(seconds, 6)}
    if style == "json":
        return as_json({"progress": row})
    columns = [
        ("records", "records", 12, 0),
        ("accuracy", "accuracy", 9, 4),
        ("kappa", "kappa", 8, 4),
        ("log loss", "log_loss", 9, 4),
        ("Brier", "brier", 8, 4),
        ("ECE", "calibration_error", 7, 4),
    ]
    columns += [
        (name, key, 9, 4)
        for name, key in (("window", "window_accuracy"), ("fading", "fading_accuracy"))
        if key in row
    ]
    columns.append(("seconds", "seconds", 9, 2))
    columns = [column for column in columns if column[1] in row]
    head = " ".join(f"{name:>{width}}" for name, _, width, _ in columns) + "\n" if first else ""
    return head + " ".join(
        f"{_number(row[key], digits):>{width}}" for _, key, width, digits in columns
    )
