"""The program from outside: pipes, signals, full disks, terminals; what it imports; its doors."""

from __future__ import annotations

import array
import fcntl
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import termios
import time
from itertools import pairwise
from pathlib import Path

import pytest
from feeding import Blocks

import streambayes
from streambayes.cli.main import COMMANDS
from streambayes.cli.run import parser as run_parser
from streambayes.evaluation.account import Account
from streambayes.evaluation.prequential import Prequential
from streambayes.learners.registry import MODELS
from streambayes.records.stream import Stream

PROGRAM = [sys.executable, "-m", "streambayes"]
HEADER = b"n,c,y\n"
PATIENCE = 30


def record(i):
    """One of a stream whose labels can be guessed: numbers and words that go with them."""
    label = "abc"[i * 7 % 3]
    return f"{i % 13 + 10 * (label == 'a')}.5,{'uvw'[i % 3]},{label}\n".encode()


def records(count, start=0):
    return b"".join(map(record, range(start, start + count)))


def run(*arguments, stdin=b"", **options):
    return subprocess.run(
        [*PROGRAM, *arguments], input=stdin, capture_output=True, timeout=PATIENCE, **options
    )


PRODUCER = """
import os, sys
data, size = open(sys.argv[1], "rb").read(), int(sys.argv[2])
while True:
    for at in range(0, len(data), size):
        os.write(1, data[at : at + size])
    if len(sys.argv) == 3:
        break
"""


def await_handlers(pid):
    """Until a process catches SIGTERM, which Python alone doesn't."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        time.sleep(2)
        return
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        caught = int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16)
        if caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.01)


class Live:
    """A run whose standard input and output are pipes held open."""

    def __init__(self, *arguments, stdin=subprocess.PIPE):
        self.child = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.printed = 0  # whole lines so far

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            if pipe and not pipe.closed:
                pipe.close()

    def send(self, data):
        self.child.stdin.write(data)

    def lines(self, count):
        """So many lines, waited for."""
        data, until = b"", time.monotonic() + PATIENCE
        while data.count(b"\n") < count:
            left = max(0.0, until - time.monotonic())
            assert select.select([self.child.stdout], [], [], left)[0], f"only {data!r}"
            block = os.read(self.child.stdout.fileno(), 1 << 16)
            assert block, f"it ended after {data!r}: {self.child.stderr.read()!r}"
            data += block
        self.printed += data.count(b"\n")
        return data.decode().splitlines()

    def fed_by(self, path, size, forever=False):
        """A process that writes a file's bytes in blocks, once or for ever."""
        command = [sys.executable, "-c", PRODUCER, str(path), str(size), *["forever"] * forever]
        producer = subprocess.Popen(
            command, stdout=self.child.stdin, stderr=subprocess.DEVNULL, bufsize=0
        )
        self.child.stdin.close()
        self.child.stdin = None
        return producer

    def await_handlers(self):
        """Until signals are caught and all that was sent is read."""
        await_handlers(self.child.pid)
        until = time.monotonic() + PATIENCE
        waiting = array.array("i", [1])
        while waiting[0] and time.monotonic() < until:
            fcntl.ioctl(self.child.stdin, termios.FIONREAD, waiting)
            time.sleep(0.01)

    def silent(self, seconds=0.2):
        return not select.select([self.child.stdout], [], [], seconds)[0]

    def end(self):
        """Status, the rest of its output, and its messages."""
        out, err = self.child.communicate(timeout=PATIENCE)
        assert b"Traceback" not in err, err.decode()
        self.printed += out.count(b"\n")
        return self.child.returncode, out.decode(), err.decode()


KINDS = ("--numeric", "n", "--nominal", "c")


# --------------------------------------------------------------------------------- slow producers
def test_each_answer_is_out_before_the_next_record_is_read():
    with Live("--only", "--summary", "none", *KINDS) as program:
        program.send(HEADER)
        assert program.lines(1) == ["predicted,probability"]
        for i in range(5):
            program.send(record(i))
            assert len(program.lines(1)) == 1
        program.child.stdin.close()
        program.child.stdin = None
        assert program.end() == (0, "", "")


def test_json_lines_are_answered_at_once():
    with Live("-t", "y", "--summary", "none") as program:
        for i in range(3):
            program.send(json.dumps({"x": i, "y": "a"}).encode() + b"\n")
            assert json.loads(program.lines(1)[0])["x"] == i


