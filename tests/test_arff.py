"""ARFF: headers, dense and sparse rows, and what is malformed."""

from __future__ import annotations

import random

import pytest

from streambayes.records.arff import ArffReader
from streambayes.records.problems import InputError, MalformedHeader
from streambayes.records.schema import Schema

HEADER = """\
% a note with an ' apostrophe
@RELATION 'sky log'   % and one behind

@Attribute 'sky state' { 'part cloudy', clear , "it\\'s raining" }
@attribute "wind %" REAL [0, 100]
 @ATTRIBUTE note String
@attribute class {yes, 'not yet' } {0.5}
%
@DATA
"""
COLUMNS = [
    ("sky state", "nominal", ["part cloudy", "clear", "it's raining"]),
    ("wind %", "numeric", None),
    ("note", "nominal", None),
    ("class", "nominal", ["yes", "not yet"]),
]


def header(text, cut=None, **options):
    """(reader, what its header holds), fed whole or in blocks of `cut`."""
    reader = ArffReader(Schema(), options)
    reader.begin_file("f")
    data = text.encode() if isinstance(text, str) else text
    columns = None
    for at in range(0, len(data), cut or max(len(data), 1)):
        reader.feed(data[at : at + (cut or len(data))])
        if columns is None:
            columns = reader.read_header()
    reader.end_of_file()
    return reader, reader.read_header() if columns is None else columns


def read(rows, cut=None, top=HEADER, target="class", weight=None, kinds=None, **options):
    reader, columns = header(
        top + rows if isinstance(rows, str) else top.encode() + rows, cut, **options
    )
    roles = {target: "target", weight: "weight", **dict.fromkeys(options.get("drop", ()), "drop")}
    reader.configure(
        [
            (name, roles.get(name, "attribute"), (kinds or {}).get(name, kind), values)
            for name, kind, values in columns
        ]
    )
    said = []
    while True:
        status, x, y, w = reader.read()
        if status == 0:
            return said
        said.append((x, y, w) if status == 1 else reader.problem_message())


def values(rows, **options):
    """The attributes' values, the label and the weight of each record; or the problem."""
    return [s if isinstance(s, str) else (*s[0].values(), *s[1:]) for s in read(rows, **options)]


def problem(row, **options):
    said = values(row + "\nclear,1,n,yes\n", **options)
    assert len(said) == 2 and said[1] == ("clear", 1.0, "n", "yes", 1.0), said
    assert said[0].startswith("f:10: ") and "; " in said[0] and "\n" not in said[0]
    return said[0][len("f:10: ") :]


# ---------------------------------------------------------------------------------------- header
def test_header():
    for cut in (None, 1, 7):
        assert header(HEADER, cut)[1] == COLUMNS
        assert header(b"\xef\xbb\xbf" + HEADER.replace("\n", "\r\n").encode(), cut)[1] == COLUMNS
    assert header(HEADER.rstrip("\n"))[1] == COLUMNS


def test_header_escapes_and_odd_names():
    columns = header(
        "@attribute 'a\\'b\\\\\\u00e9\\n\\%' {'}', ',', \"'\", '', '?', x y, 50%,}\n"
        "@attribute b{u}\n"
        "@attribute\tc\tInteger[1,2]\n@attribute @d numeric % note\n@attribute e{}\n@data"
    )[1]
    assert columns == [
        ("a'b\\é\n%", "nominal", ["}", ",", "'", "", "?", "x y", "50%"]),
        ("b", "nominal", ["u"]),
        ("c", "numeric", None),
        ("@d", "numeric", None),
        ("e", "nominal", []),
    ]


def test_header_that_is_not_whole():
    reader = ArffReader(Schema(), {})
    reader.begin_file("f")
    for line in HEADER.encode().splitlines(keepends=True)[:-1]:
        reader.feed(line)
        assert reader.read_header() is None
    reader.end_of_file()
    with pytest.raises(MalformedHeader, match=r"^f:9: the file ends before @data; "):
        reader.read_header()
    assert header("")[1] == [] and header("% nothing\n\n")[1] == []


