"""Runs the code blocks of a README and says which don't do what they show.

    python scripts/check_readme.py [FILE ...]            (default: the README.md of this project)

- `sh` blocks run under `bash -euo pipefail` and must end with status 0.
- `console` blocks: a line that begins with `$ ` is a command (it goes on after a final backslash),
  what follows is all that it prints, both outputs together. A line `...` stands for any number of
  lines; seconds, records a second and digits behind the eighth may differ. A command may fail if
  all that it prints is shown.
- `python` blocks run in one namespace; `pycon` blocks (and `python` ones with `>>>`) are doctests
  in the same namespace.

A block after the comment `<!-- not run: reason -->` is left out. All blocks of a file run in one
temporary folder that holds the file and `examples/` (the nearest: beside it, above it, or this
project's). The programs of the running Python come first in PATH.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("sh", "console", "python", "pycon")
FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})[ \t]*(?P<kind>[\w+-]*)[^`]*$")
NOT_RUN = re.compile(r"<!--\s*not run:\s*((?:(?!-->).)*?)\s*-->\s*\Z", re.DOTALL)
NUMBER = r"[-+]?\d[\d,_]*(?:\.\d+)?(?:[eE][-+]?\d+)?[kM]?"
BEFORE_UNIT = re.compile(rf"[ \t]*{NUMBER}[ \t]*(?=(?:[mµ]?s\b|records/s|records_per_second\b))")
COMPUTED = re.compile(r"\d+\.\d{9,}(?:e[-+]?\d+)?")
AFTER_NAME = re.compile(rf"\b(seconds|records_per_second)(\"?)[ \t]*[:=]?[ \t]*(?:{NUMBER}|null)")


class Difference(Exception):
    """What a block did that it doesn't show."""


@dataclass
class Block:
    """A fenced block: where its first line of code stands, what it is, and why it isn't run."""

    line: int
    kind: str
    code: str
    not_run: str | None


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a Markdown text, of whatever kind."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        at += 1
        if not opening:
            continue
        first, marks = at, opening["marks"]
        close = re.compile(rf"^[ \t]*{re.escape(marks)}{re.escape(marks[0])}*[ \t]*$")
        while at < len(lines) and not close.match(lines[at]):
            at += 1
        reason = NOT_RUN.search("\n".join(lines[: first - 1]))
        code = textwrap.dedent("".join(line + "\n" for line in lines[first:at]))
        yield Block(first + 1, opening["kind"], code, reason[1] if reason else None)
        at += 1


class Runner:
    """Runs blocks one after the other in a folder."""

    def __init__(self, folder: Path, name: str, limit: float) -> None:
        self.folder, self.name, self.limit = folder, name, limit
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        # not resolved: in a virtual environment the link's own folder is what counts
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        self.environment = {**os.environ, "PATH": path}

    def bash(self, script: str, *options: str) -> tuple[int, str]:
        """The status of a script and all that it printed."""
        with subprocess.Popen(
            ["bash", *options, "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as child:
            try:
                printed = child.communicate(timeout=self.limit)[0]
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                raise Difference(f"not done after {self.limit:g} s:\n{script}") from None
        return child.returncode, printed.decode(errors="replace")

    def sh(self, block: Block) -> None:
        status, printed = self.bash(block.code, "-euo", "pipefail")
        if status:
            raise Difference(f"status {status}; it printed\n{printed}")

    def console(self, block: Block) -> None:
        for command, expected in commands(block.code):
            status, printed = self.bash(command)
            if not matches(expected, printed):
                raise Difference(f"$ {command}\nexpected\n{expected}\ngot\n{printed}")
            if status and "..." in (line.strip() for line in expected.splitlines()):
                raise Difference(f"$ {command}\nstatus {status}; it printed\n{printed}")

    def python(self, block: Block) -> None:
        if re.search(r"^>>> ", block.code, re.MULTILINE):
            return self.pycon(block)
        # the empty lines make the traceback name the file's own lines
        source = "\n" * (block.line - 1) + block.code
        printed = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
            try:
                exec(compile(source, self.name, "exec"), self.namespace)
            except (Exception, SystemExit) as e:
                raise Difference(printed.getvalue() + "".join(traceback.format_exception(e))) from e

    def pycon(self, block: Block) -> None:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        parser, printed = doctest.DocTestParser(), io.StringIO()
        try:
            test = parser.get_doctest(
                block.code, self.namespace, self.name, self.name, block.line - 1
            )
        except ValueError as e:
            raise Difference(str(e)) from e
        with contextlib.chdir(self.folder):
            runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
            runner.run(test, out=printed.write, clear_globs=False)
        self.namespace.update(test.globs)
        if not test.examples:
            raise Difference("there is no >>> in it")
        if runner.failures:
            raise Difference(printed.getvalue())


def commands(code: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output shown below it."""
    command, shown, goes_on = "", "", False
    for line in code.splitlines():
        if goes_on:
            command += "\n" + line.removeprefix("> ")
        elif line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], ""
        elif command:
            shown += line + "\n"
            continue
        elif line.strip():
            raise Difference(f"output before any command: {line}")
        goes_on = line.endswith("\\")
    if not command:
        raise Difference("there is no line that begins with `$ `")
    yield command, shown


def matches(expected: str, got: str) -> bool:
    """Whether an output is as shown, `...` lines, outer blanks and timings aside."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in normal(expected)
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in normal(got))) is not None


def normal(text: str) -> list[str]:
    """The lines without outer blanks, # in place of each time and speed, computed numbers rounded.

    The last digits of a probability may differ between C libraries.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    lines = [AFTER_NAME.sub(r"\1\2 #", line) for line in lines]
    lines = [COMPUTED.sub(lambda found: f"{float(found[0]):.8g}", line) for line in lines]
    return [BEFORE_UNIT.sub(" # ", line).strip() for line in lines]


def check(path: Path, limit: float) -> tuple[int, int]:
    """Runs a file's blocks, prints a line for each, and counts what passes and what fails."""
    passed = failed = 0
    above = path.resolve().parent
    folders = [place / "examples" for place in (above, above.parent, ROOT)]
    name = os.path.relpath(path)
    with tempfile.TemporaryDirectory(prefix="readme-") as work:
        shutil.copy(path, work)
        for examples in folders:
            if examples.is_dir():
                shutil.copytree(examples, Path(work, "examples"))
                break
        runner = Runner(Path(work), name, limit)
        for block in blocks(path.read_text(encoding="utf-8")):
            if block.kind not in KINDS:
                continue
            where = f"{name}:{block.line} {block.kind}"
            if block.not_run is not None:
                print(f"not run {where}: {block.not_run}", flush=True)
                continue
            try:
                getattr(runner, block.kind)(block)
            except Difference as e:
                print(f"FAIL {where}: {str(e).rstrip()}", flush=True)
                failed += 1
            else:
                print(f"ok {where}", flush=True)
                passed += 1
    return passed, failed


def main() -> int:
    about, _, rules = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rules, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, default=[ROOT / "README.md"])
    parser.add_argument(
        "--limit", type=float, default=120, metavar="SECONDS", help="for a command (default 120)"
    )
    options = parser.parse_args()
    passed = failed = 0
    for path in options.files:
        try:
            counts = check(path, options.limit)
        except OSError as e:
            print(f"{e.filename or path}: {e.strerror}", file=sys.stderr)
            return 1
        passed, failed = passed + counts[0], failed + counts[1]
    print(f"{passed} passed, {failed} failed")
    if not passed + failed:
        print("no block was run", file=sys.stderr)
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
