"""Random schemas, records and streams for hypothesis.

A stream is a list of (x, y, w).  Weights are multiples of 1/8, so that sums of them are exact in
any order; the values of a numeric attribute lie on one scale, so that no answer hangs on digits
that doubles haven't got.  Labels that are equal as Python objects (True and 1) never meet in one
stream, because one dict cannot hold both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d e", "é")
MISSING = (None, math.nan, math.inf, -math.inf, 1e151, -3e200)
NOMINAL_POOLS = (
    ("red", "green"),
    ("1", "2", "3"),
    ("x", "y", "z", "u", "v", "w"),
    (True, False),
    ("1", True, 1, 1.0, 2.5, False, 0),
    ("", "?", "NA", "é"),
)
UNSEEN = ("never seen", "nor this")
LABEL_POOLS = (
    ("a", "b"),
    ("a", "b", "c", "d"),
    (1, 2, 3),
    (True, False),
    ("1", 1, "x"),
    ("1", True, 2.5),
    ("only",),
)
WEIGHTS = (1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 0.5, 0.25, 1.5, 0.125, 0.0)
SCALES = (1.0, 1.0, 1.0, 1e-3, 1e6, 1e-140, 1e140)
OFFSETS = (0.0, 0.0, 1e3, 1e9)  # in units of the scale
STEPS = tuple(step / 4.0 for step in range(-16, 17))  # values, in units of the scale
OUTLYING = (-300.0, 75.0)  # values to ask about


@dataclass(frozen=True)
class Attribute:
    """``values`` may be learned, ``asked`` may also be asked about; neither holds missing ones."""

    name: str
    numeric: bool
    values: tuple
    asked: tuple
    first: int  # the first record that may have it


@dataclass(frozen=True)
class Schema:
    attributes: tuple
    labels: tuple
    first: tuple  # of each label, the first record that may have it


@st.composite
def attributes(draw, name, numeric=None):
    first = draw(st.sampled_from((0, 0, 0, 4, 9)))
    if draw(st.booleans()) if numeric is None else numeric:
        scale, offset = draw(st.sampled_from(SCALES)), draw(st.sampled_from(OFFSETS))
        steps = draw(st.sampled_from((STEPS, STEPS[::4], STEPS[16:18], STEPS[:1])))
        values = tuple((offset + step) * scale for step in steps)
        if scale == 1.0 and draw(st.booleans()):
            values = tuple(int(value) for value in values)
        return Attribute(name, True, values, values + tuple(o * scale for o in OUTLYING), first)
    values = draw(st.sampled_from(NOMINAL_POOLS))
    return Attribute(name, False, values, values + UNSEEN, first)


@st.composite
def schemas(draw, numeric=None, max_attributes=4):
    """Attributes of both kinds (or of one: numeric=True or False) and labels."""
    names = NAMES[: draw(st.integers(1, max_attributes))]
    labels = draw(st.sampled_from(LABEL_POOLS))
    first = tuple(draw(st.sampled_from((0, 0, 3, 8))) for _ in labels[1:])
    return Schema(tuple(draw(attributes(name, numeric)) for name in names), labels, (0, *first))


@st.composite
def records(draw, schema, index=None):
    """One record of the schema: the one at ``index`` of a stream, or one to ask about."""
    x = {}
    shift = draw(st.integers(0, len(schema.attributes)))  # keys come in any order
    for attribute in schema.attributes[shift:] + schema.attributes[:shift]:
        if index is not None and index < attribute.first:
            continue
        fate = draw(st.integers(0, 9))
        if fate == 0:
            continue
        pool = attribute.values if index is not None else attribute.asked
        x[attribute.name] = draw(st.sampled_from(MISSING if fate == 1 else pool))
    if index is None and draw(st.integers(0, 9)) == 0:
        x["unheard of"] = draw(st.sampled_from(("value", True, 7.5, None)))
    return x


def settle(schema, stream):
    """The stream, without numbers in a nominal attribute that has no other value yet.

    An attribute keeps the kind of the first value learned, so in the mixed pool a number may only
    come after a string or a boolean.
    """
    unsettled = {attribute.name for attribute in schema.attributes if not attribute.numeric}
    settled = []
    for x, y, w in stream:
        words = {name for name, value in x.items() if isinstance(value, (str, bool))}
        x = {name: value for name, value in x.items() if name in words or name not in unsettled}
        if y is not None and w > 0.0:
            unsettled -= words
        settled.append((x, y, w))
    return settled


@st.composite
def streams(draw, schema, max_size=24, weights=WEIGHTS, unlabelled=True):
    """Records with late classes and late attributes, weights, and now and then no label."""
    stream = []
    for index in range(draw(st.integers(0, max_size))):
        ready = [y for y, first in zip(schema.labels, schema.first, strict=True) if first <= index]
        if unlabelled and draw(st.integers(0, 19)) == 0:
            ready = [None]
        x = draw(records(schema, index))
        stream.append((x, draw(st.sampled_from(ready)), draw(st.sampled_from(weights))))
    return settle(schema, stream)
