"""Standard output: UTF-8 whatever the locale, written whole and at once."""

from __future__ import annotations

import os
import sys

from ..records.problems import InputError


class Output:
    """File descriptor 1; `broken` once nobody reads it any more."""

    def __init__(self):
        self.broken = False

    def write(self, block: bytes) -> None:
        """Raises BrokenPipeError where nobody reads, InputError where it can't be written."""
        view = memoryview(block)
        while view:
            try:
                view = view[os.write(1, view) :]
            except BlockingIOError:
                import select

                select.select([], [1], [])
            except BrokenPipeError:
                self.broken = True
                raise
            except OSError as e:
                raise InputError(f"<stdout>: {e.strerror}; the answers can't be written") from None


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
