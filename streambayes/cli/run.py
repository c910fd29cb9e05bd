"""`run`: predict, print, account for, learn; the summary at the end."""

from __future__ import annotations

import os
import sys
from time import perf_counter

from ..evaluation.account import Account
from ..evaluation.prequential import IS_MALFORMED, NEEDS_BYTES, NEEDS_FLUSH, Prequential
from ..learners.registry import learner_from
from ..records.problems import InputError, StreamBayesError, UsageError
from ..records.stream import Interrupted
from .figures import Curve, add_figure_options, new_course
from .options import Complaints, Parser, add_input_options, count, opened_stream, refuse_text
from .output import Output, silence_stdout
from .signals import Signals

HELP = """\
Predict, print, account for and learn the records of a stream, one by one.

examples:
  python -m streambayes examples/weather.csv
  cat data.csv | python -m streambayes -m nb:estimate=laplace -t class --only
  python -m streambayes -q --every 10000 --summary json big.csv.gz
  tail -f log.jsonl | python -m streambayes -t status --output jsonl --proba"""
PROGRESS = 100_000
NEVER = 1 << 62


def parser() -> Parser:
    p = Parser(
        prog="streambayes", usage="python -m streambayes [run] [OPTIONS] [FILE …]", description=HELP
    )
    add_input_options(p)
    add = p.add_argument_group("learning").add_argument
    add(
        "-m",
        "--model",
        default="nb",
        metavar="NAME[:KEY=VALUE,…]",
        help="the model and its parameters (default nb); `models` lists them",
    )
    add(
        "--delay",
        type=count,
        default=0,
        metavar="N",
        help="a record's label comes just before the N-th record after it is predicted",
    )
    add("--no-learn", action="store_true", help="predict and score only")
    add = p.add_argument_group("output").add_argument
    add(
        "--output",
        choices=("same", "csv", "tsv", "jsonl"),
        default="same",
        help="how records are printed",
    )
    add(
        "--proba",
        action="store_true",
        help="append the probabilities of all labels as a JSON object",
    )
    add("--only", action="store_true", help="print the answers without the records")
    add(
        "-q",
        "--quiet",
        action="store_true",
        help="print no records; the summary goes to standard output",
    )
    add(
        "--summary", choices=("text", "json", "none"), default="text", help="the summary at the end"
    )
    add_figure_options(p)
    return p


