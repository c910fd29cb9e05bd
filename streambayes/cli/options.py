"""Options that commands share, each declared once: parsing, help and docs come from here."""

from __future__ import annotations

import argparse
import os
import sys

from ..records.problems import UsageError

COLUMN_OPTIONS = ("--target", "--numeric", "--nominal", "--text", "--drop", "--weight")


def help_format(prog: str) -> argparse.HelpFormatter:
    """Help as wide as the screen; argparse would import shutil and more to find that out."""
    try:
        width = int(os.environ.get("COLUMNS", 0)) or os.get_terminal_size(1).columns
    except (ValueError, OSError):
        width = 80
    return argparse.RawDescriptionHelpFormatter(prog, width=max(40, min(width, 120)) - 2)


class Parser(argparse.ArgumentParser):
    """Wrong usage is one line and status 2."""

    def __init__(self, **given):
        super().__init__(formatter_class=help_format, allow_abbrev=False, **given)

    def error(self, message):
        raise UsageError(f"{message}; see python -m {self.prog} --help")

    def parse_known_intermixed_args(self, args=None, namespace=None):
        """Takes `--drop -1,2` as `--drop=-1,2`: argparse knows lone negative numbers only."""
        joined = []
        for text in args:
            if joined and joined[-1] in COLUMN_OPTIONS and text[:1] == "-" and text[1:2].isdigit():
                joined[-1] += "=" + text
            else:
                joined.append(text)
        return super().parse_known_intermixed_args(joined, namespace)

    def _print_message(self, message, file=None):
        """Help is UTF-8, whatever the locale."""
        if message:
            from .output import Output

            Output().write(message.encode())


class Complaints:
    """Messages about malformed records that are passed over: the first ten are shown."""

    MOST = 10

    def __init__(self):
        self.count = 0

    def add(self, message: str) -> None:
        self.count += 1
        if self.count <= self.MOST:
            print(message, file=sys.stderr, flush=True)


def columns(text: str) -> list[str]:
    """Comma-separated names or positions; a name with a comma stands in double quotes."""
    if '"' not in text:
        return text.split(",")
    import csv

    return next(csv.reader([text]))


def character(text: str) -> str:
    """One ASCII character; \\t, tab and the like are understood."""
    text = {
        "\\t": "\t",
        "tab": "\t",
        "comma": ",",
        "semicolon": ";",
        "pipe": "|",
        "space": " ",
    }.get(text, text)
    if len(text) != 1 or not text.isascii() or text in '"\n\r':
        raise argparse.ArgumentTypeError(f"{text!r} is not one plain character")
    return text


def decimal_mark(text: str) -> str:
    text = character(text)
    if text.isalnum() or text in "+- ":
        raise argparse.ArgumentTypeError(f"{text!r} can't be a decimal mark")
    return text


def count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0")
    return number


def factor(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and up to 1")
    return number


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """What is read, and as what."""
    add = parser.add_argument_group("input").add_argument
    add(
        "files",
        nargs="*",
        metavar="FILE",
        help="files, several as one stream; - or none: standard input",
    )
    add(
        "-t",
        "--target",
        metavar="COL",
        help="the label's column: a name, else a position from 1 (negative: from the end); "
        "default: the last",
    )
    add(
        "--format",
        choices=("auto", "csv", "tsv", "ws", "arff", "jsonl"),
        default="auto",
        help="auto looks at the first line only",
    )
    add("-F", "--delimiter", type=character, metavar="C", help="what separates the fields of csv")
    add(
        "--no-header",
        action="store_true",
        help="the first record is data; columns are named 1, 2, …",
    )
    add(
        "--skip-lines",
        type=count,
        default=0,
        metavar="N",
        help="lines to pass over in front of the header",
    )
    add("--skip-initial-space", action="store_true", help="blanks behind a delimiter don't count")
    add("--comment", metavar="C", help="lines that begin with C are passed over")
    add(
        "--numeric",
        type=columns,
        action="extend",
        default=[],
        metavar="COLS",
        help="columns to be read as numbers (names or positions, comma-separated)",
    )
    add(
        "--nominal",
        type=columns,
        action="extend",
        default=[],
        metavar="COLS",
        help="columns to be read as nominal",
    )
    add(
        "--text",
        type=columns,
        action="extend",
        default=[],
        metavar="COLS",
        help="columns to be read as text",
    )
    add(
        "--drop",
        type=columns,
        action="extend",
        default=[],
        metavar="COLS",
        help="columns to be left out",
    )
    add("--weight", metavar="COL", help="column of the records' weights, numbers from 0")
    add(
        "--missing",
        type=lambda s: s.split(","),
        metavar="MARKERS",
        help="comma-separated words that stand for a missing value, in place of ?",
    )
    add(
        "--decimal",
        type=decimal_mark,
        default=".",
        metavar="C",
        help="the decimal mark (default .)",
    )
    add("--encoding", metavar="NAME", help="of the input (default: strict UTF-8)")
    add(
        "--on-error",
        choices=("fail", "skip"),
        default="fail",
        help="what a malformed record does: end the run, or be counted and passed over",
    )


def opened_stream(options, schema, wait=None, columns=None):
    """The stream that the options name, not started yet; `columns` as `Stream` has them."""
    from ..records.source import Source
    from ..records.stream import Stream

    if options.delimiter is not None and options.delimiter == options.decimal:
        raise UsageError(
            f"{options.decimal!r} can't be both the delimiter and the decimal mark; choose two"
        )
    if options.delimiter and options.format not in ("auto", "csv", "tsv"):
        raise UsageError(f"--delimiter is for csv, not for {options.format}; leave one out")
    source = Source(options.files, encoding=options.encoding, wait=wait)
    return Stream(
        schema,
        source,
        target=options.target,
        weight=options.weight,
        format=options.format,
        numeric=options.numeric,
        nominal=options.nominal,
        text=options.text,
        drop=options.drop,
        on_error=options.on_error,
        columns=columns,
        delimiter=options.delimiter,
        no_header=options.no_header or None,
        skip_lines=options.skip_lines,
        skip_initial_space=options.skip_initial_space or None,
        comment=options.comment,
        missing=options.missing,
        decimal=options.decimal,
        encoding=options.encoding,
    )


def is_model_file(path: str) -> bool:
    """Whether a regular file begins as model files do (see modelfile.MAGIC)."""
    import os

    try:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(8) == b"\x89SBAYES\n"
    except OSError:
        pass  # said when it is read
    return False


def agreeing(learner, spec: str, path: str):
    """Refuses a -m that disagrees with a loaded model in its name or a parameter it spells out."""
    from ..learners.parameters import parsed
    from ..learners.registry import learner_from

    name, _, text = spec.partition(":")
    asked = learner_from(spec).effective_parameters()
    if name != learner.NAME:
        raise UsageError(f"{path} holds the model {learner.NAME}, not {name}; leave -m out")
    held = learner.effective_parameters()
    for key in parsed(name, learner.PARAMETERS, text):
        if asked[key] != held[key]:
            raise UsageError(
                f"{path} holds a model with {key}={spelled_value(held[key])}, "
                f"not {spelled_value(asked[key])}; leave {key} out"
            )


def spelled_value(value) -> str:
    """A parameter's value as a command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def refuse_text(learner, kinds: dict[str, str]) -> None:
    """Ends a run whose model can't take an attribute: one line, status 1."""
    from ..records.problems import InputError

    for name, kind in kinds.items():
        if kind == "text":
            raise InputError(
                f"the model {learner.NAME} takes no text, which {name} is; "
                f"leave it out with --drop {name}"
            )
