"""Model files: what is saved comes back, equal models are equal bytes, nothing else is read."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import struct
import subprocess
import sys
import threading
import zipfile
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from golden.make import golden
from hypothesis import given
from hypothesis import strategies as st
from test_learners import LEARNERS, every, examples, fresh, lessons, teach

import streambayes
from streambayes import modelfile
from streambayes.records.problems import ModelFileError

GOLDEN = Path(__file__).with_name("golden")
PLAIN = list({name: (name, model, {}) for name, model, _ in LEARNERS}.values())
each_class = pytest.mark.parametrize("learner", PLAIN, ids=[name for name, *_ in PLAIN])


def small(learner):
    """A small model with all kinds of values."""
    model = fresh(learner)
    for i in range(12):
        x = {"n": ("red", "größer", True, 2.5)[i % 4], "x": i / 4, "m": "uv"[i % 2]}
        model.learn_one(x, ("a", 2, "c")[i % 3], 1.0 + i % 2)
    model.schema.target = "y"
    return model


def refused(data):
    """The one line with which bytes are refused."""
    with pytest.raises(ModelFileError) as caught:
        modelfile.from_bytes(data)
    message = str(caught.value)
    assert "\n" not in message and "; " in message
    return message


def signed(body):
    """Bytes with the length and the checksum that they should have."""
    body = bytearray(body)
    body[16:24] = struct.pack("<Q", len(body) + 32)
    return bytes(body) + sha256(body).digest()


def altered(data, header=None, arrays=None):
    """A model's bytes with members of the header and arrays replaced, all else in order."""
    head, values = modelfile.unpacked(data, modelfile.Header)
    named = dict(zip([name for name, _ in head.arrays], values, strict=True))
    named.update(arrays or {})
    head.arrays = [(name, len(value)) for name, value in named.items()]
    for name, value in (header or {}).items():
        setattr(head, name, value)
    return modelfile.packed(head, list(named.values()))


# ------------------------------------------------------------------------------------ round trips
@every
@examples(25)
@given(lessons(parts=3, max_size=12), st.sampled_from((1.0, 0.25, 3.0, 0.0)), st.booleans())
def test_what_is_saved_comes_back(learner, lesson, factor, forgets):
    (first, second, third), questions = lesson
    model, other = teach(fresh(learner), first), teach(fresh(learner), second)
    try:
        model.merge(other)
    except ValueError as e:
        assert "bins_file" in str(e)  # each had made its own bins
        teach(model, second)
    if forgets:
        for x, y, w in second:
            model.forget_one(x, y, w)
    model.scale(factor)
    data = model.to_bytes()
    twin = modelfile.from_bytes(data)
    assert type(twin) is type(model)
    assert twin.to_bytes() == data
    assert twin.effective_parameters() == model.effective_parameters()
    assert twin.learned == model.learned
    assert [(type(y), y) for y in twin.classes] == [(type(y), y) for y in model.classes]
    for x in questions:
        assert twin.joint_log_likelihood(x) == model.joint_log_likelihood(x)
    teach(twin, third), teach(model, third)
    assert twin.to_bytes() == model.to_bytes()


@every
@examples(15)
@given(lessons())
def test_bytes_pickle_and_copies_agree(learner, lesson):
    (stream,), _ = lesson
    model = teach(fresh(learner), stream)
    assert (
        pickle.loads(pickle.dumps(model)).to_bytes() == model.copy().to_bytes() == model.to_bytes()
    )


@every
@examples(15)
@given(lessons(weights=(1.0, 2.0)))
def test_forgetting_all_leaves_no_trace_in_the_counts(learner, lesson):
    (stream,), _ = lesson
    model = teach(fresh(learner), stream)
    for x, y, w in stream:
        model.forget_one(x, y, w)
    scaled = teach(fresh(learner), stream)
    scaled.scale(0.0)
    for left in (model, scaled):
        assert left.classes == []
        assert left.predict_one({}) is None
    if learner[1] == "nb":
        assert model.state() == {**scaled.state(), "learned": model.learned}


def test_types_survive(tmp_path):
    model = streambayes.NaiveBayes()
    values = ["1", True, 1, 2.5, "größer", "", "\ud800", 10**40, False, "true", -7]
    for i, value in enumerate(values):
        model.learn_one({"word": "so that it is nominal"}, "x")
        model.learn_one({"word": value, "ключ": float(i)}, "x" if i % 2 else 2)
    model.save(tmp_path / "a.model")
    twin = streambayes.load(tmp_path / "a.model")
    found = [value for value, *_ in twin.tables()[0]["values"]]
    assert [(type(v), v) for v in found[1:]] == [(type(v), v) for v in values]
    assert list(twin.attributes) == ["word", "ключ"]
    assert [(type(y), y) for y in twin.classes] == [(str, "x"), (int, 2)]


