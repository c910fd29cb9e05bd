"""Every learner once more: slow, batch, plain Python, written from the equations alone.

A ``Reference`` keeps the records themselves and works everything out anew at each question, in two
passes and with ``math.fsum``.  The compiled learners, which keep sums only, must agree with it.

Symbols: c a class, C the number of classes seen, N the weight of all records, A_j an attribute,
|A_j| its number of values, a_j the value that is asked about, n(...) a sum of weights, w the
pseudo-count ``var_prior`` of a variance, v_i the overall variance M2/n of a numeric attribute.

Where the contract leaves a thing open, the choice is marked by a comment that begins «Open:».
"""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import pairwise

LOG_2PI = math.log(2.0 * math.pi)
NONE_LEFT = 1e-9  # a weight below this counts as none
SLACK = 1e-9  # the relative slack where weights are compared with a limit or each other
LARGEST = 1e150  # numbers beyond this are non-finite, that is, missing
FLOOR = 1e-9  # a variance is at least this share of the attribute's overall variance
TIE = 1e-12  # entropies this near each other are equal
EQUAL_FREQUENCY_BINS = 10
NEW = -1  # the slot of a value that was never learned

DISCRETISING = {"bins": 64, "warmup": 200, "cuts": "mdl", "bins_file": None}
# Open: max_values bounds the nominal attributes of every learner, not of naive Bayes alone.
PARAMETERS = {
    "nb": {"estimate": "m", "k": None, "m": None, "var_prior": None, "max_values": 10000},
    "nb-disc": {"estimate": "m", "k": None, "m": None, "max_values": 10000, **DISCRETISING},
    "aode": {
        "estimate": "m",
        "m": None,
        "limit": 1.0,
        "subsumption": False,
        "critical": 100.0,
        "weight": "none",
        "max_values": 10000,
        **DISCRETISING,
    },
    "gaode": {
        "estimate": "m",
        "k": None,
        "m": None,
        "limit": 1.0,
        "var_prior": None,
        "conditional": "cg",
        "max_values": 10000,
    },
    "haode": {
        "estimate": "m",
        "m": None,
        "limit": 1.0,
        "weight": "none",
        "units": "sd",
        "var_prior": None,
        "max_values": 10000,
        **DISCRETISING,
    },
}
CHOICES = {
    "weight": ("none", "mi"),
    "conditional": ("cg", "hugin"),
    "units": ("sd", "raw"),
    "cuts": ("mdl", "equal-frequency"),
}
PRESETS = {  # k, m, var_prior; laplace's m is the number of cells
    "m": (1.0, 1.0, 1.0),
    "laplace": (1.0, None, 1.0),
    "awk": (1.0, 2.0, 1.0),
    "ml": (0.0, 0.0, 0.0),
}


# ------------------------------------------------------------------------------------- values
def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_missing(value):
    """None, NaN, the infinities, and numbers beyond 1e150."""
    return value is None or (is_number(value) and not abs(value) <= LARGEST)


def identity(value):
    """What makes a value or a label itself: True, 1 and "1" are three, 1 and 1.0 are one."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, str):
        return ("string", value)
    if is_number(value):
        return ("number", value)
    raise ValueError(f"neither a number, a string nor a boolean: {value!r}")


# ------------------------------------------------------------------------------------ arithmetic
def log(x):
    """The natural logarithm, with log 0 = -inf."""
    return math.log(x) if x > 0.0 else -math.inf


def log_sum(logs):
    """log Σ exp(l), which cannot underflow."""
    top = max(logs, default=-math.inf)
    if top == -math.inf:
        return -math.inf
    return top + math.log(math.fsum(math.exp(value - top) for value in logs))


def log_product(logs):
    """Σ l; a factor that is 0 makes the product 0."""
    logs = list(logs)
    return -math.inf if -math.inf in logs else math.fsum(logs)


def log_normal(x, mean, variance):
    """log N(x; μ, σ²) = -(log 2π)/2 - log σ - z²/2,  z = (x - μ)/σ"""
    sd = math.sqrt(variance)
    z = (x - mean) / sd
    return -0.5 * LOG_2PI - math.log(sd) - 0.5 * (z * z)


def m_estimate(n_value, n_all, m, p):
    """(n(value) + m·p) / (n + m);  p where nothing is counted and m = 0"""
    return (n_value + m * p) / (n_all + m) if n_all + m > 0.0 else p


def mean_and_m2(pairs):
    """n = Σw,  mean = Σwd / n,  M2 = Σw(d - mean)²  of (d, w), in two passes."""
    n = math.fsum(w for _, w in pairs)
    if n < NONE_LEFT:
        return 0.0, 0.0, 0.0
    first = pairs[0][0]
    if all(d == first for d, _ in pairs):  # constant: no rounding error may look like spread
        return n, first, 0.0
    mean = math.fsum(w * d for d, w in pairs) / n
    return n, mean, math.fsum(w * (d - mean) * (d - mean) for d, w in pairs)


def above(n, limit):
    """n > limit, where a relative 1e-9 doesn't count."""
    return n > limit * (1.0 + SLACK)


