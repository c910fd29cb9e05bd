"""Tests of whether one learner is better than another, on one data set, on many, and on a stream.

Each is a plain function that answers a small result with the statistic and `p_value`, the chance of
a statistic as extreme as this one if the null hypothesis in its docstring holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

from ..records.problems import UsageError
from .intervals import difference_sigma


@dataclass(frozen=True, slots=True)
class TestResult:
    """A statistic with its p-value."""

    __test__ = False  # pytest: not a test case
    test: str
    statistic: float
    p_value: float
    difference: float = 0.0  # the first's mean figure minus the second's

    def rejects(self, alpha: float = 0.05) -> bool:
        """Whether the null hypothesis falls at this level."""
        return self.p_value < alpha


def difference_test(errors1: float, n1: float, errors2: float, n2: float) -> TestResult:
    """One-sided test of two hypotheses on independent samples (Mitchell 1997, section 5.5.1).

    Null hypothesis: the true error of the first is not above that of the second. 1 - p_value is the
    confidence in d > 0, Phi(d / sigma_d), sigma_d as in eq. 5.12.

    Examples
    --------
    >>> round(1 - difference_test(30, 100, 20, 100).p_value, 4)
    0.9499
    """
    from scipy.stats import norm

    e1, e2 = errors1 / n1, errors2 / n2
    sigma = difference_sigma(e1, n1, e2, n2)
    z = (e1 - e2) / sigma if sigma > 0 else _signed_infinity(e1 - e2)
    return TestResult("difference of errors", z, float(norm.sf(z)), e1 - e2)


def _signed_infinity(x: float) -> float:
    return inf if x > 0 else -inf if x < 0 else 0.0


def paired_t(differences) -> TestResult:
    """Two-sided k-fold paired t test (Mitchell 1997, Table 5.5).

    Null hypothesis: the mean of the fold differences is 0. t = mean / s, s² = sum (d_i - mean)² /
    (k (k - 1)), with k - 1 degrees of freedom.

    Examples
    --------
    >>> round(paired_t([0.02, 0.01, 0.03, 0.02, 0.02]).statistic, 3)
    6.325
    """
    from scipy.stats import t

    d = [float(x) for x in differences]
    k = len(d)
    if k < 2:
        raise UsageError("a paired t test needs two folds or more; give as many differences")
    mean = sum(d) / k
    s = sqrt(sum((x - mean) ** 2 for x in d) / (k * (k - 1)))
    if s == 0:
        return TestResult("paired t", _signed_infinity(mean), 0.0 if mean else 1.0, mean)
    return TestResult("paired t", mean / s, float(2 * t.sf(abs(mean / s), k - 1)), mean)


def f_5x2cv(differences) -> TestResult:
    """Combined 5x2cv F test (Alpaydin 1999, Neural Computation 11, 1885-1892).

    Null hypothesis: both learners have the same error after training on half of the data. The ten
    differences are not independent, and the test rejects less often than its level says.

        f = sum_i sum_j p_ij² / (2 sum_i s_i²),   s_i² = (p_i1 - mean_i)² + (p_i2 - mean_i)²

    is F-distributed with 10 and 5 degrees of freedom; p_ij is the difference in fold j of
    replication i.

    Parameters
    ----------
    differences : five pairs of float

    Examples
    --------
    >>> d = [(0.03, 0.05), (0.02, 0.06), (0.04, 0.04), (0.05, 0.01), (0.03, 0.04)]
    >>> result = f_5x2cv(d)
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (4.2432, 0.0621)
    """
    from scipy.stats import f as f_distribution

    pairs = [(float(a), float(b)) for a, b in differences]
    if len(pairs) != 5:
        raise UsageError(f"{len(pairs)} replications; the 5x2cv F test takes five of two folds")
    squares = sum(a * a + b * b for a, b in pairs)
    spread = sum((a - b) ** 2 / 2 for a, b in pairs)  # s_i²
    mean = sum(a + b for a, b in pairs) / 10
    if squares == 0:
        return TestResult("5x2cv F", 0.0, 1.0, 0.0)
    f = squares / (2 * spread) if spread > 0 else inf
    return TestResult("5x2cv F", f, float(f_distribution.sf(f, 10, 5)), mean)


@dataclass(frozen=True, slots=True)
class WilcoxonResult:
    """Signed ranks: `r_plus` where the first is larger, `r_minus` where the second is."""

    r_plus: float
    r_minus: float
    n: int
    p_value: float

    @property
    def statistic(self) -> float:
        """T = min(R+, R-)."""
        return min(self.r_plus, self.r_minus)

    @property
    def z(self) -> float:
        """The normal approximation of T (Demšar 2006, section 3.1.3)."""
        n = self.n
        spread = sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return (self.statistic - n * (n + 1) / 4) / spread if n else 0.0

    def rejects(self, alpha: float = 0.05) -> bool:
        """Whether the null hypothesis falls at this level."""
        return self.p_value < alpha


def wilcoxon(first, second) -> WilcoxonResult:
    """Wilcoxon's signed-ranks test over data sets (Wilcoxon 1945; Demšar 2006, JMLR 7, 3.1.3).

    Null hypothesis: the differences are symmetric around 0. Ranks of differences that are 0 are
    shared out evenly, and with an odd number of them one is left out. The p-value is that of all
    sign flips of the ranks: exact, with ties and zeros as they are, up to 60 data sets, then
    normal.

    Parameters
    ----------
    first, second : sequences of float
        A figure a data set.

    Examples
    --------
    >>> result = wilcoxon([0.8, 0.7, 0.9, 0.6, 0.75], [0.7, 0.72, 0.8, 0.55, 0.6])
    >>> result.r_plus, result.r_minus, result.p_value
    (14.0, 1.0, 0.125)
    """
    from scipy.stats import norm, rankdata

    d = [round(float(a) - float(b), 12) for a, b in zip(first, second, strict=True)]
    zeros = d.count(0.0)
    if zeros % 2:
        d.remove(0.0)
        zeros -= 1
    if not d:
        return WilcoxonResult(0.0, 0.0, 0, 1.0)
    ranks = rankdata([abs(x) for x in d])
    tied = sum(r for r, x in zip(ranks, d, strict=True) if x == 0) / 2
    plus = float(sum(r for r, x in zip(ranks, d, strict=True) if x > 0) + tied)
    minus = float(sum(r for r, x in zip(ranks, d, strict=True) if x < 0) + tied)
    signed = [float(r) for r, x in zip(ranks, d, strict=True) if x != 0]
    if len(signed) <= 60:
        p = _sign_flips(signed, min(plus, minus) - tied)
    else:
        spread = sqrt(sum(r * r for r in signed) / 4)
        p = 2 * norm.sf(abs(min(plus, minus) - tied - sum(signed) / 2) / spread)
    return WilcoxonResult(plus, minus, len(d), min(1.0, float(p)))


def _sign_flips(ranks: list[float], t: float) -> float:
    """2 P(R <= t) where R adds up each rank with probability 1/2; ranks are multiples of 1/2."""
    ways = {0: 1}
    for r in (round(2 * r) for r in ranks):
        more = dict(ways)
        for s, n in ways.items():
            more[s + r] = more.get(s + r, 0) + n
        ways = more
    return 2 * sum(n for s, n in ways.items() if s <= 2 * t + 1e-9) / 2 ** len(ranks)


@dataclass(frozen=True, slots=True)
class FriedmanResult:
    """Average ranks (1 is the best) with Friedman's chi-square and Iman and Davenport's F."""

    ranks: tuple[float, ...]
    n: int
    chi_square: float
    p_chi_square: float
    f: float
    p_value: float  # of F

    def rejects(self, alpha: float = 0.05) -> bool:
        """Whether the null hypothesis falls at this level."""
        return self.p_value < alpha


def friedman(table) -> FriedmanResult:
    """Friedman's test over data sets (Friedman 1937; Demšar 2006, JMLR 7, section 3.2.2).

    Null hypothesis: all learners are alike, so their average ranks R_j are equal.

        chi²_F = 12 N / (k (k + 1)) (sum_j R_j² - k (k + 1)² / 4),   k - 1 degrees of freedom
        F_F = (N - 1) chi²_F / (N (k - 1) - chi²_F),                 k - 1 and (k - 1)(N - 1)

    Parameters
    ----------
    table : list of lists of float
        A row a data set, a column a learner; larger is better.

    Examples
    --------
    >>> friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.9, 0.85, 0.6]]).ranks
    (1.0, 2.3333333333333335, 2.6666666666666665)
    """
    from scipy.stats import chi2, rankdata
    from scipy.stats import f as f_distribution

    rows = [[round(float(x), 12) for x in row] for row in table]
    n = len(rows)
    k = len(rows[0]) if rows else 0
    if n < 2 or k < 2:
        raise UsageError(
            "Friedman's test needs two data sets and two learners or more; give as many"
        )
    by_set = [rankdata([-x for x in row]) for row in rows]
    ranks = tuple(float(sum(r[j] for r in by_set) / n) for j in range(k))
    chi = 12 * n / (k * (k + 1)) * (sum(r * r for r in ranks) - k * (k + 1) ** 2 / 4)
    rest = n * (k - 1) - chi
    f = (n - 1) * chi / rest if rest > 1e-12 else inf
    return FriedmanResult(
        ranks,
        n,
        chi,
        float(chi2.sf(chi, k - 1)),
        f,
        float(f_distribution.sf(f, k - 1, (k - 1) * (n - 1))),
    )


@dataclass(frozen=True, slots=True)
class NemenyiResult:
    """The critical difference of average ranks and who can't be told apart."""

    ranks: tuple[float, ...]
    critical_difference: float
    q: float
    alpha: float
    p_values: tuple[tuple[float, ...], ...]
    groups: tuple[
        tuple[int, ...], ...
    ]  # maximal runs of learners within the critical difference, best first

    def differ(self, i: int, j: int) -> bool:
        """Whether two learners' ranks are a critical difference apart, or more."""
        return abs(self.ranks[i] - self.ranks[j]) >= self.critical_difference


