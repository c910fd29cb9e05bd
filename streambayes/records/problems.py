"""What can go wrong, by who has to mend it: the class decides the exit status."""

from __future__ import annotations


class StreamBayesError(Exception):
    """A one-line message: what is wrong; what to do."""

    status = 1


class InputError(StreamBayesError):
    """The input can't be read as asked; the message begins with FILE:LINE where there is a line."""


class MalformedHeader(InputError):
    """A header with empty or repeated names, or one that differs from the first file's."""


class ModelFileError(StreamBayesError):
    """A model file that is damaged, foreign or newer."""


class UsageError(StreamBayesError, ValueError):
    """Wrong usage: an unknown column, model, parameter or value."""

    status = 2


def reason(error: OSError) -> str:
    """What the system says, as the middle of a sentence."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
