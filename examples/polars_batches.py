"""Mini-batches from a polars frame: strings, numbers, booleans and nulls as they are.

Run: python examples/polars_batches.py
"""

from __future__ import annotations

import polars as pl

from streambayes import NaiveBayes


def frame(rows: int) -> pl.DataFrame:
    n = range(rows)
    return pl.DataFrame(
        {
            "machine": [f"m{i * 7 % 13 % 5}" for i in n],
            "temperature": [None if i % 17 == 0 else 60 + i * 37 % 41 * 0.5 for i in n],
            "door_open": [i % 4 == 0 for i in n],
            "state": ["fault" if i * 37 % 41 > 30 and i % 4 == 0 else "ok" for i in n],
        }
    )


def main() -> None:
    data = frame(50_000)
    model = NaiveBayes()
    right = 0
    for batch in data.iter_slices(1_000):
        x = batch.drop("state")
        right += int((model.predict_many(x) == batch["state"]).sum() or 0)
        model.learn_many(x, batch["state"])
    print(f"{right / len(data):.2%} right, test then train in batches of 1,000")
    print(model.predict_proba_many(data.drop("state").head(3)))


if __name__ == "__main__":
    main()
