"""The options for figures over the stream, and the rows that come of them."""

from __future__ import annotations

import argparse

from ..records.problems import UsageError

CURVE_STEP = 1000  # records between the rows of --curve and the points of pictures, without --every


def fraction(text: str) -> float:
    try:
        x = float(text)
    except ValueError:
        x = 0.0
    if not 0 < x < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a factor between 0 and 1")
    return x


def add_figure_options(parser: argparse.ArgumentParser) -> None:
    """What is accounted for beside the summary's figures, and where it goes."""
    from .options import count

    add = parser.add_argument_group("figures").add_argument
    add(
        "--every", type=count, default=0, metavar="N", help="print a row of figures every N records"
    )
    add(
        "--window",
        type=count,
        default=0,
        metavar="N",
        help="figures of the last N scored records as well",
    )
    add(
        "--fading",
        type=fraction,
        default=0.0,
        metavar="A",
        help="figures in which each record multiplies the weight of those before it by A, as 0.999",
    )
    add(
        "--curve",
        metavar="FILE.csv|jsonl",
        help=f"write the rows to FILE (every {CURVE_STEP} records, without --every)",
    )
    add(
        "--figures",
        choices=("few", "all"),
        default="few",
        help="all: Brier score, calibration error, kappa against simple classifiers and an "
        "anytime interval too",
    )
    add("--plot", metavar="FILE.png|svg|pdf", help="draw the run (needs matplotlib)")
    add(
        "--report",
        metavar="FILE.html",
        help="one page with the summary, tables and pictures (needs matplotlib)",
    )


def wants_more(options) -> bool:
    """Whether figures beyond the summary's own and the rows of --every were asked for."""
    return bool(
        options.window
        or options.fading
        or options.curve
        or options.plot
        or options.report
        or options.figures == "all"
    )


def new_course(options):
    """A Course as the options have it, or None."""
    if not wants_more(options) and (not options.every or options.resume):
        return None
    from ..evaluation.course import Course

    anytime = options.curve or options.plot or options.report or options.figures == "all"
    return Course(options.window, options.fading, bool(anytime))


class Curve:
    """Takes the rows of one or more learners where they are due, to the file and the pictures."""

    def __init__(self, options):
        self.step = 0
        self.file = None
        self.points: list[dict] | None = [] if options.plot or options.report else None
        if options.plot:
            from ..evaluation.plots import check_picture_file

            check_picture_file(options.plot)
        if options.report and not options.report.lower().endswith((".html", ".htm")):
            raise UsageError(
                f"{options.report}: a report is written as .html; give the file that ending"
            )
        if options.curve:
            from ..evaluation.curve import CurveFile

            self.file = CurveFile(options.curve)
        if self.file is not None or self.points is not None:
            self.step = options.every or CURVE_STEP
        if self.points is not None:
            from ..evaluation.plots import require_matplotlib

            require_matplotlib()

    def is_due(self, records: int) -> bool:
        return bool(self.step) and records % self.step == 0

    def add(self, account, learner, name: str | None = None) -> None:
        """Takes the figures of a learner as they are now."""
        if not self.step:
            return
        from ..evaluation.curve import row_of

        row = row_of(account, learner.classes)
        if name is not None:
            row = {"model": name, **row}
        if self.file is not None:
            self.file.add(row)
        if self.points is not None:
            self.points.append(row)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