def test_the_first_hundred_wait_for_their_types():
    with Live("--only", "--summary", "none") as program:
        program.send(HEADER + records(99))
        assert program.silent()
        program.send(record(99))
        assert len(program.lines(101)) == 101
        program.send(record(100))
        assert len(program.lines(1)) == 1


# ---------------------------------------------------------------------------------------- signals
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
each_signal = pytest.mark.parametrize(("number", "status"), SIGNALS)


def summary_of(text):
    return json.loads(text.splitlines()[-1])


@each_signal
def test_signal_while_waiting(number, status):
    with Live("--only", "--summary", "json", *KINDS) as program:
        program.send(HEADER + records(4))
        program.lines(5)
        program.child.send_signal(number)
        code, out, err = program.end()
    assert (code, out) == (status, "")
    assert summary_of(err)["records"] == summary_of(err)["learned"] == 4


@each_signal
def test_signal_while_the_first_hundred_wait(number, status):
    with Live("--only", "--summary", "json") as program:
        program.send(HEADER + records(7) + b"8.5,u")  # half a record is none
        program.await_handlers()
        program.child.send_signal(number)
        code, out, err = program.end()
    assert code == status
    assert len(out.splitlines()) == 8
    assert summary_of(err)["learned"] == 7
    assert summary_of(err)["schema"]["attributes"] == {"n": "numeric", "c": "nominal"}


@each_signal
def test_signal_before_anything_came(number, status):
    with Live("--summary", "json") as program:
        program.await_handlers()
        program.child.send_signal(number)
        code, out, err = program.end()
    assert (code, out) == (status, "")
    assert summary_of(err)["records"] == 0


@each_signal
def test_signal_mid_stream(number, status, tmp_path):
    """What was answered is learned, to the record."""
    path = tmp_path / "records"
    path.write_bytes(records(3000))
    with Live("--only", "--summary", "json", "--delay", "3", *KINDS) as program:
        program.send(HEADER)
        producer = program.fed_by(path, 1 << 16, forever=True)
        program.lines(5000)
        program.child.send_signal(number)
        code, _, err = program.end()
        producer.wait(PATIENCE)
    assert code == status
    assert summary_of(err)["records"] == summary_of(err)["learned"] == program.printed - 1


def test_signal_while_a_file_is_read(tmp_path):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.write(HEADER)
        block = records(30_000)
        for _ in range(100):
            file.write(block)
    with Live("--only", "--summary", "json", str(path), stdin=subprocess.DEVNULL) as program:
        program.lines(1000)
        program.child.send_signal(signal.SIGINT)
        code, _, err = program.end()
    assert code == 130
    assert summary_of(err)["learned"] == program.printed - 1 < 3_000_000


def test_a_second_signal_changes_nothing():
    with Live("--only", "--summary", "json", *KINDS) as program:
        program.send(HEADER + records(4))
        program.lines(5)
        program.child.send_signal(signal.SIGINT)
        program.child.send_signal(signal.SIGINT)
        code, _, err = program.end()
    assert code == 130
    assert summary_of(err)["learned"] == 4


def test_ignored_signals_stay_ignored():
    """As nohup and background jobs have it."""
    script = 'trap "" INT; exec "$@"'
    child = subprocess.Popen(
        ["sh", "-c", script, "sh", *PROGRAM, "-q", "--summary", "json", *KINDS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    await_handlers(child.pid)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(HEADER + records(3), timeout=PATIENCE)
    assert (child.returncode, json.loads(out)["records"]) == (0, 3)


# ------------------------------------------------------------------------- where the output goes
def test_head(tmp_path):
    path = tmp_path / "large.csv"
    path.write_bytes(HEADER + records(50_000))
    command = f"{sys.executable} -m streambayes {path}; echo $? >&2"
    for options in ("", "--only --proba"):
        shell = subprocess.run(
            ["bash", "-c", f"({command.replace(str(path), options + ' ' + str(path))}) | head -3"],
            capture_output=True,
            timeout=PATIENCE,
        )
        assert shell.stdout.count(b"\n") == 3
        assert shell.stderr == b"0\n"


@pytest.mark.parametrize(
    "arguments",
    [["-q"], ["-q", "--summary", "json"], ["--every", "2", "-q"], []],
    ids=" ".join,
)
def test_reader_that_has_gone(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*PROGRAM, *arguments],
        input=HEADER + records(10),
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


COMMAND_LINES = [
    ["models"],
    ["models", "--json"],
    ["inspect"],
    ["inspect", "--json"],
    ["--help"],
    ["-q"],
    [],
]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", COMMAND_LINES, ids=" ".join)
def test_full_disk(arguments):
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*PROGRAM, *arguments],
            input=HEADER + records(10),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
        )
    assert ended.returncode == 1
    last = ended.stderr.decode().splitlines()[-1]
    assert last == "<stdout>: No space left on device; the answers can't be written"
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("arguments", COMMAND_LINES, ids=" ".join)
def test_closed_output(arguments):
    ended = subprocess.run(
        ["bash", "-c", 'exec "$@" >&-', "bash", *PROGRAM, *arguments],
        input=HEADER + records(10),
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
    )
    assert ended.returncode == 1
    assert re.match(
        "<stdout>: .*; the answers can't be written$", ended.stderr.decode().splitlines()[-1]
    )


