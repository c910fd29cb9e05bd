"""Calls that a type checker alone reads: the public API as people write it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import streambayes
from streambayes import (
    AODE,
    GAODE,
    HAODE,
    DiscreteNaiveBayes,
    Discretizer,
    InputError,
    ModelFileError,
    NaiveBayes,
    StreamBayesError,
    UsageError,
    stream,
)

model = NaiveBayes()
NaiveBayes(estimate="laplace", k=0.0)
NaiveBayes(estimate="m", m=2, var_prior=0.5, max_values=100)

DiscreteNaiveBayes(estimate="laplace", bins=32, warmup=100, cuts="equal-frequency")
AODE(m=0.5, limit=0, subsumption=True, critical=50, weight="mi", bins_file={"a": [1.0, 2.0]})
GAODE(k=1, var_prior=0, conditional="hugin")
HAODE(units="raw", weight="mi", warmup=50, max_values=100)

x: dict[str, float | str | bool | None] = {"a": 1.5, "b": "u", "c": True, "d": None}
model.learn_one(x, "yes")
model.learn_one(x, True, w=2)
model.forget_one(x, None)
label: str | bool | int | float | None = model.predict_one(x)
probabilities: dict[str | bool | int | float, float] = model.predict_proba_one({"a": 1})
joint: dict[str | bool | int | float, float] = model.joint_log_likelihood(x)
total: NaiveBayes = model + model
merged: NaiveBayes = model.merge(copy.deepcopy(model))
model.scale(0.5)
again: object = pickle.loads(pickle.dumps(model))
kinds: dict[str, str] = model.attributes
counts: dict[str | bool | int | float, float] = model.class_counts
learned: int = model.learned
size: int = model.memory_usage()
model.fade(0.99)
model.reset()

model.learn_many({"a": [1.0, 2.0]}, ["yes", "no"], w=[1.0, 2.0])
model.learn_many([[1.0], [2.0]], ["yes", "no"], names=["a"])
labels: list[str] = model.predict_many([[1.0]], names=["a"])

model.save("file.model")
loaded: NaiveBayes = streambayes.load("file.model")
from_bytes: GAODE = GAODE.from_bytes(GAODE().to_bytes())
both: AODE = AODE() + AODE()

bins = Discretizer(bins=16)
bins.learn_one(x, "yes")
binned: dict[str, object] = bins.transform_one(x)
edges: dict[str, list[float]] = bins.cuts()

pairs: Iterator[tuple[dict[str, object], object]] = stream("file.csv", target="y", drop=["id"])
version: str = streambayes.__version__


def status(error: StreamBayesError) -> int:
    if isinstance(error, InputError | ModelFileError | UsageError):
        return error.status
    return 0


# What a checker must refuse; an ignore that isn't needed is an error in itself.
model.learn_one(x)  # type: ignore[call-arg]
model.learn_one(x, ["yes"])  # type: ignore[arg-type]
NaiveBayes(estimates="m")  # type: ignore[call-arg]
AODE(units="raw")  # type: ignore[call-arg]
GAODE() + AODE()  # type: ignore[operator]
model.learned = 3  # type: ignore[misc]
