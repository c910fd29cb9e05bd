"""`inspect --diff A B`: what one model has learned that the other has not."""

from __future__ import annotations

from ..records.spelling import spelled

NONE = (0.0, None, None)
SHOWN = 10  # changes a list shows as text


def id_of(value) -> tuple:
    """True, 1 and "1" are three values."""
    return type(value), value


def named(value):
    """A value as JSON can hold it; the shared slot as it calls itself."""
    return value if isinstance(value, (str, bool, int, float)) else repr(value)


def counts_of(learner) -> dict:
    """(attribute, id of value, id of label) to the count, and to the three as they are."""
    cells = {}
    for table in learner.tables():
        if "values" not in table:
            continue
        for value, counts, _ in table["values"]:
            for label, n in zip(learner.classes, counts, strict=True):
                cells[table["name"], id_of(named(value)), id_of(label)] = (n, named(value), label)
    return cells


def moments_of(learner) -> dict:
    """(attribute, id of label) to (n, mean, sd, label)."""
    rows = {}
    for table in learner.tables():
        if "values" not in table:
            columns = zip(learner.classes, table["n"], table["mean"], table["sd"], strict=True)
            for label, n, mean, sd in columns:
                rows[table["name"], id_of(label)] = (n, mean, sd, label)
    return rows


def changed_labels(a, b) -> list[dict]:
    before = {id_of(y): n for y, n, _ in a.priors()}
    after = {id_of(y): n for y, n, _ in b.priors()}
    labels = {id_of(y): y for y in (*a.classes, *b.classes)}
    rows = [
        {"label": y, "before": before.get(key, 0.0), "after": after.get(key, 0.0)}
        for key, y in labels.items()
    ]
    return sorted(
        (row for row in rows if row["before"] != row["after"]),
        key=lambda row: -abs(row["after"] - row["before"]),
    )


def changed_counts(a, b) -> list[dict]:
    before, after = counts_of(a), counts_of(b)
    rows = []
    for key in {**before, **after}:
        _, value, label = before[key] if key in before else after[key]
        n, m = before.get(key, NONE)[0], after.get(key, NONE)[0]
        if n != m:
            rows.append(
                {"attribute": key[0], "value": value, "label": label, "before": n, "after": m}
            )
    return sorted(rows, key=lambda row: -abs(row["after"] - row["before"]))


def changed_moments(a, b) -> list[dict]:
    """The largest shift of a mean comes first, in units of the larger deviation."""
    before, after = moments_of(a), moments_of(b)
    nothing = (0.0, None, None, None)
    rows = []
    for key in {**before, **after}:
        old, new = before.get(key, nothing), after.get(key, nothing)
        if old[:3] != new[:3]:
            sd = max(old[2] or 0.0, new[2] or 0.0)
            shift = None if old[1] is None or new[1] is None else abs(new[1] - old[1])
            rows.append(
                {
                    "attribute": key[0],
                    "label": new[3] if key in after else old[3],
                    "before": dict(zip(("n", "mean", "sd"), old, strict=False)),
                    "after": dict(zip(("n", "mean", "sd"), new, strict=False)),
                    "shift": None if shift is None or not sd > 0 else shift / sd,
                }
            )
    return sorted(rows, key=lambda row: float("-inf") if row["shift"] is None else -row["shift"])


def differences(a, b) -> dict:
    """What changed from learner a to learner b, the largest changes first.

    Returns
    -------
    dict
        `models`; `learned`; `attributes` that only one has or whose kinds differ; `labels`,
        `counts` and `moments` that differ.
    """
    kinds = {
        name: (a.attributes.get(name), b.attributes.get(name))
        for name in {**a.attributes, **b.attributes}
    }
    return {
        "models": [{"name": m.NAME, "parameters": m.effective_parameters()} for m in (a, b)],
        "learned": [a.learned, b.learned],
        "attributes": [
            {"attribute": name, "before": old, "after": new}
            for name, (old, new) in kinds.items()
            if old != new
        ],
        "labels": changed_labels(a, b),
        "counts": changed_counts(a, b),
        "moments": changed_moments(a, b),
    }


def as_text(changes: dict, names: tuple[str, str]) -> str:
    """The same for a person, the first few of each kind."""
    a, b = changes["models"]
    lines = [
        f"{names[0]}: {a['name']}, {changes['learned'][0]} records learned",
        f"{names[1]}: {b['name']}, {changes['learned'][1]} records learned",
    ]
    if a != b:
        lines.append(f"parameters: {a['parameters']} and {b['parameters']}")
    for row in changes["attributes"]:
        lines.append(
            f"attribute {row['attribute']}: "
            f"{row['before'] or 'unknown'} -> {row['after'] or 'unknown'}"
        )

    def some(title, rows, line):
        if rows:
            lines.append(f"{title} ({len(rows)} changed)")
            lines.extend(f"  {line(row)}" for row in rows[:SHOWN])
            if len(rows) > SHOWN:
                lines.append(f"  … {len(rows) - SHOWN} more; --json has them all")

    def number(x):
        return "-" if x is None else f"{x:.6g}"

    some(
        "labels",
        changes["labels"],
        lambda row: f"{spelled(row['label'])}: {number(row['before'])} -> {number(row['after'])}",
    )
    some(
        "counts",
        changes["counts"],
        lambda row: (
            f"{row['attribute']}={spelled(row['value'])} | {spelled(row['label'])}: "
            f"{number(row['before'])} -> {number(row['after'])}"
        ),
    )
    some(
        "moments",
        changes["moments"],
        lambda row: (
            f"{row['attribute']} | {spelled(row['label'])}: "
            + ", ".join(
                f"{key} {number(row['before'][key])} -> {number(row['after'][key])}"
                for key in ("n", "mean", "sd")
            )
        ),
    )
    if not any(changes[key] for key in ("attributes", "labels", "counts", "moments")):
        lines.append("no label, count or moment differs")
    return "\n".join(lines)