def same(n, other):
    return abs(n - other) <= SLACK * max(n, other)


# ------------------------------------------------------------------------------------ discretising
def entropy(counts):
    """-Σ p log2 p"""
    total = math.fsum(counts)
    return -math.fsum(n / total * math.log2(n / total) for n in counts if n > 0.0)


def pooled(fine):
    """The class counts of a run of fine bins (a list of {class: weight})."""
    classes = dict.fromkeys(c for counts in fine for c in counts)
    sums = (math.fsum(counts.get(c, 0.0) for counts in fine) for c in classes)
    return [n for n in sums if n >= NONE_LEFT]


def mdl_cuts(fine, edges):
    """Fayyad & Irani (1993): split S at T into S1, S2 where the entropy that remains,

    E = (N1·Ent(S1) + N2·Ent(S2)) / N,  is least, accepted when
    Ent(S) - E > (log2(N - 1) + log2(3^k - 2) - k·Ent(S) + k1·Ent(S1) + k2·Ent(S2)) / N,
    k the number of classes in a set; then each half likewise.  ``edges[t]`` parts ``fine[t]``
    from ``fine[t + 1]``.
    """
    whole = pooled(fine)
    n = math.fsum(whole)
    best, at = math.inf, None
    for t in range(1, len(fine)):
        left, right = pooled(fine[:t]), pooled(fine[t:])
        if not left or not right:
            continue
        rest = (math.fsum(left) * entropy(left) + math.fsum(right) * entropy(right)) / n
        if rest < best - TIE:  # Open: of equally good cuts the lowest
            best, at = rest, t
    # Open: N is a weight; where N <= 1 the logarithm has no value and nothing is cut.
    if at is None or n <= 1.0:
        return []
    left, right = pooled(fine[:at]), pooled(fine[at:])
    k, k1, k2 = len(whole), len(left), len(right)
    delta = math.log2(3.0**k - 2.0) - (
        k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right)
    )
    if not entropy(whole) - best > (math.log2(n - 1.0) + delta) / n:
        return []
    return [
        *mdl_cuts(fine[:at], edges[: at - 1]),
        edges[at - 1],
        *mdl_cuts(fine[at:], edges[at:]),
    ]


def quantile_cuts(weights, edges, parts):
    """The edges after which a share 1/parts, 2/parts, … of the weight has been passed.

    ``edges[t]`` parts what weighs ``weights[t]`` from what weighs ``weights[t + 1]``.
    Open: each quantile's edge is the first with at least that share below it; quantiles that fall
    on one edge, or on the end, give one cut or none, so that there may be fewer parts.
    """
    total = math.fsum(weights)
    cuts = []
    for part in range(1, parts):
        target = part * total / parts * (1.0 - SLACK)
        t = next(t for t in range(len(weights)) if math.fsum(weights[: t + 1]) >= target)
        if t < len(edges) and (not cuts or edges[t] > cuts[-1]):
            cuts.append(edges[t])
    return cuts


def midpoint(low, high):
    """(low + high) / 2, which must part the two: bins are (low, high]."""
    middle = (low + high) / 2.0
    return middle if low <= middle < high else low  # Open: between neighbouring doubles, the lower


def fine_edges(values, bins):
    """Edges of at most ``bins`` fine bins from the (value, weight) pairs kept."""
    weight = {}
    for value, w in values:
        weight[value] = weight.get(value, 0.0) + w
    distinct = sorted(weight)
    middles = [midpoint(low, high) for low, high in pairwise(distinct)]
    if len(distinct) <= bins:  # Open: «no more than 64 of them» are the values, not the midpoints
        return middles
    # Open: quantiles are of weight, and the cut lies midway to the next distinct value.
    return quantile_cuts([weight[value] for value in distinct], middles, bins)


