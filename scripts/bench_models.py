"""What saving and loading a model costs, beside pickling river's GaussianNB of the same data.

    python scripts/bench_models.py [--records N] [--values N]

Both learn the same numeric records; times are the best of several rounds, in memory and on disk.
A save of ours is synced to the disk and pickle's is not, so both are also given without that.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import tempfile
import time

import streambayes


def best(call, rounds=30):
    """The least of so many timings, in seconds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def numeric(records, attributes=20, classes=5, seed=1):
    """Records of normals whose means depend on the class."""
    rng = random.Random(seed)
    for _ in range(records):
        c = rng.randrange(classes)
        yield {f"x{j}": rng.gauss(c * (j % 3), 1 + j) for j in range(attributes)}, f"class {c}"


def beside_river(records):
    from river.naive_bayes import GaussianNB

    ours, theirs = streambayes.NaiveBayes(), GaussianNB()
    for x, y in numeric(records):
        ours.learn_one(x, y)
        theirs.learn_one(x, y)
    data, pickled = ours.to_bytes(), pickle.dumps(theirs, protocol=5)
    rows = [
        ("bytes", len(data), len(pickled)),
        (
            "save in memory, ms",
            best(ours.to_bytes) * 1e3,
            best(lambda: pickle.dumps(theirs, 5)) * 1e3,
        ),
        (
            "load in memory, ms",
            best(lambda: streambayes.NaiveBayes.from_bytes(data)) * 1e3,
            best(lambda: pickle.loads(pickled)) * 1e3,
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")

        def pickles():
            with open(path, "wb") as file:
                pickle.dump(theirs, file, 5)

        def unpickles():
            with open(path, "rb") as file:
                pickle.load(file)

        saved = best(lambda: ours.save(path)) * 1e3
        loaded = best(lambda: streambayes.load(path)) * 1e3
        sync, os.fsync = os.fsync, lambda fd: None
        unsynced = best(lambda: ours.save(path)) * 1e3
        os.fsync = sync
        written = best(pickles) * 1e3
        rows += [
            ("save to a file, synced, ms", saved, float("nan")),
            ("save to a file, not synced, ms", unsynced, written),
            ("load from a file, ms", loaded, best(unpickles) * 1e3),
        ]
    print(f"{'':<32}{'streambayes':>12}{'river':>12}{'ratio':>8}")
    for name, a, b in rows:
        print(f"{name:<32}{a:>12.4g}{b:>12.4g}{b / a:>8.1f}")


def many_values(values):
    model = streambayes.NaiveBayes(max_values=values)
    for i in range(values):
        model.learn_one({"id": f"user{i}"}, "ab"[i % 2])
    data = model.to_bytes()
    print(
        f"{values} values: {len(data) / 1e6:.1f} MB, "
        f"saved in {best(model.to_bytes, 3):.3f} s, "
        f"loaded in {best(lambda: streambayes.NaiveBayes.from_bytes(data), 3):.3f} s"
    )


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--records", type=int, default=2000)
    p.add_argument("--values", type=int, default=1_000_000)
    options = p.parse_args()
    beside_river(options.records)
    many_values(options.values)


if __name__ == "__main__":
    main()
