"""JSON lines: the reader against Python's json, and hostile bytes."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streambayes.records.jsonlines import JsonLinesReader
from streambayes.records.schema import Schema

MORE, RECORD, MALFORMED = 0, 1, 2


def make(columns=(), **options):
    reader = JsonLinesReader(Schema(), options)
    reader.configure([(name, role, kind, None) for name, role, kind in columns])
    reader.begin_file("f")
    return reader


def drain(reader):
    """What the reader has to say, up to its next need of bytes."""
    said = []
    while True:
        status, x, y, w = reader.read()
        if status == MORE:
            return said
        said.append((x, y, w) if status == RECORD else reader.problem_message())


def read(data, columns=(), cut=None, **options):
    """All that comes of the bytes, fed whole or in blocks of `cut`."""
    reader = make(columns, **options)
    data = data.encode() if isinstance(data, str) else data
    said = []
    for at in range(0, len(data), cut or max(len(data), 1)):
        reader.feed(data[at : at + (cut or len(data))])
        said += drain(reader)
    reader.end_of_file()
    return said + drain(reader)


def problem(data, columns=(), **options):
    """The one message that the bytes give; the record behind is read all the same."""
    data = data.encode() if isinstance(data, str) else data
    said = read(data + b'\n{"z": 5}\n', columns, **options)
    assert len(said) == 2 and said[1] == ({"z": 5.0}, None, 1.0), said
    assert said[0].startswith("f:1: ") and "; " in said[0] and "\n" not in said[0]
    return said[0][len("f:1: ") :]


def typed(value):
    """A value that equals only what has its type: True, 1 and "1" are three, 1 and 1.0 one."""
    if isinstance(value, dict):
        return [(name, typed(v)) for name, v in value.items()]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (type(value).__name__, repr(value))


# ------------------------------------------------------------------------- against Python's json
class Twin:
    """What the reader must say, from json's dicts."""

    def __init__(self):
        self.kinds = {}

    def read(self, line):
        members = json.loads(line)
        x, kinds = {}, dict(self.kinds)
        y = members.pop("y", None)
        for name, value in members.items():
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            x[name] = None
            if value is None or value == "?":
                continue
            kind = kinds.setdefault(name, "numeric" if number else "nominal")
            if number and not abs(value) <= 1e150:
                continue
            if kind == "numeric" and not number:
                return None
            x[name] = float(value) if kind == "numeric" else value
        self.kinds = kinds
        return x, None if y == "?" else y, 1.0


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        [
            0.0,
            -0.0,
            1.0,
            1e22,
            1e23,
            1.5e300,
            5e-324,
            10**40,
            -(10**19),
            2**53 + 1,
            "?",
            "",
            "1",
            "true",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
NAMES = st.one_of(
    st.sampled_from(["a", "b", "c", "é", 'q"\\', "y"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=10),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.dictionaries(NAMES, SCALARS, max_size=6), max_size=6),
    st.randoms(use_true_random=False),
)
def test_is_what_pythons_json_reads(objects, rng):
    lines = []
    for members in objects:
        if rng.random() < 0.3:
            members = dict(rng.sample(list(members.items()), len(members)))
        lines.append(
            json.dumps(
                members,
                ensure_ascii=rng.random() < 0.5,
                separators=rng.choice([(",", ":"), (", ", ": "), (" ,\t", "\t:  ")]),
            )
        )
    twin = Twin()
    expected = [twin.read(line) for line in lines]
    data = rng.choice(["\n", "\r\n", "\n \n"]).join(lines).encode()
    columns = [("y", "target", None)]
    said = read(data, columns)
    assert len(said) == len(expected)
    for got, want in zip(said, expected, strict=True):
        if want is None:
            assert isinstance(got, str) and "whose first value was a number" in got
        else:
            assert not isinstance(got, str), got
            # columns stand in the order of their first appearance, a dict's in its own
            assert sorted(typed(got[0])) == sorted(typed(want[0]))
            assert typed(got[1]) == typed(want[1])
    assert read(data, columns, cut=1) == said
    assert read(data, columns, cut=rng.randint(2, 9)) == said


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_refuses_what_pythons_json_refuses(data):
    """Valid lines with a few characters changed."""
    line = json.dumps(
        data.draw(st.dictionaries(NAMES, SCALARS, max_size=4)),
        ensure_ascii=data.draw(st.booleans()),
    )
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(line)))
        line = (
            line[:at]
            + data.draw(
                st.sampled_from(["", *'{}[]:,"\\/utfn01-+.eE \t\x00\x1fé', "null", "\\ud800"])
            )
            + line[at + data.draw(st.integers(0, 2)) :]
        )
    said = read(line)
    if not line.strip(" \t"):
        assert said == []
        return
    try:
        members = strict_loads(line)
    except ValueError:
        assert isinstance(said[0], str)
    else:
        assert not isinstance(said[0], str), said
        assert set(said[0][0]) == set(members)
    assert len(said) == 1


