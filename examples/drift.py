"""A stream that changes: the plain learner beside three that forget.

The electricity stream is read where `../shared/data/streams/electricity.csv.gz` exists, else a
stream of the same shape is made up: a price and a demand whose tie to the label
turns every 1,500 records.
Run: python examples/drift.py
"""

from __future__ import annotations

import math
from pathlib import Path

from streambayes import NaiveBayes, stream
from streambayes.drift import Fading, Retraining, Sliding

ELECTRICITY = Path(__file__).parents[2] / "shared" / "data" / "streams" / "electricity.csv.gz"
RECORDS = 6_000


def made_up():
    """Price and demand go round in a day; which of them raises the price tomorrow turns."""
    for i in range(RECORDS):
        demand = 0.5 + 0.3 * math.sin(i / 7.6) + (i * 7919 % 101) / 400
        price = 0.4 + 0.2 * math.cos(i / 7.6) + (i * 104729 % 97) / 400
        rises = demand > 0.62 if i // 1_500 % 2 == 0 else price > 0.52
        yield {"period": i % 48, "price": price, "demand": demand}, "UP" if rises else "DOWN"


def electricity():
    for i, record in enumerate(stream(ELECTRICITY, target="class")):
        if i == RECORDS:
            return
        yield record


def main() -> None:
    models = {
        "plain": NaiveBayes(),
        "fading by 0.99": Fading(NaiveBayes(), 0.99),
        "the latest 200": Sliding(NaiveBayes(), 200),
        "drift by DDM": Retraining(NaiveBayes(), "ddm"),
    }
    data = list(electricity() if ELECTRICITY.exists() else made_up())
    for name, model in models.items():
        right = 0
        for x, y in data:
            right += model.predict_one(x) == y
            model.learn_one(x, y)
        print(f"{name:<16} {right / len(data):.4f}")
    print("drifts at", *models["drift by DDM"].drifts[:8])


if __name__ == "__main__":
    main()
