"""Pictures: accuracy over a stream, confusion, reliability, ranks, what a model holds.

A picture is made of panels; a panel draws on a matplotlib Axes (the `plot` extra, imported when
used). Colours are Okabe and Ito's, which the colour-blind tell apart; dashes and markers do the
same in grey.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import exp, pi, sqrt

from ..records.problems import InputError, UsageError
from ..records.spelling import keys_of

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#8A7500")
DASHES = (
    "-",
    "--",
    "-.",
    ":",
    (0, (5, 1, 1, 1, 1, 1)),
    (0, (7, 2)),
    (0, (3, 1, 1, 1)),
    (0, (1, 1)),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo", "--")
INK, PALE = "#222222", "#888888"
MOST_LABELS = 16  # of a confusion matrix with names and figures
MOST_PANELS = 24  # of `inspect --plot`
ENDINGS = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Panel:
    """One drawing: what it shows, and what draws it."""

    title: str
    draw: Callable
    wide: bool = False
    height: float = 3.4  # inches


def require_matplotlib() -> None:
    """Ends with one line where matplotlib isn't there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise UsageError("pictures need matplotlib; install streambayes[plot]") from None


def check_picture_file(path: str) -> None:
    """Refuses a file whose ending is no kind of picture that can be made."""
    if os.path.splitext(path)[1].lower() not in ENDINGS:
        raise UsageError(
            f"{path}: a picture is .png, .svg or .pdf; give the file one of these endings"
        )


@contextmanager
def _style():
    import matplotlib

    with matplotlib.rc_context(
        {
            "font.family": "sans-serif",
            "font.size": 9.5,
            "axes.titlesize": 11,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": PALE,
            "axes.labelcolor": INK,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "axes.grid": False,
            "grid.color": "#DDDDDD",
            "legend.frameon": False,
            "svg.hashsalt": "streambayes",
            "svg.fonttype": "path",
            "figure.dpi": 144,
            "axes.titlepad": 9,
            "lines.linewidth": 1.8,
        }
    ):
        yield


def save(panels: list[Panel], path: str, width: float = 9.0, columns: int = 2) -> None:
    """Draws all panels into one file: wide ones over the whole width, others `columns` in a row.

    Raises
    ------
    InputError
        If the file can't be written.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(h_pad=0.1, w_pad=0.12)
    rows: list[list[Panel]] = []
    for panel in panels:
        if not panel.wide and rows and len(rows[-1]) < columns and not rows[-1][0].wide:
            rows[-1].append(panel)
        else:
            rows.append([panel])
    heights = [max(p.height for p in row) for row in rows]
    with _style():
        figure = Figure(figsize=(width, sum(heights) + 0.15), layout=layout)
        bands = figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)[:, 0]
        for band, row in zip(bands, rows, strict=True):
            axes = band.subplots(1, 1 if row[0].wide else columns, squeeze=False)[0]
            for ax in axes[len(row) :]:
                ax.set_axis_off()
            for ax, panel in zip(axes, row, strict=False):
                ax.set_title(panel.title)
                panel.draw(ax)
        try:
            figure.savefig(path, metadata={"Date": None} if path.lower().endswith(".svg") else None)
        except OSError as e:
            raise InputError(f"{path}: {e.strerror}; the picture can't be written") from None


def as_svg(panel: Panel, width: float) -> str:
    """A panel by itself as an SVG element."""
    from io import StringIO

    from matplotlib.figure import Figure

    with _style():
        figure = Figure(
            figsize=(width, panel.height + (0.6 if panel.wide and width < 6 else 0)),
            layout="constrained",
        )
        panel.draw(figure.add_subplot())
        out = StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    text = out.getvalue()
    return text[text.index("<svg") :]


def _is_narrow(ax) -> bool:
    """Whether a phone's width is all there is."""
    figure = ax.figure
    while getattr(figure, "figure", figure) is not figure:
        figure = figure.figure
    return figure.get_figwidth() < 6


def _legend_beside(ax, handles, labels):
    """A legend right of the axes, or under them where there is no room."""
    if _is_narrow(ax):
        return ax.legend(
            handles,
            labels,
            loc="upper left",
            bbox_to_anchor=(0.0, -0.2),
            handlelength=3.4,
            fontsize=8.5,
        )
    return ax.legend(
        handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3.4
    )


def _look(i: int) -> dict:
    return {"color": COLORS[i % len(COLORS)], "linestyle": DASHES[i % len(DASHES)]}


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _percent_axis(axis) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0, decimals=None))


def _count_axis(axis) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(4 if _is_narrow(axis.axes) else 6, integer=True))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))


