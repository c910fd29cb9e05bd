"""Intervals against Mitchell's figures; the anytime ones against simulated runs."""

from __future__ import annotations

import doctest
import importlib.util
from math import inf, sqrt
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from streambayes.evaluation import intervals  # noqa: E402
from streambayes.evaluation.intervals import (  # noqa: E402
    accuracy_interval,
    anytime_accuracy,
    anytime_difference,
    difference_interval,
    difference_sigma,
    error_interval,
    paired_t_interval,
    sample_size,
    t_value,
    z_value,
)
from streambayes.records.problems import UsageError  # noqa: E402


def test_examples():
    assert doctest.testmod(intervals).failed == 0


def test_table_5_1():
    table = {50: 0.67, 68: 1.00, 80: 1.28, 90: 1.64, 95: 1.96, 98: 2.33, 99: 2.58}
    for percent, z in table.items():
        # printed for 68 % is the z of 68.27 %
        assert z_value(percent / 100) == pytest.approx(z, abs=0.0056), percent


def test_table_5_6():
    table = {
        2: (2.92, 4.30, 6.96, 9.92),
        5: (2.02, 2.57, 3.36, 4.03),
        10: (1.81, 2.23, 2.76, 3.17),
        20: (1.72, 2.09, 2.53, 2.84),
        30: (1.70, 2.04, 2.46, 2.75),
        120: (1.66, 1.98, 2.36, 2.62),
        inf: (1.64, 1.96, 2.33, 2.58),
    }
    for freedom, row in table.items():
        for confidence, t in zip((0.90, 0.95, 0.98, 0.99), row, strict=True):
            assert t_value(confidence, freedom) == pytest.approx(t, abs=0.0056), (
                freedom,
                confidence,
            )


def test_twelve_errors_of_forty():
    i = error_interval(12, 40)
    assert i.estimate == 0.3
    assert i.half_width == pytest.approx(1.959964 * sqrt(0.3 * 0.7 / 40), abs=1e-6)
    assert round(i.half_width, 2) == 0.14
    one_sided = error_interval(12, 40, 0.975, side="upper")
    assert (one_sided.low, round(one_sided.high, 2)) == (0.0, 0.44)


def test_exercise_5_2():
    i = error_interval(17, 100)
    assert (i.estimate, round(i.half_width, 4)) == (0.17, 0.0736)


def test_exercise_5_3():
    both = error_interval(10, 65, 0.90)
    assert (round(both.estimate, 3), round(both.half_width, 4)) == (0.154, 0.0736)
    # the printed bound of the 95 % one is 0.227: e + 0.0736, from figures rounded before
    assert error_interval(10, 65, 0.95, side="upper").high == pytest.approx(0.227, abs=0.0006)
    assert error_interval(10, 65, 0.90, side="upper").high == pytest.approx(0.211, abs=0.0006)


def test_exercise_5_4():
    assert sample_size(0.1, 0.95, (0.2, 0.6)) == 385
    n = 385
    assert (
        error_interval(n / 2, n).half_width * 2
        < 0.1
        < error_interval((n - 1) / 2, n - 1).half_width * 2
    )


def test_difference_of_two_samples_of_100():
    assert round(difference_sigma(0.3, 100, 0.2, 100), 4) == 0.0608
    i = difference_interval(30, 100, 20, 100, 0.90)
    assert i.half_width == pytest.approx(1.644854 * 0.0608276, abs=1e-6)
    one = difference_interval(30, 100, 20, 100, 0.95, side="lower")
    assert (one.low, one.high) == (pytest.approx(0.1 - 1.644854 * 0.0608276, abs=1e-6), 1.0)


def test_wilson_as_statsmodels_has_it():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for errors, n in [(0, 10), (1, 10), (12, 40), (399, 400)]:
        low, high = proportion.proportion_confint(errors, n, 0.05, "wilson")
        i = error_interval(errors, n, method="wilson")
        assert (i.low, i.high) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))
        low, high = proportion.proportion_confint(errors, n, 0.05, "normal")
        i = accuracy_interval(errors, n)
        assert (i.low, i.high) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))


def test_the_rule_of_thumb_warns_below_five():
    assert error_interval(5, 1000).warning is not None  # 4.975
    assert error_interval(6, 1000).warning is None  # 5.964
    assert error_interval(10, 20).warning is None  # 5
    assert error_interval(2, 1000, method="wilson").warning is None
    assert difference_interval(100, 1000, 3, 1000).warning is not None


