"""Several learners on one stream, or cross-validated on data sets, and who is better."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from ..learners.registry import learner_from
from ..records.problems import UsageError
from .account import Account
from .course import Course
from .curve import extra_figures, row_of
from .metrics import figures, per_class
from .tests import (
    AnytimeResult,
    FriedmanResult,
    NemenyiResult,
    TestResult,
    WilcoxonResult,
    anytime,
    f_5x2cv,
    friedman,
    mcnemar,
    nemenyi,
    paired_t,
    wilcoxon,
)


def named_models(models) -> dict:
    """Name to model: from a dict, a list of models and specs, or a single one."""
    if isinstance(models, dict):
        return dict(models)
    if isinstance(models, str) or hasattr(models, "learn_one"):
        models = [models]
    named: dict = {}
    for m in models:
        name = m if isinstance(m, str) else getattr(m, "NAME", None) or type(m).__name__
        unique, i = name, 2
        while unique in named:
            unique, i = f"{name} ({i})", i + 1
        named[unique] = m
    return named


def _learner(model):
    return learner_from(model) if isinstance(model, str) else model


# ------------------------------------------------------------------------------------ on one stream
@dataclass(frozen=True)
class Pair:
    """Two learners on the same records: who alone was right how often, and what follows from it."""

    first: str
    second: str
    first_alone: int
    second_alone: int
    n: int
    mcnemar: TestResult | None  # for whoever looks once, at the end
    anytime: AnytimeResult | None  # for whoever looks as often as they like

    @property
    def winner(self) -> str | None:
        """The better one by the anytime interval, None while that is open."""
        if self.anytime is None or self.anytime.winner < 0:
            return None
        return (self.first, self.second)[self.anytime.winner]

    def as_dict(self) -> dict:
        data = {
            "first": self.first,
            "second": self.second,
            "first_alone": self.first_alone,
            "second_alone": self.second_alone,
            "n": self.n,
            "difference": None,
            "difference_anytime95": None,
            "winner": self.winner,
            "mcnemar_p": None,
            "anytime_p": None,
        }
        if self.anytime is not None and self.mcnemar is not None:
            data |= {
                "difference": self.anytime.difference,
                "difference_anytime95": [self.anytime.low, self.anytime.high],
                "mcnemar_p": self.mcnemar.p_value,
                "anytime_p": self.anytime.p_value,
            }
        return data


def pair_of(first: str, second: str, first_alone: int, second_alone: int, n: int) -> Pair:
    """A `Pair` with its tests worked out."""
    if not n:
        return Pair(first, second, 0, 0, 0, None, None)
    return Pair(
        first,
        second,
        first_alone,
        second_alone,
        n,
        mcnemar(first_alone, second_alone),
        anytime(first_alone, second_alone, n),
    )


@dataclass
class StreamComparison:
    """Learners on one stream.

    Attributes
    ----------
    names : list of str
    accounts : list of Account
    classes : list of list
        The labels of each learner.
    pairs : list of Pair
    rows : list of dict
        Figures over the stream, a row a learner and step, where they were asked for.
    """

    names: list[str]
    accounts: list
    classes: list[list]
    pairs: list[Pair]
    rows: list[dict] = field(default_factory=list)

    def figures(self, name: str) -> dict:
        """The figures of one learner over the whole stream."""
        i = self.names.index(name)
        account = self.accounts[i]
        results = account.results(self.classes[i])
        return {
            "records": account.records,
            "labelled": account.labelled,
            "scored": account.scored,
            "correct": account.correct,
            **figures(results, account.scored),
            **extra_figures(account, results),
            "labels": results["labels"],
            "confusion": results["matrix"],
            "per_class": per_class(results["matrix"]),
        }

    def best(self) -> str:
        """The name of the most accurate learner; of equals the first."""
        return max(self.names, key=lambda name: self.figures(name)["accuracy"] or 0.0)


def prequential(
    stream,
    models,
    *,
    delay: int = 0,
    window: int = 0,
    fading: float = 0.0,
    every: int = 0,
) -> StreamComparison:
    """Tests, then trains, each model on each record of a stream.

    Parameters
    ----------
    stream : iterable of (x, y) or (x, y, w)
        x a dict, y the label or None; `streambayes.stream` gives such pairs.
    models : dict, list, model or str
        Anything with river's classifier methods `learn_one`, `predict_one` and `predict_proba_one`,
        or a model as the command line spells it; a dict names them. Weights other than 1 are handed
        on as `w`.
    delay : int
        The label of record i comes just before record i + delay is predicted; 0 and 1: at once.
    window, fading, every
        Figures of the last so many scored records, of a view that fades by this factor a record,
        and rows of all figures every so many records.

    Returns
    -------
    StreamComparison

    Examples
    --------
    >>> from streambayes.evaluate import prequential
    >>> records = [({"x": float(i % 2)}, "ab"[i % 2]) for i in range(100)]
    >>> result = prequential(records, ["nb"])
    >>> result.figures("nb")["scored"]
    99
    """
    from ..records.schema import Schema

    named = {name: _learner(m) for name, m in named_models(models).items()}
    names, learners = list(named), list(named.values())
    accounts = [Account(Schema(), Course(window, fading)) for _ in learners]
    classes: list[dict] = [{} for _ in learners]
    alone = [[0] * len(names) for _ in names]
    compared = 0
    rows: list[dict] = []
    waiting: list = []

    def settle(x, y, w, answers):
        nonlocal compared
        for account, (answer, p) in zip(accounts, answers, strict=True):
            account.take(y, answer, p, w)
        if y is None:
            return
        if all(answer is not None for answer, _ in answers):
            compared += 1
            right = [type(answer) is type(y) and answer == y for answer, _ in answers]
            for i, i_right in enumerate(right):
                if i_right:
                    for j, j_right in enumerate(right):
                        alone[i][j] += not j_right
        if w > 0:
            for learner, known in zip(learners, classes, strict=True):
                known.setdefault((type(y), y), y)
                if w == 1:
                    learner.learn_one(x, y)
                else:
                    learner.learn_one(x, y, w=w)

    def add_rows():
        for name, account, known in zip(names, accounts, classes, strict=True):
            rows.append({"model": name, **row_of(account, list(known.values()))})

    n = 0
    for x, y, *rest in stream:
        w = rest[0] if rest else 1.0
        if delay > 1 and len(waiting) == delay:
            settle(*waiting.pop(0))
        answers = [_answer(learner, x) for learner in learners]
        n += 1
        if delay > 1:
            waiting.append((x, y, w, answers))
        else:
            settle(x, y, w, answers)
        if every and n % every == 0:
            add_rows()
    for each in waiting:
        settle(*each)
    if every and (n % every or waiting):
        add_rows()
    pairs = [
        pair_of(names[i], names[j], alone[i][j], alone[j][i], compared)
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]
    return StreamComparison(
        names, accounts, [list(known.values()) for known in classes], pairs, rows
    )


def _answer(learner, x) -> tuple:
    try:
        p = learner.predict_proba_one(x)
    except NotImplementedError:
        p = {}
    return learner.predict_one(x), p


# ------------------------------------------------------------------------------------ on data sets
@dataclass(frozen=True)
class Scheme:
    """How data are cut: `reps` times anew into `folds` parts.

    >>> Scheme.parse("5x2")
    Scheme(reps=5, folds=2)
    >>> Scheme.parse("10")
    Scheme(reps=1, folds=10)
    """

    reps: int
    folds: int

    @classmethod
    def parse(cls, text) -> Scheme:
        """From '5x2', or from a number of folds."""
        if str(text) == "5x2":
            return cls(5, 2)
        try:
            folds = int(text)
        except ValueError:
            folds = 0
        if folds < 2:
            raise UsageError(
                f"{text} is no cross-validation; give 5x2, or a number of folds from 2"
            )
        return cls(1, folds)

    def __str__(self) -> str:
        return "5x2" if self.reps > 1 else str(self.folds)

    def test(self, differences: list[list[float]]) -> TestResult:
        """Alpaydin's F for 5x2, the paired t test for K folds."""
        return f_5x2cv(differences) if self.reps > 1 else paired_t(differences[0])