def test_closed_input_is_empty():
    ended = subprocess.run(
        ["bash", "-c", 'exec "$@" <&-', "bash", *PROGRAM, "--summary", "json"],
        capture_output=True,
        timeout=PATIENCE,
    )
    assert (ended.returncode, ended.stdout) == (0, b"")
    assert json.loads(ended.stderr)["records"] == 0


def test_closed_errors_are_no_error():
    ended = subprocess.run(
        ["bash", "-c", 'exec "$@" 2>&-', "bash", *PROGRAM, "--only", "--on-error", "skip"],
        input=HEADER + record(0) + b"ragged\n" + record(1),
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
    )
    assert (ended.returncode, ended.stdout.count(b"\n")) == (0, 3)


def test_terminal_without_a_file_says_how_it_is_used():
    leader, follower = os.openpty()
    try:
        ended = subprocess.run(PROGRAM, stdin=follower, capture_output=True, timeout=PATIENCE)
    finally:
        os.close(leader)
        os.close(follower)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert ended.stderr.startswith(b"usage: python -m streambayes ")


def test_output_is_utf8_whatever_the_locale():
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    data = "größe,y\nklein,süß\n".encode()
    for arguments in ([], ["-q"], ["inspect"], ["inspect", "--json"], ["--help"]):
        ended = run(*arguments, stdin=data, env=environment)
        assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False), ended.stderr
        assert ("…" if arguments == ["--help"] else "größe") in ended.stdout.decode()


# ------------------------------------------------------------------------------ cuts never show
def test_blocks_of_a_pipe_never_show(tmp_path):
    data = HEADER + records(150) + b'1e5,"u\n""w""",b\r\n' + records(60, 7)
    expected = run("--proba", stdin=data).stdout
    assert expected.count(b"\n") == 150 + 60 + 2 + 1
    path = tmp_path / "records"
    path.write_bytes(data)
    for size in (1, 7, 1 << 16):
        with Live("--proba", "--summary", "none") as program:
            producer = program.fed_by(path, size)
            code, out, err = program.end()
            assert producer.wait(PATIENCE) == 0
        assert (code, out.encode(), err) == (0, expected, "")


