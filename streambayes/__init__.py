"""One-pass Bayesian learners on streams: naive Bayes and the AODE family.

Examples
--------
>>> import streambayes
>>> model = streambayes.NaiveBayes()
>>> model.learn_one({"outlook": "sunny", "temperature": 85}, "no")
>>> model.predict_one({"outlook": "sunny"})
'no'
"""

from __future__ import annotations

__version__ = "0.1.0"

# What is asked for is imported then: `python -m streambayes` starts with what it needs.
_HOMES = {
    "NaiveBayes": "learners.naive_bayes",
    "DiscreteNaiveBayes": "learners.discrete_naive_bayes",
    "AODE": "learners.aode",
    "GAODE": "learners.gaode",
    "HAODE": "learners.haode",
    "Discretizer": "learners.discretizer",
    "StreamBayesError": "records.problems",
    "InputError": "records.problems",
    "ModelFileError": "records.problems",
    "UsageError": "records.problems",
    "load": "modelfile",
    "stream": "records.stream",
}
__all__ = list(_HOMES)

TYPE_CHECKING = False  # typing.TYPE_CHECKING, without importing typing
if TYPE_CHECKING:
    from .learners.aode import AODE as AODE
    from .learners.discrete_naive_bayes import DiscreteNaiveBayes as DiscreteNaiveBayes
    from .learners.discretizer import Discretizer as Discretizer
    from .learners.gaode import GAODE as GAODE
    from .learners.haode import HAODE as HAODE
    from .learners.naive_bayes import NaiveBayes as NaiveBayes
    from .modelfile import load as load
    from .records.problems import InputError as InputError
    from .records.problems import ModelFileError as ModelFileError
    from .records.problems import StreamBayesError as StreamBayesError
    from .records.problems import UsageError as UsageError
    from .records.stream import stream as stream


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
