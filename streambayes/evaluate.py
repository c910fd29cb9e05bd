"""How good is it, and is it better: for this package's learners and any with river's methods.

`prequential` runs models over a stream, `cross_validate` and `compare` over data sets; `intervals`
and `tests` hold the statistics as plain functions.
"""

from __future__ import annotations

from .evaluation import intervals, tests
from .evaluation.comparison import (
    Pair,
    Scheme,
    SetComparison,
    StreamComparison,
    compare,
    cross_validate,
    prequential,
    stratified_folds,
)

__all__ = [
    "Pair",
    "Scheme",
    "SetComparison",
    "StreamComparison",
    "compare",
    "cross_validate",
    "intervals",
    "prequential",
    "stratified_folds",
    "tests",
]
