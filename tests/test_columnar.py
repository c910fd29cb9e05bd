"""Parquet and Arrow files through `stream`."""

from __future__ import annotations

import pytest

from streambayes import InputError, NaiveBayes, UsageError, stream

pa = pytest.importorskip("pyarrow")
from pyarrow import feather, ipc, parquet  # noqa: E402

ROWS = {
    "sky": ["sun", None, "rain"],
    "wind": [1.5, float("nan"), None],
    "n": [1, 2, None],
    "holiday": [True, False, None],
    "w": [1.0, 2.0, 0.5],
    "play": ["out", "in", None],
}


def written(path, table):
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=2)
    elif path.suffix == ".feather":
        feather.write_feather(table, path, compression="uncompressed")
    elif path.suffix == ".arrow":
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=2)
    else:
        with ipc.new_stream(path, table.schema) as file:
            file.write_table(table, max_chunksize=2)
    return path


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.arrow", "a.ipc"])
def test_each_format(tmp_path, name):
    table = pa.table({**ROWS, "sky": pa.array(ROWS["sky"]).dictionary_encode()})
    records = list(stream(written(tmp_path / name, table), weight="w", weights=True))
    assert [(y, w) for _, y, w in records] == [("out", 1.0), ("in", 2.0), (None, 0.5)]
    assert records[0][0] == {"sky": "sun", "wind": 1.5, "n": 1, "holiday": True}
    assert records[2][0] == {"sky": "rain", "wind": None, "n": None, "holiday": None}


def test_many_batches_and_files_are_one_stream(tmp_path):
    table = pa.table({"x": list(range(20_000)), "y": ["a", "b"] * 10_000})
    paths = [written(tmp_path / name, table) for name in ("a.parquet", "b.arrow")]
    assert [x["x"] for x, _ in stream(paths)] == list(range(20_000)) * 2


def test_the_state_is_that_of_a_frame(tmp_path):
    table = pa.table({key: ROWS[key] for key in ROWS if key != "w"})
    one, many = NaiveBayes(), NaiveBayes()
    for x, y in stream(written(tmp_path / "a.parquet", table)):
        one.learn_one(x, y)
    many.learn_many(table.drop_columns(["play"]), table["play"])
    assert one.state() == many.state()


def test_columns_by_name_and_position(tmp_path):
    path = written(
        tmp_path / "a.parquet", pa.table({"a": ["1", "2"], "b": [1, 2], "c": ["x", "y"]})
    )
    assert list(stream(path, target="1", drop=["c"])) == [({"b": 1}, "1"), ({"b": 2}, "2")]
    assert list(stream(path, numeric=["a"], nominal=["-2"])) == [
        ({"a": 1.0, "b": "1"}, "x"),
        ({"a": 2.0, "b": "2"}, "y"),
    ]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"target": "z"}, UsageError, "there is no column z; the columns are a, c"),
        (
            {"numeric": ["a"], "target": "c"},
            InputError,
            "'k' in the numeric column a is not a number; mend it",
        ),
        ({"delimiter": ","}, UsageError, "delimiter says nothing about Parquet and Arrow files"),
    ],
)
def test_what_is_refused(tmp_path, options, error, says):
    path = written(tmp_path / "a.parquet", pa.table({"a": ["k"], "c": ["x"]}))
    with pytest.raises(error, match=says):
        list(stream(path, **options))


def test_damaged_missing_and_mixed_files(tmp_path):
    good = written(tmp_path / "a.parquet", pa.table({"a": ["k"], "c": ["x"]}))
    for name in ("bad.parquet", "bad.arrow", "empty.arrow"):
        bad = tmp_path / name
        bad.write_bytes(b"" if "empty" in name else good.read_bytes()[:40])
        with pytest.raises(InputError, match=r"bad|empty") as caught:
            list(stream(bad))
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="no such file; check the name"):
        list(stream(tmp_path / "none.parquet"))
    other = written(tmp_path / "b.arrow", pa.table({"a": ["k"], "d": ["x"]}))
    with pytest.raises(InputError, match="its columns a, d are not those of"):
        list(stream([good, other]))
    with pytest.raises(UsageError, match="neither Parquet nor Arrow"):
        list(stream([good, tmp_path / "a.csv"]))