def nemenyi(ranks, n: int, alpha: float = 0.05) -> NemenyiResult:
    """Nemenyi's post-hoc test of all pairs (Nemenyi 1963; Demšar 2006, section 3.2.2).

    Null hypothesis of each pair: both learners are alike. Two average ranks differ when they are
    CD = q_alpha sqrt(k (k + 1) / (6 N)) apart; q is the Studentized range's quantile over sqrt 2.

    Parameters
    ----------
    ranks : sequence of float
        From `friedman`.
    n : int
        Data sets.

    Examples
    --------
    >>> round(nemenyi([3.143, 2.000, 2.893, 1.964], 14).critical_difference, 2)
    1.25
    """
    from scipy.stats import studentized_range

    ranks = tuple(float(r) for r in ranks)
    k = len(ranks)
    q = float(studentized_range.ppf(1 - alpha, k, inf)) / sqrt(2)
    unit = sqrt(k * (k + 1) / (6 * n))
    p = [
        [
            float(studentized_range.sf(abs(a - b) / unit * sqrt(2), k, inf)) if a != b else 1.0
            for b in ranks
        ]
        for a in ranks
    ]
    order = sorted(range(k), key=lambda j: ranks[j])
    groups: list[tuple[int, ...]] = []
    for i in range(k):
        run = tuple(j for j in order[i:] if ranks[j] - ranks[order[i]] < q * unit)
        if len(run) > 1 and not any(set(run) <= set(g) for g in groups):
            groups.append(run)
    return NemenyiResult(ranks, q * unit, q, alpha, tuple(map(tuple, p)), tuple(groups))


