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

`Fading` and `Sliding` are `streambayes.drift`'s, around one of these classes.
"""

from __future__ import annotations

from typing import Any

from river import base

from . import _HOMES

# The learners themselves are imported with the first class that is asked for.
_LEARNERS = [name for name, home in _HOMES.items() if home.startswith("learners.")]
_AROUND = ["Fading", "Sliding"]  # of drift.py
__all__ = [*_LEARNERS, *_AROUND]


class _Estimator:
    """What river expects of any estimator, over the compiled class that follows in the bases."""

    __repr__ = base.Base.__repr__
    __str__ = base.Base.__str__

    @classmethod
    def _unit_test_params(cls):
        yield {}
        for p in cls.PARAMETERS:
            yield from ({p.name: choice} for choice in p.choices if choice != p.default)


class _Transformer(_Estimator):
    """And of a transformer: what is nominal for the next step is so from the first record on."""

    def transform_one(self, x):
        """The record with each number replaced by its bin; one bin for all before any is known."""
        return {
            name: EVERYTHING
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
            else value
            for name, value in super().transform_one(x).items()
        }


class _Classifier(_Estimator):
    """And of a classifier."""

    @property
    def _multiclass(self):
        return True

    def clone(self, new_params=None, include_attributes=False):
        """A model with the same parameters; `include_attributes`: and what was learned."""
        clone = base.Base.clone(self, new_params, include_attributes)
        if include_attributes:
            clone.restore(self.state())
        return clone

    def __reduce__(self):
        from .learners.base import rebuilt

        return rebuilt, (type(self), dict(self.parameters), self.state()), self.__dict__ or None

    def __deepcopy__(self, memo):
        from copy import deepcopy

        twin = self.copy()
        twin.__dict__.update(deepcopy(self.__dict__, memo))
        return twin


class _Around:
    """And of a classifier around another one; what a model doesn't take, it refuses."""

    @property
    def _wrapped_model(self):
        return self.model

    @classmethod
    def _unit_test_params(cls):
        from .river import NaiveBayes

        own = {"factor": 0.99} if cls.__name__ == "Fading" else {"size": 50}
        yield {"model": NaiveBayes(), **own}

    def clone(self, new_params=None, include_attributes=False):
        """As learners are cloned; `include_attributes`: the model inside keeps what it learned."""
        clone = base.Base.clone(self, new_params, include_attributes)
        if include_attributes and "model" not in (new_params or {}):
            clone.model = self.model.clone(include_attributes=True)
        return clone

    def learn_one(self, x, y, w=1.0, **kwargs):
        super().learn_one(x, y, w, **kwargs)

    def learn_many(self, X, y, w=1.0, **kwargs):
        super().learn_many(X, y, w, **kwargs)

    def predict_one(self, x, **kwargs):
        return self.model.predict_one(x, **kwargs)

    def predict_proba_one(self, x, **kwargs):
        return self.model.predict_proba_one(x, **kwargs)

    def predict_many(self, X, **kwargs):
        return self.model.predict_many(X, **kwargs)

    def predict_proba_many(self, X, **kwargs):
        return self.model.predict_proba_many(X, **kwargs)


EVERYTHING = "(-inf, inf)"  # the bin of an attribute without a cut
EXAMPLE = """    >>> from streambayes.river import {name}
    >>> model = {name}()
    >>> for x, y in [({{"sky": "rain", "wind": 9.5}}, "in"), ({{"sky": "sun", "wind": 3}}, "out"),
    ...              ({{"sky": "rain", "wind": None}}, "in"), ({{"sky": "sun"}}, "out")]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({{"sky": "sun"}})
    'out'
"""
OF_BINS = """    >>> from streambayes.river import {name}
    >>> bins = {name}()
    >>> for degrees in range(10):
    ...     bins.learn_one({{"degrees": degrees}}, degrees < 5)
    >>> bins.transform_one({{"degrees": 7}})
    {{'degrees': '(4.5, inf)'}}
"""


def _docstring(learner, name: str, example: str) -> str:
    sentence = learner.__doc__.partition("\n")[0]
    rows = [
        f"    {p.name}\n        {p.sentence[0].upper()}{p.sentence[1:]}."
        + (f" One of {', '.join(p.choices)}." if p.choices else "")
        for p in learner.PARAMETERS
    ]
    return f"""{sentence}

    The same learner as `streambayes.{name}`, whose page has the equations, for river.

    Parameters
    ----------
{chr(10).join(rows)}

    Examples
    --------
{example.format(name=name)}    """


def _parameter(name: str) -> property:
    return property(lambda self: self.parameters[name])


def _river_class(name: str):
    """A compiled class as a river estimator; its parameters come from its own table."""
    from inspect import Parameter as Argument
    from inspect import Signature

    import streambayes

    learner = getattr(streambayes, name)
    kind: tuple[Any, Any]
    if name == "Discretizer":
        # a pipeline takes for a step what is a Transformer
        kind = _Transformer, (base.SupervisedTransformer, base.Transformer)
        example = OF_BINS
    else:
        kind = _Classifier, (base.MiniBatchClassifier,)
        example = EXAMPLE

    def __init__(self, **parameters):  # noqa: N807
        super(cls, self).__init__(**parameters)

    signature = Signature(
        [Argument("self", Argument.POSITIONAL_OR_KEYWORD)]
        + [Argument(p.name, Argument.KEYWORD_ONLY, default=p.default) for p in learner.PARAMETERS]
    )
    setattr(__init__, "__signature__", signature)  # noqa: B010
    members: dict[str, Any] = {p.name: _parameter(p.name) for p in learner.PARAMETERS}
    members |= {
        "__init__": __init__,
        "__doc__": _docstring(learner, name, example),
        "__module__": __name__,
    }
    metaclass: Any = type(base.Estimator)
    cls = metaclass(name, (kind[0], learner, *kind[1]), members)
    return cls


def _class_around(name: str):
    """A class of drift.py as a river estimator, with its own docstring."""
    from inspect import signature

    from . import drift

    learner = getattr(drift, name)

    def __init__(self, model, *given, **named):  # noqa: N807
        if not (isinstance(model, base.Classifier) and hasattr(model, "forget_one")):
            raise drift.UsageError(
                f"a {type(model).__name__} is no learner of streambayes.river; give such a one"
            )
        super(cls, self).__init__(model, *given, **named)

    setattr(__init__, "__signature__", signature(learner.__init__))  # noqa: B010
    doc = learner.__doc__.replace("from streambayes import", "from streambayes.river import")
    doc = doc.replace("from streambayes.drift import", "from streambayes.river import")
    metaclass: Any = type(base.Estimator)
    cls = metaclass(
        name,
        (_Around, learner, base.Wrapper, base.MiniBatchClassifier),
        {"__init__": __init__, "__doc__": doc, "__module__": __name__},
    )
    return cls


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = cls = _class_around(name) if name in _AROUND else _river_class(name)
    return cls


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
