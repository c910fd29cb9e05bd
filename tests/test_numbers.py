"""What is a number: the compiled parser against a regular expression and float()."""

from __future__ import annotations

import math
import re
import struct

import pytest
from feeding import MALFORMED, MORE, RECORD
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streambayes.records.delimited import DelimitedReader
from streambayes.records.schema import Schema

LARGEST = 1e150
WORD = re.compile(r"[ \t]*[+-]?(nan|inf|infinity)[ \t]*", re.IGNORECASE | re.ASCII)
REFUSED = "not a number"


def defined(text: str, mark: str = "."):
    """The number that a cell spells, None where it is missing or not finite, or REFUSED."""
    bare = text.strip(" \t")
    if bare in ("", "?") or WORD.fullmatch(text):
        return None
    m = re.escape(mark)
    number = rf"[+-]?([0-9]+({m}[0-9]*)?|{m}[0-9]+)([eE][+-]?[0-9]+)?"
    if not re.fullmatch(number, bare):
        return REFUSED
    x = float(bare.replace(mark, "."))
    return x if abs(x) <= LARGEST else None


def read(texts, mark="."):
    """What a numeric column makes of cells."""
    reader = DelimitedReader(Schema(), {"format": "csv", "decimal": mark, "delimiter": ";"})
    reader.begin_file("input")
    reader.configure([("n", "attribute", "numeric", None), ("y", "target", None, None)])
    reader.feed("".join(f'"{t}";a\n' for t in texts).encode())
    reader.end_of_file()
    found = []
    while (answer := reader.read())[0] != MORE:
        if answer[0] == RECORD:
            found.append(answer[1]["n"])
        else:
            assert answer[0] == MALFORMED
            assert re.match(
                r"input:\d+: '.*' in the numeric column n is not a number; ",
                reader.problem_message(),
            )
            found.append(REFUSED)
    return found


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return struct.pack("<d", a) == struct.pack("<d", b)  # the sign of 0 too
    return type(a) is type(b) and a == b


def check(texts, mark="."):
    got = read(texts, mark)
    assert len(got) == len(texts)
    for text, number in zip(texts, got, strict=True):
        expected = defined(text, mark)
        assert same(number, expected), (text, number, expected)


digits = st.text("0123456789", max_size=25)
spelled = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(("", " ", "\t ")),
        st.sampled_from(("", "-", "+")),
        digits,
        st.sampled_from(("", ".", "MARK")),
        digits,
        st.sampled_from(
            ("", "e", "E", "e-", "E+", "e1", "e-12", "e150", "e-320", "e308", "e99999")
        ),
        st.sampled_from(("", "0", "3", "22")),
        st.sampled_from(("", " ", "  ")),
    ),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(spelled, min_size=1, max_size=20), st.sampled_from(".,"))
def test_spelled_numbers(texts, mark):
    check([t.replace("MARK", mark) for t in texts], mark)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.text("0123456789.,+-eE nafity\t_x", max_size=12), min_size=1, max_size=20),
    st.sampled_from(".,"),
)
def test_any_text(texts, mark):
    check(texts, mark)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.floats(allow_nan=True), min_size=1, max_size=20))
def test_doubles_come_back(numbers):
    check([repr(x) for x in numbers])
    check([f"{x:.17e}" for x in numbers])
    check([format(x, ".400f").rstrip("0") for x in numbers if abs(x) <= LARGEST])


@settings(max_examples=200, deadline=None)
@given(st.integers(-(10**25), 10**25), st.integers(-330, 160))
@example(9007199254740993, 0)
@example(9007199254740993, -1)
@example(9007199254740992, 22)
@example(9007199254740992, 23)
@example(1, 150)
@example(10**20 + 1, 130)
@example(49, -325)
@example(24703282292062327, -340)
@example(24703282292062328, -340)
def test_halfway_cases_and_limits(m, e):
    check([f"{m}e{e}", f"{m}.e{e}", f".{abs(m)}e{e}", f"{m}.0E{e}"])


def test_long_numbers():
    check(
        [
            "1" * 151,
            "9" * 150,
            "0" * 400 + "7",
            "0." + "0" * 400 + "7",
            "1" + "0" * 150,
            "1" + "0" * 149 + "1",
            "1" + "0" * 150 + "." + "0" * 300,
            "1" + "0" * 150 + "." + "0" * 300 + "1",
            "3." + "14159" * 80,
            "1" * 400 + "e-300",
            "0" * 400 + "e99999999999999999999",
            "1e-99999999999999999999",
            "1e99999999999999999999",
            "4.9e-324",
            "2.4e-324",
            "2.2250738585072011e-308",
        ]
    )


def test_by_hand():
    assert read(["1", " +.5 ", "5.", "-0", "1e3", "1E-2"]) == [1.0, 0.5, 5.0, 0.0, 1000.0, 0.01]
    assert math.copysign(1, read(["-0"])[0]) == -1
    assert read(["nan", "-INF", "+Infinity", "1e151", "-1e151", "?", " ? ", ""]) == [None] * 8
    refused = [
        "1_000",
        "0x10",
        "1,5",
        "1 2",
        "--1",
        "+",
        ".",
        "e5",
        "1e",
        "1e+",
        "nano",
        "in",
        "１",
        "٣",
    ]
    assert read(refused) == [REFUSED] * len(refused)
    assert read(["1,5", ",5", "1.5"], ",") == [1.5, 0.5, REFUSED]


@pytest.mark.parametrize(("text", "finite"), [("1e150", True), ("1.0000000000000002e150", False)])
def test_the_limit_and_one_past_it(text, finite):
    for sign in ("", "-"):
        assert read([sign + text]) == [float(sign + text) if finite else None]