def stratified_folds(labels, folds: int, rng: random.Random) -> list[list[int]]:
    """Positions of each fold, in shuffled order: each label is dealt out as evenly as can be.

    >>> [len(f) for f in stratified_folds(list("aaabbbb"), 2, random.Random(1))]
    [4, 3]
    """
    by_label: dict = {}
    for i, y in enumerate(labels):
        by_label.setdefault((type(y), y), []).append(i)
    parts: list[list[int]] = [[] for _ in range(folds)]
    at = 0
    for positions in by_label.values():
        rng.shuffle(positions)
        for i in positions:
            parts[at % folds].append(i)
            at += 1
    for part in parts:
        rng.shuffle(part)
    return parts


def cross_validate(model, records, scheme="5x2", seed: int = 1, declare=None) -> list[list[float]]:
    """Accuracy in each fold of each replication, trained on the records of the other folds.

    Folds are stratified and the same for every model with the same seed. The training records come
    in shuffled order; records without a label are left out.

    Parameters
    ----------
    model : str or callable
        As the command line spells it, or what makes a new, empty model.
    records : list of (x, y) or (x, y, w)
    scheme : {'5x2', K}
    seed : int
    declare : callable, optional
        Called with each new model before it learns.

    Returns
    -------
    list of lists of float
        A list a replication.

    Examples
    --------
    >>> data = [({"x": i % 2 + i / 100}, "ab"[i % 2]) for i in range(40)]
    >>> cross_validate("nb", data, 4)
    [[1.0, 1.0, 1.0, 1.0]]
    """
    scheme = scheme if isinstance(scheme, Scheme) else Scheme.parse(scheme)
    data = [(x, y, rest[0] if rest else 1.0) for x, y, *rest in records if y is not None]
    if len(data) < scheme.folds:
        raise UsageError(
            f"{len(data)} labelled records can't be cut into {scheme.folds} folds; give more"
        )
    table = []
    for rep in range(scheme.reps):
        parts = stratified_folds(
            [y for _, y, _ in data], scheme.folds, random.Random(f"{seed}:{rep}")
        )
        row = []
        for held_out in range(scheme.folds):
            learner = learner_from(model) if isinstance(model, str) else model()
            if declare is not None:
                declare(learner)
            for k, part in enumerate(parts):
                if k != held_out:
                    for i in part:
                        x, y, w = data[i]
                        if w == 1:
                            learner.learn_one(x, y)
                        elif w > 0:
                            learner.learn_one(x, y, w=w)
            right = total = 0.0
            for i in parts[held_out]:
                x, y, w = data[i]
                answer = learner.predict_one(x)
                right += w * (type(answer) is type(y) and answer == y)
                total += w
            row.append(right / total if total else 0.0)
        table.append(row)
    return table