def test_files_or_one_pipe(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_bytes(HEADER + records(70))
    two.write_bytes(HEADER + records(70, 70))
    together = run("--summary", "none", stdin=HEADER + records(140)).stdout
    assert run("--summary", "none", str(one), str(two)).stdout == together
    assert run("--summary", "none", str(one), "-", stdin=two.read_bytes()).stdout == together


# ------------------------------------------------------------------------------- what it imports
HEAVY = {"numpy", "river", "scipy", "matplotlib", "pandas", "narwhals", "msgspec", "tqdm", "rich"}
NEEDED_BY_RUN = {"argparse", "select", "signal"}
NOT_NEEDED_BY_RUN = {
    "asyncio", "bz2", "concurrent", "csv", "ctypes", "dataclasses", "decimal", "email", "http",
    "inspect", "json", "logging", "lzma", "multiprocessing", "pathlib", "pickle", "random",
    "shutil", "socket", "ssl",
    "subprocess", "tempfile", "threading", "typing", "unittest", "urllib", "zlib",
}  # fmt: skip


def modules_after(statements, stdin=b""):
    """What a fresh interpreter has imported beyond what it starts with."""
    code = (
        f"import sys; before = set(sys.modules)\n{statements}\n"
        "print(*set(sys.modules) - before, file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], input=stdin, capture_output=True, timeout=PATIENCE
    )
    assert ended.returncode == 0, ended.stderr
    return {name.split(".")[0] for name in ended.stderr.decode().splitlines()[-1].split()}


def test_import_alone_is_light():
    assert modules_after("import streambayes") <= {"streambayes", "__future__"}


def test_run_imports_what_it_needs():
    code = "from streambayes.cli.main import main; assert main(['--summary', 'none']) == 0"
    imported = modules_after(code, HEADER + records(3))
    assert imported & HEAVY == set()
    assert imported & NOT_NEEDED_BY_RUN == set()
    assert imported > NEEDED_BY_RUN


def test_the_api_is_light():
    code = (
        "from streambayes import NaiveBayes; m = NaiveBayes(); m.learn_one({'x': 1.5}, 'a');"
        "assert m.predict_one({'x': 1}) == 'a'"
    )
    assert not modules_after(code) & HEAVY


# ------------------------------------------------------------------------------------------ help
def test_help_of_every_command():
    for command in COMMANDS:
        ended = run(command, "--help")
        text = ended.stdout.decode()
        assert (ended.returncode, ended.stderr) == (0, b"")
        assert text.startswith("usage: python -m streambayes ")
        assert "Traceback" not in text
    assert run("--help").stdout == run("run", "--help").stdout


def test_help_shows_every_option_and_examples_that_fit_the_screen():
    text = run("--help", env=os.environ | {"COLUMNS": "100"}).stdout.decode()
    for action in run_parser()._actions:
        for option in action.option_strings:
            assert option in text
    assert "examples:" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    "arguments", [["--summary", "xml"], ["--output", "ws"], ["--format", "xls"], ["--every", "-1"]]
)
def test_wrong_values_are_one_line_and_status_2(arguments):
    ended = run(*arguments, stdin=HEADER)
    assert (ended.returncode, ended.stdout, ended.stderr.count(b"\n")) == (2, b"", 1)
    assert ended.stderr.startswith(b"streambayes: ")


def test_models_lists_all():
    text = run("models").stdout.decode()
    rows = json.loads(run("models", "--json").stdout)
    assert [row["name"] for row in rows] == list(MODELS)
    for row in rows:
        assert f"{row['name']} " in text
        assert row["sentence"] in text
        for parameter in row["parameters"]:
            assert parameter["sentence"] in text
        assert row["name"] == getattr(streambayes, row["class"]).NAME


@pytest.mark.parametrize("model", MODELS)
def test_every_model_runs_and_shows_its_tables(model):
    data = HEADER + records(60)
    ended = run("-m", model, "--proba", "--summary", "json", stdin=data)
    assert ended.returncode == 0
    assert json.loads(ended.stderr)["model"]["name"] == model
    text = run("inspect", "-m", model, stdin=data).stdout.decode()
    assert text.startswith(f"{model}, 60 records learned\n")
    tables = json.loads(run("inspect", "-m", model, "--json", stdin=data).stdout)
    assert [row["n"] for row in tables["classes"]] == [20, 20, 20]
    assert [table["name"] for table in tables["attributes"]] == ["n", "c"]


# ------------------------------------------------------------------------------------ equal doors
ROWS = [
    (
        {"n": (i * 37 % 23) / 8 - 1, "m": 1e9 + i % 7, "c": "uvw"[i % 3], "d": "pq"[i % 2]},
        "abc"[i * 5 % 3],
    )
    for i in range(60)
]
for index, name in ((3, "n"), (4, "c"), (5, "m"), (6, "d")):
    ROWS[index][0][name] = None
NAMES = ("n", "m", "c", "d")


def as_rows(delimiter, missing=""):
    def cell(value):
        return missing if value is None else str(value)

    lines = [[*NAMES, "y"], *([*(cell(x[name]) for name in NAMES), y] for x, y in ROWS)]
    return "".join(delimiter.join(line) + "\n" for line in lines).encode()


def as_arff():
    kinds = {"n": "numeric", "m": "real", "c": "string", "d": "string", "y": "string"}
    head = "@relation r\n" + "".join(f"@attribute {n} {kind}\n" for n, kind in kinds.items())
    rows = as_rows(",", "?").decode().partition("\n")[2]
    return (head + "@data\n" + rows).encode()


def as_json_lines():
    return "".join(json.dumps({**x, "y": y}) + "\n" for x, y in ROWS).encode()


