"""Every example in a docstring, of compiled modules too."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import streambayes

NAMES = [m.name for m in pkgutil.walk_packages(streambayes.__path__, "streambayes.")]
OPTIONAL = {"matplotlib", "dask", "distributed", "pyspark"}


@pytest.mark.parametrize("name", [n for n in NAMES if not n.endswith("__main__")])
def test_examples(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as e:
        if e.name and e.name.partition(".")[0] in OPTIONAL:
            pytest.skip(f"{e.name} is not installed")
        raise
    assert doctest.testmod(module).failed == 0


def test_examples_are_found():
    module = importlib.import_module("streambayes.learners.base")
    assert doctest.testmod(module).attempted > 0
