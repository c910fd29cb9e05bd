"""Pictures and the one-page report of `run`, `compare` and `inspect`."""

from __future__ import annotations

import os
from html import escape

from ..evaluation import plots
from ..records.problems import InputError
from ..records.source import reason
from ..records.spelling import keys_of

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto; max-
width: 66rem;
  padding: 1rem clamp(0.8rem, 3vw, 2rem) 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.6rem 0 0.2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
p.lead { margin: 0 0 1rem; color: #555; overflow-wrap: anywhere; }
dl.key { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.6rem;
margin: 1rem 0; } dl.key div { border-left: 3px solid #0072B2; padding: 0.1rem 0 0.1rem 0.6rem; }
dl.key dt { font-size: 0.8rem; color: #555; } dl.key dd { margin: 0; font-size: 1.2rem; font-
variant-numeric: tabular-nums; } dl.key small { display: block; font-size: 0.75rem; color: #555; }
.scroll { overflow-x: auto; -webkit-overflow-scrolling: touch; } table { border-collapse: collapse;
font-size: 0.88rem; font-variant-numeric: tabular-nums; } th, td { padding: 0.25rem 0.7rem; text-
align: right; border-bottom: 1px solid #ddd; white-space: nowrap; } th:first-child, td:first-child {
text-align: left; } td.text { text-align: left; } thead th { border-bottom: 2px solid #888;
vertical-align: bottom; } tr.last td { border-top: 2px solid #888; font-weight: 600; } td.under {
color: #555; border-bottom: 0; } .pictures { display: grid; grid-template-columns: repeat(auto-fit,
minmax(min(100%, 25rem), 1fr)); gap: 0.5rem 1.5rem; } figure { margin: 0; min-width: 0; }
figure.wide { grid-column: 1 / -1; } figure svg { width: 100%; height: auto; display: block; }
figcaption { font-weight: 600; font-size: 0.95rem; margin: 1.2rem 0 0.3rem; } .phone { display:
none; } @media (max-width: 40rem) { .desk { display: none; } .phone { display: block; } } @media
print { .scroll { overflow: visible; } }
"""


def page(title: str, lead: str, parts: list[str]) -> str:
    """A whole page that needs nothing else."""
    return (
        f"<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{escape(title)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n<p "
        f"class='lead'>{escape(lead)}</p>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def key_figures(figures: list[tuple[str, str, str]]) -> str:
    """The figures that come first: name, value, what belongs to it."""
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
        for name, value, more in figures
    )
    return f"<dl class='key'>{cells}</dl>"


def table(rows: list[list[str]], last: bool = False) -> str:
    """Rows, their header first; wide ones scroll by themselves."""
    head = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in rows[0])
    marked = [" class='last'" if last and i == len(rows) - 2 else "" for i in range(len(rows) - 1)]
    body = "".join(
        f"<tr{marked[i]}>" + "".join(f"<td>{escape(cell.strip())}</td>" for cell in row) + "</tr>\n"
        for i, row in enumerate(rows[1:])
    )
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"
    return f"<div class='scroll'>{whole}</div>"


def pictures(panels: list[plots.Panel]) -> str:
    """Each panel as an SVG picture with its caption; wide ones also as a phone has room for them.
    """
    figures = []
    for p in panels:
        drawn = f"<div>{plots.as_svg(p, 4.6)}</div>"
        if p.wide:
            drawn = f"<div class='desk'>{plots.as_svg(p, 9.0)}</div>"
            drawn += f"<div class='phone'>{plots.as_svg(p, 4.6)}</div>"
        figures.append(
            f"<figure class='{'wide' if p.wide else 'half'}'>"
            f"<figcaption>{escape(p.title)}</figcaption>"
            f"{drawn}</figure>"
        )
    return f"<div class='pictures'>{''.join(figures)}</div>"


def write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="replace") as f:
            f.write(text)
    except OSError as e:
        raise InputError(f"{path}: {reason(e)}; the report can't be written") from None


def _deliver(options, panels: list, title: str, lead: str, parts: list[str]) -> None:
    panels = [p for p in panels if p is not None]
    if options.plot:
        if not panels:
            raise InputError(
                f"{options.plot}: nothing was scored, so there is nothing to draw; give "
                "labelled records"
            )
        plots.save(panels, options.plot)
    if options.report:
        first, *rest = parts
        write(
            options.report, page(title, lead, [first, pictures(panels), *rest] if panels else parts)
        )


def source_of(options) -> str:
    names = [
        os.path.basename(name) if name != "-" else "standard input"
        for name in options.files or ["-"]
    ]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _attributes(kinds: dict[str, str]) -> list[str]:
    by_kind: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        by_kind.setdefault(kind, []).append(name)
    lines = [
        f"<p><strong>{escape(kind)}</strong> ({len(names)}): {escape(', '.join(names[:60]))}"
        f"{', …' if len(names) > 60 else ''}</p>"
        for kind, names in by_kind.items()
    ]
    return ["<h2>Read as</h2>", *lines] if lines else []


def draw_run(options, figures: dict, points: list[dict]) -> None:
    """The picture and the report of one learner on a stream."""
    from .summary import _number, _percent, drift_line

    model = figures["model"]
    drifts = figures.get("drifts", [])
    spelled = ", ".join(f"{k}={v}" for k, v in model["parameters"].items() if v is not None)
    confusion = figures["confusion"]
    panels = [
        plots.accuracy_panel(points, drifts),
        plots.confusion_panel(confusion["labels"], confusion["matrix"]),
        plots.reliability_panel({model["name"]: figures.get("reliability", [])}),
    ]
    low, high = figures["accuracy_ci95"] or (None, None)
    any_low, any_high = figures.get("accuracy_anytime95") or (None, None)
    key = [
        ("accuracy", _percent(figures["accuracy"]), f"95 %: {_percent(low)} to {_percent(high)}"),
        (
            "at any time",
            f"{_percent(any_low)} to {_percent(any_high)}",
            "95 %, however often one looks",
        ),
        (
            "kappa",
            _number(figures["kappa"]),
            f"against no change {_number(figures['kappa_no_change'])}, "
            f"against the majority {_number(figures['kappa_majority'])}",
        ),
        ("log loss", _number(figures["log_loss"]), ""),
        ("Brier score", _number(figures["brier"]), "0 is the best, 2 the worst"),
        ("calibration error", _number(figures["calibration_error"]), ""),
        (
            "records",
            f"{figures['records']:,}",
            f"{figures['labelled']:,} labelled, {figures['learned']:,} learned",
        ),
        (
            "missing values",
            f"{figures['missing_values']:,}",
            f"{figures['skipped_records']:,} records skipped",
        ),
    ]
    rows = [["label", "precision", "recall", "F1", "weight"]]
    rows += [
        [
            name,
            _number(r["precision"]),
            _number(r["recall"]),
            _number(r["f1"]),
            f"{r['support']:,g}",
        ]
        for name, r in figures["per_class"].items()
    ]
    parts = [key_figures(key), "<h2>By label</h2>", table(rows)]
    if drifts:
        told = drift_line(drifts, most=200)
        parts.append(f"<h2>Drift</h2>\n<p>{told} ({options.drift}); the model began anew.</p>")
    for view in ("window", "fading"):
        if view in figures:
            v = figures[view]
            name = (
                f"The last {v['size']:,} scored"
                if view == "window"
                else f"Fading by {v['factor']:g} a record"
            )
            parts += [
                f"<h2>{escape(name)}</h2>",
                table(
                    [
                        ["accuracy", "kappa", "log loss", "Brier", "calibration error"],
                        [
                            _percent(v["accuracy"]),
                            _number(v["kappa"]),
                            _number(v["log_loss"]),
                            _number(v["brier"]),
                            _number(v["calibration_error"]),
                        ],
                    ]
                ),
            ]
    if 1 < len(confusion["labels"]) <= 40:
        names = keys_of(confusion["labels"])
        parts += [
            "<h2>Confusion: true label by row, predicted by column</h2>",
            table(
                [["", *names]]
                + [
                    [name, *(f"{cell:,g}" for cell in row)]
                    for name, row in zip(names, confusion["matrix"], strict=True)
                ]
            ),
        ]
    parts += _attributes(figures["schema"]["attributes"])
    _deliver(
        options,
        panels,
        f"{model['name']} on {source_of(options)}",
        f"target {figures['schema']['target']}; {spelled}",
        parts,
    )


def draw_comparison(options, data: dict, points: list[dict]) -> None:
    """The picture and the report of several learners on a stream."""
    from .compare import model_rows, pair_rows

    panels = [
        plots.accuracy_panel(points),
        plots.pairs_panel(data["pairs"]),
        plots.reliability_panel({m["spec"]: m["reliability"] for m in data["models"]}),
    ]
    parts = ["<h2>Figures</h2>" + table(model_rows(data))]
    if data["pairs"]:
        parts += [
            "<h2>Pairs</h2>",
            table(pair_rows(data)),
            f"<p>On the {data['compared']:,} records that all answered; differences in points "
            "of accuracy. "
            "The anytime interval and its p hold however often one looks; McNemar's test for "
            "one look.</p>",
        ]
    parts += _attributes(data["schema"]["attributes"])
    _deliver(
        options,
        panels,
        f"{len(data['models'])} models on {source_of(options)}",
        f"target {data['schema']['target']}; "
        f"{data['records']:,} records, {data['labelled']:,} labelled",
        parts,
    )


def draw_sets(options, data: dict) -> None:
    """The picture and the report of models on data sets."""
    from .compare import matrix_rows, set_rows

    panels = []
    if data["friedman"] is not None:
        n = data["nemenyi"]
        panels.append(
            plots.critical_difference_panel(
                data["friedman"]["ranks"], n["critical_difference"], n["groups"], data["alpha"]
            )
        )
    panels.append(plots.sets_panel(data))
    test = "the 5x2cv F test" if data["cv"] == "5x2" else "the paired t test"
    note = f"<p>* not significantly worse than the best by {test} at {data['alpha']:g}"
    note += "; behind the stroke the published figure.</p>" if "published_mean" in data else ".</p>"
    parts = ["<h2>Accuracy in %</h2>" + table(set_rows(data), last=True) + note]
    if data["pairs"]:
        parts += [
            "<h2>Wins, ties and losses of the row against the column</h2>",
            table(matrix_rows(data)),
            "<p>Under each Wilcoxon's verdict over the sets' means: "
            "&gt; the row is better, &lt; the column.</p>",
        ]
    if data["friedman"] is not None:
        f = data["friedman"]
        parts.append(
            f"<p>Friedman: chi-square {f['chi_square']:.2f}, p = {f['p']:.4g} (F) over "
            f"{f['n']} data sets.</p>"
        )
    _deliver(
        options,
        panels,
        f"{len(data['models'])} models on {len(data['sets'])} data sets",
        f"{data['cv']} cross-validation, stratified, seed {options.seed}",
        parts,
    )


def draw_model(path: str, learner) -> None:
    """`inspect --plot`: a small panel an attribute."""
    tables = learner.tables()
    priors = list(learner.class_counts.values())
    panels = plots.attribute_panels(learner.classes, priors, tables)
    if not panels:
        raise InputError(
            f"{path}: the model holds nothing that can be drawn; learn records with attributes"
        )
    plots.save(panels, path, columns=3)
    if len(tables) > plots.MOST_PANELS:
        from sys import stderr

        print(
            f"{path}: the first {plots.MOST_PANELS} of {len(tables)} attributes are drawn",
            file=stderr,
        )
