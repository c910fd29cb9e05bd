"""Intervals of an error, of a difference, and intervals that stay valid while a stream is watched.

Each is a plain function of counts or of a few figures and answers an `Interval`. Chapter, equation
and exercise numbers without another source are those of Mitchell, *Machine Learning* (1997).

The anytime intervals hold for all record counts at once: whoever looks after every record and stops
when it suits still errs in at most 1 - confidence of all runs. Their parameter is the mean, over
the records so far, of each record's chance of a hit given what came before it, so a learner that
gets better (or a stream that drifts) is within their terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt

from ..records.problems import UsageError

RULE_OF_THUMB = 5.0  # n e (1 - e) from which the normal approximation is good enough (Mitchell 5.3)


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate between two bounds.

    Attributes
    ----------
    estimate, low, high : float
    confidence : float
        The chance that an interval made so holds the true value.
    method : str
    warning : str or None
        Why the interval is not to be trusted.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    warning: str | None = None

    @property
    def half_width(self) -> float:
        """Half the distance of the bounds."""
        return (self.high - self.low) / 2

    def __contains__(self, value) -> bool:
        return self.low <= value <= self.high


def _check(hits: float, n: float, confidence: float) -> None:
    if not n > 0 or not 0 <= hits <= n:
        raise UsageError(f"{hits} of {n} is no proportion; give 0 to n of a positive n")
    _check_confidence(confidence)


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise UsageError(
            f"the confidence {confidence} is not between 0 and 1; give for example 0.95"
        )


def z_value(confidence: float, sides: int = 2) -> float:
    """z_N: a standard normal is within -z … z (one side: below z) with probability N; Table 5.1.

    >>> round(z_value(0.95), 2), round(z_value(0.95, sides=1), 2)
    (1.96, 1.64)
    """
    from scipy.stats import norm

    _check_confidence(confidence)
    return float(norm.isf((1 - confidence) / sides))


def t_value(confidence: float, freedom: float, sides: int = 2) -> float:
    """t_{N,v} of Student's distribution with v degrees of freedom (Table 5.6).

    >>> round(t_value(0.95, 10), 2)
    2.23
    """
    from scipy.stats import t

    _check_confidence(confidence)
    return float(t.isf((1 - confidence) / sides, freedom))


def rule_of_thumb(errors: float, n: float) -> str | None:
    """A warning where n e (1 - e) < 5: the binomial is then no normal distribution (section 5.3).
    """
    size = errors * (n - errors) / n if n > 0 else 0.0
    if size >= RULE_OF_THUMB:
        return None
    return f"n e (1 - e) = {size:.3g} is below 5, where normal intervals are poor; use Wilson's"


def error_interval(
    errors: float, n: float, confidence: float = 0.95, method: str = "normal", side: str = "both"
) -> Interval:
    """Interval of a hypothesis' true error from its error on a sample.

    normal: e +- z_N sqrt(e (1 - e) / n)                                                    (eq.
    5.1) wilson: (e + z²/2n +- z sqrt(e (1 - e)/n + z²/4n²)) / (1 + z²/n)      (Wilson 1927, JASA
    22, 209)

    A bound on one side alone takes the z of a two-sided interval with twice the risk (5.3.6): the
    other bound is then 0 or 1.

    Parameters
    ----------
    errors, n : float
        How many of how many were wrong.
    confidence : float
    method : {'normal', 'wilson'}
    side : {'both', 'upper', 'lower'}

    Examples
    --------
    >>> both = error_interval(12, 40)
    >>> round(both.estimate, 2), round(both.half_width, 2)
    (0.3, 0.14)
    >>> round(error_interval(12, 40, 0.975, side="upper").high, 2)
    0.44
    """
    _check(errors, n, confidence)
    if side not in ("both", "upper", "lower"):
        raise UsageError(f"side={side}: unknown; give one of both, upper, lower")
    e = errors / n
    z = z_value(confidence, 2 if side == "both" else 1)
    warning = None
    if method == "normal":
        middle, half = e, z * sqrt(e * (1 - e) / n)
        warning = rule_of_thumb(errors, n)
    elif method == "wilson":
        middle = (e + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(e * (1 - e) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    else:
        raise UsageError(f"method={method}: unknown; give one of normal, wilson")
    low = 0.0 if side == "upper" else max(0.0, middle - half)
    high = 1.0 if side == "lower" else min(1.0, middle + half)
    return Interval(e, low, high, confidence, method, warning)


def accuracy_interval(
    correct: float, n: float, confidence: float = 0.95, method: str = "normal", side: str = "both"
) -> Interval:
    """`error_interval` seen from the other side: of the accuracy, 1 - error."""
    return error_interval(correct, n, confidence, method, side)


def sample_size(
    width: float, confidence: float = 0.95, error_between: tuple[float, float] = (0, 1)
) -> int:
    """The least n for an interval no wider than `width`: 4 z² e (1 - e) / width² (exercise 5.4).

    Parameters
    ----------
    width : float
        Of the whole interval, high - low.
    confidence : float
    error_between : (float, float)
        Where the true error is known to lie; the worst case in there counts.

    Examples
    --------
    >>> sample_size(0.1, 0.95, (0.2, 0.6))
    385
    """
    low, high = error_between
    worst = min(max(0.5, low), high)
    return ceil(4 * z_value(confidence) ** 2 * worst * (1 - worst) / width**2)


def difference_sigma(e1: float, n1: float, e2: float, n2: float) -> float:
    """The standard deviation of e1 - e2 on two independent samples (eq. 5.12).

    >>> round(difference_sigma(0.30, 100, 0.20, 100), 4)
    0.0608
    """
    return sqrt(e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2)


def difference_interval(
    errors1: float,
    n1: float,
    errors2: float,
    n2: float,
    confidence: float = 0.95,
    side: str = "both",
) -> Interval:
    """Interval of the difference of two hypotheses' true errors, on independent samples (eq. 5.13).

    d +- z_N sigma_d with d = e1 - e2.

    Examples
    --------
    >>> d = difference_interval(30, 100, 20, 100)
    >>> round(d.estimate, 2), round(d.half_width, 3)
    (0.1, 0.119)
    """
    _check(errors1, n1, confidence)
    _check(errors2, n2, confidence)
    e1, e2 = errors1 / n1, errors2 / n2
    half = z_value(confidence, 2 if side == "both" else 1) * difference_sigma(e1, n1, e2, n2)
    warning = rule_of_thumb(errors1, n1) or rule_of_thumb(errors2, n2)
    low = -1.0 if side == "upper" else max(-1.0, e1 - e2 - half)
    high = 1.0 if side == "lower" else min(1.0, e1 - e2 + half)
    return Interval(e1 - e2, low, high, confidence, "normal", warning)


def paired_t_interval(differences, confidence: float = 0.95) -> Interval:
    """Interval of the mean difference of two learners over the folds of one cross-validation.

    mean +- t_{N,k-1} s, s² = sum over i of (d_i - mean)² / (k (k - 1))       (Table 5.5, eq. 5.17)

    The k training sets overlap, so the interval is somewhat too narrow (5.6.1).

    Examples
    --------
    >>> i = paired_t_interval([0.02, 0.01, 0.03, 0.02, 0.02])
    >>> round(i.estimate, 3), round(i.half_width, 4)
    (0.02, 0.0088)
    """
    d = [float(x) for x in differences]
    k = len(d)
    if k < 2:
        raise UsageError("a paired t interval needs two folds or more; give as many differences")
    mean = sum(d) / k
    s = sqrt(sum((x - mean) ** 2 for x in d) / (k * (k - 1)))
    half = t_value(confidence, k - 1) * s
    return Interval(mean, mean - half, mean + half, confidence, "paired t")


# ------------------------------------------------------------------------------- valid at any time
#
# Of a record comes x, 1 or 0 (right or not), or for two learners 1, 0 or -1 (which of them alone
# was right). m_i is the mean of x_i given the records before it, m their average so far. For any
# bet lambda with 1 + lambda x > 0
#
#     prod (1 + lambda x_i) / (1 + lambda m_i)  is a martingale that begins with 1, and not below
#     K(m, lambda) = prod (1 + lambda x_i) / (1 + lambda m)^n, as log(1 + lambda m) is concave.
#
# A fixed mixture K(m) over bets is bounded so too, and Ville's inequality says that it ever comes
# to 1/alpha with a chance of alpha at most. The interval holds the m with K(m) < 1/alpha. With m_i
# the same throughout, each factor is 1 + b (x_i - m), b = lambda / (1 + lambda m): the betting of
# Waudby-Smith & Ramdas (2024, JRSS-B 86, section 4), here with bets mixed as by Howard, Ramdas,
# McAuliffe & Sekhon (2021, Annals of Statistics 49, sections 3.2 and 3.3). K needs counts alone.
#
# The mixture: lambda = e^u - 1 for one learner, tanh u for two, and u from two normals around 0
# with the deviations 1 (short streams) and 0.1 (long ones), on a geometric grid; a quarter is kept
# out of the game (lambda = 0), so that over a run of any length less than alpha is spent. Any
# weights are valid; these make the interval some 1.6 to 2 times as wide as the fixed-n one, from 50
# records to 10^6.
KEPT = 0.25


@lru_cache(maxsize=1)
def _bets():
    import numpy as np

    u = 1e-4 * 1.2 ** np.arange(65)  # up to about 12
    density = np.exp(-u * u / 2) + 10 * np.exp(-50 * u * u)
    weight = u * density
    weight *= (1 - KEPT) / (2 * weight.sum())
    return np.concatenate([-u[::-1], [0.0], u]), np.log(
        np.concatenate([weight[::-1], [KEPT], weight])
    )


def log_capital(gain, slope, n, m):
    """log K(m); `gain` is sum log(1 + lambda x) for each lambda of `slope`; arrays broadcast."""
    import numpy as np

    terms = gain - np.multiply.outer(np.asarray(n, float), np.ones(slope.size)) * np.log1p(
        np.multiply.outer(np.asarray(m, float), slope)
    )
    terms = terms + _bets()[1]
    most = terms.max(axis=-1, keepdims=True)
    return (most + np.log(np.exp(terms - most).sum(axis=-1, keepdims=True)))[..., 0]


def _accuracy_bets(correct):
    import numpy as np

    u = _bets()[0]
    return np.multiply.outer(np.asarray(correct, float), u), np.expm1(u)


def _difference_bets(first, second):
    import numpy as np

    slope = np.tanh(_bets()[0])
    gain = np.multiply.outer(np.asarray(first, float), np.log1p(slope))
    return gain + np.multiply.outer(np.asarray(second, float), np.log1p(-slope)), slope


def accuracy_log_capital(correct, n, m):
    """log K(m) against the hypothesis that the accuracy is m; arrays broadcast."""
    return log_capital(*_accuracy_bets(correct), n, m)


def difference_log_capital(first, second, n, m):
    """log K(m) against the hypothesis that the difference of two accuracies is m; arrays broadcast.
    """
    return log_capital(*_difference_bets(first, second), n, m)


def _bounds(gain, slope, n, centre, least, most, alpha):
    """Where log K, convex in m, crosses log 1/alpha on either side of `centre`, where K <= 1."""
    import numpy as np

    limit = -np.log(alpha)
    centre = np.asarray(centre, float)
    ends = []
    for end in (least, most):
        inside, outside = centre.copy(), np.full(centre.shape, float(end))
        for _ in range(46):
            middle = (inside + outside) / 2
            kept = log_capital(gain, slope, n, middle) < limit
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        ends.append(outside)
    return ends


def anytime_bounds(correct, n, confidence: float = 0.95):
    """`anytime_accuracy` for arrays of counts: (low, high)."""
    import numpy as np

    correct, n = np.asarray(correct, float), np.asarray(n, float)
    gain, slope = _accuracy_bets(correct)
    return _bounds(gain, slope, n, correct / n, 0.0, 1.0, 1 - confidence)


def anytime_difference_bounds(first, second, n, confidence: float = 0.95):
    """`anytime_difference` for arrays of counts: (low, high)."""
    import numpy as np

    first, second, n = (np.asarray(a, float) for a in (first, second, n))
    gain, slope = _difference_bets(first, second)
    middle = (first - second) / n
    return _bounds(gain, slope, n, middle, -1.0, 1.0, 1 - confidence)


def anytime_accuracy(correct: int, n: int, confidence: float = 0.95) -> Interval:
    """Interval of the accuracy on a stream that is valid at all times at once (see above).

    Parameters
    ----------
    correct, n : int
        Counts of records; weights have no place in it.

    Examples
    --------
    >>> i = anytime_accuracy(900, 1000)
    >>> round(i.low, 3), round(i.high, 3)
    (0.864, 0.93)
    """
    _check(correct, n, confidence)
    low, high = anytime_bounds(correct, n, confidence)
    return Interval(correct / n, float(low), float(high), confidence, "anytime")


def anytime_difference(first: int, second: int, n: int, confidence: float = 0.95) -> Interval:
    """Interval of the difference of two accuracies on one stream, valid at all times at once.

    Parameters
    ----------
    first, second : int
        Records that the first alone, and the second alone, got right.
    n : int
        All records that both were scored on.

    Examples
    --------
    >>> i = anytime_difference(60, 20, 1000)
    >>> round(i.estimate, 2), 0 in i
    (0.04, False)
    """
    if min(first, second) < 0:
        raise UsageError(f"{first} and {second} records; give counts from 0")
    _check(first + second, n, confidence)
    low, high = anytime_difference_bounds(first, second, n, confidence)
    return Interval((first - second) / n, float(low), float(high), confidence, "anytime")
