"""The csv, tsv and ws reader against Python's csv module, against split, and against itself."""

from __future__ import annotations

import csv
import io
import re

import pytest
from feeding import cut, read_all, rows
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streambayes.records.schema import Schema

ALPHABET = 'ab"",,\n\r;\t ?é\x00😀'
LIMIT = 16 << 20


def without_missing(row):
    return [None if field in ("", "?") else field for field in row]


def pythons_rows(text, delimiter=","):
    """Python's reading of a text, blank lines left out; None where it ends inside quotes."""
    try:
        return [
            without_missing(row)
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
            if row
        ]
    except csv.Error:
        return None


fields = st.text(st.sampled_from(list(ALPHABET)), max_size=6)


@st.composite
def tables(draw, delimiter=","):
    """A number of columns and a text that Python's writer made of rows."""
    columns = draw(st.integers(2, 4))
    table = draw(st.lists(st.lists(fields, min_size=columns, max_size=columns), max_size=6))
    out = io.StringIO(newline="")
    ends = draw(st.sampled_from(("\n", "\r\n")))
    quoting = draw(st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)))
    if any("\r" in field for row in table for field in row):
        quoting = csv.QUOTE_ALL  # Python doesn't quote for a lone CR, but takes one for a line end
    csv.writer(out, delimiter=delimiter, lineterminator=ends, quoting=quoting).writerows(table)
    text = out.getvalue()
    if draw(st.booleans()):
        text = text.removesuffix(ends)
    return columns, table, text


@settings(max_examples=200, deadline=None)
@given(tables(), st.lists(st.integers(0, 120), max_size=5))
@example((2, [["a\r\nb", '"']], '"a\r\nb",""""\r\n'), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
@example((2, [["", ""]], ",\n"), [])
def test_reads_what_pythons_writer_wrote(table, places):
    columns, written, text = table
    got = rows(Schema(), cut(text.encode(), places), columns)
    assert got == [without_missing(row) for row in written]
    assert got == pythons_rows(text)


@settings(max_examples=100, deadline=None)
@given(tables(";"), st.lists(st.integers(0, 120), max_size=5))
def test_other_delimiters(table, places):
    columns, written, text = table
    got = rows(Schema(), cut(text.encode(), places), columns, delimiter=";")
    assert got == [without_missing(row) for row in written]


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from(list('ab",\n')), max_size=30))
@example('a"b,c\n')
@example('"a"b,c\n')
def test_reads_any_text_as_python_does(text):
    """Where Python's strict reader takes the whole text, so do we, ragged rows aside."""
    expected = pythons_rows(text)
    if expected is None:
        return
    got = rows(Schema(), [text.encode()], 2)
    assert len(got) == len(expected)
    for ours, theirs in zip(got, expected, strict=True):
        if len(theirs) == 2:
            assert ours == theirs
        else:
            s = "s" * (len(theirs) != 1)
            assert re.match(rf"input:\d+: {len(theirs)} field{s} where the header has 2; ", ours)


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from(list(ALPHABET)), max_size=40), st.sampled_from(("csv", "tsv", "ws")))
@example('x,y\n"a\n', "csv")
@example('"x\n",y\r\na,"b""\r\n"\r\n', "csv")
@example("\ufeffx,y\r\n1,a\r\n", "csv")
def test_cuts_never_show(text, format):
    data = ("x,y\n" if format == "csv" else "x\ty\n").encode() + text.encode()
    whole = read_all(Schema(), [data], format=format)
    assert read_all(Schema(), cut(data, range(len(data))), format=format) == whole
    for place in range(1, len(data)):
        assert read_all(Schema(), cut(data, [place]), format=format) == whole


@given(st.lists(st.lists(st.text("ab\"' ,\\é", max_size=4), min_size=2, max_size=2), max_size=5))
def test_tsv_knows_no_quotes(table):
    text = "".join("\t".join(row) + "\n" for row in table)
    assert rows(Schema(), [text.encode()], 2, format="tsv") == [without_missing(r) for r in table]


@given(st.text('ab" \t\n?', max_size=30))
def test_ws_is_split(text):
    expected = [line.split() for line in re.split("\n", text) if line.strip(" \t")]
    got = rows(Schema(), [text.encode()], 2, format="ws")
    assert [r for r in got if isinstance(r, list)] == [
        [None if f == "?" else f for f in row] for row in expected if len(row) == 2
    ]
    assert len(got) == len(expected)