@pytest.mark.parametrize(
    "line, where, what",
    [
        ("@attribute a numeric\n@attribute a real", 3, "the name a comes twice"),
        ("@attribute 'a\\nb' numeric\n@attribute 'a\\nb' real", 3, "the name a\\nb comes twice"),
        ("@attribute '' numeric", 2, "without a name"),
        ("@attribute", 2, "without a name"),
        ("@attribute 'a numeric", 2, "never closed"),
        ("@attribute a", 2, "no known type"),
        ("@attribute a nummeric", 2, "no known type"),
        ("@attribute a {x, y", 2, "never closed"),
        ("@attribute a {x, 'y}", 2, "never closed"),
        ("@attribute a numeric really", 2, "behind the type"),
        ("@atribute a numeric", 2, "begin its lines with"),
        ("1,2,3", 2, "begin its lines with"),
        ("@attribute \udcff numeric", 2, "byte 0xff"),
    ],
)
def test_malformed_headers(line, where, what):
    with pytest.raises(MalformedHeader) as error:
        header(("@relation r\n" + line + "\n@data\n").encode("utf-8", "surrogateescape"))
    message = str(error.value)
    assert (
        message.startswith(f"f:{where}: ")
        and what in message
        and "; " in message
        and "\n" not in message
    )


def test_dates_and_relational_attributes_are_refused_unless_dropped():
    top = (
        "@relation r\n@attribute when date 'yyyy-MM-dd'\n@attribute n numeric\n"
        "@attribute bag relational\n  @attribute n numeric\n  @attribute when date\n@end bag\n"
        "@attribute class {a,b}\n@data\n"
    )
    with pytest.raises(InputError, match=r"^f:2: the attribute when is a date, .*; .*--drop when$"):
        header(top)
    with pytest.raises(
        InputError, match=r"^f:4: the attribute bag is relational, .*; .*--drop bag$"
    ):
        header(top, drop=["when"])
    for drop in (["when", "bag"], ["1", "3"], ["-4", "-2"]):
        assert [name for name, *_ in header(top, drop=drop)[1]] == ["when", "n", "bag", "class"]
    assert read("'2020-01-01', 2, '1,2\\n3,4', b\n", top=top, drop=["when", "bag"]) == [
        ({"n": 2.0}, "b", 1.0)
    ]


# ------------------------------------------------------------------------------------------ rows
def test_dense_rows():
    rows = (
        "'part cloudy', 10, 'a, b', yes\r\n"
        "clear\t20\tit's\t'not yet'\n"
        "% a comment between\n   \n  % another\n"
        "\"it's raining\" , ? ,?, 'not yet',\n"
        "  'it\\'s raining', 1e1,'?',? \n"
        "clear,1,'\\u00e9\\ud83d\\ude00\\n\\t\\r\\%\\\\\\\"',yes % a note\n"
        "clear, \t 1 \t, '',yes"
    )
    expected = [
        ("part cloudy", 10.0, "a, b", "yes", 1.0),
        ("clear", 20.0, "it's", "not yet", 1.0),
        ("it's raining", None, None, "not yet", 1.0),
        ("it's raining", 10.0, "?", None, 1.0),
        ("clear", 1.0, 'é😀\n\t\r%\\"', "yes", 1.0),
        ("clear", 1.0, "", "yes", 1.0),
    ]
    for cut in (None, 1, 2, 5):
        assert values(rows, cut=cut) == expected


def test_instance_weights():
    rows = (
        "clear,1,n,yes,{5}\nclear,1,n,yes, { 0.5 }\nclear,1,n,yes {2}\n"
        "{0 clear}, {3}\n{1 2} {4} % x\n{},\n{ },{0}\n"
    )
    assert [record[-1] for record in values(rows)] == [5.0, 0.5, 2.0, 3.0, 4.0, 1.0, 0.0]
    top = "@attribute w numeric\n@attribute class {a}\n@data\n"
    assert read("2,a,{5}\n?,a,{5}\n3,a\n", top=top, weight="w") == [
        ({}, "a", 2.0),
        ({}, "a", 1.0),
        ({}, "a", 3.0),
    ]
    for bad in ("{-1}", "{x}", "{}", "{1e151}"):
        assert problem("clear,1,n,yes," + bad).startswith("the weight '")
    assert "position" in problem("clear,1,n,yes,{5")
    assert "position" in problem("clear,1,n,yes,{5} 6")


def test_sparse_rows():
    rows = (
        "{3 'not yet', 1 1.5, 0 clear}\n{}\n{ 2 'a } b' , 1 ? }\n"
        '{0 "it\'s raining",3 yes,}\n  {1\t-0.5}\n{2 a b}\n'
    )
    expected = [
        ("clear", 1.5, None, "not yet", 1.0),
        ("part cloudy", 0.0, None, "yes", 1.0),
        ("part cloudy", None, "a } b", "yes", 1.0),
        ("it's raining", 0.0, None, "yes", 1.0),
        ("part cloudy", -0.5, None, "yes", 1.0),
        ("part cloudy", 0.0, "a b", "yes", 1.0),
    ]
    for cut in (None, 1, 4):
        assert values(rows, cut=cut) == expected


