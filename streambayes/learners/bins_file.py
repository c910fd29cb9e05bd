"""Edges of numeric attributes that are given in advance: the parameter `bins_file`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import pairwise

from ..records.problems import InputError, UsageError


def edges_by_column(given) -> dict[str, list[float]]:
    """Column to ascending edges, from a JSON file's name or from a mapping.

    Raises
    ------
    InputError
        For a file that can't be read, or that holds something else.
    UsageError
        For a mapping that is something else.
    """
    if isinstance(given, Mapping):
        return checked(given, "bins_file", UsageError)
    try:
        with open(given, encoding="utf-8") as file:
            content = json.load(file, object_pairs_hook=once_each)
    except OSError as e:
        raise InputError(f"{given}: {e.strerror}; name a file with the edges of bins") from None
    except ValueError as e:
        raise InputError(f"{given}: {e}; write an object of column to ascending edges") from None
    return checked(content, given, InputError)


def once_each(pairs: list) -> dict:
    """A JSON object whose keys are all different."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a column comes twice")
    return content


def is_edge(x) -> bool:
    number = isinstance(x, int | float) and not isinstance(x, bool)
    return number and math.isfinite(x) and abs(x) <= 1e150


def checked(content, source, problem) -> dict[str, list[float]]:
    if not isinstance(content, Mapping):
        raise problem(f"{source}: no object of column to edges; write {{\"column\": [1, 2.5]}}")
    edges = {}
    for name, row in content.items():
        if not isinstance(row, list | tuple) or not all(map(is_edge, row)):
            raise problem(
                f"{source}: the edges of {name!r} are not a list of numbers; write [1, 2.5]"
            )
        edges[str(name)] = [float(x) for x in row]
        if any(low >= high for low, high in pairwise(row)):
            raise problem(
                f"{source}: the edges of {name!r} don't ascend; sort them, without repeated ones"
            )
    return edges
