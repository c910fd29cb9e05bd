"""The models by the names that the command line has for them."""

from __future__ import annotations

from importlib import import_module

from ..records.problems import UsageError
from .parameters import parsed

MODELS = {
    # name: (module, class, one line)
    "nb": (
        "naive_bayes",
        "NaiveBayes",
        "naive Bayes: nominal values by the m-estimate, numbers as normals",
    ),
    "nb-disc": (
        "discrete_naive_bayes",
        "DiscreteNaiveBayes",
        "naive Bayes on discretised numbers",
    ),
    "aode": (
        "aode",
        "AODE",
        "averaged one-dependence estimators on nominal values and discretised numbers",
    ),
    "gaode": (
        "gaode",
        "GAODE",
        "Gaussian AODE: every numeric attribute in turn as superparent, by regression",
    ),
    "haode": (
        "haode",
        "HAODE",
        "hybrid AODE: discrete superparents, numbers under them as normals",
    ),
}


def learner_class(name: str):
    """The class of a model.

    Raises
    ------
    UsageError
        For a name that no model has.
    """
    if name not in MODELS:
        raise UsageError(f"there is no model {name}; the models are {', '.join(MODELS)}")
    module, cls, _ = MODELS[name]
    return getattr(import_module(f"{__package__}.{module}"), cls)


def learner_from(spec: str):
    """An empty learner from NAME or NAME:KEY=VALUE,…; UsageError for what isn't there."""
    name, _, parameters = spec.partition(":")
    cls = learner_class(name)
    return cls(**parsed(name, cls.PARAMETERS, parameters))