def test_omitted_entries_are_what_they_would_be_if_written():
    top = "@attribute a {'?',b}\n@attribute n numeric\n@attribute class {?,x}\n@data\n"
    assert values("{}\n'?',0,?\n", top=top) == [("?", 0.0, None, 1.0)] * 2
    assert values("{}\n", top=top, missing=["0", "?"]) == [("?", None, None, 1.0)]
    assert values("{}\n", top=top, kinds={"n": "nominal"}) == [("?", "0", None, 1.0)]


@pytest.mark.parametrize(
    "row, what",
    [
        ("clear,1,n", "3 fields where the header has 4; "),
        ("clear,1,n,yes,no", "5 fields where the header has 4; "),
        ("clear,,n,yes", "an empty value at position 7; "),
        (",1,n,yes", "an empty value at position 1; "),
        ("clear,1,n,yes,,", "an empty value at position 15; "),
        ("clear,x,n,yes", "'x' in the numeric column wind % is not a number; "),
        ("foggy,1,n,yes", "'foggy' is not among the values declared for sky state; "),
        ("clear,1,n,no", "'no' is not among the values declared for class; "),
        ("clear,1,n,'?'", "'?' is not among the values declared for class; "),
        ("clear,1,'n,yes", "a quote that is never closed at position 9; "),
        ("clear,1,'n\\', yes", "a quote that is never closed at position 9; "),
        ("clear,1,'n\\", "a quote that is never closed at position 9; "),
        ("'clear'x,1,n,yes", "text behind a closing quote at position 8; "),
        ("clear,1,'\\u12',yes", "\\u without four"),
        ("clear,1,'\\ud800',yes", "half a surrogate pair at position 10; "),
        ("{1 2, 1 3}", "an attribute's number for the second time at position 7; "),
        ("{4 yes}", "an attribute's number beyond the last one at position 2; "),
        ("{99999999999999999999999 yes}", "an attribute's number beyond the last one"),
        ("{-1 yes}", "expected an attribute's number and a blank at position 2; "),
        ("{clear}", "expected an attribute's number and a blank"),
        ("{1}", "expected an attribute's number and a blank"),
        ("{1 }", "an empty value at position 4; "),
        ("{1 2,,3 yes}", "expected an attribute's number and a blank at position 6; "),
        ("{1 2", "expected '}' at position 5; "),
        ("{0 'clear' x}", "expected ',' or '}' at position 12; "),
        ("{1 2} 3", "text behind the row at position 7; "),
        ("{0 foggy}", "'foggy' is not among"),
    ],
)
def test_malformed_rows(row, what):
    assert what in problem(row)


def test_bad_bytes_are_named_except_in_comments():
    said = read(b"% caf\xe9\nclear,1,caf\xe9,yes\nclear,1,n,yes\n")
    assert said[0].startswith("f:11: byte 0xe9 at position 12 is not UTF-8; ")
    assert said[1] == ({"sky state": "clear", "wind %": 1.0, "note": "n"}, "yes", 1.0)


def test_a_second_file_has_its_own_header():
    reader, columns = header(HEADER + "clear,1,n,yes\n")
    reader.configure([(name, "attribute", kind, declared) for name, kind, declared in columns])
    assert reader.read()[0] == 1 and reader.read()[0] == 0
    reader.begin_file("g")
    reader.feed(HEADER.encode() + b"clear,2,n\n")
    assert reader.read_header() == columns
    assert reader.read()[0] == 2 and reader.problem_message().startswith("g:10: 3 fields")


def test_random_bytes_never_hurt():
    rng = random.Random(3)
    alphabet = b"{},'\"\\u0019 \t%?xyes-.\xc3\xa9\xff\n"
    for _ in range(1000):
        rows = bytes(rng.choices(alphabet, k=rng.randint(0, 40)))
        assert read(rows, cut=11) == read(rows)
        top = b"@attribute a" + bytes(rng.choices(alphabet, k=rng.randint(0, 40))) + b"\n@data\n"
        try:
            header(top)
        except MalformedHeader as error:
            assert "\n" not in str(error)