class ReferenceBins:
    """The cuts of one numeric attribute that are in force after each record that has it.

    The first ``warmup`` values are kept; until they are all there, fine bins and cuts are those of
    the values kept so far.  When they are, the fine bins are settled for good; from then on class
    counts per fine bin are kept, and the cuts are made again when the number of records has grown
    by half since they were last made.
    """

    def __init__(self, warmup=200, bins=64, cuts="mdl", edges=None, freeze=False):
        self.warmup, self.bins, self.rule = warmup, bins, cuts
        self.fixed = None if edges is None else list(edges)
        self.freeze = freeze  # the cuts at the end of the warm-up are kept for good
        self.kept = []  # (value, class, weight), in learned order
        self.edges = None  # of the fine bins, once settled
        self.fine = []  # {class: weight} of each fine bin
        self.records = 0  # that have this attribute
        self.records_when_cut = 0
        self.settled_cuts = None

    def learn(self, value, label, w):
        # Open: a value counts as one of the ``warmup``, and a record as one record, whatever its
        # weight; the weight counts in quantiles and class counts.
        if self.fixed is not None:
            return
        self.records += 1
        if self.edges is None:
            self.kept.append((value, label, w))
            if len(self.kept) == self.warmup:
                self.settle()
            return
        self.add(value, label, w)
        if not self.freeze and self.records >= 1.5 * self.records_when_cut:
            self.cut()

    def forget(self, value, label, w):
        # Open: before the warm-up is full the value is no longer kept; afterwards the fine bins
        # stay where they are, and cuts are made again only by growth.
        if self.fixed is not None:
            return
        if self.edges is not None:
            self.add(value, label, -w)
            self.records -= 1
            return
        for i in reversed(range(len(self.kept))):
            if self.kept[i][:2] != (value, label):
                continue
            left = self.kept[i][2] - w
            if left >= NONE_LEFT:
                self.kept[i] = (value, label, left)
                return
            del self.kept[i]
            self.records -= 1
            w = -left
            if w < NONE_LEFT:
                return

    def add(self, value, label, w):
        counts = self.fine[bisect_left(self.edges, value)]
        counts[label] = counts.get(label, 0.0) + w

    def settle(self):
        self.edges, self.fine = self.fine_bins_of_kept()
        self.cut()

    def cut(self):
        self.settled_cuts = self.coarse(self.fine, self.edges)
        self.records_when_cut = self.records

    def fine_bins_of_kept(self):
        edges = fine_edges([(value, w) for value, _, w in self.kept], self.bins)
        fine = [{} for _ in range(len(edges) + 1)]
        for value, label, w in self.kept:
            counts = fine[bisect_left(edges, value)]
            counts[label] = counts.get(label, 0.0) + w
        return edges, fine

    def coarse(self, fine, edges):
        if self.rule == "mdl":
            return mdl_cuts(fine, edges)
        # Open: equal-frequency makes ten bins, or as many as the fine bins allow.
        return quantile_cuts(
            [math.fsum(counts.values()) for counts in fine], edges, EQUAL_FREQUENCY_BINS
        )

    @property
    def cuts(self):
        """The ascending edges now in force; there is one bin more than edges."""
        if self.fixed is not None:
            return self.fixed
        if self.edges is not None:
            return self.settled_cuts
        if not self.kept:
            return []
        edges, fine = self.fine_bins_of_kept()
        return self.coarse(fine, edges)


