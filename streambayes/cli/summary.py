"""What a run tells at its end: one JSON object, or the same for a person."""

from __future__ import annotations

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
        lines += confusion_lines(s["confusion"]["labels"], s["confusion"]["matrix"])
    if s.get("drifts"):
        shown = ", ".join(map(str, s["drifts"][:12])) + (", …" if len(s["drifts"]) > 12 else "")
        s_of = "s" * (len(s["drifts"]) > 1)
        lines.append(f"{len(s['drifts'])} drift{s_of} seen, at record{s_of} {shown}")
    rate = f", {s['records_per_second']:.0f} records/s" if s["records_per_second"] else ""
    lines.append(f"{s['seconds']:.3f} s{rate}")
    return "\n".join(lines)


ROW = ("records", "accuracy", "kappa", "log_loss", "learned", "skipped_records")


def progress_row(account, learner, seconds: float, style: str, first: bool) -> str:
    """A row of `--every`: the figures so far."""
    results = account.results(learner.classes)
    row = {
        "records": account.records,
        **figures(results, account.scored),
        "learned": account.learned,
        "skipped_records": account.skipped_records,
        "seconds": round(seconds, 6),
    }
    if style == "json":
        return as_json({"progress": row})
    head = (
        f"{'records':>12} {'accuracy':>9} {'kappa':>8} {'log loss':>9} {'seconds':>9}\n"
        if first
        else ""
    )
    return head + (f"{row['records']:>12} {_number(row['accuracy']):>9} {_number(row['kappa']):>8} "
                   f"{_number(row['log_loss']):>9} {seconds:>9.2f}")
