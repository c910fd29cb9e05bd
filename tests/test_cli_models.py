"""`run` that loads, saves and goes on after a kill; `merge`; `inspect` of models."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import streambayes

EXAMPLES = Path(__file__).parent.parent / "examples"
WEATHER = EXAMPLES / "weather.csv"
STREAMS = Path(__file__).resolve().parents[2] / "shared" / "data" / "streams"
COMMAND = [sys.executable, "-m", "streambayes"]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join((os.getcwd(), os.environ.get("PYTHONPATH", ""))),
}


def run(*arguments, cwd, stdin=None, status=0):
    """Runs the program; answers its standard output and the lines of standard error."""
    result = subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=ENVIRONMENT, input=stdin,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in result.stderr, result.stderr
    assert result.returncode == status, result.stderr
    return result.stdout, result.stderr.splitlines()


def summary(*arguments, cwd, **how):
    out, _ = run("-q", "--summary", "json", *arguments, cwd=cwd, **how)
    return json.loads(out.splitlines()[-1])


def parts_of(lines, header, where, count, name="part"):
    """So many files of consecutive lines, each with the header."""
    paths = []
    for i in range(count):
        path = where / f"{name}{i}.csv"
        part = lines[i * len(lines) // count : (i + 1) * len(lines) // count]
        path.write_text("".join([header, *part]), encoding="utf-8")
        paths.append(path)
    return paths


# ----------------------------------------------------------------------------------- load and save
def test_two_runs_are_one(tmp_path):
    lines = WEATHER.read_text().splitlines(keepends=True)
    first, second = parts_of(lines[1:], lines[0], tmp_path, 2)
    run("-q", "--save", "all.model", WEATHER, cwd=tmp_path)
    run("-q", "--save", "half.model", first, cwd=tmp_path)
    out, _ = run("--load", "half.model", "--save", "both.model", second, cwd=tmp_path)
    whole, _ = run(WEATHER, cwd=tmp_path)
    assert (tmp_path / "both.model").read_bytes() == (tmp_path / "all.model").read_bytes()
    assert out.splitlines()[1:] == whole.splitlines()[8:]


def test_the_model_decides_and_must_be_agreed_with(tmp_path):
    run("-q", "-m", "nb:estimate=laplace,k=0", "--save", "m", WEATHER, cwd=tmp_path)
    before = (tmp_path / "m").read_bytes()
    for model in (None, "nb", "nb:k=0", "nb:estimate=laplace"):
        given = ["-m", model] if model else []
        found = summary("--load", "m", "--no-learn", *given, WEATHER, cwd=tmp_path)
        assert found["model"]["parameters"]["estimate"] == "laplace"
        assert found["unpredicted"] == 0 and found["model"]["learned"] == 14
    for arguments, word in (
        (["-m", "nb:k=2"], "k=0"),
        (["-m", "nb:estimate=m"], "estimate=laplace"),
        (["-m", "nope"], "nope"),
        (["-m", "nb:nope=1"], "nope"),
        (["-t", "windy"], "play"),
        (["--nominal", "temperature"], "temperature"),
    ):
        out, errors = run("--load", "m", "--save", "m", *arguments, WEATHER, cwd=tmp_path, status=2)
        assert out == "" and len(errors) == 1 and word in errors[0]
    assert (tmp_path / "m").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "options", "status", "word"),
    [
        ("b,y,a\n2.5,q,u\n", [], 0, ""),
        ("a,b\nu,1\n", [], 0, ""),
        ("a,b\nu,1\n", ["-t", "y"], 0, ""),
        ("a,y\nu,q\n", [], 2, "b"),
        ("a,b,c,y\nu,1,2,q\n", [], 2, "c"),
        ("a,b,c,y\nu,1,2,q\n", ["--drop", "c"], 0, ""),
        ("a,b,y\nu,1,q\n", ["--drop", "b"], 0, ""),
        ("a,b,y\nu,1,q\n", ["--weight", "b"], 2, "--weight"),
        ("a,b,y\nu,word,q\n", [], 1, "word"),
    ],
)
def test_columns_are_the_models(tmp_path, text, options, status, word):
    (tmp_path / "first.csv").write_text("a,b,y\nu,1,p\nv,2,q\nu,3,q\n")
    (tmp_path / "next.csv").write_text(text)
    run("-q", "-t", "y", "--save", "m", "first.csv", cwd=tmp_path)
    out, errors = run(
        "--load", "m", "--summary", "none", *options, "next.csv", cwd=tmp_path, status=status
    )
    assert word in "".join(errors) and len(errors) == (status > 0)
    if status == 0:
        assert out.splitlines()[1].split(",")[-2] in ("p", "q")


def test_columns_never_seen_with_a_value_keep_their_kind(tmp_path):
    (tmp_path / "first.csv").write_text("a,b,y\nu,?,p\n")
    (tmp_path / "next.csv").write_text("a,b,y\nu,7,p\n")
    run("-q", "--numeric", "b", "--save", "m", "first.csv", cwd=tmp_path)
    assert summary("--load", "m", "next.csv", cwd=tmp_path)["schema"]["attributes"] == {
        "a": "nominal",
        "b": "numeric",
    }


def test_declarations_of_arff_agree_with_the_model(tmp_path):
    run("-q", "--save", "m", EXAMPLES / "weather.numeric.arff", cwd=tmp_path)
    summary("--load", "m", EXAMPLES / "weather.numeric.arff", cwd=tmp_path)
    _, errors = run("--load", "m", EXAMPLES / "weather.nominal.arff", cwd=tmp_path, status=2)
    assert len(errors) == 1 and "declared" in errors[0]


def test_saved_after_an_error(tmp_path):
    (tmp_path / "bad.csv").write_text("a,y\nu,p\nv,q\nw\nu,p\n")
    out, errors = run("--save", "m", "--summary", "none", "bad.csv", cwd=tmp_path, status=1)
    assert len(out.splitlines()) == 3 and errors[0].startswith("bad.csv:4:")
    assert streambayes.load(tmp_path / "m").learned == 2


def test_nothing_is_saved_where_nothing_began(tmp_path):
    streambayes.NaiveBayes().save(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    run("--save", "m", "absent.csv", cwd=tmp_path, status=1)
    run("--save", "m", "-t", "nope", WEATHER, cwd=tmp_path, status=2)
    assert (tmp_path / "m").read_bytes() == before


def test_a_place_that_cannot_be_written_is_refused_before_reading(tmp_path):
    for place in ("no/such/folder/m", ".", os.devnull):
        out, errors = run("--save", place, WEATHER, cwd=tmp_path, status=1)
        assert out == "" and len(errors) == 1 and errors[0].startswith(f"{place}: ")


def test_misuse(tmp_path):
    (tmp_path / "in.csv").write_text("a,y\nu,p\n")
    for arguments in (
        ["--checkpoint", "5", "in.csv"],
        ["--resume", "in.csv"],
        ["--resume", "--save", "m", "in.csv"],
        ["--resume", "--save", "m", "--checkpoint", "5", "-"],
        ["-q", "--to", "out", "in.csv"],
        ["--to", "in.csv", "in.csv"],
        ["--save", "in.csv", "in.csv"],
        ["--to", "m", "--save", "m", "in.csv"],
    ):
        out, errors = run(*arguments, cwd=tmp_path, stdin="a,y\n", status=2)
        assert out == "" and len(errors) == 1, arguments
    assert (tmp_path / "in.csv").read_text() == "a,y\nu,p\n"


def test_checkpoints_are_written_while_the_run_lasts(tmp_path):
    with subprocess.Popen(
        [*COMMAND, "--nominal", "x", "--save", "m", "--checkpoint", "2", "--only"],
        cwd=tmp_path, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        for line in ("x,y", "u,a", "v,b", "u,a"):
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
        for _ in range(4):
            process.stdout.readline()
        deadline = time.monotonic() + 20
        while not (tmp_path / "m").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert streambayes.load(tmp_path / "m").learned == 2
        process.kill()


# -------------------------------------------------------------------------------------- going on
LABELS = ("red", "green", "größer")


def csv_stream(rng, n):
    """Records with late values, missing cells, quotes and, now and then, a malformed row."""
    yield "n,x,late,y\r\n"
    for i in range(n):
        if rng.random() < 0.01:
            yield "ragged\r\n"
        if rng.random() < 0.02:
            yield "\r\n"
        y = rng.choice(LABELS[: 2 if i < n // 3 else 3])
        value = (
            f'"{rng.randrange(40 + i // 20)}, ""and\nmore"'
            if rng.random() < 0.2
            else f"v{rng.randrange(5)}"
        )
        late = "?" if i < n // 2 else f"{rng.gauss(0, 1e6):.3f}"
        x = "nan" if rng.random() < 0.02 else repr(rng.gauss(len(y), 2))
        yield f"{value},{x},{late},{y if rng.random() < 0.95 else '?'}\r\n"


def json_stream(rng, n):
    for i in range(n):
        record = {
            "y": rng.choice([True, 1, "1", None][: 2 + 2 * (i > n // 2)]),
            "b": rng.random() < 0.5,
        }
        if i > n // 3:
            record[f"m{rng.randrange(4)}"] = (
                rng.choice([1.5, 2, None]) if i % 3 else rng.gauss(0, 1)
            )
        if rng.random() < 0.01:
            yield '{"y": 1, "y": 2}\n'
        yield json.dumps(record) + "\n"


def arff_stream(rng, n):
    yield "@relation r\n@attribute n {a, b, 'c d', never}\n@attribute x numeric\n"
    yield "@attribute class {p, q}\n@data\n"
    for _ in range(n):
        value = rng.choice(("a", "b", "'c d'", "?"))
        yield f"{value},{rng.gauss(0, 1)!r},{rng.choice('pq')}\n"
        if rng.random() < 0.05:
            yield "% a comment\n{1 2.5, 2 q}\n"


def scenario(rng, where):
    """Input files and the options to read them with."""
    kind = rng.choice(("csv", "csv", "jsonl", "arff"))
    make = {"csv": csv_stream, "jsonl": json_stream, "arff": arff_stream}[kind]
    files = []
    for i in range(rng.choice((1, 2, 3))):
        text = "".join(make(rng, rng.randrange(120, 900))).encode()
        path = where / f"in{i}.{kind}"
        if rng.random() < 0.3:
            path = path.with_suffix(f".{kind}.gz")
            text = gzip.compress(text)
        path.write_bytes(text)
        files.append(path.name)
    options = ["-t", "class" if kind == "arff" else "y", "--on-error", "skip", "--format", kind]
    options += ["-m", rng.choice(("nb", "nb:max_values=20"))]
    options += rng.choice(([], ["--delay", "7"], ["--delay", "400"], ["--no-learn"]))
    options += rng.choice(([], ["--proba"], ["--output", "jsonl"], ["--output", "tsv", "--only"]))
    return [*options, "--checkpoint", str(rng.choice((50, 110, 170))), "--summary", "json", *files]


def stable(text):
    """A summary without what the clock says."""
    found = json.loads(text.splitlines()[-1])
    del found["seconds"], found["records_per_second"]
    return found


def killed_and_resumed(where, seed):
    """A run that is killed ends as one that was left alone; how often it was killed."""
    rng = random.Random(seed)
    where.mkdir()
    arguments = scenario(rng, where)
    _, errors = run("--save", "left.model", "--to", "left.out", *arguments, cwd=where)
    expected = stable(errors[-1])
    began = time.monotonic()
    command = ["--resume", "--save", "m.model", "--to", "m.out", *arguments]
    _, errors = run(*command, cwd=where)
    took = time.monotonic() - began
    assert stable(errors[-1]) == expected
    (where / "m.model").unlink()
    kills = 0
    for _ in range(4):
        process = subprocess.Popen(
            [*COMMAND, *command], cwd=where, env=ENVIRONMENT,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            out, err = process.communicate(
                timeout=rng.uniform(0.1, 0.9) * took if kills < 3 else 60
            )
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            kills += 1
            continue
        assert process.returncode == 0, err
        break
    assert out == ""
    assert stable(err) == expected
    assert (where / "m.out").read_bytes() == (where / "left.out").read_bytes()
    assert (where / "m.model").read_bytes() == (where / "left.model").read_bytes()
    assert not (where / "m.model.resume").exists()
    return kills


@pytest.mark.parametrize(
    ("seed", "wanted"), [(1, 20), pytest.param(1000, 200, marks=pytest.mark.slow)]
)
def test_killed_runs_go_on_where_they_were(tmp_path, seed, wanted):
    kills = 0
    for i in range(seed, seed + wanted):
        kills += killed_and_resumed(tmp_path / str(i), i)
        if kills >= wanted:
            return
    raise AssertionError(f"{kills} kills hit a run; make the streams longer")


def checkpointed(where, *options, files=("a.csv",), status=1):
    """A run that an error has ended, so that its checkpoint is left; the command to go on with."""
    command = ["--resume", "--checkpoint", "5", "--save", "m", "--to", "out", *options, *files]
    run(*command, cwd=where, status=status)
    assert (where / "m.resume").exists()
    return command


@pytest.mark.parametrize("delay", ["0", "3", "100"])
def test_a_mended_file_is_gone_on_with(tmp_path, delay):
    rng = random.Random(int(delay))
    lines = [line for line in csv_stream(rng, 60) if line not in ("ragged\r\n", "\r\n")]
    # Kinds are named, because an error among the first records decides them by those before it.
    options = [
        "--numeric",
        "x,late",
        "--nominal",
        "n",
        "--delay",
        delay,
        "--summary",
        "json",
        "--output",
        "jsonl",
    ]
    (tmp_path / "a.csv").write_text("".join(lines[:30]), newline="")
    (tmp_path / "whole.csv").write_text("".join([lines[0], *lines[30:]]), newline="")
    _, errors = run(
        "--save", "left", "--to", "left.out", *options, "a.csv", "whole.csv", cwd=tmp_path
    )
    for cut in (1, 9, 30):
        rest = lines[30:]
        rest.insert(cut, "ragged\r\n")
        (tmp_path / "b.csv").write_text("".join([lines[0], *rest]), newline="")
        command = checkpointed(tmp_path, *options, files=("a.csv", "b.csv"))
        (tmp_path / "b.csv").write_bytes((tmp_path / "whole.csv").read_bytes())
        _, again = run(*command, cwd=tmp_path)
        assert stable(again[-1]) == stable(errors[-1])
        assert (tmp_path / "out").read_bytes() == (tmp_path / "left.out").read_bytes()
        assert (tmp_path / "m").read_bytes() == (tmp_path / "left").read_bytes()


def test_a_signal_leaves_the_checkpoint(tmp_path):
    (tmp_path / "a.csv").write_text("".join(csv_stream(random.Random(1), 60_000)), newline="")
    command = [
        "--resume",
        "--checkpoint",
        "1000",
        "--save",
        "m",
        "--to",
        "out",
        "--on-error",
        "skip",
        "a.csv",
    ]
    run(
        "--save",
        "left",
        "--to",
        "left.out",
        "--on-error",
        "skip",
        "--summary",
        "none",
        "a.csv",
        cwd=tmp_path,
    )
    with subprocess.Popen(
        [*COMMAND, *command], cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.DEVNULL
    ) as process:
        while not (tmp_path / "m.resume").exists() and process.poll() is None:
            time.sleep(0.001)
        process.terminate()
        assert process.wait() == 143
    assert (
        0 < streambayes.load(tmp_path / "m").learned < streambayes.load(tmp_path / "left").learned
    )
    run(*command, cwd=tmp_path)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "left").read_bytes()
    assert (tmp_path / "out").read_bytes() == (tmp_path / "left.out").read_bytes()


def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    good = "a,y\n" + "u,p\nv,q\n" * 20
    (tmp_path / "a.csv").write_text(good + "ragged\n")
    command = checkpointed(tmp_path)
    kept = (tmp_path / "m.resume").read_bytes()

    def refused(status, word, arguments=command):
        out, errors = run(*arguments, cwd=tmp_path, status=status)
        assert out == "" and errors[-1].count("; ") and word in errors[-1], errors
        assert (tmp_path / "m.resume").read_bytes() == kept

    refused(2, "--delay", [*command, "--delay", "3"])
    refused(2, "FILE", [*command, "a.csv"])
    for text in (
        good.replace("v,q\n", "w,q\n"),
        good[:40],
        "a,y\n",
        good.replace("u,p\nv,q\n", "v,q\nu,p\n"),
    ):
        (tmp_path / "a.csv").write_text(text)
        refused(1, "no longer what it was")
    (tmp_path / "a.csv").write_text(good)
    (tmp_path / "out").write_text("lost")
    refused(1, "lost answers")
    for content in (kept[:-1], kept[:40], b"", b"a,y\n", kept[:100] + b"!" + kept[101:]):
        kept = content
        (tmp_path / "m.resume").write_bytes(content)
        refused(1, "m.resume")


# ------------------------------------------------------------------------------- merge and inspect
def test_merge_of_parts_is_one_pass(tmp_path):
    lines = WEATHER.read_text().splitlines(keepends=True)
    parts = parts_of(lines[1:], lines[0], tmp_path, 4)
    for i, part in enumerate(parts):
        run("-q", "--save", f"{i}.model", part, cwd=tmp_path)
    run("-q", "--save", "all.model", WEATHER, cwd=tmp_path)
    run("merge", "0.model", "1.model", "2.model", "3.model", "-o", "0.model", cwd=tmp_path)
    merged, whole = streambayes.load(tmp_path / "0.model"), streambayes.load(tmp_path / "all.model")
    assert merged.class_counts == whole.class_counts and merged.learned == 14
    x = {"outlook": "sunny", "temperature": 66.0, "humidity": 90.0, "windy": "TRUE"}
    assert merged.predict_proba_one(x) == pytest.approx(whole.predict_proba_one(x), rel=1e-12)


def test_merge_refuses(tmp_path):
    run("-q", "--save", "a", WEATHER, cwd=tmp_path)
    run("-q", "-m", "nb:k=3", "--save", "b", WEATHER, cwd=tmp_path)
    run("-q", "--save", "c", "--nominal", "temperature", WEATHER, cwd=tmp_path)
    for other, word in (
        ("b", "parameters"),
        ("c", "temperature"),
        ("absent", "no such file"),
        (WEATHER, "not a model"),
    ):
        _, errors = run("merge", "a", other, "-o", "sum", cwd=tmp_path, status=1)
        assert len(errors) == 1 and errors[0].startswith(f"{other}: ") and word in errors[0]
    run("merge", "a", "-o", "sum", cwd=tmp_path, status=2)
    run("merge", "a", "b", cwd=tmp_path, status=2)
    assert not (tmp_path / "sum").exists()


SETS = {
    "car": [],
    "nursery": ["children"],
    "mushroom": [],
    "weather": [],
    "electricity": [],
}  # named nominal


@pytest.mark.skipif(not STREAMS.is_dir(), reason="../shared/data/streams is not here")
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "count", [2, pytest.param(7, marks=pytest.mark.slow), pytest.param(64, marks=pytest.mark.slow)]
)
def test_merge_of_parts_of_real_streams(name, count):
    records = list(streambayes.stream(STREAMS / f"{name}.csv.gz", nominal=SETS[name]))[:20_000]
    whole = streambayes.NaiveBayes()
    parts = [streambayes.NaiveBayes() for _ in range(count)]
    for i, (x, y) in enumerate(records):
        whole.learn_one(x, y)
        parts[i * count // len(records)].learn_one(x, y)
    random.Random(count).shuffle(parts)
    total = sum(parts[1:], parts[0])
    assert total.class_counts == whole.class_counts
    assert nominal_counts(total) == nominal_counts(whole)
    for x, _ in records[:: max(1, len(records) // 200)]:
        p, q = total.predict_proba_one(x), whole.predict_proba_one(x)
        assert all(abs(p[y] - q[y]) <= 1e-9 for y in q)


def nominal_counts(model):
    return {
        (table["name"], value, y): n
        for table in model.tables()
        if table["kind"] == "nominal"
        for value, counts, _ in table["values"]
        for y, n in zip(model.classes, counts, strict=True)
    }


def test_inspect_a_model(tmp_path):
    run("-q", "--save", "m", WEATHER, cwd=tmp_path)
    assert run("inspect", "m", cwd=tmp_path) == run("inspect", WEATHER, cwd=tmp_path)
    assert run("inspect", "--json", "m", cwd=tmp_path) == run(
        "inspect", "--json", WEATHER, cwd=tmp_path
    )
    found = json.loads(run("inspect", "--header", "--json", "m", cwd=tmp_path)[0])
    assert (found["model"], found["learned"], found["target"]) == ("nb", 14, "play")
    assert "14 records learned" in run("inspect", "--header", "m", cwd=tmp_path)[0]
    (tmp_path / "half").write_bytes((tmp_path / "m").read_bytes()[:200])
    for arguments in (
        ["half"],
        ["--header", "half"],
        ["--diff", "m", "half"],
        ["--header", "absent"],
    ):
        out, errors = run("inspect", *arguments, cwd=tmp_path, status=1)
        assert out == "" and len(errors) == 1 and errors[0].startswith(f"{arguments[-1]}: ")
    run("inspect", "--diff", "m", cwd=tmp_path, status=2)
    run("inspect", "-m", "nb:k=7", "m", cwd=tmp_path, status=2)


def test_inspect_what_differs(tmp_path):
    (tmp_path / "a.csv").write_text("s,x,y\nrain,1,wet\nsun,2,dry\n")
    (tmp_path / "b.csv").write_text("s,x,y\nsun,4,dry\nhail,9,odd\n")
    run("-q", "--save", "a", "a.csv", cwd=tmp_path)
    run("-q", "--load", "a", "--save", "b", "b.csv", cwd=tmp_path)
    found = json.loads(run("inspect", "--diff", "--json", "a", "b", cwd=tmp_path)[0])
    assert found["learned"] == [2, 4] and found["attributes"] == []
    assert {row["label"]: (row["before"], row["after"]) for row in found["labels"]} == {
        "dry": (1, 2),
        "odd": (0, 1),
    }
    counts = {
        (row["value"], row["label"]): (row["before"], row["after"]) for row in found["counts"]
    }
    assert counts == {("sun", "dry"): (1, 2), ("hail", "odd"): (0, 1)}
    assert {row["label"]: row["after"]["mean"] for row in found["moments"]} == {
        "dry": 3.0,
        "odd": 9.0,
    }
    text, _ = run("inspect", "--diff", "a", "b", cwd=tmp_path)
    assert "s=hail | odd: 0 -> 1" in text
    assert (
        "no label, count or moment differs" in run("inspect", "--diff", "a", "a", cwd=tmp_path)[0]
    )