DOORS = {
    "csv": (as_rows(","), {"format": "csv"}),
    "tsv": (as_rows("\t"), {"format": "tsv"}),
    "ws": (as_rows("  ", "?"), {"format": "ws"}),
    "arff": (as_arff(), {"format": "arff"}),
    "jsonl": (as_json_lines(), {"format": "jsonl", "target": "y"}),
}
ESTIMATES = [{}, {"estimate": "laplace"}, {"max_values": 2}, {"estimate": "awk"}]


def by_dicts(parameters):
    model = streambayes.NaiveBayes(**parameters)
    answers = []
    for x, y in ROWS:
        answers.append(model.predict_proba_one(x))
        model.learn_one(x, y)
    return model, answers


def all_but_target(model):
    return {name: value for name, value in model.state().items() if name != "target"}


@pytest.mark.parametrize("parameters", ESTIMATES, ids=str)
@pytest.mark.parametrize("door", DOORS)
def test_doors_are_equal_to_the_bit(door, parameters):
    expected, answers = by_dicts(parameters)
    data, options = DOORS[door]
    model = streambayes.NaiveBayes(**parameters)
    stream = Stream(model.schema, Blocks([data]), **options)
    reader = stream.start()
    loop = Prequential(model, Account(model.schema))
    while loop.run(reader, 1 << 62) or stream.pump():
        pass
    assert all_but_target(model) == all_but_target(expected)
    for (x, _), answer in zip(ROWS, answers, strict=True):
        assert model.predict_proba_one(x) == expected.predict_proba_one(x)
        assert isinstance(answer, dict)


@pytest.mark.parametrize("door", DOORS)
def test_printed_probabilities_are_the_apis(door, tmp_path):
    data, options = DOORS[door]
    _, answers = by_dicts({})
    arguments = [f"--{name}={value}" for name, value in options.items()]
    ended = run(
        "--only", "--proba", "--output", "jsonl", "--summary", "none", *arguments, stdin=data
    )
    printed = [json.loads(line)["probabilities"] for line in ended.stdout.splitlines()]
    assert printed == answers


@pytest.mark.parametrize("door", DOORS)
def test_stream_gives_the_records(door, tmp_path):
    data, options = DOORS[door]
    path = tmp_path / "input"
    path.write_bytes(data)
    pairs = list(streambayes.stream(path, **options))
    assert pairs == ROWS


# ---------------------------------------------------------------------------------------- memory
PEAK = """
import resource, subprocess, sys
block = {block!r}
child = subprocess.Popen({command!r}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
child.stdin.write({header!r})
for _ in range(int(sys.argv[1])):
    child.stdin.write(block)
child.stdin.close()
assert child.wait() == 0
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.slow
def test_memory_is_flat():
    """Peak memory is the same for ten thousand records and for a million.

    A process's peak counts what it was before its exec too, so a small one starts the program.
    """
    command = [*PROGRAM, "--only", "--summary", "none", "--delay", "5"]
    code = PEAK.format(block=records(1000), command=command, header=HEADER)
    small, large = (
        int(subprocess.run([sys.executable, "-c", code, n], capture_output=True, check=True).stdout)
        for n in ("10", "1000")
    )
    assert large < small * 1.05 + 1024
    if sys.platform == "linux":
        assert large < 40 * 1024  # KiB


def test_progress_rows_come_every_so_often():
    ended = run("-q", "--every", "20", "--summary", "json", stdin=HEADER + records(100))
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    counts = [row["progress"]["records"] for row in rows[:-1]]
    assert counts == [20, 40, 60, 80, 100]
    assert all(a["progress"]["seconds"] <= b["progress"]["seconds"] for a, b in pairwise(rows[:-1]))


def test_the_example_of_the_readme_runs():
    weather = Path(__file__).parent.parent / "examples" / "weather.csv"
    ended = run(str(weather))
    assert ended.returncode == 0
    assert ended.stdout.startswith(
        b"outlook,temperature,humidity,windy,play,predicted,probability\n"
    )


def test_few_file_descriptors_are_enough(tmp_path):
    """Files are opened in turn and closed again."""
    for i in range(60):
        (tmp_path / f"{i}.csv").write_bytes(HEADER + record(i))
    paths = [str(tmp_path / f"{i}.csv") for i in range(60)]

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))

    ended = run("-q", "--summary", "json", *paths, preexec_fn=limit)
    assert json.loads(ended.stdout)["records"] == 60
