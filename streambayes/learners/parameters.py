"""Parameters of learners: declared once, for the API, the command line and the model file."""

from __future__ import annotations

from collections import namedtuple
from sys import intern

from ..records.problems import UsageError


class Parameter(
    namedtuple("Parameter", "name type default sentence choices minimum", defaults=((), 0))
):
    """One parameter of a learner: its name, type, default, what it does, what it may be."""

    __slots__ = ()

    def parse(self, text: str):
        """The value that a command line's KEY=VALUE spells."""
        if self.type is bool:
            if text.lower() not in ("true", "false"):
                raise UsageError(f"{self.name}={text}: neither true nor false; give one of them")
            return text.lower() == "true"
        if self.type is str or not isinstance(self.type, type):
            return text
        try:
            return self.type(text)
        except ValueError:
            kind = "whole number" if self.type is int else "number"
            raise UsageError(f"{self.name}={text}: not a {kind}; give one") from None

    def check(self, value):
        """The value as this parameter's type, or a UsageError that says what it may be."""
        if value is None:
            return None
        if not isinstance(self.type, type):  # a function that reads what was given
            return self.type(value)
        if self.type is bool:
            if value not in (True, False):
                raise UsageError(f"{self.name}={value!r}: give True or False")
            return bool(value)
        if self.type is str:
            value = intern(str(value))  # so that equal learners pickle to equal bytes
            if self.choices and value not in self.choices:
                raise UsageError(
                    f"{self.name}={value}: unknown; give one of {', '.join(self.choices)}"
                )
            return value
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise UsageError(f"{self.name}={value!r}: not a number; give one")
        number = float(value)
        if not self.minimum <= number <= 1e15 or (self.type is int and number != int(number)):
            kind = "a whole number" if self.type is int else "a number"
            raise UsageError(f"{self.name}={value}: give {kind} from {self.minimum:g}")
        return self.type(number)


def resolved(model: str, table: tuple[Parameter, ...], given: dict) -> dict:
    """All parameters by name: what was given, checked, else the defaults."""
    known = {p.name: p for p in table}
    for name in given:
        if name not in known:
            raise UsageError(f"{model} has no parameter {name}; it has {', '.join(known)}")
    return {
        p.name: p.check(given[p.name]) if given.get(p.name) is not None else p.default
        for p in table
    }


def parsed(model: str, table: tuple[Parameter, ...], text: str) -> dict:
    """The parameters that `KEY=VALUE,KEY=VALUE` names, as a command line has them."""
    known = {p.name: p for p in table}
    given = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(
                f"{model}:{part}: not KEY=VALUE; "
                f"write for example {model}:{table[0].name}={table[0].default}"
            )
        if name not in known:
            raise UsageError(f"{model} has no parameter {name}; it has {', '.join(known)}")
        given[name] = known[name].parse(value)
    return given