def test_spreads_beyond_doubles_are_kept():
    model = streambayes.NaiveBayes()
    for x, y in ((1e150, "a"), (-1e150, "a"), (1e150, "b"), (3.0, "b")):
        model.learn_one({"x": x}, y, 1e20)
    model.forget_one({"x": 3.0}, "b", 1e20)
    twin = streambayes.NaiveBayes.from_bytes(model.to_bytes())
    assert twin.to_bytes() == model.to_bytes()
    assert twin.predict_one({"x": 1.0}) == model.predict_one({"x": 1.0})


def test_from_bytes_of_another_class():
    class Other(streambayes.NaiveBayes):
        pass

    with pytest.raises(ModelFileError, match="no Other"):
        Other.from_bytes(streambayes.NaiveBayes().to_bytes())


# ------------------------------------------------------------------- the layout, read independently
def parse(data):
    """What docs/model-file.md says, and nothing that the package knows."""
    assert data[:8] == b"\x89SBAYES\n"
    version, header_length, length = struct.unpack("<IIQ", data[8:24])
    assert (version, length) == (1, len(data))
    assert sha256(data[:-32]).digest() == data[-32:]
    header = json.loads(data[24 : 24 + header_length].decode("utf-8"))
    assert list(header) == ["model", "parameters", "learned", "target", "arrays"]
    at, arrays = 24 + header_length, {}
    for name, size in header["arrays"]:
        arrays[name] = data[at : at + size]
        at += size
    assert at == length - 32
    return header, arrays


def vocabularies(arrays, name):
    counts = [n for (n,) in struct.iter_unpack("<I", arrays[f"{name}.counts"])]
    sizes = [n for (n,) in struct.iter_unpack("<I", arrays[f"{name}.sizes"])]
    tags, text = arrays[f"{name}.tags"], arrays[f"{name}.bytes"]
    assert sum(counts) == len(sizes) == len(tags) and sum(sizes) == len(text)
    values, at = [], 0
    for size, tag in zip(sizes, tags, strict=True):
        raw = text[at : at + size]
        at += size
        values.append(
            {
                0: lambda raw=raw: raw.decode("utf-8"),
                1: lambda raw=raw: int(raw),
                2: lambda raw=raw: struct.unpack("<d", raw)[0],
                3: lambda: True,
                4: lambda: False,
            }[tag % 16]()
        )
    lists = []
    for n in counts:
        lists.append(values[:n])
        values = values[n:]
    return lists


def doubles(raw):
    return [x for (x,) in struct.iter_unpack("<d", raw)]