def strict_loads(line):
    def no_duplicates(pairs):
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("twice")
        return dict(pairs)

    def refuse(word):
        raise ValueError(word)

    members = json.loads(line, object_pairs_hook=no_duplicates, parse_constant=refuse)
    if not isinstance(members, dict) or any(
        isinstance(value, (dict, list)) for value in members.values()
    ):
        raise ValueError("no flat object")
    repr(members).encode()  # lone surrogates are a UnicodeEncodeError, which is a ValueError
    json.dumps(members, ensure_ascii=False).encode()
    return members


# ---------------------------------------------------------------------------------------- values
def test_numbers_in_a_nominal_attribute_are_values_of_their_own():
    column = [("a", "attribute", "nominal")]
    said = read(
        '{"a":"1"}\n{"a":1}\n{"a":1.0}\n{"a":-0}\n{"a":-0.0}\n{"a":1e2}\n{"a":2.5}\n'
        '{"a":true}\n{"a":12345678901234567890123}\n{"a":1e151}\n',
        column,
    )
    assert [typed(x["a"]) for x, _, _ in said] == [
        typed(v) for v in ("1", 1, 1, 0, 0, 100, 2.5, True, 12345678901234567890123, None)
    ]


def test_the_first_value_that_is_not_null_decides():
    said = read(
        '{"a":null}\n{"a":"?"}\n{"a":3}\n{"a":"x"}\n{"a":true}\n{"a":1e200}\n{"a":-2.5e-3}\n'
    )
    assert [x if isinstance(x, str) else x[0]["a"] for x in said] == [
        None,
        None,
        3.0,
        'f:4: "x" in a, whose first value was a number; mend it, read the member with --nominal, '
        "or use --on-error skip",
        said[4],
        None,
        -0.0025,
    ]
    assert said[4].startswith("f:5: true in a")


def test_a_malformed_record_decides_nothing():
    said = read('{"a": 1, "b": []}\n{"a": "x"}\n')
    assert said[1] == ({"a": "x"}, None, 1.0)


def test_a_configured_numeric_column_takes_no_string():
    assert problem('{"a": "12"}', [("a", "attribute", "numeric")]).startswith('"12" in a, ')


def test_markers_are_missing_and_the_empty_string_is_a_value():
    said = read('{"a":"?","b":"","c":"NA"}\n', missing=["NA"])
    assert said == [({"a": "?", "b": "", "c": None}, None, 1.0)]
    said = read('{"a":"x","b":-999}\n{"a":"?","b":4}\n', missing=["?", "-999"])
    assert said == [({"a": "x", "b": None}, None, 1.0), ({"a": None, "b": 4.0}, None, 1.0)]


def test_labels_keep_their_type():
    said = read(
        '{"y":1}\n{"y":1.0}\n{"y":"1"}\n{"y":true}\n{"y":false}\n{"y":null}\n{}\n{"y":0.1}\n{"y":""}\n',
        [("y", "target", None)],
    )
    assert [typed(y) for _, y, _ in said] == [
        typed(v) for v in (1, 1, "1", True, False, None, None, 0.1, "")
    ]
    assert "label" in problem('{"y": 1e400}', [("y", "target", None)])
    assert "label" in problem('{"y": ' + "9" * 5000 + "}", [("y", "target", None)])
    assert read('{"y": ' + "9" * 4000 + "}", [("y", "target", None)])[0][1] == int("9" * 4000)