# ------------------------------------------------------------------------------------ the records
class Reference:
    """Any learner: ``Reference("aode", estimate="laplace", limit=0)``.

    ``declared`` gives the values of nominal attributes that a schema declares; ``freeze`` keeps
    the cuts made at the end of the warm-up.  ``parameters`` are the learner's own.
    """

    def __init__(self, model="nb", declared=None, freeze=False, **parameters):
        if model not in PARAMETERS:
            raise ValueError(f"unknown model: {model!r}")
        unknown = sorted(set(parameters) - set(PARAMETERS[model]))
        if unknown:
            raise ValueError(f"{model} has no parameter {unknown[0]!r}")
        self.model = model
        self.freeze = freeze
        self.parameters = {**PARAMETERS[model], **parameters}
        self.check()
        self.rows = []  # [x, y, w]: what is there now; x is {attribute: number or slot}
        self.labels = {}  # identity -> label, as first learned
        self.kinds = {}  # attribute -> "numeric" or "nominal", as first learned
        self.origins = {}  # numeric attribute -> its first value
        self.bins = {}  # numeric attribute -> ReferenceBins
        self.slots = {}  # nominal attribute -> identities of its values, as first learned
        self.declared = {}  # nominal attribute -> the slots that were declared
        # Open: declared values hold the first slots, in the order of their declaration.
        for attribute, values in (declared or {}).items():
            self.slots[attribute] = list(dict.fromkeys(identity(value) for value in values))
            self.declared[attribute] = {
                self.slot(attribute, value) for value in self.slots[attribute]
            }

    def check(self):
        p = self.parameters
        estimate = p["estimate"]
        if estimate not in (PRESETS if self.model == "nb" else ("m", "laplace")):
            raise ValueError(f"{self.model} has no estimate {estimate!r}")
        if estimate == "laplace" and p["m"] is not None:
            raise ValueError("m beside estimate=laplace")
        for name in ("k", "m", "var_prior", "limit", "critical"):
            if p.get(name) is not None and not 0.0 <= p[name] < math.inf:
                raise ValueError(f"{name} must be a finite number, and not below 0")
        for name in ("max_values", "bins", "warmup"):
            if name in p and p[name] < 1:
                raise ValueError(f"{name} must be at least 1")
        for name, choices in CHOICES.items():
            if name in p and p[name] not in choices:
                raise ValueError(f"{name} is one of {', '.join(choices)}")
        k, m, var_prior = PRESETS[estimate]
        self.k = k if p.get("k") is None else p["k"]
        self.m = m if p["m"] is None else p["m"]  # None: laplace
        self.var_prior = var_prior if p.get("var_prior") is None else p["var_prior"]

    # ---- reading a record
    def kind(self, attribute, value):
        """The attribute's kind, or that which ``value`` would give it."""
        if attribute in self.declared:
            return "nominal"
        return self.kinds.get(attribute) or ("numeric" if is_number(value) else "nominal")

    def present(self, x):
        """{attribute: value} of what isn't missing, checked against the kinds."""
        cells = {attribute: value for attribute, value in x.items() if not is_missing(value)}
        for attribute, value in cells.items():
            identity(value)
            # Open: the dict API answers a malformed value with ValueError, asked as well as taught.
            if self.kind(attribute, value) == "numeric" and not is_number(value):
                raise ValueError(f"{attribute!r} is numeric; got {value!r}")
        return cells

    def slot(self, attribute, value_identity):
        """Where a value is counted: its rank, at most max_values, which is the shared slot."""
        known, most = self.slots[attribute], self.parameters["max_values"]
        if value_identity in known:
            return min(known.index(value_identity), most)
        return most if len(known) > most else NEW

    def encode(self, cells):
        """{attribute: number or slot} of the attributes that are known, in learned order.

        Open: an attribute that was neither learned nor declared contributes no factor.
        """
        known = {**self.kinds, **{a: "nominal" for a in self.declared if a not in self.kinds}}
        return {
            attribute: float(cells[attribute])
            if kind == "numeric"
            else self.slot(attribute, identity(cells[attribute]))
            for attribute, kind in known.items()
            if attribute in cells
        }

    # ---- learning and forgetting
    def learn(self, x, y, w=1.0):
        if not 0.0 <= w < math.inf:
            raise ValueError(f"a weight must be a number, and not below 0; got {w!r}")
        if y is None or w == 0.0:
            return
        cells, label = self.present(x), identity(y)
        self.labels.setdefault(label, y)
        for attribute, value in cells.items():
            kind = self.kinds.setdefault(attribute, self.kind(attribute, value))
            if kind == "numeric":
                self.origins.setdefault(attribute, float(value))
                if attribute not in self.bins and "bins" in self.parameters:
                    self.bins[attribute] = self.new_bins(attribute)
            else:
                known = self.slots.setdefault(attribute, [])
                if identity(value) not in known:
                    known.append(identity(value))
        row = self.encode(cells)
        self.rows.append([row, label, w])
        for attribute in row:
            if attribute in self.bins:
                self.bins[attribute].learn(row[attribute], label, w)

    def new_bins(self, attribute):
        p = self.parameters
        edges = (p["bins_file"] or {}).get(attribute)
        return ReferenceBins(p["warmup"], p["bins"], p["cuts"], edges, self.freeze)

    def forget(self, x, y, w=1.0):
        """Takes weight w of equal records away; orders, slots and fine bins stay as they are."""
        if not 0.0 <= w < math.inf:
            raise ValueError(f"a weight must be a number, and not below 0; got {w!r}")
        if y is None or w == 0.0:
            return
        row, label = self.encode(self.present(x)), identity(y)
        equal = [r for r in self.rows if r[0] == row and r[1] == label]
        if math.fsum(r[2] for r in equal) < w - NONE_LEFT:
            raise ValueError("no such record, or not that much of it")
        rest = w
        for r in reversed(equal):
            taken = min(rest, r[2])
            r[2] -= taken
            rest -= taken
        self.rows = [r for r in self.rows if r[2] >= NONE_LEFT]
        for attribute in row:
            if attribute in self.bins:
                self.bins[attribute].forget(row[attribute], label, w)

    # ---- answers
    def scores(self, x):
        """[(label, log P(c, x))] of the labels with n(c) > 0, as first learned."""
        question = Question(self, self.encode(self.present(x)))
        score = MODELS[self.model](question)
        return [(self.labels[c], score(c)) for c in question.classes]

    def log_joint(self, x):
        return dict(self.scores(x))

    def proba(self, x):
        """P(c|x) = P(c,x) / Σ P(c',x);  where all are impossible the prior."""
        scores = self.scores(x)
        top = max((score for _, score in scores), default=0.0)
        if top == -math.inf:
            question = Question(self, {})
            return {self.labels[c]: question.prior(c) for c in question.classes}
        whole = math.fsum(math.exp(score - top) for _, score in scores)
        return {label: math.exp(score - top) / whole for label, score in scores}

    def predict(self, x):
        scores = self.scores(x)
        if all(score == -math.inf for _, score in scores):
            scores = list(self.proba(x).items())
        best, winner = -math.inf, None
        for label, score in scores:
            if score > best:
                best, winner = score, label
        return winner