def test_paired_t_as_scipy_has_it():
    stats = pytest.importorskip("scipy.stats")
    d = [0.02, -0.01, 0.035, 0.02, 0.01, 0.04, 0.0, 0.015, 0.03, 0.01]
    low, high = stats.ttest_1samp(d, 0).confidence_interval(0.95)
    i = paired_t_interval(d)
    assert (i.low, i.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize(
    "call",
    [
        lambda: error_interval(5, 0),
        lambda: error_interval(-1, 4),
        lambda: error_interval(5, 4),
        lambda: error_interval(1, 4, confidence=1.0),
        lambda: error_interval(1, 4, method="exact"),
        lambda: error_interval(1, 4, side="left"),
        lambda: paired_t_interval([0.1]),
        lambda: anytime_difference(3, 2, 4),
        lambda: anytime_difference(-1, 2, 4),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(UsageError):
        call()


# ------------------------------------------------------------------------------- valid at any time
def slow_capital(xs, m, slopes, weights):
    """The mixture of prod (1 + lambda x) / (1 + lambda m), record by record."""
    total = 0.0
    for slope, weight in zip(slopes, weights, strict=True):
        wealth = weight
        for x in xs:
            wealth *= (1 + slope * x) / (1 + slope * m)
        total += wealth
    return total


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=25), st.floats(-0.9, 0.9))
@settings(max_examples=50, deadline=None)
def test_the_capital_is_the_product_of_the_bets(xs, m):
    u, log_weight = intervals._bets()
    assert np.exp(log_weight).sum() == pytest.approx(1)
    fast = float(intervals.difference_log_capital(xs.count(1), xs.count(-1), len(xs), m))
    assert np.exp(fast) == pytest.approx(
        slow_capital(xs, m, np.tanh(u), np.exp(log_weight)), rel=1e-9
    )
    hits = [abs(x) for x in xs]
    fast = float(intervals.accuracy_log_capital(sum(hits), len(hits), abs(m)))
    assert np.exp(fast) == pytest.approx(
        slow_capital(hits, abs(m), np.expm1(u), np.exp(log_weight)), rel=1e-9
    )


@given(st.integers(1, 12), st.floats(0.01, 0.99))
@settings(max_examples=40, deadline=None)
def test_the_capital_is_worth_one_on_the_average(n, p):
    # E K(p) = sum over s of binom(n, s) p^s (1-p)^(n-s) K = 1 exactly, where all records have the
    # chance p
    from scipy.stats import binom

    s = np.arange(n + 1)
    capital = np.exp(intervals.accuracy_log_capital(s, np.full(n + 1, n), np.full(n + 1, p)))
    assert (binom.pmf(s, n, p) * capital).sum() == pytest.approx(1, rel=1e-9)


@given(st.lists(st.floats(0.02, 0.98), min_size=2, max_size=9))
@settings(max_examples=40, deadline=None)
def test_where_chances_change_it_is_worth_no_more(chances):
    distribution = np.array([1.0])
    for p in chances:
        distribution = np.convolve(distribution, [1 - p, p])
    n = len(chances)
    s = np.arange(n + 1)
    capital = np.exp(
        intervals.accuracy_log_capital(s, np.full(n + 1, n), np.full(n + 1, np.mean(chances)))
    )
    assert (distribution * capital).sum() <= 1 + 1e-9


@given(st.integers(1, 3000), st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_the_bounds_are_where_the_capital_is_twenty(n, share):
    correct = round(n * share)
    i = anytime_accuracy(correct, n)
    assert 0 <= i.low <= correct / n <= i.high <= 1
    for bound, outer in ((i.low, 0.0), (i.high, 1.0)):
        if bound != outer:
            assert float(intervals.accuracy_log_capital(correct, n, bound)) == pytest.approx(
                np.log(20), abs=1e-6
            )


def test_two_learners_change_places():
    i, j = anytime_difference(60, 20, 1000), anytime_difference(20, 60, 1000)
    assert (i.low, i.high) == (pytest.approx(-j.high), pytest.approx(-j.low))


def test_it_is_wider_than_the_interval_for_one_look_but_not_by_much():
    for n in (50, 1000, 100_000):
        for share in (0.5, 0.9):
            ratio = (
                anytime_accuracy(round(n * share), n).half_width
                / accuracy_interval(round(n * share), n).half_width
            )
            assert 1.3 < ratio < 2.1, (n, share)


def simulation():
    path = Path(__file__).parent.parent / "scripts" / "simulate_anytime.py"
    spec = importlib.util.spec_from_file_location("simulate_anytime", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_holds_over_whole_runs():
    module = simulation()
    rng = np.random.default_rng(7)
    t = np.arange(2000)
    for chances in (np.full(t.size, 0.9), 0.95 - 0.45 / np.sqrt(1 + t / 50)):
        held, fixed = module.accuracy_coverage(chances, 400, rng)
        assert held >= 0.95 and fixed < 0.85
    held, fixed = module.difference_coverage(np.full(t.size, 0.06), np.full(t.size, 0.05), 60, rng)
    assert held >= 0.95 and fixed < 0.9


def test_the_quick_limits_are_the_slow_question():
    module = simulation()
    means = np.full(300, 0.8)
    least, most = module.accuracy_limits(means)
    rng = np.random.default_rng(3)
    for _ in range(20):
        hits = np.cumsum(rng.random(300) < rng.choice([0.6, 0.8, 0.97]))
        n = np.arange(1, 301)
        slow = (intervals.accuracy_log_capital(hits, n, means) < np.log(20)).all()
        assert slow == ((hits >= least) & (hits <= most)).all()
