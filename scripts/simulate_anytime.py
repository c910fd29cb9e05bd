"""How often the anytime intervals hold over whole runs, and how wide they are.

    python scripts/simulate_anytime.py [--runs 2000] [--records 100000] [--seed 1]

Each setting draws runs of right-or-wrong records (two learners: who alone is right), asks after
every record whether the interval holds the true mean so far, and counts the runs in which it
always did. The fixed-n interval gets the same treatment, to show what it is not made for.
"""

from __future__ import annotations

import argparse
from math import log

import numpy as np

from streambayes.evaluation.intervals import (
    accuracy_log_capital,
    anytime_bounds,
    anytime_difference_bounds,
    difference_log_capital,
)

ALPHA = 0.05
Z = 1.959963984540054
BLOCK = 4096  # records looked at in one go


def within(first, second, means, p_value_at):
    """Whether log K(mean) stays below log 1/alpha at each record of a run."""
    n = np.arange(1, first.size + 1)
    for start in range(0, n.size, BLOCK):
        part = slice(start, start + BLOCK)
        if (p_value_at(first[part], second[part], n[part], means[part]) >= log(1 / ALPHA)).any():
            return False
    return True


def accuracy_limits(means):
    """For each n the least and most hits at which the interval holds the mean so far.

    log K is convex in the hits and at most 0 at n m, so either limit is found by bisection.
    """
    n = np.arange(1, means.size + 1)
    limits = []
    for end in (np.full(n.size, -1.0), n + 1.0):
        limit = np.empty(n.size)
        for start in range(0, n.size, BLOCK):
            part = slice(start, start + BLOCK)
            inside, outside = n[part] * means[part], end[part].copy()
            for _ in range(36):
                middle = (inside + outside) / 2
                kept = accuracy_log_capital(middle, n[part], means[part]) < log(1 / ALPHA)
                inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
            limit[part] = inside
        limits.append(limit)
    return limits


def accuracy_coverage(chances, runs, rng):
    """(anytime, fixed-n): the shares of runs whose interval held at every record."""
    n = np.arange(1, chances.size + 1)
    means = np.cumsum(chances) / n
    least, most = accuracy_limits(means)
    held = fixed = 0
    for _ in range(runs):
        hits = np.cumsum(rng.random(chances.size) < chances)
        held += bool(((hits >= least) & (hits <= most)).all())
        p = hits / n
        late = n >= 100  # before that the fixed-n interval doesn't claim to hold
        fixed += bool((np.abs(p - means) <= Z * np.sqrt(p * (1 - p) / n))[late].all())
    return held / runs, fixed / runs


def difference_coverage(first_chances, second_chances, runs, rng):
    """As `accuracy_coverage`, for records that the first alone or the second alone gets right."""
    n = np.arange(1, first_chances.size + 1)
    means = np.cumsum(first_chances - second_chances) / n
    held = fixed = 0
    for _ in range(runs):
        u = rng.random(first_chances.size)
        first = np.cumsum(u < first_chances)
        second = np.cumsum(u > 1 - second_chances)
        held += within(first, second, means, difference_log_capital)
        d = (first - second) / n
        half = Z * np.sqrt(np.maximum((first + second) / n - d * d, 0) / n)
        fixed += bool((np.abs(d - means) <= half)[n >= 100].all())
    return held / runs, fixed / runs


def settings(records):
    """Name and chances of a hit: constant, learning and drifting learners."""
    t = np.arange(records)
    yield "accuracy 0.50", np.full(records, 0.5)
    yield "accuracy 0.90", np.full(records, 0.9)
    yield "accuracy 0.99", np.full(records, 0.99)
    yield "accuracy 0.5 rising to 0.95", 0.95 - 0.45 / np.sqrt(1 + t / 50)
    yield "accuracy 0.9, every other 5000 records 0.6", np.where(t // 5000 % 2, 0.6, 0.9)


def difference_settings(records):
    """Name and chances that the first alone, and the second alone, is right."""
    t = np.arange(records)
    yield "alike, 10 % apart", np.full(records, 0.05), np.full(records, 0.05)
    yield "first better by 0.02", np.full(records, 0.06), np.full(records, 0.04)
    yield (
        "first better at first, then worse",
        np.where(t < records // 4, 0.12, 0.04),
        np.full(records, 0.06),
    )


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument("--runs", type=int, default=2000)
    p.add_argument("--difference-runs", type=int, default=300)
    p.add_argument("--records", type=int, default=100_000)
    p.add_argument("--seed", type=int, default=1)
    options = p.parse_args()
    rng = np.random.default_rng(options.seed)
    print(f"share of runs of {options.records} records in which a 95 % interval always held")
    print(f"{'':<46} {'anytime':>8} {'fixed-n':>8}   (fixed-n: from record 100)")
    for name, chances in settings(options.records):
        held, fixed = accuracy_coverage(chances, options.runs, rng)
        print(f"{name:<46} {held:>8.4f} {fixed:>8.4f}   {options.runs} runs", flush=True)
    for name, first, second in difference_settings(options.records):
        held, fixed = difference_coverage(first, second, options.difference_runs, rng)
        print(f"{name:<46} {held:>8.4f} {fixed:>8.4f}   {options.difference_runs} runs", flush=True)
    print("\nhalf width, anytime and fixed-n (eq. 5.1)")
    n = np.array([100, 1000, 10_000, 100_000, 1_000_000])
    for share in (0.5, 0.9, 0.99):
        low, high = anytime_bounds(np.round(n * share), n)
        fixed = Z * np.sqrt(share * (1 - share) / n)
        cells = "  ".join(
            f"n={m}: {h:.5f} / {f:.5f} = {h / f:.2f}"
            for m, h, f in zip(n, (high - low) / 2, fixed, strict=True)
        )
        print(f"accuracy {share}: {cells}")
    low, high = anytime_difference_bounds(np.round(n * 0.06), np.round(n * 0.04), n)
    fixed = Z * np.sqrt((0.1 - 0.02**2) / n)
    cells = "  ".join(
        f"n={m}: {h:.5f} / {f:.5f} = {h / f:.2f}"
        for m, h, f in zip(n, (high - low) / 2, fixed, strict=True)
    )
    print(f"difference 0.06 - 0.04: {cells}")


if __name__ == "__main__":
    main()