# ------------------------------------------------------------------------------------ sums
class Question:
    """The sums that the equations are made of, for one record x that is asked about.

    ``numbers`` holds the numeric values of x and of the rows; ``symbols`` the slots of nominal
    values and, of learners that discretise, the bins of numeric ones.
    """

    def __init__(self, reference, x):
        self.reference = reference
        self.attributes = list(x)  # those present, in learned order
        self.cuts = {a: bins.cuts for a, bins in reference.bins.items()}
        self.numbers, self.symbols = self.split(x)
        self.rows = [(*self.split(row), c, w) for row, c, w in reference.rows]
        totals = {c: math.fsum(w for *_, label, w in self.rows if label == c) for c in self.labels}
        self.classes = [c for c in self.labels if totals[c] >= NONE_LEFT]
        self.totals = totals
        self.total = math.fsum(totals[c] for c in self.classes)
        self.memo = {}  # of the overall moments, which every class asks for

    @property
    def labels(self):
        return self.reference.labels

    def split(self, row):
        """A row's numbers, as distance from the attribute's first value, and its symbols."""
        numbers, symbols = {}, {}
        for attribute, value in row.items():
            if not self.numeric(attribute):
                symbols[attribute] = value
                continue
            numbers[attribute] = value - self.reference.origins[attribute]
            if attribute in self.cuts:
                symbols[attribute] = bisect_left(self.cuts[attribute], value)
        return numbers, symbols

    def numeric(self, i):
        return self.reference.kinds.get(i) == "numeric"

    def n(self, c=None, at=(), present=()):
        """n(c, a_j …, A_i present …): c any class where None, ``at`` the attributes that have
        the value asked about, ``present`` those that have any."""
        weight = math.fsum(
            w
            for _, symbols, label, w in self.rows
            if (c is None or label == c)
            and all(symbols.get(j) == self.symbols[j] for j in at)
            and all(i in symbols for i in present)
        )
        return weight if weight >= NONE_LEFT else 0.0

    def size(self, j):
        """|A_j|: values seen, declared or asked about; all bins of a discretised attribute."""
        if self.numeric(j):
            return len(self.cuts[j]) + 1
        seen = {symbols[j] for _, symbols, _, _ in self.rows if j in symbols}
        return len(seen | self.reference.declared.get(j, set()) | {self.symbols[j]})

    # ---- moments
    def select(self, c, at, present):
        return [
            (numbers, w)
            for numbers, symbols, label, w in self.rows
            if (c is None or label == c)
            and all(symbols.get(j) == self.symbols[j] for j in at)
            and all(i in numbers for i in present)
        ]

    def moments(self, i, c=None, at=()):
        """n, mean, M2 of A_i over the records of class c that have the values ``at``."""
        return mean_and_m2([(numbers[i], w) for numbers, w in self.select(c, at, (i,))])

    def overall(self, i):
        """The mean of A_i over all records and v_i = M2/n."""
        if i not in self.memo:
            n, mean, m2 = self.moments(i)
            self.memo[i] = mean, (m2 / n if n > 0.0 else 0.0)
        return self.memo[i]

    def varies(self, i):
        """v_i > 0: a numeric attribute that is constant so far is left out."""
        return self.overall(i)[1] > 0.0

    def floor(self, i, variance):
        return max(variance, FLOOR * self.overall(i)[1])

    def variance(self, i, n, m2):
        """(M2 + w·v) / (max(n - 1, 0) + w);  v where the denominator is 0"""
        v, w = self.overall(i)[1], self.reference.var_prior
        # Open: «denominator 0» is meant to the letter, so that n = 1 + 1e-12 with w = 0 isn't it.
        denominator = max(n - 1.0, 0.0) + w
        return v if denominator == 0.0 else (m2 + w * v) / denominator

    # ---- estimates
    def smoothing(self, cells):
        """m and p of an m-estimate over so many cells; laplace adds one to each."""
        m = self.reference.m
        return (cells if m is None else m), 1.0 / cells

    def prior(self, c):
        """P(c) = (n(c) + k) / (N + k·C)"""
        k = self.reference.k
        return (self.totals[c] + k) / (self.total + k * len(self.classes))

    def log_value(self, i, c):
        """log P(a_i|c),  P(a_i|c) = (n(c,a_i) + m·p) / (n(c, A_i present) + m),  p = 1/|A_i|

        estimate=awk: (n(c,a_i) + m·P(c)) / (n(c) + m)
        """
        if self.reference.parameters["estimate"] == "awk":
            # Open: with nothing counted of A_i in any class, no factor, as if it were unknown.
            if self.n(present=[i]) == 0.0:
                return 0.0
            n_c, p = self.totals[c], self.prior(c)
            return log(m_estimate(self.n(c, at=[i]), n_c, self.reference.m, p))
        m, p = self.smoothing(self.size(i))
        return log(m_estimate(self.n(c, at=[i]), self.n(c, present=[i]), m, p))

    def log_density(self, i, c):
        """log N(a_i; μ_c, v_c),  v_c = (M2_c + w·v) / (max(n_c - 1, 0) + w)

        n_c = 0: the overall mean, and v.
        """
        n, mean, m2 = self.moments(i, c)
        if n == 0.0:
            mean, variance = self.overall(i)
        else:
            variance = self.variance(i, n, m2)
        return log_normal(self.numbers[i], mean, self.floor(i, variance))

    def log_pair(self, j, c):
        """log P(c,a_j),  P(c,a_j) = (n(c,a_j) + m/(C·|A_j|)) / (n(A_j present) + m)"""
        m, p = self.smoothing(len(self.classes) * self.size(j))
        return log(m_estimate(self.n(c, at=[j]), self.n(present=[j]), m, p))

    def log_child(self, i, c, j):
        """log P(a_i|c,a_j),  (n(c,a_j,a_i) + m/|A_i|) / (n(c,a_j, A_i present) + m)"""
        m, p = self.smoothing(self.size(i))
        return log(m_estimate(self.n(c, at=[j, i]), self.n(c, at=[j], present=[i]), m, p))

    def log_child_density(self, i, c, j):
        """log N(a_i; μ, σ²) over the records of class c with a_j,
        σ² = (M2 + w·v_i) / (max(n - 1, 0) + w)

        n = 0: the mean of A_i in c (its overall mean where c has none), and v_i.
        """
        n, mean, m2 = self.moments(i, c, at=[j])
        if n == 0.0:
            n_c, mean_c, _ = self.moments(i, c)
            mean = mean_c if n_c > 0.0 else self.overall(i)[0]
            variance = self.overall(i)[1]
        else:
            variance = self.variance(i, n, m2)
        return log_normal(self.numbers[i], mean, self.floor(i, variance))

    def log_regression(self, i, c, j):
        """log N(a_i; μ_i + b(a_j - μ_j), s),  b = Σ_ij/Σ_jj,  s = Σ_ii - b·Σ_ij

        over the records of class c that have both A_i and A_j:
        Σ_ii = (M2_i + w·v_i)/(max(n-1,0) + w),  Σ_jj likewise,  Σ_ij = C_ij/(max(n-1,0) + w).
        n = 0: A_i's own normal in c.  max(n-1,0) + w = 0: Σ_ii = v_i, b = 0.  Σ_jj = 0: b = 0.
        conditional=hugin: N(a_i; μ_i + b·a_j, Σ_ii)
        """
        both = self.select(c, (), (i, j))
        n, mean_i, m2_i = mean_and_m2([(numbers[i], w) for numbers, w in both])
        _, mean_j, m2_j = mean_and_m2([(numbers[j], w) for numbers, w in both])
        if n == 0.0:
            return self.log_density(i, c)
        cross = math.fsum(w * (x[i] - mean_i) * (x[j] - mean_j) for x, w in both)
        denominator = max(n - 1.0, 0.0) + self.reference.var_prior
        s_ii, s_jj = self.variance(i, n, m2_i), self.variance(j, n, m2_j)
        s_ij = cross / denominator if denominator > 0.0 else 0.0
        b = s_ij / s_jj if s_jj > 0.0 else 0.0
        if self.reference.parameters["conditional"] == "hugin":
            # a_j itself, not its distance from the first value
            a_j = self.numbers[j] + self.reference.origins[j]
            return log_normal(self.numbers[i], mean_i + b * a_j, self.floor(i, s_ii))
        mean = mean_i + b * (self.numbers[j] - mean_j)
        return log_normal(self.numbers[i], mean, self.floor(i, s_ii - b * s_ij))

    # ---- superparents
    def frequent(self, j):
        """n(a_j) > limit"""
        return above(self.n(at=[j]), self.reference.parameters["limit"])

    def mutual_information(self, j):
        """Σ_c,a P(c,a) log( P(c,a) / (P(c)·P(a)) ), frequencies over the records that have A_j;
        0 where below 1e-12."""
        table = {}
        for _, symbols, c, w in self.rows:
            if j in symbols:
                table.setdefault((c, symbols[j]), []).append(w)
        table = {cell: math.fsum(weights) for cell, weights in table.items()}
        n = math.fsum(table.values())
        of_class = {c: math.fsum(w for (d, _), w in table.items() if d == c) for c, _ in table}
        of_value = {a: math.fsum(w for (_, b), w in table.items() if b == a) for _, a in table}
        # Open: natural logarithms, as everywhere (the base cancels in the probabilities).
        information = math.fsum(
            w / n * math.log(w * n / (of_class[c] * of_value[a])) for (c, a), w in table.items()
        )
        return information if information >= 1e-12 else 0.0

    def log_weights(self, parents):
        """log of each superparent's weight: 0, or of its mutual information with the class."""
        if self.reference.parameters.get("weight", "none") == "none":
            return dict.fromkeys(parents, 0.0)
        weights = {j: self.mutual_information(j) for j in parents}
        if not any(weights.values()):
            return dict.fromkeys(parents, 0.0)
        return {j: log(weight) for j, weight in weights.items()}

    def not_subsumed(self, attributes):
        """Without each a_i for which n(a_j) = n(a_i,a_j) > critical for some other a_j;
        of two values that imply each other the later attribute goes."""
        critical = self.reference.parameters["critical"]
        order = {i: place for place, i in enumerate(attributes)}

        def implies(j, i):
            n_j = self.n(at=[j])
            return above(n_j, critical) and same(n_j, self.n(at=[i, j]))

        def dropped(i):
            return any(
                implies(j, i) and not (implies(i, j) and order[i] < order[j])
                for j in attributes
                if j != i
            )

        return [i for i in attributes if not dropped(i)]


