"""Labels that come late: each is learned, and scored, when it arrives.

Run: python examples/delayed_labels.py
"""

from __future__ import annotations

from collections import deque

from river import datasets, evaluate, metrics

from streambayes import NaiveBayes
from streambayes.river import NaiveBayes as InRiver

DELAY = 200


def by_hand() -> float:
    """The label of record i comes just before record i + DELAY is predicted."""
    model, pending = NaiveBayes(), deque()
    scored = correct = 0
    for x, y in datasets.Bananas():
        if len(pending) == DELAY:
            model.learn_one(*pending.popleft())
        predicted = model.predict_one(x)
        scored += predicted is not None
        correct += predicted == y
        pending.append((x, y))
    return correct / scored


def main() -> None:
    for delay in (0, DELAY):
        metric = evaluate.progressive_val_score(
            datasets.Bananas(), InRiver(), metrics.Accuracy(), delay=delay
        )
        print(f"delay {delay}: {metric}")
    print(f"the same by hand: {by_hand():.2%}")


if __name__ == "__main__":
    main()
