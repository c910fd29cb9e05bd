"""`run`: predict, print, account for, learn; the summary at the end."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import perf_counter

from ..evaluation.account import Account
from ..evaluation.prequential import IS_MALFORMED, NEEDS_BYTES, NEEDS_FLUSH, Prequential
from ..learners.registry import learner_from
from ..records.problems import InputError, ModelFileError, StreamBayesError, UsageError
from ..records.stream import Interrupted
from .figures import Curve, add_figure_options, new_course, wants_more
from .options import (
    Complaints,
    Parser,
    add_input_options,
    agreeing,
    count,
    factor,
    opened_stream,
    refuse_text,
)
from .output import Output, silence_stdout
from .signals import Signals

HELP = """\
Predict, print, account for and learn the records of a stream, one by one.

examples:
  python -m streambayes examples/weather.csv
  cat data.csv | python -m streambayes -m nb:estimate=laplace -t class --only
  python -m streambayes -q --every 10000 --summary json big.csv.gz
  tail -f log.jsonl | python -m streambayes -t status --output jsonl --proba
  python -m streambayes -q --save play.model examples/weather.csv
  python -m streambayes --load play.model --no-learn examples/weather.csv"""
DETECTORS = ("adwin", "ddm", "page-hinkley", "kswin")
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
    add(
        "--forget",
        type=factor,
        default=1.0,
        metavar="A",
        help="the past fades: all sums are multiplied by A, 0 to 1, before each record is learned",
    )
    add(
        "--sliding",
        type=count,
        default=0,
        metavar="N",
        help="remember exactly the latest N records learned",
    )
    add(
        "--drift",
        choices=DETECTORS,
        metavar="NAME",
        help="start anew when a drift is seen in the errors, by a detector of river's: "
        + ", ".join(DETECTORS),
    )
    add = p.add_argument_group("model files").add_argument
    add("--load", metavar="FILE", help="start from a model; what is given again must agree with it")
    add(
        "--save", metavar="FILE", help="write the model at the end, also after an error or a signal"
    )
    add(
        "--checkpoint",
        type=count,
        default=0,
        metavar="N",
        help="write the model every N records too",
    )
    add(
        "--resume",
        action="store_true",
        help="keep FILE.resume beside the model of --save; go on from it after the run was killed",
    )
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
    add("--to", metavar="FILE", help="write the answers to FILE, in place of standard output")
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
        self.began = perf_counter()
        self.before = self._checkpoint()
        self.learner = self._learner()
        self.account = Account(self.learner.schema, new_course(options))
        self.curve = Curve(options)
        if options.save is not None:
            from ..modelfile import check_writable

            check_writable(options.save)
        if self.before is not None:
            self.before.restore_account(self.account)
        self.output = Output(options.to, self.before.header.written if self.before else None)
        self.screen = Output()
        self.failure: StreamBayesError | None = None
        self.stream = None
        self.writer = None
        self.loop = None
        self.signals = Signals()
        self.bar = None
        self.rows = 0
        self.watch = None
        if options.drift:
            from ..drift import Watch

            self.watch = Watch(options.drift, self._on_drift)
        if options.sliding and self.learner.learned:
            raise UsageError("--sliding begins with an empty model; leave --load out")

    def _checkpoint(self):
        """The checkpoint of a run that is to go on, or None."""
        if not self.options.resume:
            return None
        from .checkpoint import Checkpoint, path_of, refuse_misuse

        refuse_misuse(self.options)
        path = path_of(self.options)
        return Checkpoint.load(path, self.options) if os.path.lexists(path) else None

    def _learner(self):
        """What the run begins with: a checkpoint's learner, a file's, or a new one."""
        options = self.options
        if self.before is not None:
            return self.before.learner()
        if options.load is None:
            return learner_from(options.model or "nb")
        from ..modelfile import load

        learner = load(options.load)
        if options.model is not None:
            agreeing(learner, options.model, options.load)
        return learner

    def main(self) -> int:
        with self.signals:
            columns = self.before.header.columns if self.before else None
            self.stream = opened_stream(
                self.options, self.learner.schema, self.signals.wait, columns
            )
            reader = self.stream.start()
            refuse_text(self.learner, self.stream.kinds_by_name())
            try:
                if reader is not None:
                    self._go(reader)
            except Interrupted:
                pass
            except BrokenPipeError:
                silence_stdout()
            except (InputError, ModelFileError) as e:
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
            self.learner,
            self.account,
            self.writer,
            options.delay,
            not options.no_learn,
            fading=options.forget,
            window=options.sliding,
            watcher=self.watch,
        )
        complaints = Complaints()
        if self.before is not None:
            if self.writer is not None:
                header = self.before.header
                self.writer.resume(reader, header.header_due, header.written_columns)
            self.before.take_up(self, self.signals.wait)
        elif self.writer is not None and reader.layout():
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
        wants_bar = self.bar is not None or self._wants_bar()
        steps = [
            self.options.every,
            self.options.checkpoint,
            self.curve.step,
            PROGRESS if wants_bar else 0,
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
        n, options = self.account.records, self.options
        if self.curve.is_due(n):
            self.curve.add(self.account, self.learner)
        if options.every and n % options.every == 0:
            self._flush()
            self._say(self._row())
        if options.checkpoint and n % options.checkpoint == 0:
            self._save_checkpoint()
        if n % PROGRESS or options.every:
            return
        if self.bar is not None:
            self.bar.update(PROGRESS)
        elif self._wants_bar() and perf_counter() - self.began > 2:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self.bar = tqdm(
                unit=" records", unit_scale=True, initial=n, leave=False, file=sys.stderr
            )

    def _save_checkpoint(self):
        """The model; with --resume first what a later run goes on from."""
        self._flush()
        if self.options.resume:
            from .checkpoint import Checkpoint, path_of

            self.output.sync()
            Checkpoint.of(self).save(path_of(self.options))
        self.learner.save(self.options.save)

    def _on_drift(self, record: int):
        if self.options.summary == "json":
            print(f'{{"drift": {record}}}', file=sys.stderr, flush=True)
        else:
            message = f"drift seen at record {record} ({self.options.drift}); the model starts anew"
            print(message, file=sys.stderr, flush=True)

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
            self.screen.write(data)
        else:
            sys.stderr.flush()
            try:
                os.write(2, data)
            except OSError:
                pass

    def _end(self, signal_number: int) -> int:
        """The last answers, the model, the summary."""
        if not self.output.broken:
            self._attempt(self._flush)
        if self.options.save is not None:
            self._attempt(lambda: self.learner.save(self.options.save))
        figures = self._figures()
        if self.options.summary != "none" and not (self.output.broken or self.screen.broken):
            self._attempt(lambda: self._say(self._summary(figures)))
        self._attempt(lambda: self._draw(figures))
        if self.failure is not None:
            raise self.failure
        if signal_number:
            return 128 + signal_number
        if self.options.resume and not self.output.broken:
            from .checkpoint import path_of

            with suppress(FileNotFoundError):
                os.unlink(path_of(self.options))
        return 0

    def _attempt(self, step):
        """A step of the end, which must not keep the others from being taken."""
        try:
            step()
        except BrokenPipeError:
            silence_stdout()
        except (InputError, ModelFileError) as e:
            if self.failure is not None:
                print(self.failure, file=sys.stderr)
            self.failure = e

    def _figures(self) -> dict:
        from .summary import summary

        figures = summary(
            self.account, self.learner, self.stream.kinds_by_name(), perf_counter() - self.began
        )
        if self.watch is not None:
            figures["drifts"] = self.watch.drifts
        return figures

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


def refuse_overwriting(options):
    """No file is written that is also read, or written twice."""
    read = [("FILE", path) for path in options.files if path != "-"]
    read += [("--load", options.load)] if options.load is not None else []
    for name, path in (("--to", options.to), ("--save", options.save)):
        if path is None or not os.path.isfile(path):
            continue
        for other, taken in read:
            if (name, other) == ("--save", "--load") or not os.path.exists(taken):
                continue
            if os.path.samefile(path, taken):
                raise UsageError(f"{name} {path} is {other} too; name another file")
    if None not in (options.to, options.save) and (
        os.path.realpath(options.to) == os.path.realpath(options.save)
    ):
        raise UsageError(f"--to {options.to} is --save too; name another file")


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
    if options.resume and wants_more(options):
        raise UsageError(
            "--resume keeps the summary's figures alone; leave out --window, --fading, --curve, "
            "--figures, --plot and --report"
        )
    if options.no_learn and options.delay:
        raise UsageError("--delay is about learning, which --no-learn turns off; leave one out")
    if options.checkpoint and options.save is None:
        raise UsageError("--checkpoint needs a file to write; name it with --save")
    if options.to is not None and options.quiet:
        raise UsageError("-q prints no answers that --to could write; leave one out")
    refuse_overwriting(options)
    if options.resume and (options.sliding or options.drift):
        raise UsageError("--resume keeps no window and no detector of drift; leave it out")
    if options.no_learn and (options.forget < 1 or options.sliding or options.drift):
        raise UsageError("--no-learn has no use for --forget, --sliding and --drift; leave one out")
    if options.forget < 1 and options.sliding:
        raise UsageError("--forget fades what --sliding remembers whole; leave one out")
    return Run(options).main()