# ------------------------------------------------------------------------------------ learners
def naive_bayes(q):
    """P(c)·Π_i P(a_i|c), numeric attributes as normals; one that is constant is left out."""
    left = [i for i in q.attributes if not q.numeric(i) or q.varies(i)]

    def score(c):
        return log_product(
            [log(q.prior(c))]
            + [q.log_density(i, c) if q.numeric(i) else q.log_value(i, c) for i in left]
        )

    return score


def discrete_naive_bayes(q, left=None):
    """P(c)·Π_i P(a_i|c), numeric attributes by their bins."""
    left = q.attributes if left is None else left

    def score(c):
        return log_product([log(q.prior(c))] + [q.log_value(i, c) for i in left])

    return score


def aode(q):
    """Σ_j P(c,a_j)·Π_{i≠j} P(a_i|c,a_j) over the j with n(a_j) > limit; none: naive Bayes.

    Webb, Boughton & Wang (2005).  subsumption: without the values that another one implies.
    weight=mi: each term times the mutual information of A_j and the class.
    """
    left = q.attributes
    if q.reference.parameters["subsumption"]:
        left = q.not_subsumed(left)
    parents = [j for j in left if q.frequent(j)]
    if not parents:
        return discrete_naive_bayes(q, left)
    weights = q.log_weights(parents)

    def term(c, j):
        return log_product(
            [weights[j], q.log_pair(j, c)] + [q.log_child(i, c, j) for i in left if i != j]
        )

    return lambda c: log_sum([term(c, j) for j in parents])


