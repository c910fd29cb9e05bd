"""Checkpoints of `run --resume`: what a killed run needs to go on as if nothing had happened.

A checkpoint stands beside the model file of `--save`, under its name with `.resume` behind it. It
is a container like a model file (docs/model-file.md) and holds the model too, so that one rename
makes it whole. It goes when the run has come to its end.
"""

from __future__ import annotations

import os
from struct import Struct
from typing import Any

import msgspec

from .. import modelfile
from ..evaluation.prequential import IS_MALFORMED, NEEDS_BYTES, READ_AGAIN
from ..records.problems import InputError, ModelFileError, UsageError
from ..records.source import Source

MAGIC = b"\x89SBRUN\r\n"
WAITING = Struct("<id")  # label predicted, probability of the true one
LATEST = 256  # bytes of the latest record that are compared
ACCOUNT = ("counters", "sums", "scored.counts", "scored.sizes", "scored.tags", "scored.bytes")
FREE = {"summary", "every", "checkpoint"}  # options that may be others when a run goes on

Position = tuple[int, int, int]  # file from 0, bytes of it before that, line


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """What a checkpoint says of the run."""

    options: dict[str, str]
    start: Position  # where reading begins again ...
    position: Position  # ... and where it goes on
    columns: list[tuple[str, str, str]]
    format: str
    written: int | None  # bytes of the answers' file
    header_due: bool
    written_columns: list[modelfile.Size]
    arrays: list[tuple[str, modelfile.Size]]


def path_of(options: Any) -> str:
    """Where a run's checkpoint stands."""
    return f"{options.save}.resume"


def spelled_options(options: Any) -> dict[str, str]:
    """The options that a run must have again to go on, as text."""
    return {name: ascii(value) for name, value in sorted(vars(options).items()) if name not in FREE}


class Checkpoint:
    """A run's state between two records."""

    def __init__(self, header: Header, arrays: dict[str, bytes]):
        self.header = header
        self.arrays = arrays

    # ------------------------------------------------------------ writing
    @classmethod
    def of(cls, run: Any) -> Checkpoint:
        """What the run is at now, just behind a record."""
        reader, loop = run.stream.reader, run.loop
        header_due, columns = run.writer.progress() if run.writer else (False, [])
        arrays = {
            "model": modelfile.to_bytes(run.learner),
            **run.account.state(),
            "waiting": b"".join([WAITING.pack(*row) for row in loop.waiting()]),
            "latest": reader.latest_bytes(LATEST),
        }
        header = Header(
            spelled_options(run.options),
            loop.start_again(),
            reader.position(),
            reader.layout(),
            run.stream.format,
            run.output.written,
            header_due,
            columns,
            [(name, len(value)) for name, value in arrays.items()],
        )
        return cls(header, arrays)

    def save(self, path: str) -> None:
        modelfile.write(path, modelfile.packed(self.header, list(self.arrays.values()), MAGIC))

    # ------------------------------------------------------------ reading
    @classmethod
    def load(cls, path: str, options: Any) -> Checkpoint:
        """A run's latest checkpoint.

        Raises
        ------
        ModelFileError
            If it is damaged.
        UsageError
            If it belongs to another command.
        """
        try:
            header, arrays = modelfile.unpacked(modelfile.read(path, MAGIC), Header, MAGIC)
        except ModelFileError as e:
            what = str(e).partition(";")[0].replace("model file", "checkpoint")
            raise ModelFileError(f"{path}: {what}; remove it to begin anew") from None
        names = [name for name, _ in header.arrays]
        if names != ["model", *ACCOUNT, "waiting", "latest"]:
            raise ModelFileError(
                f"{path}: not a checkpoint of this streambayes; remove it to begin anew"
            )
        now = spelled_options(options)
        for name in sorted(now.keys() | header.options.keys()):
            before = header.options.get(name)
            if before != now.get(name):
                what = "FILE" if name == "files" else "--" + name.replace("_", "-")
                raise UsageError(
                    f"{path} is of a run with {what} {before}, not {now.get(name)}; "
                    "give the same command again, or remove it to begin anew"
                )
        return cls(header, dict(zip(names, arrays, strict=True)))

    def learner(self) -> Any:
        """The model as it was."""
        return modelfile.from_bytes(self.arrays["model"])

    def restore_account(self, account: Any) -> None:
        account.restore({name: self.arrays[name] for name in ACCOUNT})

    def take_up(self, run: Any, wait: Any) -> None:
        """Puts a run that has been started where it was, its waiting records in their queue.

        Raises
        ------
        InputError
            If the input is no longer what it was.
        """
        header, stream, options = self.header, run.stream, run.options
        waiting = [tuple(row) for row in WAITING.iter_unpack(self.arrays["waiting"])]
        number, offset, line = header.start
        paths = options.files[number:]
        changed = InputError(
            f"{path_of(options)}: the input is no longer what it was at the checkpoint; "
            "remove the checkpoint to begin anew"
        )
        if not 0 <= number < len(options.files) or offset < 0 or line < 1:
            raise changed
        stream.go_to(
            Source(paths, encoding=options.encoding),
            number,
            offset,
            line,
            Source(paths, encoding=options.encoding, wait=wait, skip=offset),
        )
        for _ in range(max(len(waiting), 1)):
            while (status := run.loop.read_again(stream.reader, waiting)) != READ_AGAIN:
                if (status == NEEDS_BYTES and not stream.pump()) or (
                    status == IS_MALFORMED and options.on_error == "fail"
                ):
                    raise changed
        latest = stream.reader.latest_bytes(LATEST)
        if stream.reader.position() != header.position or latest != self.arrays["latest"]:
            raise changed


def refuse_misuse(options: Any) -> None:
    """What `--resume` needs."""
    if options.save is None or not options.checkpoint:
        raise UsageError("--resume needs --save FILE and --checkpoint N; give both")
    for path in options.files or ["-"]:
        if path == "-":
            raise UsageError("--resume can't read standard input a second time; name a file")
        if os.path.exists(path) and not os.path.isfile(path):
            raise UsageError(f"--resume can't read {path} a second time; name a regular file")