# ------------------------------------------------------------------------------ over the stream
def accuracy_panel(rows: list[dict], drifts: Sequence[int] = ()) -> Panel | None:
    """Accuracy over the stream, a line a learner: of the window, else the fading view, else so far.

    The band is the anytime interval of the accuracy so far, and for a window Mitchell's eq. 5.1.
    A vertical line stands at each record of `drifts`, where drift was seen.
    """
    series: dict[str, list[dict]] = {}
    for row in rows:
        series.setdefault(row.get("model", ""), []).append(row)
    view = next((v for v in ("window_", "fading_") if rows and v + "accuracy" in rows[0]), "")
    series = {
        name: [r for r in points if r[view + "accuracy"] is not None]
        for name, points in series.items()
    }
    if not any(series.values()):
        return None
    what = {
        "window_": "of the window; band: 95 % of one window (eq. 5.1)",
        "fading_": "of the fading view",
        "": "so far; band: 95 %, valid at any time",
    }[view]

    def draw(ax):
        ends, lows, highs = [], [], []
        for i, (name, points) in enumerate(series.items()):
            if not points:
                continue
            x = [r["records"] for r in points]
            y = [r[view + "accuracy"] for r in points]
            ax.plot(
                x,
                y,
                **_look(i),
                label=name,
                marker=MARKERS[i % 8],
                markersize=4.5,
                markevery=(len(x) * i // 8 % max(len(x) // 8, 1), max(len(x) // 8, 1)),
            )
            band = _band(points, view)
            if band:
                ax.fill_between(
                    x,
                    *band,
                    color=COLORS[i % 8],
                    alpha=0.13 if len(series) > 1 else 0.2,
                    linewidth=0,
                )
            if view and len(series) == 1:
                ax.plot(
                    x,
                    [r["accuracy"] for r in points],
                    color=PALE,
                    linestyle=(0, (4, 2)),
                    linewidth=1.2,
                )
                ax.annotate(
                    "so far",
                    (x[-1], points[-1]["accuracy"]),
                    (5, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8.5,
                    color=PALE,
                )
            settled = y[len(y) // 10 :]
            lows.append(min(settled))
            highs.append(max(settled))
            ends.append((y[-1], name, i))
            if len(series) == 1:
                near = view and abs(y[-1] - points[-1]["accuracy"]) < 0.05
                ax.annotate(
                    f"{100 * y[-1]:.1f} %",
                    (x[-1], y[-1]),
                    (5, 9 if near else 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8.5,
                    color=COLORS[0],
                )
        _mark_drifts(ax, drifts)
        room = max(0.02, 0.35 * (max(highs) - min(lows)))
        ax.set_ylim(max(0, min(lows) - room), min(1.005, max(highs) + room))
        _percent_axis(ax.yaxis)
        _count_axis(ax.xaxis)
        ax.grid(axis="y")
        ax.set_xlabel("records")
        ax.set_ylabel("accuracy")
        if len(series) > 1:
            handles, labels = ax.get_legend_handles_labels()
            order = sorted(range(len(ends)), key=lambda k: -ends[k][0])
            _legend_beside(
                ax,
                [handles[k] for k in order],
                [f"{_short(labels[k], 32)}  {100 * ends[k][0]:.1f} %" for k in order],
            )
        ax.margins(x=0.01)

    return Panel(f"Accuracy {what}", draw, wide=True, height=3.6)


def _mark_drifts(ax, drifts: Sequence[int]) -> None:
    """A line over the whole height at each; the first one is told what they are."""
    if not drifts:
        return
    dense = len(drifts) > 40
    for record in drifts:
        ax.axvline(
            record,
            color=COLORS[1],
            linestyle=(0, (2, 2)),
            linewidth=0.7 if dense else 1.1,
            alpha=0.5 if dense else 0.9,
            zorder=1,
            gid=f"drift-{record}",
        )
    late = drifts[0] > 0.7 * ax.get_xlim()[1]
    ax.annotate(
        "drift seen" if len(drifts) == 1 else f"{len(drifts):,} drifts seen",
        (drifts[0], 1),
        (-3 if late else 3, -2),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="right" if late else "left",
        va="top",
        fontsize=8.5,
        color=COLORS[1],
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )


def _band(points: list[dict], view: str):
    if view == "fading_":
        return None
    low, high = [], []
    for r in points:
        if view:
            share = r["window_accuracy"]
            n = sum(cells["support"] for cells in r["window_per_class"].values())
            half = 1.96 * sqrt(max(share * (1 - share), 0) / n) if n else 0
            low.append(max(0, share - half))
            high.append(min(1, share + half))
        elif r["accuracy_anytime95"] is None:
            return None
        else:
            low.append(r["accuracy_anytime95"][0])
            high.append(r["accuracy_anytime95"][1])
    return low, high


def confusion_panel(
    labels: list, matrix: list[list[float]], title: str = "Confusion"
) -> Panel | None:
    """Rows are true labels, columns predicted ones; the shade is the share of the row."""
    n = len(labels)
    if not n or not any(map(any, matrix)):
        return None
    names = [_short(key, 14) for key in keys_of(labels)]
    shares = [[cell / sum(row) if sum(row) else 0.0 for cell in row] for row in matrix]

    def draw(ax):
        ax.imshow(
            shares, cmap="Blues", vmin=0, vmax=1, aspect="auto" if n > MOST_LABELS else "equal"
        )
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.set_xlabel("predicted (shade: share of the true label)")
        ax.set_ylabel("true")
        step = 1 if n <= MOST_LABELS else n // MOST_LABELS + 1
        slanted = max(map(len, names)) > 4 and n > 3
        ax.set_xticks(
            range(0, n, step),
            names[::step],
            rotation=40 if slanted else 0,
            ha="right" if slanted else "center",
            rotation_mode="anchor" if slanted else "default",
        )
        ax.set_yticks(range(0, n, step), names[::step])
        if n <= MOST_LABELS:
            size = 9 if n <= 6 else 7.5 if n <= 10 else 5.5
            for i, row in enumerate(matrix):
                for j, cell in enumerate(row):
                    text = f"{cell:,.0f}" if cell < 1e5 else f"{cell:.1e}"
                    ax.text(
                        j,
                        i,
                        text if cell else "·",
                        ha="center",
                        va="center",
                        fontsize=size,
                        color="white" if shares[i][j] > 0.55 else INK,
                    )

    return Panel(title, draw, height=3.7)


def reliability_panel(series: dict[str, list[dict]]) -> Panel | None:
    """How often answers of a given probability are right: on the diagonal it can be believed."""
    series = {name: bins for name, bins in series.items() if bins}
    if not series:
        return None

    def draw(ax):
        ax.plot([0, 1], [0, 1], color=PALE, linewidth=1, linestyle=(0, (4, 3)))
        ax.text(
            0.04,
            0.075,
            "believable",
            rotation=45,
            rotation_mode="anchor",
            color=PALE,
            fontsize=8,
            transform_rotates_text=True,
        )
        for i, (name, bins) in enumerate(series.items()):
            total = sum(b["weight"] for b in bins)
            x, y = [b["probability"] for b in bins], [b["accuracy"] for b in bins]
            ax.plot(x, y, **_look(i), linewidth=1.3)
            ax.scatter(
                x,
                y,
                [14 + 160 * b["weight"] / total for b in bins],
                color=COLORS[i % 8],
                marker=MARKERS[i % 8],
                label=_short(name, 26),
                edgecolor="white",
                linewidth=0.6,
                zorder=3,
            )
        ax.set_xlim(0, 1.02)
        ax.set_ylim(0, 1.02)
        _percent_axis(ax.xaxis)
        _percent_axis(ax.yaxis)
        ax.set_xlabel("probability of the answer (mark's size: how many)")
        ax.set_ylabel("right")
        if len(series) > 1:
            legend = ax.legend(loc="upper left", fontsize=8)
            for handle in legend.legend_handles:
                handle.set_sizes([36])

    return Panel("Reliability", draw, height=3.7)


def pairs_panel(pairs: list[dict]) -> Panel | None:
    """The difference of each pair with its anytime interval."""
    pairs = [p for p in pairs if p["difference"] is not None]
    if not pairs:
        return None

    def draw(ax):
        ax.axvline(0, color=PALE, linewidth=1)
        for i, p in enumerate(pairs):
            low, high = p["difference_anytime95"]
            sure = p["winner"] is not None
            ax.plot(
                [100 * low, 100 * high],
                [i, i],
                color=COLORS[0] if sure else PALE,
                linewidth=2.2,
                linestyle="-" if sure else (0, (3, 1.5)),
            )
            ax.plot(
                [100 * p["difference"]],
                [i],
                marker="o",
                color=COLORS[0] if sure else PALE,
                markersize=6,
                markerfacecolor=COLORS[0] if sure else "white",
            )
        most, between = (16, " :\n") if _is_narrow(ax) else (22, " : ")
        ax.set_yticks(
            range(len(pairs)),
            [_short(p["first"], most) + between + _short(p["second"], most) for p in pairs],
            fontsize=8.5 if _is_narrow(ax) else None,
        )
        ax.set_ylim(len(pairs) - 0.5, -0.5)
        ax.grid(axis="x")
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("points of accuracy; right of 0 the first is better")

    return Panel(
        "Differences, 95 % valid at any time (filled: settled)",
        draw,
        wide=True,
        height=0.95 + 0.3 * len(pairs),
    )


# --------------------------------------------------------------------------------- over data sets
def critical_difference_panel(
    ranks: dict[str, float], distance: float, groups: list[list[str]], alpha: float
) -> Panel:
    """Demšar's diagram (2006, Figure 1): average ranks, the best at the right."""
    names = sorted(ranks, key=lambda name: ranks[name])
    k = len(names)
    half = (k + 1) // 2
    bars = 0.32 * max(len(groups), 1)
    depth = bars + 0.45 * half + 0.2

    def draw(ax):
        ax.set_axis_off()
        room = (0.9 + 0.12 * k) * (1.9 if _is_narrow(ax) else 1)
        size = 8 if _is_narrow(ax) else None
        ax.set_xlim(k + room, 1 - room)
        ax.set_ylim(-depth - 0.15, 1.25)
        ax.plot([1, k], [0, 0], color=INK, linewidth=1.2)
        for tick in range(1, k + 1):
            ax.plot([tick, tick], [0, 0.12], color=INK, linewidth=1.2)
            ax.text(tick, 0.2, str(tick), ha="center", va="bottom")
        for tick in range(1, k):
            ax.plot([tick + 0.5] * 2, [0, 0.07], color=INK, linewidth=0.8)
        shown = min(distance, k - 1)
        ax.plot([k, k - shown], [0.85, 0.85], color=INK, linewidth=1.2, marker="|", markersize=7)
        ax.text(
            k - shown / 2,
            0.92,
            f"critical difference {distance:.2f}",
            ha="center",
            va="bottom",
            fontsize=8.5,
        )
        for i, name in enumerate(names):
            right = i < half
            at = i if right else k - 1 - i
            y = -bars - 0.45 * at - 0.25
            end = 1 - 0.25 if right else k + 0.25
            ax.plot([ranks[name], ranks[name], end], [0, y, y], color=INK, linewidth=0.9)
            ax.plot([ranks[name]], [0], marker="o", color=COLORS[0], markersize=5, clip_on=False)
            ax.text(
                end + (-0.06 if right else 0.06),
                y,
                f"{_short(name, 24)}  {ranks[name]:.2f}",
                ha="left" if right else "right",
                va="center",
                fontsize=size,
            )
        for level, group in enumerate(groups):
            inside = [ranks[name] for name in group]
            y = -0.16 - 0.3 * level
            ax.plot(
                [min(inside) - 0.04, max(inside) + 0.04],
                [y, y],
                color=COLORS[1],
                linewidth=4.5,
                solid_capstyle="butt",
            )

    return Panel(
        f"Average ranks (bars: not told apart by Nemenyi's test at {alpha:g})",
        draw,
        wide=True,
        height=1.2 + 0.42 * depth,
    )


def sets_panel(data: dict) -> Panel:
    """A dot a model and data set, filled where it is not significantly worse than the best."""
    names, rows = data["models"], data["sets"]

    def draw(ax):
        for y, row in enumerate(rows):
            shares = [row["accuracy"][m] for m in names]
            ax.plot(
                [100 * min(shares), 100 * max(shares)],
                [y, y],
                color="#E4E4E4",
                linewidth=7,
                zorder=0,
                solid_capstyle="round",
            )
        for i, m in enumerate(names):
            x = [100 * row["accuracy"][m] for row in rows]
            good = [row["not_worse"][m] for row in rows]
            y = [
                j + 0.5 * (i / (len(names) - 1) - 0.5) if len(names) > 1 else j
                for j in range(len(rows))
            ]
            ax.scatter(
                x,
                y,
                30,
                marker=MARKERS[i % 8],
                label=_short(m, 30),
                edgecolor=COLORS[i % 8],
                facecolor=[COLORS[i % 8] if g else "white" for g in good],
                linewidth=1.2,
                zorder=2 + i,
            )
        ax.set_yticks(range(len(rows)), [_short(row["set"], 20) for row in rows])
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x")
        ax.set_xlabel("accuracy in %")
        legend = _legend_beside(ax, *ax.get_legend_handles_labels())
        for i, handle in enumerate(legend.legend_handles):
            handle.set_facecolor(COLORS[i % 8])

    return Panel(
        "Accuracy by data set (filled: not significantly worse than the best)",
        draw,
        wide=True,
        height=1.3 + 0.3 * len(rows),
    )


# ------------------------------------------------------------------------------ what a model holds
def attribute_panels(labels: list, priors: list[float], tables: list[dict]) -> list[Panel]:
    """One small panel an attribute: bars of P(value | class), or the classes' normal curves.

    Of more classes than there are colours the commonest are drawn.
    """
    shown = sorted(sorted(range(len(labels)), key=lambda c: -priors[c])[: len(COLORS)])
    names = [_short(key, 18) for key in keys_of(labels)]
    panels = []
    for table in tables[:MOST_PANELS]:
        panel = _bars(table, shown, names) if "values" in table else _curves(table, shown, names)
        if panel is not None:
            panels.append(panel)
    left_out = len(labels) - len(shown)

    def legend(ax):
        from matplotlib.patches import Patch

        ax.set_axis_off()
        handles = [
            Patch(facecolor=COLORS[i % 8], hatch=HATCHES[i % 8], edgecolor="white", label=names[c])
            for i, c in enumerate(shown)
        ]
        lines = [ax.plot([], [], **_look(i))[0] for i in range(len(shown))]
        ax.legend(
            list(zip(handles, lines, strict=True)),
            [names[c] for c in shown],
            ncols=min(len(shown), 4),
            loc="upper left",
            borderaxespad=0,
            handlelength=5.5,
            handler_map={tuple: _side_by_side()},
        )

    title = "Classes" + (f" (the commonest {len(shown)} of {len(labels)})" if left_out else "")
    return (
        [Panel(title, legend, wide=True, height=0.45 + 0.22 * ((len(shown) + 3) // 4)), *panels]
        if panels
        else []
    )


def _side_by_side():
    from matplotlib.legend_handler import HandlerTuple

    return HandlerTuple(ndivide=None, pad=0.6)


def _bars(table: dict, shown: list[int], names: list[str], most: int = 8) -> Panel | None:
    rows = sorted(table["values"], key=lambda row: -sum(row[1]))[:most]
    if not rows:
        return None
    kept = {id(row) for row in rows}
    rows = [row for row in table["values"] if id(row) in kept]
    left_out = len(table["values"]) - len(rows)
    values = [_short(v if isinstance(v, str) else repr(v), 16) for v, *_ in rows]

    def draw(ax):
        high = 0.8 / len(shown)
        for i, c in enumerate(shown):
            y = [j - 0.4 + high * (i + 0.5) for j in range(len(rows))]
            ax.barh(
                y,
                [row[2][c] for row in rows],
                high * 0.92,
                label=names[c],
                color=COLORS[i % 8],
                hatch=HATCHES[i % 8],
                edgecolor="white",
                linewidth=0.4 if len(shown) < 5 else 0,
            )
        ax.set_yticks(range(len(rows)), values)
        ax.set_ylim(len(rows) - 0.45, -0.55)
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(left=0)
        ax.set_xlabel("P(value | class)" + (f"; {left_out} rarer left out" if left_out else ""))

    return Panel(
        _short(str(table["name"]), 40),
        draw,
        height=min(3.4, max(2.0, 0.9 + 0.17 * len(rows) * max(len(shown), 2))),
    )


def _curves(table: dict, shown: list[int], names: list[str]) -> Panel | None:
    bells = [
        (i, c, table["mean"][c], sqrt(table["variance_used"][c]))
        for i, c in enumerate(shown)
        if table["mean"][c] is not None and table["variance_used"][c] > 0
    ]
    if not bells:
        return None
    low = min(mean - 3.2 * sd for _, _, mean, sd in bells)
    high = max(mean + 3.2 * sd for _, _, mean, sd in bells)
    tops = sorted(1 / (sd * sqrt(2 * pi)) for *_, sd in bells)
    cut = 6 * tops[len(tops) // 2]

    def draw(ax):
        for i, c, mean, sd in bells:
            near = [mean + sd * k / 40 for k in range(-160, 161)]
            x = sorted([low + (high - low) * k / 300 for k in range(301)] + near)
            y = [exp(-0.5 * ((v - mean) / sd) ** 2) / (sd * sqrt(2 * pi)) for v in x]
            ax.plot(x, y, **_look(i), label=names[c])
            ax.fill_between(x, y, color=COLORS[i % 8], alpha=0.07, linewidth=0)
        if tops[-1] > cut:
            ax.set_ylim(top=cut)
        ax.set_ylim(bottom=0)
        ax.set_xlim(low, high)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(
            "density given the class" + ("; highest peaks cut off" if tops[-1] > cut else "")
        )

    return Panel(_short(str(table["name"]), 40), draw, height=2.4)
