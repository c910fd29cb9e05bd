"""Standard output: UTF-8 whatever the locale, written whole and at once."""

from __future__ import annotations

import os
import stat
import sys

from ..records.problems import InputError, reason


class Output:
    """Standard output, or a file; `broken` once nobody reads it any more.

    Parameters
    ----------
    path : str, optional
        The file; without one it is file descriptor 1.
    kept : int, optional
        So many bytes of the file stay, and what follows them goes.

    Raises
    ------
    InputError
        If the file can't be written, or has fewer bytes.
    """

    def __init__(self, path: str | None = None, kept: int | None = None):
        self.broken = False
        self.fd = 1
        self.name = path or "<stdout>"
        self.written: int | None = None  # bytes of the file
        if path is None:
            return
        self.written = kept = kept or 0
        try:
            self.fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            status = os.fstat(self.fd)
            if stat.S_ISREG(status.st_mode):
                if status.st_size < kept:
                    raise InputError(
                        f"{path}: it has lost answers since the checkpoint; "
                        "remove the checkpoint to begin anew"
                    )
                os.ftruncate(self.fd, kept)
                os.lseek(self.fd, 0, os.SEEK_END)
        except OSError as e:
            raise InputError(f"{path}: {reason(e)}; name a file that can be written") from None

    def write(self, block: bytes) -> None:
        """Raises BrokenPipeError where nobody reads, InputError where it can't be written."""
        view = memoryview(block)
        while view:
            try:
                done = os.write(self.fd, view)
                view = view[done:]
                if self.written is not None:
                    self.written += done
            except BlockingIOError:
                import select

                select.select([], [self.fd], [])
            except BrokenPipeError:
                self.broken = True
                raise
            except OSError as e:
                raise InputError(
                    f"{self.name}: {e.strerror}; the answers can't be written"
                ) from None

    def sync(self) -> None:
        """What was written lasts, where it is a file."""
        if self.written is not None:
            try:
                os.fsync(self.fd)
            except OSError:
                pass  # a pipe or a terminal


def say(text: str) -> None:
    """A text and a line end to standard output."""
    Output().write((text + "\n").encode("utf-8", "backslashreplace"))


def silence_stdout() -> None:
    """Nobody reads standard output any more: keeps Python from complaining about it at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError:
        pass


def occupy_standard_descriptors() -> None:
    """A standard stream that is closed must not become the number of a file or pipe opened later.

    Standard input is then empty, standard error silent, and standard output can't be written.
    """
    for fd, flags in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