# ------------------------------------------------------------------------------------- problems
def test_quote_that_never_closes_is_named_by_the_line_where_it_opens():
    text = b'a,b\n"two\nlines","c\nd,e\n\nf,g\n'
    for blocks in ([text], cut(text, range(len(text)))):
        got = rows(Schema(), blocks, 2)
        assert got[0] == ["a", "b"]
        assert got[1].startswith("input:3: a quote is opened here and never closed; ")
        assert got[2:] == [["d", "e"], ["f", "g"]]


def test_lines_are_counted_in_quotes():
    got = rows(Schema(), [b'"a\n\nb",c\r\nd\n"e\r\n",f\ng\n'], 2)
    assert got[0] == ["a\n\nb", "c"]
    assert got[1].startswith("input:4: 1 field ")
    assert got[2] == ["e\r\n", "f"]
    assert got[3].startswith("input:7: 1 field ")


@pytest.mark.parametrize("format", ["csv", "tsv", "ws"])
def test_records_up_to_16_mib(format):
    gap = {"csv": b",", "tsv": b"\t", "ws": b" "}[format]
    largest = b"x" * (LIMIT - 2) + gap + b"y"
    assert len(largest) == LIMIT
    for data in (largest + b"\n", largest):
        got = rows(Schema(), cut(data, range(0, len(data), 1 << 20)), 2, format=format)
        assert got == [["x" * (LIMIT - 2), "y"]]
    data = b"a" + gap + b"b\nx" + largest + b"\nc" + gap + b"d\n"
    for step in (1 << 20, len(data)):
        got = rows(Schema(), cut(data, range(0, len(data), step)), 2, format=format)
        assert got[::2] == [["a", "b"], ["c", "d"]]
        assert got[1].startswith("input:2: a record of more than 16 MiB; ")
        assert len(got) == 3


def test_quotes_that_hold_more_than_16_mib():
    long = b"y" * 999 + b"\n"
    data = b'a,b\n"' + long * (LIMIT // 1000 + 2) + b'",c\nd,e\n'
    for step in (1 << 20, len(data)):
        got = rows(Schema(), cut(data, range(0, len(data), step)), 2)
        assert got[0] == ["a", "b"]
        assert got[1].startswith("input:2: a record of more than 16 MiB; ")


BAD = [
    b"\xff",
    b"\x80",
    b"\xc0\xaf",
    b"\xc3",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xf5\x80\x80\x80",
]


@pytest.mark.parametrize("bad", BAD, ids=bytes.hex)
def test_bad_utf8_at_every_position(bad):
    line = "aé😀z,b€".encode()
    boundaries = [i for i in range(len(line) + 1) if i == len(line) or (line[i] & 0xC0) != 0x80]
    for place in boundaries:
        data = b"x,y\n" + line[:place] + bad + line[place:] + b"\nc,d\n"
        got = rows(Schema(), [data], 2)
        assert got[0] == ["x", "y"]
        assert got[2] == ["c", "d"]
        what = f"input:2: byte 0x{bad[0]:02x} at position {place + 1} is not UTF-8; "
        assert got[1].startswith(what)
        assert rows(Schema(), cut(data, range(len(data))), 2) == got


@given(st.binary(max_size=12))
def test_utf8_is_what_python_takes_for_it(data):
    data = data.translate(None, b'\n\r," \t?') + b"x"
    if data.startswith(b"\xef\xbb\xbf"):
        return
    (got,) = rows(Schema(), [data + b",1\n"], 2)
    try:
        assert got == [data.decode(), "1"]
    except UnicodeDecodeError as e:
        assert got.startswith(f"input:1: byte 0x{data[e.start]:02x} at position {e.start + 1} ")


# -------------------------------------------------------------------------------------- headers
@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"a,b,a\n", "input:1: the name a comes twice in the header; "),
        (b"\n\na,,b\n", "input:3: the name of column 2 in the header is empty; "),
        (b'a,"b\n', "input:1: a quote is opened here and never closed; "),
        (b"a,\xff\n", "input:1: byte 0xff at position 3 is not UTF-8; "),
    ],
)
def test_refused_headers(header, message):
    (got,) = read_all(Schema(), [header + b"1,2,3\n"], format="csv")
    assert got.startswith("the end: " + message)


def test_header_in_quotes():
    got = read_all(Schema(), [b'"x ""1""","y\nz"\nu,a\n'], target="y\nz")
    assert got == [({'x "1"': "u"}, "a", 1.0)]