def mcnemar(first: int, second: int, exact: bool | None = None) -> TestResult:
    """McNemar's test on the same records (McNemar 1947; Dietterich 1998, section 3.1).

    Null hypothesis: of the records that just one of them gets right, either gets as many. Exact:
    the binomial with 1/2, two-sided; else chi² = (|a - b| - 1)² / (a + b) with one degree of
    freedom.

    Parameters
    ----------
    first, second : int
        Records that the first alone, and the second alone, got right.
    exact : bool, optional
        Default: below 25 such records.

    Examples
    --------
    >>> round(mcnemar(30, 12).p_value, 4), round(mcnemar(8, 1).p_value, 4)
    (0.0087, 0.0391)
    """
    from scipy.stats import binom, chi2

    n = first + second
    difference = (first - second) / n if n else 0.0
    if n == 0:
        return TestResult("McNemar, exact", 0.0, 1.0, 0.0)
    if n < 25 if exact is None else exact:
        less = min(first, second)
        return TestResult(
            "McNemar, exact", float(less), min(1.0, 2 * float(binom.cdf(less, n, 0.5))), difference
        )
    chi = max(abs(first - second) - 1, 0) ** 2 / n
    return TestResult("McNemar", chi, float(chi2.sf(chi, 1)), difference)


@dataclass(frozen=True, slots=True)
class AnytimeResult:
    """What a running comparison of two learners has shown so far."""

    difference: float
    low: float
    high: float
    confidence: float
    p_value: float

    @property
    def winner(self) -> int:
        """0 or 1, the learner that is better; -1 while that is open."""
        return 0 if self.low > 0 else 1 if self.high < 0 else -1


def anytime(first: int, second: int, n: int, confidence: float = 0.95) -> AnytimeResult:
    """Two learners on one stream, judged so that it may be asked after every record.

    Null hypothesis: the two are equally accurate on the average of the records so far. The interval
    is `intervals.anytime_difference`; the p-value 1 / K(0), by Ville's inequality, holds at
    whatever moment one stops (sources there).

    Examples
    --------
    >>> anytime(60, 20, 1000).winner, anytime(6, 2, 1000).winner
    (0, -1)
    """
    from math import exp

    from .intervals import anytime_difference, difference_log_capital

    i = anytime_difference(first, second, n, confidence)
    log_k = float(difference_log_capital(first, second, n, 0.0))
    return AnytimeResult(i.estimate, i.low, i.high, confidence, exp(-log_k) if log_k > 0 else 1.0)