@dataclass
class SetComparison:
    """Learners on several data sets.

    Attributes
    ----------
    names, sets : list of str
    scheme : Scheme
    folds : dict
        (set, name) to the accuracies of each replication's folds.
    alpha : float
        The level of the marks and of wins and losses.
    """

    names: list[str]
    sets: list[str]
    scheme: Scheme
    folds: dict
    alpha: float = 0.05

    def mean(self, data_set: str, name: str) -> float:
        """The mean accuracy of a learner on a set."""
        cells = [x for row in self.folds[data_set, name] for x in row]
        return sum(cells) / len(cells)

    def table(self) -> list[list[float]]:
        """A row a set, a column a learner."""
        return [[self.mean(s, name) for name in self.names] for s in self.sets]

    def test(self, data_set: str, first: str, second: str) -> TestResult:
        """The scheme's test of two learners on one set."""
        a, b = self.folds[data_set, first], self.folds[data_set, second]
        return self.scheme.test(
            [[p - q for p, q in zip(r, t, strict=True)] for r, t in zip(a, b, strict=True)]
        )

    def not_worse(self, data_set: str) -> list[bool]:
        """Of each learner, whether it is not significantly worse than the best one."""
        best = max(self.names, key=lambda name: self.mean(data_set, name))
        return [
            name == best
            or self.mean(data_set, name) == self.mean(data_set, best)
            or not self.test(data_set, best, name).rejects(self.alpha)
            for name in self.names
        ]

    def wins_ties_losses(self, first: str, second: str) -> tuple[int, int, int]:
        """On how many sets the first is significantly better, neither is, the second is."""
        wins = losses = 0
        for s in self.sets:
            result = self.test(s, first, second)
            if result.rejects(self.alpha):
                wins += result.difference > 0
                losses += result.difference < 0
        return wins, len(self.sets) - wins - losses, losses

    def wilcoxon(self, first: str, second: str) -> WilcoxonResult:
        """Over the sets' means."""
        return wilcoxon(
            [self.mean(s, first) for s in self.sets], [self.mean(s, second) for s in self.sets]
        )

    def friedman(self) -> FriedmanResult | None:
        """Over the sets' means; None for a single set or learner."""
        return friedman(self.table()) if len(self.sets) > 1 and len(self.names) > 1 else None

    def nemenyi(self) -> NemenyiResult | None:
        """Nemenyi's critical difference of the average ranks."""
        f = self.friedman()
        return nemenyi(f.ranks, len(self.sets), self.alpha) if f is not None else None


def compare(
    models, data_sets, scheme="5x2", seed: int = 1, alpha: float = 0.05, declare=None
) -> SetComparison:
    """Cross-validates models on data sets.

    Parameters
    ----------
    models : dict or list
        Specs as the command line spells them, or (in a dict) what makes a new model.
    data_sets : dict
        Name to a list of (x, y) or (x, y, w).
    scheme, seed, declare
        As `cross_validate` has them.
    alpha : float

    Returns
    -------
    SetComparison
    """
    named = named_models(models)
    scheme = scheme if isinstance(scheme, Scheme) else Scheme.parse(scheme)
    cells = {
        (s, name): cross_validate(model, records, scheme, seed, declare)
        for s, records in data_sets.items()
        for name, model in named.items()
    }
    return SetComparison(list(named), list(data_sets), scheme, cells, alpha)