class Run:
    """One prequential run and what it was told to do."""

    def __init__(self, options):
        self.options = options
        self.output = Output()
        self.began = perf_counter()
        self.learner = learner_from(options.model)
        self.account = Account(self.learner.schema, new_course(options))
        self.curve = Curve(options)
        self.failure: StreamBayesError | None = None
        self.stream = None
        self.writer = None
        self.loop = None
        self.signals = Signals()
        self.bar = None
        self.rows = 0

    def main(self) -> int:
        with self.signals:
            self.stream = opened_stream(self.options, self.learner.schema, self.signals.wait)
            reader = self.stream.start()
            refuse_text(self.learner, self.stream.kinds_by_name())
            try:
                if reader is not None:
                    self._go(reader)
            except Interrupted:
                pass
            except BrokenPipeError:
                silence_stdout()
            except InputError as e:
                self.failure = e
            finally:
                self._settle()
            return self._end(self.signals.number)

    def _settle(self):
        if self.loop is not None:
            self.loop.settle_all()
        if self.bar is not None:
            self.bar.close()

    def _go(self, reader):
        options = self.options
        if not options.quiet:
            from ..records.writer import RecordWriter

            named = self.stream.format in ("arff", "jsonl") or not options.no_header
            self.writer = RecordWriter(
                self.stream.format,
                options.output,
                echo=not options.only,
                proba=options.proba,
                header=named,
                delimiter=self.stream.options.get("delimiter"),
            )
        self.loop = Prequential(
            self.learner, self.account, self.writer, options.delay, not options.no_learn
        )
        complaints = Complaints()
        if self.writer is not None and reader.layout():
            self.writer.begin(reader, self.stream.raw_header)
        limit = self._next_limit()
        while True:
            status = self.loop.run(reader, limit)
            if status == NEEDS_BYTES:
                self._flush()
                if (
                    self.signals.number and not self.stream.source.pushed_back
                ):  # files that are read at once
                    return
                if not self.stream.pump():
                    return
            elif status == IS_MALFORMED:
                message = reader.problem_message()
                if options.on_error == "fail":
                    raise InputError(message)
                self.account.skipped_records += 1
                self._flush()
                complaints.add(message)
            elif status == NEEDS_FLUSH:
                self._flush()
            else:
                self._pause()
                limit = self._next_limit()

    def _flush(self):
        if self.writer is not None:
            block = self.writer.take()
            if block:
                self.output.write(block)

    def _next_limit(self) -> int:
        n = self.account.records
        steps = [
            self.options.every,
            self.curve.step,
            PROGRESS if self.bar is not None or self._wants_bar() else 0,
        ]
        return min([n - n % step + step for step in steps if step], default=NEVER)

    def _wants_bar(self) -> bool:
        """A bar is for a person who would see nothing else."""
        return (
            sys.stderr.isatty()
            and not self.options.every
            and (self.options.quiet or not sys.stdout.isatty())
        )

    def _pause(self):
        n, every = self.account.records, self.options.every
        if self.curve.is_due(n):
            self.curve.add(self.account, self.learner)
        if every and n % every == 0:
            self._flush()
            self._say(self._row())
        elif self.bar is not None:
            self.bar.update(PROGRESS)
        elif perf_counter() - self.began > 2:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self.bar = tqdm(
                unit=" records", unit_scale=True, initial=n, leave=False, file=sys.stderr
            )

    def _row(self) -> str:
        from .summary import progress_row

        self.rows += 1
        style = "json" if self.options.summary == "json" else "text"
        return progress_row(
            self.account, self.learner, perf_counter() - self.began, style, self.rows == 1
        )

    def _say(self, text: str):
        """To standard error; with -q to standard output."""
        data = (text + "\n").encode("utf-8", "backslashreplace")
        if self.options.quiet:
            self.output.write(data)
        else:
            sys.stderr.flush()
            try:
                os.write(2, data)
            except OSError:
                pass

    def _end(self, signal_number: int) -> int:
        if not self.output.broken:
            try:
                self._flush()
                figures = self._figures()
                if self.options.summary != "none":
                    self._say(self._summary(figures))
                self._draw(figures)
            except BrokenPipeError:
                silence_stdout()
            except InputError as e:
                self.failure = self.failure or e
        if self.failure is not None:
            raise self.failure
        return 128 + signal_number if signal_number else 0

    def _figures(self) -> dict:
        from .summary import summary

        return summary(
            self.account, self.learner, self.stream.kinds_by_name(), perf_counter() - self.began
        )

    def _summary(self, figures: dict) -> str:
        from .summary import as_json, as_text

        return as_json(figures) if self.options.summary == "json" else as_text(figures)

    def _draw(self, figures: dict):
        """The last row of the curve; the pictures and the report."""
        if self.options.delay > 1 or not self.curve.is_due(self.account.records):
            self.curve.add(self.account, self.learner)
        self.curve.close()
        if self.options.plot or self.options.report:
            from .report import draw_run

            draw_run(self.options, figures, self.curve.points)


def main(arguments: list[str]) -> int:
    p = parser()
    options = p.parse_intermixed_args(arguments)
    if not options.files and sys.stdin is not None and sys.stdin.isatty():
        print(
            f"usage: {p.usage}\n"
            "No FILE, and standard input is a terminal; pipe records in, or see --help.",
            file=sys.stderr,
        )
        return 2
    if options.no_learn and options.delay:
        raise UsageError("--delay is about learning, which --no-learn turns off; leave one out")
    return Run(options).main()
