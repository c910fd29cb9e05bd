"""What is written, read again by Python's csv and json."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest
from feeding import Blocks
from hypothesis import given, settings
from hypothesis import strategies as st

from streambayes import NaiveBayes
from streambayes.evaluation.account import Account
from streambayes.evaluation.prequential import IS_MALFORMED, NEEDS_FLUSH, Prequential
from streambayes.records.spelling import keys_of
from streambayes.records.stream import Stream
from streambayes.records.writer import RecordWriter


def answered(data, format, output, target="y", echo=True, proba=True, **options):
    """What a run writes."""
    learner = NaiveBayes()
    stream = Stream(learner.schema, Blocks([data]), format=format, target=target, **options)
    reader = stream.start()
    writer = RecordWriter(stream.format, output, echo=echo, proba=proba)
    writer.begin(reader, stream.raw_header)
    loop = Prequential(learner, Account(learner.schema), writer)
    out = b""
    while True:
        status = loop.run(reader, 1 << 62)
        assert status != IS_MALFORMED, reader.problem_message()
        out += writer.take()
        if status != NEEDS_FLUSH and not stream.pump():
            return out.decode()


def expected_answers(records):
    """(predicted, probability, probabilities) of each (x, y) by the Python API."""
    model = NaiveBayes()
    answers = []
    for x, y in records:
        p = model.predict_proba_one(x)
        predicted = model.predict_one(x)
        answers.append((predicted, p.get(predicted), p))
        model.learn_one(x, y)
    return answers


words = st.text(
    st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=5
).filter(lambda s: s != "?")
tables = st.lists(st.tuples(words, words), min_size=1, max_size=8)


def as_csv(table):
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("x", "y"), *table])
    return out.getvalue().encode()


def probabilities_agree(written: str, expected: dict):
    given = json.loads(written)
    assert list(given) == list(expected)
    assert list(given.values()) == list(expected.values())  # every digit


@settings(max_examples=100, deadline=None)
@given(tables)
def test_csv_is_read_again(table):
    text = answered(as_csv(table), "csv", "csv", nominal=["x"])
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["x", "y", "predicted", "probability", "probabilities"]
    assert [tuple(row[:2]) for row in rows[1:]] == table
    answers = expected_answers([({"x": x}, y) for x, y in table])
    for row, (predicted, p, all_p) in zip(rows[1:], answers, strict=True):
        assert row[2] == (predicted or "")
        assert row[3] == ("" if p is None else row[3])
        assert p is None or float(row[3]) == p
        probabilities_agree(row[4], all_p)


@settings(max_examples=100, deadline=None)
@given(tables)
def test_csv_as_json_lines(table):
    text = answered(as_csv(table), "csv", "jsonl", nominal=["x"])
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    answers = expected_answers([({"x": x}, y) for x, y in table])
    for line, (x, y), (predicted, p, all_p) in zip(lines, table, answers, strict=True):
        assert line == {
            "x": x, "y": y, "predicted": predicted, "probability": p, "probabilities": all_p,
        }  # fmt: skip


json_values = st.one_of(
    words, st.booleans(), st.none(), st.integers(-(10**20), 10**20), st.floats(-1e150, 1e150)
)
labels = st.one_of(
    words, st.booleans(), st.integers(-5, 5), st.sampled_from((0.5, 1.5, "1", "true"))
)
objects = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(("a", "b\n", 'c"', "é")), json_values, max_size=4), labels
    ),
    min_size=1,
    max_size=8,
)


def of_one_kind(records):
    """Without the members whose kind is not that of the attribute's first value."""
    kinds = {}
    kept = []
    for x, y in records:
        x = dict(x)
        for name, value in list(x.items()):
            if value is None:
                continue
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if number and kinds.setdefault(name, True) is False:
                continue
            if not number and kinds.setdefault(name, False) is True:
                del x[name]
        kept.append((x, y))
    return kept


@settings(max_examples=100, deadline=None)
@given(objects)
def test_json_lines_are_read_again(records):
    records = of_one_kind(records)
    data = "".join(json.dumps({**x, "y": y}) + "\n" for x, y in records).encode()
    lines = [json.loads(line) for line in answered(data, "jsonl", "same").split("\n")[:-1]]
    assert len(lines) == len(records)
    seen = []
    for line, (x, y) in zip(lines, records, strict=True):
        echoed = {k: v for k, v in line.items() if not k.startswith(("predicted", "probabilit"))}
        assert json.dumps(echoed) == json.dumps({**x, "y": y})  # types and digits too
        p = line["probabilities"]
        assert set(p) == set(keys_of(seen))
        assert line["predicted"] is None if not seen else math.fsum(p.values()) == pytest.approx(1)
        if not any(type(y) is type(z) and y == z for z in seen):
            seen.append(y)


def test_numbers_in_json():
    cells = ["1", "+1", ".5", "5.", "-0", "01", " 7 ", "1e5", "1E+5", "1e-320", "1e999", "nan", "?"]
    data = "n,y\n" + "".join(f"{c},a\n" for c in cells)
    text = answered(data.encode(), "csv", "jsonl", numeric=["n"], proba=False)
    got = [json.loads(line, parse_constant=pytest.fail)["n"] for line in text.splitlines()]
    assert got == [1, 1.0, 0.5, 5.0, 0, 1.0, 7.0, 1e5, 1e5, 1e-320, None, None, None]


def test_names_that_are_taken():
    data = b"predicted,probabilities,y\nu,v,a\n"
    assert answered(data, "csv", "csv").splitlines()[0] == (
        "predicted,probabilities,y,predicted_,probability,probabilities_"
    )
    line = json.loads(answered(data, "csv", "jsonl"))
    assert list(line)[3:] == ["predicted_", "probability", "probabilities_"]
    assert answered(data, "csv", "csv", echo=False).splitlines()[0] == (
        "predicted,probability,probabilities"
    )


look_alikes = st.sampled_from(
    (True, False, 1, 0, 2.5, "1", "0", "true", "2.5", '"1"', '"\\"1\\""', "a")
)


@given(st.lists(look_alikes, unique_by=lambda y: (type(y), y)))
def test_no_two_labels_share_a_key(labels):
    keys = keys_of(labels)
    assert len(set(keys)) == len(labels)
    for key, y in zip(keys, labels, strict=True):
        assert key == y or json.loads(key) == y


def test_keys_by_hand():
    assert keys_of([1, "1", True, "true", "a"]) == ["1", '"1"', "true", '"true"', "a"]
    assert keys_of(["1", "true"]) == ["1", "true"]
    assert keys_of(['"1"', "1", 1]) == ['"\\"1\\""', '"1"', "1"]