def test_the_documented_layout():
    data = (GOLDEN / "version-1.model").read_bytes()
    header, arrays = parse(data)
    assert header["model"] == "nb" and header["learned"] == 7 and header["target"] == "ground"
    assert header["parameters"] == {
        "estimate": "m", "k": 1.0, "m": 2.0, "var_prior": 1.0, "max_values": 4,
    }  # fmt: skip
    (labels,) = vocabularies(arrays, "labels")
    (names,) = vocabularies(arrays, "names")
    values = vocabularies(arrays, "values")
    assert [(type(y), y) for y in labels] == [
        (str, "wet"),
        (str, "dry"),
        (int, 1),
        (bool, True),
        (str, "1"),
    ]
    assert names == ["sky", "wind", "degrees", "new"]
    assert list(arrays["kinds"]) == [1, 1, 2, 2]
    assert values[0] == ["rain", "sun", "größer", "1"]  # max_values: snow and hail share a slot
    assert [(type(v), v) for v in values[1]] == [(bool, True), (bool, False), (int, 1), (str, "1")]
    assert doubles(arrays["class_n"]) == [2.0, 3.0, 0.5, 1.0, 1.0]
    counts = doubles(arrays["counts"])
    sky = [counts[5 * i : 5 * i + 5] for i in range(5)]
    wind = [counts[25 + 5 * i : 30 + 5 * i] for i in range(5)]
    assert len(counts) == 50
    assert sky == [
        [1, 0, 0, 0, 0],
        [0, 2, 0.5, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
        [1, 1, 0, 0, 0],
    ]
    assert wind == [
        [1, 1, 0, 0, 0],
        [0, 2, 0, 0, 0],
        [0, 0, 0.5, 0, 0],
        [0, 0, 0, 0, 1],
        [1, 0, 0, 0, 0],
    ]
    assert doubles(arrays["present"]) == [2, 3, 0.5, 1, 1, 2, 3, 0.5, 0, 1]
    assert doubles(arrays["origin"]) == [10.5, -3.25]
    # degrees of wet: 10.5 and -4.0, measured from 10.5: mean -7.25, M2 2 * 7.25^2
    moments = doubles(arrays["moments"])
    assert moments[:3] == [2.0, -7.25, 105.125]
    assert moments[3:6] == [2.0, 14.5, 0.0]  # 25.0, weighing 2
    assert doubles(arrays["overall"])[3:] == [1.0, 0.0, 0.0]
    assert not arrays["declared_kinds"]


def test_golden_files_stay_readable():
    files = sorted(GOLDEN.glob("version-*.model"))
    assert [f.name for f in files] == [
        f"version-{v}.model" for v in range(1, modelfile.VERSION + 1)
    ]
    for file in files:
        assert streambayes.load(file).to_bytes() == golden().to_bytes()
    assert files[-1].read_bytes() == golden().to_bytes()


# -------------------------------------------------------------------------------- what is refused
@each_class
def test_every_truncation_and_extension_is_refused(learner):
    data = small(learner).to_bytes()
    for n in range(len(data)):
        refused(data[:n])
    for more in (b"\0", data[-1:], data):
        assert "longer" in refused(data + more)


@each_class
def test_a_flipped_bit_anywhere_is_refused(learner):
    data = small(learner).to_bytes()
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        refused(bytes(flipped))


def mutations(data, rng):
    """Some bytes changed, cut out, doubled or swapped; mostly with a correct checksum."""
    body = bytearray(data[:-32])
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        how, at = rng.randrange(7), rng.randrange(8, len(body))
        if how == 0:
            body[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            body[at] = rng.choice((0, 1, 127, 128, 255))
        elif how == 2:
            del body[at : at + rng.randrange(1, 9)]
        elif how == 3:
            body[at:at] = body[at : at + rng.randrange(1, 9)]
        elif how == 4:
            body[at : at + 4] = struct.pack("<I", rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF)))
        elif how == 5:
            special = rng.choice((float("nan"), float("inf"), -1.0, -0.0, 1e308, 5e-324, 0.0))
            body[at : at + 8] = struct.pack("<d", special)
        else:
            other = rng.randrange(8, len(body))
            body[at], body[other] = body[other], body[at]
        if len(body) < 40:
            break
    return bytes(body) + data[-32:] if rng.random() < 0.1 else signed(body)


def survive(learner, count, seed):
    """Mutated models are refused, or are the models that they say they are."""
    data, rng = small(learner).to_bytes(), random.Random(seed)
    accepted = 0
    for _ in range(count):
        mutated = mutations(data, rng)
        try:
            model = modelfile.from_bytes(mutated)
        except ModelFileError as e:
            assert "\n" not in str(e)
            continue
        accepted += 1
        assert model.to_bytes() == mutated
        model.predict_proba_one({"n": "red", "x": 1.0, "m": "u"})
        model.learn_one({"n": "new", "x": 1.0, "m": 2.5}, "new")
        model.tables()
    return accepted


@each_class
def test_random_mutations(learner):
    assert 0 < survive(learner, 2000, 7) < 1000  # some doubles may be changed into others


@pytest.mark.slow
@each_class
def test_many_random_mutations(learner):
    survive(learner, 100_000, 8)