def test_weights():
    columns = [("w", "weight", None)]
    said = read('{"w":2}\n{"w":0}\n{"w":null}\n{}\n{"w":0.5}\n', columns)
    assert [w for _, _, w in said] == [2.0, 0.0, 1.0, 1.0, 0.5]
    for bad in ("-1", '"2"', "true", "1e151", '"x"'):
        assert problem('{"w": ' + bad + "}", columns).startswith("the weight '")


def test_columns_named_beforehand_may_never_appear():
    reader = make([("gone", "attribute", "numeric"), ("y", "target", None)])
    reader.feed(b'{"b": 1, "a": "x"}\n{"a": "y", "c": 2, "gone": null}\n')
    assert drain(reader) == [
        ({"b": 1.0, "a": "x"}, None, 1.0),
        ({"gone": None, "a": "y", "c": 2.0}, None, 1.0),
    ]
    assert reader.layout() == [
        ("gone", "attribute", "numeric"),
        ("y", "target", "undecided"),
        ("b", "attribute", "numeric"),
        ("a", "attribute", "nominal"),
        ("c", "attribute", "numeric"),
    ]
    assert reader.member_order() == [3, 4, 0]


def test_text_as_it_came_is_kept():
    reader = make([("n", "attribute", "nominal")])
    reader.feed(b'{"n": 1.50, "s" : "a\\u0041" ,"x":1e0}\n')
    assert reader.read()[1] == {"n": 1.5, "s": "aA", "x": 1.0}
    assert [reader.raw_text(j) for j in range(3)] == [b"1.50", b'"a\\u0041"', b"1e0"]


def test_nested_values_are_passed_over_where_dropped():
    nested = (
        '{"d": [1, {"}": "]\\"", "e": []}, {}, [[-0.5e1, null, true]], "\\ud83d\\ude00"], "a": 1}'
    )
    columns = [("d", "drop", None)]
    assert read(nested, columns) == [({"a": 1.0}, None, 1.0)]
    assert (
        problem(nested)
        == "the member 'd' holds an object or a list; flatten it, or leave it out with --drop"
    )
    for at in range(nested.index("[") + 1, nested.rindex("]")):
        assert isinstance(read(nested[:at], columns)[0], str)
    for bad in (
        "[1,]",
        "[,1]",
        "{1:2}",
        '{"a"}',
        '{"a":}',
        '{"a":1,}',
        "[1 2]",
        "[}",
        "{]",
        "[tru]",
        "[01]",
        '["\x01"]',
    ):
        assert "position" in problem('{"d": ' + bad + "}", columns)


def test_order_in_which_members_come_does_not_matter():
    rng = random.Random(1)
    names = ["a", "bb", "c\u00e9", 'd"', "e\\"]
    lines, expected = [], []
    for i in range(200):
        chosen = rng.sample(names, rng.randint(0, 5))
        lines.append(json.dumps({name: i + len(name) for name in chosen}))
        expected.append({name: float(i + len(name)) for name in chosen})
    assert [x for x, _, _ in read("\n".join(lines))] == expected


# ---------------------------------------------------------------------------------- hostile bytes
@pytest.mark.parametrize(
    "line",
    [
        '[{"a": 1}]',
        "1",
        '"x"',
        "null",
        "{",
        "}",
        "{,}",
        '{"a"}',
        '{"a":}',
        '{"a":1,}',
        '{"a" 1}',
        "{a: 1}",
        "{'a': 1}",
        '{"a": 1} x',
        '{"a": 1}{"a": 2}',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": -Infinity}',
        '{"a": nan}',
        '{"a": +1}',
        '{"a": .5}',
        '{"a": 5.}',
        '{"a": 01}',
        '{"a": -}',
        '{"a": 1e}',
        '{"a": 1e+}',
        '{"a": 0x10}',
        '{"a": 1_000}',
        '{"a": True}',
        '{"a": nul}',
        '{"a": truee}',
        '{"a": "x}',
        '{"a": "\\x"}',
        '{"a": "\\u12"}',
        '{"a": "\\u12g4"}',
        '{"a": "\\ud800"}',
        '{"a": "\\udc00"}',
        '{"a": "\\ud800\\u0041"}',
        '{"a": "\\ud800\\ud800"}',
        '{"a": "\\ud800x"}',
        '{"\\udfff": 1}',
        '{"a": "\x00"}',
        '{"a": "\t"}',
        '{"a": "tab\tin it"}',
        '{"a": 1, "a": 2}',
        '{"a": 1, "\\u0061": 2}',
        '{"a": 1 "b": 2}',
        '{"a": 1;}',
        '\x0c{"a": 1}',
        '{"a": 1}\x00',
        '{"a": 1, , "b": 2}',
    ],
)
def test_malformed(line):
    assert problem(line)