def gaode(q):
    """Σ_j P(c)·N(a_j; μ_j, v_j)·Π_{i≠j} N(a_i; μ_i + b(a_j - μ_j), s); none: naive Bayes.

    A nominal superparent with n(a_j) > limit: P(c,a_j), children as in AODE and HAODE.
    A nominal child of a numeric superparent: P(a_i|c).
    """
    left = [i for i in q.attributes if not q.numeric(i) or q.varies(i)]
    parents = [j for j in left if q.numeric(j) or q.frequent(j)]
    if not parents:
        return naive_bayes(q)

    def numeric_term(c, j):
        return log_product(
            [log(q.prior(c)), q.log_density(j, c)]
            + [
                q.log_regression(i, c, j) if q.numeric(i) else q.log_value(i, c)
                for i in left
                if i != j
            ]
        )

    def nominal_term(c, j):
        return log_product(
            [q.log_pair(j, c)]
            + [
                q.log_child_density(i, c, j) if q.numeric(i) else q.log_child(i, c, j)
                for i in left
                if i != j
            ]
        )

    def score(c):
        return log_sum(
            [numeric_term(c, j) if q.numeric(j) else nominal_term(c, j) for j in parents]
        )

    return score


def haode(q):
    """Σ_j P(c,a_j)·Π_numeric N(a_i; μ, σ² given c, a_j)·√v_i·Π_nominal P(a_i|c,a_j),

    the superparent's value nominal or a bin, n(a_j) > limit; none: naive Bayes with normals.
    units=raw: without the √v_i.  weight=mi as in AODE.
    """
    left = [i for i in q.attributes if not q.numeric(i) or q.varies(i)]
    parents = [j for j in left if q.frequent(j)]
    if not parents:
        # Open: naive Bayes as it stands, without √v (a factor that all classes share).
        return naive_bayes(q)
    weights = q.log_weights(parents)
    by_sd = q.reference.parameters["units"] == "sd"

    def child(i, c, j):
        if not q.numeric(i):
            return q.log_child(i, c, j)
        units = 0.5 * math.log(q.overall(i)[1]) if by_sd else 0.0
        return q.log_child_density(i, c, j) + units

    def term(c, j):
        return log_product(
            [weights[j], q.log_pair(j, c)] + [child(i, c, j) for i in left if i != j]
        )

    return lambda c: log_sum([term(c, j) for j in parents])


MODELS = {
    "nb": naive_bayes,
    "nb-disc": discrete_naive_bayes,
    "aode": aode,
    "gaode": gaode,
    "haode": haode,
}