def test_inner_lies_are_refused():
    data = small(PLAIN[0]).to_bytes()
    _, arrays = parse(data)
    nan, one = struct.pack("<d", float("nan")), struct.pack("<d", 1.0)

    def with_first(name, raw):
        return {name: raw + arrays[name][len(raw) :]}

    lies = [
        {"labels.counts": b"\xff\xff\xff\xff"},
        {"labels.counts": b""},
        {"labels.counts": arrays["labels.counts"] * 2},
        with_first("labels.sizes", b"\xff\xff\xff\xff"),
        with_first("labels.tags", b"\x05"),
        with_first("labels.tags", b"\x10"),
        with_first("names.tags", b"\x10"),
        with_first("names.bytes", b"\xff"),
        with_first("names.bytes", b"\xed"),
        {"kinds": b"\x01\x02"},
        {"kinds": b"\x01\x02\x03"},
        {"kinds": b"\x01\x02\x00"},
        {"kinds": b"\x01\x02\x09"},
        {"kinds": b"\x02\x02\x01"},
        with_first("class_n", nan),
        with_first("class_n", struct.pack("<d", -1.0)),
        with_first("class_n", struct.pack("<d", float("inf"))),
        {"class_n": arrays["class_n"] + one},
        {"declared_kinds": b"\x01"},
    ]
    if PLAIN[0][1] == "nb":
        lies += [
            with_first("counts", nan),
            with_first("counts", struct.pack("<d", -0.5)),
            {"counts": arrays["counts"][8:]},
            {"present": arrays["present"] + one},
            with_first("origin", nan),
            with_first("origin", struct.pack("<d", 1e151)),
            with_first("overall", struct.pack("<ddd", 0.0, 1.0, 0.0)),
            with_first("overall", struct.pack("<ddd", 1.0, float("inf"), 0.0)),
            with_first("moments", struct.pack("<ddd", 1.0, 0.0, -1.0)),
        ]
    for lie in lies:
        refused(altered(data, arrays=lie))
    for header in (
        {"model": "no such"},
        {"parameters": {}},
        {
            "parameters": {
                "estimate": "m",
                "k": "1",
                "m": 1.0,
                "var_prior": 1.0,
                "max_values": 10_000,
            }
        },
        {"parameters": {"estimate": "m", "k": 1, "m": 1.0, "var_prior": 1.0, "max_values": 10_000}},
        {
            "parameters": {
                "estimate": "m",
                "k": -1.0,
                "m": 1.0,
                "var_prior": 1.0,
                "max_values": 10_000,
            }
        },
        {"parameters": {"estimate": "m", "k": 1.0, "m": 1.0, "var_prior": 1.0, "max_values": 2}},
        {
            "parameters": {
                "max_values": 10_000,
                "estimate": "m",
                "k": 1.0,
                "m": 1.0,
                "var_prior": 1.0,
            }
        },
        {"learned": -1},
        {"learned": 1 << 63},
        {"arrays": []},
        {"arrays": [("labels.counts", 1 << 62)]},
        {"arrays": [("labels.counts", -4), ("labels.sizes", 4)]},
    ):
        refused(altered(data, header=header))


def with_header(text):
    return signed(modelfile.FRAME.pack(modelfile.MAGIC, 1, len(text), 0) + text)


def test_headers_that_are_none():
    good = msgspec.json.encode(modelfile.Header("nb", {}, 0, None, []))
    for text in (
        b"",
        b"{}",
        b"[" * 100_000,
        b'{"model":' * 100_000,
        b"\xff",
        good.replace(b":", b": "),
        good[:-1] + b',"more":1}',
        good.replace(b"null", b'"\\ud800"'),
        b'{"learned":1e400}',
    ):
        refused(with_header(text))
    refused(signed(modelfile.FRAME.pack(modelfile.MAGIC, 1, 1 << 31, 0) + good))


def test_newer_versions_and_foreign_files(tmp_path):
    data = bytearray(small(PLAIN[0]).to_bytes()[:-32])
    data[8:12] = struct.pack("<I", modelfile.VERSION + 1)
    assert f"version {modelfile.VERSION + 1}" in refused(signed(data))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as z:
        z.writestr("model", "x")
    foreign = {
        "csv": b"x,y\nu,a\n",
        "pickle": pickle.dumps(streambayes.NaiveBayes()),
        "zip": archive.getvalue(),
        "empty": b"",
        "start": modelfile.MAGIC,
        "text": modelfile.MAGIC.replace(b"\n", b"\r\n") + bytes(100),
    }
    for name, content in foreign.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ModelFileError) as caught:
            streambayes.load(path)
        assert str(caught.value).startswith(f"{path}: ") and "; " in str(caught.value)
        assert path.read_bytes() == content
    for path, what in ((tmp_path / "absent", "no such file"), (tmp_path, "directory")):
        with pytest.raises(ModelFileError, match=what):
            streambayes.load(path)


