"""Figures from the sums of an Account; None where a figure is undefined."""

from __future__ import annotations

from math import sqrt


def accuracy(matrix: list[list[float]]) -> float | None:
    """The diagonal's share of the confusion matrix."""
    total = sum(map(sum, matrix))
    return sum(matrix[i][i] for i in range(len(matrix))) / total if total > 0 else None


def interval(p: float | None, n: int, z: float = 1.96) -> list[float] | None:
    """p +- z sqrt(p (1 - p) / n), clipped to 0…1: Mitchell (1997), eq. 5.1."""
    if p is None or n == 0:
        return None
    half = z * sqrt(max(p * (1 - p), 0.0) / n)
    return [max(0.0, p - half), min(1.0, p + half)]


def kappa(matrix: list[list[float]]) -> float | None:
    """Cohen's kappa, (p_o - p_e) / (1 - p_e); None where the expected agreement is 1."""
    total = sum(map(sum, matrix))
    observed = accuracy(matrix)
    if observed is None:
        return None
    rows = [sum(row) / total for row in matrix]
    columns = [sum(column) / total for column in zip(*matrix, strict=True)]
    expected = sum(r * c for r, c in zip(rows, columns, strict=True))
    return (observed - expected) / (1 - expected) if expected < 1 else None


def _ratio(a: float, b: float) -> float | None:
    return a / b if b > 0 else None


def per_class(matrix: list[list[float]]) -> list[dict]:
    """Precision, recall, F1 and support of each label; F1 = 2 tp / (2 tp + fp + fn)."""
    rows = [sum(row) for row in matrix]
    columns = [sum(column) for column in zip(*matrix, strict=True)]
    return [
        {
            "precision": _ratio(matrix[i][i], columns[i]),
            "recall": _ratio(matrix[i][i], rows[i]),
            "f1": _ratio(2 * matrix[i][i], rows[i] + columns[i]),
            "support": rows[i],
        }
        for i in range(len(matrix))
    ]


def figures(results: dict, scored: int) -> dict:
    """The figures of a run from `Account.results`."""
    matrix = results["matrix"]
    total = sum(map(sum, matrix))
    share = accuracy(matrix)
    return {
        "accuracy": share,
        "accuracy_ci95": interval(share, scored),
        "kappa": kappa(matrix),
        "log_loss": _ratio(results["log_loss"], total),
    }


def kappa_against(share: float | None, baseline: float | None) -> float | None:
    """(p - p_b) / (1 - p_b): how much of what a baseline gets wrong is mended.

    Against the no-change classifier (the latest label known): Žliobaitė, Bifet, Read, Pfahringer &
    Holmes 2015 (Machine Learning 98); against the majority class: Bifet, de Francisci
    Morales, Read, Holmes & Pfahringer 2015 (KDD).
    """
    if share is None or baseline is None or baseline >= 1:
        return None
    return (share - baseline) / (1 - baseline)


def reliability(bins: list[tuple[float, float, float]]) -> list[dict]:
    """Of each part of 0…1 with records: their weight, mean probability of the answer, and accuracy.
    """
    return [
        {"weight": w, "probability": p / w, "accuracy": right / w} for w, p, right in bins if w > 0
    ]


def calibration_error(bins: list[tuple[float, float, float]]) -> float | None:
    """The bins' |accuracy - mean probability|, weighed (Naeini, Cooper & Hauskrecht 2015, AAAI)."""
    total = sum(w for w, _, _ in bins)
    return sum(abs(right - p) for _, p, right in bins) / total if total > 0 else None


def more_figures(sums: dict) -> dict:
    """The figures of a tally's sums, from `Account.results`.

    `brier` is sum over c of (P(c|x) - [c is the label])², 0 to 2 (Brier 1950).
    """
    matrix = sums["matrix"]
    total = sum(map(sum, matrix))
    share = accuracy(matrix)
    return {
        "accuracy": share,
        "kappa": kappa(matrix),
        "kappa_no_change": kappa_against(share, _ratio(sums["no_change"], total)),
        "kappa_majority": kappa_against(share, _ratio(sums["majority"], total)),
        "log_loss": _ratio(sums["log_loss"], total),
        "brier": _ratio(sums["brier"], total),
        "calibration_error": calibration_error(sums["bins"]),
    }