def test_messages_say_where_and_what_to_do():
    assert problem('{"a" 1}') == (
        "expected ':' at position 6; mend the record, or pass over such ones with --on-error skip"
    )
    assert problem('[{"a": 1}]') == (
        "a list where an object should be at position 1; JSON lines have one object a "
        "line: write each element on a line of its own"
    )
    assert problem('{"a": 1, "a": 2}') == (
        "the member 'a' comes twice; give each member once, or use --on-error skip"
    )
    assert problem(b'{"a": "\xff"}').startswith("byte 0xff at position 8 is not UTF-8; ")


def test_cut_at_every_offset():
    line = (
        '{"a": "x\\u00e9\\ud83d\\ude00y", "bé": -12.5e+3, "c": [true, {"d": null}], "e": false}'
    ).encode()
    columns = [("c", "drop", None)]
    whole = read(line, columns)
    assert whole == [({"a": "xé😀y", "bé": -12500.0, "e": False}, None, 1.0)]
    for at in range(1, len(line)):
        said = read(line[:at] + b"\n" + line, columns)
        assert isinstance(said[0], str) and said[1] == whole[0]
        assert read(line, columns, cut=at) == whole
        assert read(b"\n" + line[:at], columns) == [said[0].replace("f:1:", "f:2:")]


@pytest.mark.parametrize("open_, close", [("[", "]"), ('{"a":', "}")])
def test_a_million_brackets(open_, close):
    deep = open_ * 10**6 + "1" + close * 10**6
    columns = [("d", "drop", None)]
    assert read('{"d": ' + deep + ', "a": 1}', columns) == [({"a": 1.0}, None, 1.0)]
    assert isinstance(read('{"d": ' + open_ * 10**6, columns)[0], str)
    assert "holds an object" in read('{"d": ' + deep + "}")[0]


def test_huge_numbers():
    for text in ("1e400", "-1e400", "9" * 400, "1e99999999999999999999", "1.1e151"):
        assert read('{"a": ' + text + "}") == [({"a": None}, None, 1.0)]
    assert read('{"a": 1e-400}')[0][0] == {"a": 0.0}
    x = read('{"a": -0}\n{"a": -0.0}\n')
    assert [math.copysign(1, record[0]["a"]) for record in x] == [1, -1]
    for text in (
        "0.1",
        "1e22",
        "1e23",
        "9007199254740993",
        "123456789012345678901",
        "2.2250738585072011e-308",
        "0." + "0" * 30 + "1",
        "1" + "0" * 30 + "e-30",
    ):
        assert read('{"a": ' + text + "}")[0][0] == {"a": float(text)}


def test_a_record_too_long():
    long_one = b'{"a": "' + b"x" * (17 << 20) + b'"}'
    for cut in (None, 1 << 20):
        said = read(b'{"z": 1}\n' + long_one + b'\n{"z": 2}', cut=cut)
        assert [s if isinstance(s, str) else s[0] for s in said] == [
            {"z": 1.0},
            said[1],
            {"z": 2.0},
        ]
        assert said[1].startswith("f:2: a record of more than 16 MiB; ")


def test_lines_are_counted_and_the_mark_passed_over():
    data = b'\xef\xbb\xbf\r\n{"a":1}\r\n\n  \n{"a":\n{"a":2}'
    for cut in (None, 1, 2, 3):
        said = read(data, cut=cut)
        assert said[0] == ({"a": 1.0}, None, 1.0) and said[2] == ({"a": 2.0}, None, 1.0)
        assert said[1].startswith("f:5: the line ends before its object does")
    assert read("junk\n# x\n{}\n", skip_lines=1, comment="#") == [({}, None, 1.0)]


def test_random_bytes_never_hurt():
    rng = random.Random(7)
    alphabet = b'{}[]:,"\\u0019aeE.-+tfn \xc3\xa9\xff\n'
    for _ in range(2000):
        data = b"{" + bytes(rng.choices(alphabet, k=rng.randint(0, 40)))
        assert read(data, cut=3) == read(data)