HOSTILE = """
import resource, struct, sys
from test_modelfile import PLAIN, altered, small
from streambayes import modelfile
data = small(PLAIN[0]).to_bytes()
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (48 << 20), now + (48 << 20)))
huge = b"\\xff\\xff\\xff\\xff"
for lie in (
    {"labels.counts": huge}, {"names.counts": huge}, {"values.counts": huge * 3},
    {"values.counts": huge * 1000},
    {"labels.sizes": huge * 3}, {"values.sizes": huge * 10},
    {"kinds": bytes(range(1, 3)) * 100_000},
    {"class_n": bytes(1 << 20)}, {"counts": bytes(1 << 20)},
):
    try:
        modelfile.from_bytes(altered(data, arrays=lie))
    except modelfile.ModelFileError:
        continue
    raise SystemExit(f"accepted {list(lie)}")
path = sys.argv[1]
for length in (1 << 40, (1 << 64) - 1):
    open(path, "wb").write(struct.pack("<8sIIQ", modelfile.MAGIC, 1, 1 << 31, length) + bytes(1000))
    try:
        modelfile.from_bytes(modelfile.read(path))
    except modelfile.ModelFileError:
        continue
    raise SystemExit("accepted")
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs Linux's /proc")
@pytest.mark.skipif(
    os.environ.get("STREAMBAYES_CHECKED") == "1", reason="sanitizers need address space"
)
def test_lengths_that_lie_allocate_nothing(tmp_path):
    tests = str(Path(__file__).parent)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((tests, os.environ.get("PYTHONPATH", ""))),
    }
    result = subprocess.run(
        [sys.executable, "-c", HOSTILE, str(tmp_path / "long.model")],
        env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")


def test_a_failed_load_leaves_nothing_behind():
    import gc
    import tracemalloc

    data = small(PLAIN[0]).to_bytes()
    bad = altered(data, arrays={"class_n": b""})
    for _ in range(30):
        refused(bad)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(300):
        refused(bad)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 100_000


# ------------------------------------------------------------------------------------------- files
def test_parallel_savers_leave_one_whole_model(tmp_path):
    path = tmp_path / "shared.model"
    models = []
    for n in range(6):
        model = streambayes.NaiveBayes()
        for i in range(50 * (n + 1)):
            model.learn_one({"v": str(i)}, "ab"[i % 2])
        models.append(model)
    whole = {model.to_bytes() for model in models}
    models[0].save(path)
    problems = []

    def saves(model):
        for _ in range(10):
            model.save(path)

    def loads():
        for _ in range(40):
            if streambayes.load(path).to_bytes() not in whole:
                problems.append("half a model")

    threads = [threading.Thread(target=saves, args=(m,)) for m in models]
    threads += [threading.Thread(target=loads) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems
    assert path.read_bytes() in whole
    assert [p.name for p in tmp_path.iterdir()] == ["shared.model"]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_mode_is_what_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        streambayes.NaiveBayes().save(tmp_path / "a.model")
    finally:
        os.umask(before)
    assert (tmp_path / "a.model").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
def test_a_save_that_fails_changes_nothing(tmp_path, monkeypatch, call):
    path = tmp_path / "a.model"
    streambayes.NaiveBayes().save(path)
    before = path.read_bytes()

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(modelfile.os, call, fails)
    with pytest.raises(ModelFileError, match=r"a\.model: no space left on device; "):
        small(PLAIN[0]).save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.model"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real.model")
    streambayes.NaiveBayes().save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert streambayes.load(tmp_path / "real.model").learned == 0


def test_places_where_no_model_can_be(tmp_path):
    for path, what in (
        (tmp_path, "a directory"),
        (tmp_path / "no" / "a.model", "no folder"),
        (os.devnull, "not a regular file"),
    ):
        with pytest.raises(ModelFileError, match=what):
            streambayes.NaiveBayes().save(path)


def test_a_target_that_is_no_text_is_refused(tmp_path):
    model = streambayes.NaiveBayes()
    model.schema.target = "\udcff"
    with pytest.raises(streambayes.UsageError, match="not Unicode"):
        model.save(tmp_path / "a.model")


# ------------------------------------------------------------------------------------------- merge
def test_merge_refuses_what_does_not_add_up():
    def learned(x, y="a", target=None, **parameters):
        model = streambayes.NaiveBayes(**parameters)
        model.learn_one(x, y)
        model.schema.target = target
        return model

    for other, what in (
        (learned({"x": "word"}), "nominal"),
        (learned({"x": 1.0}, k=2.0), "parameters"),
        (learned({"x": 1.0}, target="z"), "target"),
    ):
        model = learned({"x": 1.0}, target="y")
        before = model.to_bytes()
        with pytest.raises(ValueError, match=what):
            model.merge(other)
        assert model.to_bytes() == before


def test_merging_with_the_empty_model_changes_no_byte():
    model = small(PLAIN[0])
    empty = fresh(PLAIN[0])
    assert (model + empty).to_bytes() == (empty + model).to_bytes() == model.to_bytes()
