"""The learners as river classifiers.

Each class is the compiled learner itself with river's interface beside its own: `learn_one`,
`predict_one` and the batch methods are called without a wrapper in between. Dicts go in as they
are, strings, numbers, booleans, None and NaN mixed; no encoder is needed.

Examples
--------
>>> from river import evaluate, metrics
>>> from river.datasets import Phishing
>>> from streambayes.river import NaiveBayes
>>> evaluate.progressive_val_score(Phishing(), NaiveBayes(), metrics.Accuracy())
Accuracy: 88.87%
"""

from __future__ import annotations

from inspect import Parameter as Argument
from inspect import Signature
from typing import Any

from river import base

from .learners.base import rebuilt
from .learners.registry import MODELS, learner_class

_NAMES = {cls: name for name, (_, cls, _) in MODELS.items()}
__all__ = list(_NAMES)


class _River:
    """What river expects of an estimator, over the learner that follows in the class's bases."""

    __repr__ = base.Base.__repr__
    __str__ = base.Base.__str__

    @property
    def _multiclass(self):
        return True

    @classmethod
    def _unit_test_params(cls):
        yield {}
        for p in cls.PARAMETERS:
            yield from ({p.name: choice} for choice in p.choices if choice != p.default)

    def clone(self, new_params=None, include_attributes=False):
        """A model with the same parameters; `include_attributes`: and what was learned."""
        clone = base.Base.clone(self, new_params, include_attributes)
        if include_attributes:
            clone.restore(self.state())
        return clone

    def __reduce__(self):
        return rebuilt, (type(self), dict(self.parameters), self.state()), self.__dict__ or None

    def __deepcopy__(self, memo):
        from copy import deepcopy

        twin = self.copy()
        twin.__dict__.update(deepcopy(self.__dict__, memo))
        return twin


def _docstring(learner, name: str) -> str:
    sentence = learner.__doc__.partition("\n")[0]
    rows = [
        f"    {p.name}\n        {p.sentence[0].upper()}{p.sentence[1:]}."
        + (f" One of {', '.join(p.choices)}." if p.choices else "")
        for p in learner.PARAMETERS
    ]
    return f"""{sentence}

    The same learner as `streambayes.{name}`, whose page has the equations, as a river classifier.

    Parameters
    ----------
{chr(10).join(rows)}

    Examples
    --------
    >>> from streambayes.river import {name}
    >>> model = {name}()
    >>> for x, y in [({{"sky": "rain", "wind": 9.5}}, "in"), ({{"sky": "sun", "wind": 3}}, "out"),
    ...              ({{"sky": "rain", "wind": None}}, "in"), ({{"sky": "sun"}}, "out")]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({{"sky": "sun"}})
    'out'
    """


def _parameter(name: str) -> property:
    return property(lambda self: self.parameters[name])


def _river_class(name: str):
    """A learner's class as a river classifier; its parameters come from the learner's own table."""
    learner = learner_class(_NAMES[name])

    def __init__(self, **parameters):  # noqa: N807
        super(cls, self).__init__(**parameters)

    signature = Signature(
        [Argument("self", Argument.POSITIONAL_OR_KEYWORD)]
        + [Argument(p.name, Argument.KEYWORD_ONLY, default=p.default) for p in learner.PARAMETERS]
    )
    setattr(__init__, "__signature__", signature)  # noqa: B010
    members: dict[str, Any] = {p.name: _parameter(p.name) for p in learner.PARAMETERS}
    members |= {"__init__": __init__, "__doc__": _docstring(learner, name), "__module__": __name__}
    metaclass: Any = type(base.MiniBatchClassifier)
    cls = metaclass(name, (_River, learner, base.MiniBatchClassifier), members)
    return cls


def __getattr__(name: str):
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = cls = _river_class(name)
    return cls


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
