"""Figures over a stream: of all of it, of its last records, and of a view that fades."""
from __future__ import annotations

from libc.math cimport log
from libc.stdint cimport int32_t

from ..statistics.tables cimport Scores

BINS = 10  # of the calibration error; equal parts of 0 … 1
cdef size_t PARTS = BINS
cdef double LEAST_P = 1e-15


cdef class Tally:
    """Weighted sums over scored records; see `metrics.more_figures` for what they give."""

    def __init__(self):
        self.clear()

    cdef int clear(self) except -1 nogil:
        self.confusion.assign(self.room * self.room, 0.0)
        self.log_loss = self.brier = self.no_change = self.majority = 0
        self.bins.assign(3 * PARTS, 0.0)
        return 0

    cdef int make_room(self, size_t labels) except -1 nogil:
        cdef vector[double] wider
        cdef size_t i, old = self.room
        if labels > old:
            self.room = 2 * labels
            wider.assign(self.room * self.room, 0.0)
            for i in range(old * old):
                wider[i // old * self.room + i % old] = self.confusion[i]
            self.confusion.swap(wider)
        return 0

    cdef int add(self, const Outcome& o, double weight) except -1 nogil:
        cdef size_t part = <size_t>(o.forecast.p_answer * PARTS)
        self.make_room(<size_t>(o.truth if o.truth > o.answer else o.answer) + 1)
        self.confusion[o.truth * self.room + o.answer] += weight
        self.log_loss -= weight * log(o.p_true if o.p_true > LEAST_P else LEAST_P)
        # sum over c of (P(c|x) - [c is the label])²
        self.brier += weight * (o.forecast.squares - 2 * o.p_true + 1)
        if o.forecast.no_change == o.truth:
            self.no_change += weight
        if o.forecast.majority == o.truth:
            self.majority += weight
        part = 3 * (part if part < PARTS else PARTS - 1)
        self.bins[part] += weight
        self.bins[part + 1] += weight * o.forecast.p_answer
        if o.truth == o.answer:
            self.bins[part + 2] += weight
        return 0

    cdef int scale(self, double factor) except -1 nogil:
        cdef size_t i
        for i in range(self.confusion.size()):
            self.confusion[i] *= factor
        for i in range(self.bins.size()):
            self.bins[i] *= factor
        self.log_loss *= factor
        self.brier *= factor
        self.no_change *= factor
        self.majority *= factor
        return 0

    def sums(self, list order not None, double unit=1.0) -> dict:
        """The sums, in units of this weight; the matrix is in the order of these codes, -1 a label never scored."""
        cdef long t, p
        cdef size_t i
        matrix = [[self.confusion[<size_t>t * self.room + <size_t>p] / unit
                   if 0 <= t < <long>self.room and 0 <= p < <long>self.room else 0.0 for p in order] for t in order]
        return {"matrix": matrix, "log_loss": self.log_loss / unit, "brier": self.brier / unit,
                "no_change": self.no_change / unit, "majority": self.majority / unit,
                "bins": [(self.bins[3 * i] / unit, self.bins[3 * i + 1] / unit, self.bins[3 * i + 2] / unit)
                         for i in range(PARTS)]}


cdef class Course:
    """Three tallies of one run.

    Parameters
    ----------
    window : int
        The last so many scored records are seen apart; 0: not.
    fading : float
        Each scored record multiplies the weight of all before it by this factor, from above 0 to
        below 1 (Gama, Sebastião & Rodrigues 2013, Machine Learning 90); 0: not.
    anytime : bool
        Whether rows and summaries are to hold the accuracy's anytime interval (it needs numpy).
    """

    def __init__(self, window=0, fading=0.0, anytime=True):
        self.whole = Tally()
        self.window = window
        self.fading = fading
        self.anytime = anytime
        self.faded = Tally() if fading else None
        self.gain = 1
        self.latest = self.commonest = -1

    cdef int foresee(self, const Scores& s, size_t labels) except -1 nogil:
        """Takes note of an answer while its label is still out."""
        cdef Forecast f
        cdef size_t c
        f.no_change, f.majority = self.latest, self.commonest
        f.p_answer = f.squares = 0
        if s.predicted >= 0:
            f.p_answer = s.p[s.predicted]
            for c in range(labels):
                f.squares += s.p[c] * s.p[c]
        self.waiting.push_back(f)
        return 0

    cdef Forecast settle(self) noexcept nogil:
        """What was noted of the first record whose label is still out."""
        cdef Forecast f = self.waiting[self.waiting_at]
        self.waiting_at += 1
        if 2 * self.waiting_at > self.waiting.size():
            self.waiting.erase(self.waiting.begin(), self.waiting.begin() + self.waiting_at)
            self.waiting_at = 0
        return f

    cdef int take_label(self, int32_t truth, double weight) except -1 nogil:
        if <size_t>truth >= self.label_weight.size():
            self.label_weight.resize(truth + 1, 0.0)
        self.label_weight[truth] += weight
        self.latest = truth
        if self.commonest < 0 or self.label_weight[truth] > self.label_weight[self.commonest] or (
                truth < self.commonest and self.label_weight[truth] == self.label_weight[self.commonest]):
            self.commonest = truth  # a tie goes to the label that came first
        return 0

    cdef int take(self, const Outcome& o) except -1 nogil:
        self.whole.add(o, o.weight)
        if self.window:
            if self.ring.size() < self.window:
                self.ring.push_back(o)
            else:
                self.ring[self.ring_at] = o
            self.ring_at = (self.ring_at + 1) % self.window
        if self.fading > 0:
            # what is new weighs 1 / fading more than what came before it, in place of the old fading away
            self.gain /= self.fading
            self.faded.add(o, o.weight * self.gain)
            if self.gain > 1e100:
                self.faded.scale(1 / self.gain)
                self.gain = 1
        return 0

    def views(self, list order not None) -> dict:
        """The sums of the whole, and of the window and the fading view where they were asked for."""
        cdef Tally recent
        cdef size_t i
        views = {"whole": self.whole.sums(order)}
        if self.window:
            recent = Tally()
            for i in range(self.ring.size()):
                recent.add(self.ring[i], self.ring[i].weight)
            views["window"] = recent.sums(order)
        if self.fading > 0:
            views["fading"] = self.faded.sums(order, self.gain)
        return views
