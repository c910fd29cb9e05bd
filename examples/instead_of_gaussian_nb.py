"""Replacing river's GaussianNB in existing code: one import changes.

Run: python examples/instead_of_gaussian_nb.py
"""

from __future__ import annotations

from time import perf_counter

from river import datasets, evaluate, metrics
from river.naive_bayes import GaussianNB as Before

from streambayes.river import NaiveBayes as After


def main() -> None:
    for name, model in (("river's GaussianNB", Before()), ("streambayes", After())):
        began = perf_counter()
        metric = evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
        print(f"{name:<20} {metric}   {perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main()
