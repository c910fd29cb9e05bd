"""Streams to measure on, whole-process timings, and the cost of one call.

    python scripts/bench.py gen --dir D [--n N]          write S1, S2, S3 and S3b as CSV
    python scripts/bench.py run --dir D [--floor PROG]   time the command on them, round-robin
    python scripts/bench.py micro                        one record at a time, beside river
    python scripts/bench.py growth                       cost by attributes and by records

Figures of different runs or machines don't compare; ratios within one run do. `gen` and `growth`
need numpy, `micro` needs river; `run` needs neither and keeps its own memory small, because the
system counts a child's peak from what it inherited: no figure is below this program's own 20 MiB
or so, and mapped files count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = 20260101
BLOCK = 50_000  # records drawn at a time; a shorter stream is the beginning of a longer one
BINS = 10
WEATHER = Path(__file__).resolve().parent.parent / "examples" / "weather.csv"


# ---------------------------------------------------------------- gen: columns of bytes
# A column is a matrix of bytes, a row a record, padded with NUL; columns side by side are the lines
# of the file once the NULs are dropped.
def words(values: Sequence[str], which: NDArray[Any]) -> NDArray[np.uint8]:
    """The nominal column that says values[which[i]] in record i."""
    import numpy as np

    table = np.array([v.encode() for v in values])
    cells: NDArray[np.uint8] = table.view(np.uint8).reshape(len(values), -1)[which]
    return cells


def decimals(x: NDArray[Any]) -> NDArray[np.uint8]:
    """The numeric column of x, with four digits after the point."""
    import numpy as np

    scaled = np.rint(x * 1e4).astype(np.int64)
    rest = np.abs(scaled)
    whole = max(1, len(str(int(rest.max(initial=0)) // 10_000)))  # digits before the point
    out = np.zeros((len(x), 1 + whole + 1 + 4), np.uint8)
    out[:, 0] = np.where(scaled < 0, ord("-"), 0)
    out[:, 1 + whole] = ord(".")
    for place in (*range(out.shape[1] - 1, 1 + whole, -1), *range(whole, 0, -1)):
        digit = (rest % 10 + ord("0")).astype(np.uint8)
        # a leading zero is padding, except just before the point
        out[:, place] = np.where(rest > 0, digit, 0) if place < whole else digit
        rest //= 10
    return out


def blank(column: NDArray[np.uint8], missing: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The column with `?` where the value is missing."""
    column[missing] = 0
    column[missing, 0] = ord("?")
    return column


def lines(columns: Sequence[NDArray[np.uint8]]) -> bytes:
    """The columns' records as lines of CSV."""
    import numpy as np

    n = len(columns[0])
    comma = np.full((n, 1), ord(","), np.uint8)
    newline = np.full((n, 1), ord("\n"), np.uint8)
    between = [part for column in columns for part in (column, comma)]
    cells = np.hstack([*between[:-1], newline])
    text: bytes = cells[cells != 0].tobytes()
    return text


# ---------------------------------------------------------------- gen: streams
Block = list["NDArray[np.uint8]"]


@dataclass
class Stream:
    """One file: the attributes' names, and what draws a block of records, the label last."""

    names: list[str]
    block: Callable[[np.random.Generator], Block]


def draw(rng: np.random.Generator, p: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """For each record a value from its class's row of probabilities."""
    import numpy as np

    steps = np.cumsum(p, axis=1)[:, :-1]
    u = rng.random(len(y))
    value = np.zeros(len(y), np.int64)
    for step in steps.T:
        value += u > step[y]
    return value


def mixed(rng: np.random.Generator) -> Stream:
    """S1: 5 nominal (4 to 12 values) and 5 numeric attributes, 3 uneven classes, 1 % missing."""
    import numpy as np

    labels = ["low", "mid", "high"]
    sizes = (4, 6, 8, 10, 12)
    tables = [rng.dirichlet(np.full(v, 3.0), 3) for v in sizes]
    means = rng.normal(0, 0.55, (5, 3))
    spreads = rng.uniform(0.7, 1.6, (5, 3))
    scales = 10.0 ** rng.integers(-1, 3, 5)
    offsets = rng.normal(0, 50, 5)

    def block(rng: np.random.Generator) -> Block:
        y = rng.choice(3, BLOCK, p=[0.5, 0.3, 0.2])
        columns = [
            words([f"v{j}_{i}" for i in range(sizes[j])], draw(rng, tables[j], y)) for j in range(5)
        ]
        for j in range(5):
            x = rng.normal(means[j][y], spreads[j][y])
            columns.append(decimals(offsets[j] + scales[j] * x))
        missing = rng.random((10, BLOCK)) < 0.01
        columns = [blank(column, gap) for column, gap in zip(columns, missing, strict=True)]
        return [*columns, words(labels, y)]

    return Stream([*(f"c{j}" for j in range(5)), *(f"x{j}" for j in range(5))], block)


def nominal(rng: np.random.Generator) -> Stream:
    """S2: 20 nominal attributes of 5 values, 2 classes. Alone they say little of the class; an
    attribute often follows its left neighbour at a distance that depends on the class."""
    import numpy as np

    labels = ["neg", "pos"]
    values = [f"a{i}" for i in range(5)]
    tables, shifts = [], []
    for _ in range(20):
        common = rng.dirichlet(np.full(5, 4.0))
        tables.append(0.8 * common + 0.2 * rng.dirichlet(np.ones(5), 2))
        shifts.append(rng.integers(0, 5, 2))

    def block(rng: np.random.Generator) -> Block:
        y = rng.integers(0, 2, BLOCK)
        columns: Block = []
        left = None
        for table, shift in zip(tables, shifts, strict=True):
            value = draw(rng, table, y)
            if left is not None:
                follows = rng.random(BLOCK) < 0.35
                value = np.where(follows, (left + shift[y]) % 5, value)
            left = value
            columns.append(words(values, value))
        return [*columns, words(labels, y)]

    return Stream([f"c{j}" for j in range(20)], block)


def numeric(rng: np.random.Generator, binned: bool = False) -> Stream:
    """S3: 16 numeric attributes, 10 even classes; three factors that all classes share, and three
    of each class's own, correlate them. S3b: the same cut into 10 bins, equally full over the first
    block."""
    import numpy as np

    labels = [f"k{i}" for i in range(10)]
    means = rng.normal(0, 0.8, (10, 16))
    loads = rng.normal(0, 0.7, (16, 3)) + rng.normal(0, 0.35, (10, 16, 3))
    edges: list[NDArray[Any]] = []

    def block(rng: np.random.Generator) -> Block:
        y = rng.integers(0, 10, BLOCK)
        factors = rng.normal(0, 1, (BLOCK, 3))
        x = means[y] + rng.normal(0, 0.6, (BLOCK, 16))
        for f in range(3):
            x += loads[:, :, f][y] * factors[:, f, None]
        if not binned:
            return [*(decimals(column) for column in x.T), words(labels, y)]
        if not edges:
            edges.extend(np.quantile(x, np.arange(1, BINS) / BINS, axis=0).T)
        bins = [f"b{i}" for i in range(BINS)]
        cut = [
            np.searchsorted(e, column, side="right") for e, column in zip(edges, x.T, strict=True)
        ]
        return [*(words(bins, c) for c in cut), words(labels, y)]

    return Stream([f"{'c' if binned else 'x'}{j}" for j in range(16)], block)


def gen(options: argparse.Namespace) -> int:
    """Writes the streams. The name of a numeric column begins with x, of a nominal one with c."""
    import numpy as np

    folder: Path = options.dir
    folder.mkdir(parents=True, exist_ok=True)
    makers: list[tuple[str, int, Callable[[np.random.Generator], Stream]]] = [
        ("S1", 1, mixed),
        ("S2", 2, nominal),
        ("S3", 3, numeric),
        ("S3b", 3, lambda rng: numeric(rng, binned=True)),
    ]
    for name, seed, make in makers:
        start = time.perf_counter()
        stream = make(np.random.default_rng([SEED, seed]))
        path = folder / f"{name}.csv"
        with open(path, "wb") as out:
            out.write(",".join([*stream.names, "class"]).encode() + b"\n")
            for number, first in enumerate(range(0, options.n, BLOCK)):
                columns = stream.block(np.random.default_rng([SEED, seed, number]))
                out.write(lines([column[: options.n - first] for column in columns]))
        size = path.stat().st_size / 2**20
        seconds = time.perf_counter() - start
        print(f"{name}.csv: {options.n:,} records, {size:.1f} MiB, {seconds:.1f} s", flush=True)
    return 0


# ---------------------------------------------------------------- run
@dataclass
class Job:
    """A process to time, the job it is compared with, and what came of each run."""

    argv: list[str]
    against: str | None = None
    file: Path | None = None
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)
    accuracy: float | None = None
    failure: str | None = None


def jobs(options: argparse.Namespace) -> dict[str, Job]:
    """Each job by its name, in the order of the table."""
    ours = [sys.executable, "-m", "streambayes"]
    summary = ["--summary", "json"]
    files = {s: (options.dir / f"{s}.csv").resolve() for s in ("S1", "S2", "S3", "S3b")}
    # (model, stream, the floor's mode)
    models = [
        ("aode", "S2", "aode"),
        ("aode", "S3b", "aode"),
        ("gaode", "S3", "nb"),
        ("haode", "S3", "nb"),
        ("haode", "S1", "nb"),
    ]
    table: dict[str, Job] = {
        "start-up: import argparse": Job([sys.executable, "-c", "import argparse"]),
        "start-up: weather.csv": Job(
            [*ours, "-q", *summary, str(WEATHER)], "start-up: import argparse"
        ),
    }
    floors = [(mode, s) for _, s, mode in models] + [("nb", s) for s in ("S1", "S2", "S3")]
    if options.floor:
        program = str(options.floor.resolve())
        for mode, s in sorted(set(floors)):
            table[f"{s}: floor {mode}"] = Job([program, mode, str(files[s])], file=files[s])
    for s in ("S1", "S2", "S3"):
        path, floor = files[s], f"{s}: floor nb"
        table[f"{s}: nb -q"] = Job([*ours, "-q", *summary, str(path)], floor, path)
        table[f"{s}: nb --only"] = Job([*ours, "--only", *summary, str(path)], floor, path)
    known = known_models(ours)
    for model, s, mode in models:
        path = files[s]
        if model in known:
            argv = [*ours, "-q", "-m", model, *summary, str(path)]
            table[f"{s}: {model} -q"] = Job(argv, f"{s}: floor {mode}", path)
    chosen = {name: job for name, job in table.items() if re.search(options.only, name)}
    for name in [job.against for job in chosen.values() if job.against]:  # a ratio needs both
        if name in table:
            chosen[name] = table[name]
    return {name: job for name, job in table.items() if name in chosen}


def known_models(ours: Sequence[str]) -> set[str]:
    """The names that `streambayes models` lists at the beginning of a line."""
    run = subprocess.run([*ours, "models"], capture_output=True, text=True, check=False)
    if run.returncode:
        print(f"streambayes models: {run.stderr.strip()[-300:]}", file=sys.stderr)
    return set(re.findall(r"^\s*([a-z][\w-]*)", run.stdout, re.MULTILINE))


def time_once(job: Job) -> None:
    """Runs the job's process and keeps its seconds, CPU seconds and peak memory."""
    answers = "--only" in job.argv
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        out: IO[bytes] | int = subprocess.DEVNULL if answers else printed
        start = time.perf_counter()
        try:
            child = subprocess.Popen(job.argv, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        except OSError as e:
            job.failure = f"{job.argv[0]}: {e.strerror}"
            return
        _, status, usage = os.wait4(child.pid, 0)
        job.wall.append(time.perf_counter() - start)
        child.returncode = os.waitstatus_to_exitcode(status)
        job.cpu.append(usage.ru_utime + usage.ru_stime)
        # kilobytes, but bytes on macOS
        job.peak.append(usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))
        text = ""
        for stream in (printed, errors):
            stream.seek(0)
            text += stream.read().decode(errors="replace")
    if child.returncode:
        job.failure = f"status {child.returncode}: {text.strip()[-300:]}"
    job.accuracy = accuracy(text)


def accuracy(text: str) -> float | None:
    """Per cent, from the JSON summary or the floor's `acc=`."""
    if found := re.search(r"\bacc=(\d[\d.]*)", text):
        return float(found[1])
    for begin in re.finditer(r"^\{", text, re.MULTILINE):
        try:
            value = json.JSONDecoder().raw_decode(text, begin.start())[0].get("accuracy")
        except ValueError:
            continue
        if value is not None:
            return 100 * float(value)
    return None


def records(path: Path) -> int:
    """Lines but the header. Reading it all also brings it into the system's cache."""
    with open(path, "rb") as file:
        return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b"")) - 1


def rows(table: dict[str, Job], counts: dict[Path, int]) -> Iterator[list[str]]:
    """The cells of each job's row."""
    for name, job in table.items():
        if job.failure or not job.wall:
            yield [name, "failed"]
            continue
        wall = statistics.median(job.wall)
        n = counts[job.file] if job.file else 0
        other = table.get(job.against) if job.against else None
        ratios = ["-", "-", "-"]
        if other and other.wall and not other.failure:
            by_wall = wall / statistics.median(other.wall)
            by_cpu = statistics.median(job.cpu) / max(statistics.median(other.cpu), 1e-9)
            ratios = [f"{by_wall:.2f}", f"{by_cpu:.2f}", str(job.against)]
        yield [
            name,
            f"{wall:.3f}",
            f"{min(job.wall):.3f}",
            f"{max(job.wall):.3f}",
            f"{statistics.median(job.cpu):.3f}",
            f"{n / wall:,.0f}" if n else "-",
            f"{max(job.peak):.0f}",
            f"{job.accuracy:.3f}" if job.accuracy is not None else "-",
            *ratios,
        ]


def run(options: argparse.Namespace) -> int:
    """Times every job once a round, in a new order each round, and prints the table."""
    try:
        table = jobs(options)
    except re.error as e:
        print(f"--only {options.only!r}: {e}", file=sys.stderr)
        return 2
    if not table:
        print(f"--only {options.only!r}: no job has such a name", file=sys.stderr)
        return 2
    try:
        counts = {path: records(path) for path in {job.file for job in table.values() if job.file}}
    except OSError as e:
        print(f"{e.filename}: {e.strerror}; make it with: bench.py gen --dir D", file=sys.stderr)
        return 1
    for number in range(options.runs):
        order = list(table)
        random.Random(number).shuffle(order)
        for name in order:
            if not table[name].failure:
                time_once(table[name])
        print(f"round {number + 1} of {options.runs}", file=sys.stderr, flush=True)
    head = ["job", "wall s", "min", "max", "cpu s", "records/s", "peak MiB", "accuracy %"]
    print_table([[*head, "wall ratio", "cpu ratio", "against"], *rows(table, counts)])
    print(f"\nwall and cpu: medians of {options.runs} runs; ratio: of medians, job / against.")
    failed = {name: job.failure for name, job in table.items() if job.failure}
    for name, failure in failed.items():
        print(f"failed {name}: {failure}")
    return 1 if failed else 0


def print_table(table: list[list[str]]) -> None:
    """Prints rows in aligned columns, first and last to the left, the others to the right."""
    columns = len(table[0])
    full = [row + [""] * (columns - len(row)) for row in table]
    widths = [max(len(row[j]) for row in full) for j in range(columns)]
    for row in full:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
        print("  ".join([*cells, row[-1]]).rstrip())


# ---------------------------------------------------------------- micro
def micro(options: argparse.Namespace) -> int:
    """CPU time of predict_proba_one and then learn_one on dicts of ten numbers, test-then-train.
    Rounds go over all cells in turn, so that a slow spell of the machine does not land on one."""
    try:
        from river.naive_bayes import GaussianNB

        from streambayes import NaiveBayes
    except ImportError as e:
        print(f"micro needs streambayes and river: {e}", file=sys.stderr)
        return 1
    rng = random.Random(SEED)
    cells: list[tuple[int, list[tuple[dict[str, float], str]], list[tuple[Any, list[float]]]]] = []
    for classes in (2, 3, 10):
        means = [[rng.gauss(0, 1) for _ in range(10)] for _ in range(classes)]
        data = []
        for _ in range(options.records):
            y = rng.randrange(classes)
            data.append(({f"x{j}": rng.gauss(means[y][j], 1) for j in range(10)}, f"k{y}"))
        learners: list[tuple[Any, list[float]]] = [(NaiveBayes(), []), (GaussianNB(), [])]
        for model, _ in learners:
            for x, label in data:
                model.learn_one(x, label)
        cells.append((classes, data, learners))
    for _ in range(options.runs):
        for _, data, learners in cells:
            for model, seconds in learners:
                predict, learn = model.predict_proba_one, model.learn_one
                start = time.process_time()
                for x, label in data:
                    predict(x)
                    learn(x, label)
                seconds.append(time.process_time() - start)
    table = [["10 numeric attributes", "streambayes µs", "river µs", "river / streambayes", ""]]
    for classes, data, learners in cells:
        ours, theirs = (1e6 * statistics.median(s) / len(data) for _, s in learners)
        cell = [f"{classes} classes", f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.1f}", ""]
        table.append(cell)
    print_table(table)
    print(f"\npredict_proba_one and learn_one, a record; medians of {options.runs} rounds.")
    return 0


# ---------------------------------------------------------------- growth
def normals(attributes: int, classes: int, records: int) -> tuple[NDArray[Any], list[str]]:
    """Correlated normals whose means hang on the class, and the classes."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    means = rng.normal(size=(classes, attributes))
    y = rng.integers(0, classes, records)
    shared = rng.normal(size=(records, 1))
    return means[y] + 0.6 * shared + rng.normal(size=(records, attributes)), [f"k{c}" for c in y]


def growth(options: argparse.Namespace) -> int:
    """Test-then-train on arrays of normals, 10 classes: CPU time of a record and memory, first by
    the number of attributes, then by records seen. AODE learns the numbers in five bins."""
    import numpy as np

    from streambayes import AODE, GAODE, HAODE, NaiveBayes

    def binned(x: NDArray[Any]) -> NDArray[Any]:
        return np.array(["a", "b", "c", "d", "e"])[np.digitize(x, [-1.5, -0.5, 0.5, 1.5])]

    def spent(cls: Any, x: NDArray[Any], y: list[str]) -> tuple[Any, float]:
        """A learner that has seen all, and the microseconds a record took in the second half."""
        model, half = cls(), len(y) // 2
        names = [f"x{j}" for j in range(x.shape[1])]
        rows = binned(x) if cls is AODE else x
        model.learn_many(rows[:half], y[:half], names=names)
        start = time.process_time()
        for at in range(half, len(y), 1000):
            model.predict_many(rows[at : at + 1000], names=names)
            model.learn_many(rows[at : at + 1000], y[at : at + 1000], names=names)
        return model, 1e6 * (time.process_time() - start) / (len(y) - half)

    learners = (NaiveBayes, AODE, GAODE, HAODE)
    table = [["attributes", *(f"{cls.__name__} µs, MB" for cls in learners), ""]]
    for attributes in options.attributes:
        row = [str(attributes)]
        x, y = normals(attributes, 10, options.records)
        for cls in learners:
            model, cost = spent(cls, x, y)
            row.append(f"{cost:.1f}, {model.memory_usage() / 1e6:.2f}")
        table.append([*row, ""])
    print_table(table)
    print()
    table = [["records", *(f"{cls.__name__} µs" for cls in learners), ""]]
    for records_ in options.lengths:
        x, y = normals(16, 10, records_)
        table.append([f"{records_:,}", *(f"{spent(cls, x, y)[1]:.2f}" for cls in learners), ""])
    print_table(table)
    return 0


def positive(text: str) -> int:
    """A whole number from 1."""
    if (number := int(text)) < 1:
        raise ValueError
    return number


def main() -> int:
    about, _, limits = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=limits, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    g = commands.add_parser("gen", help="write the streams as CSV (needs numpy)")
    g.add_argument("--dir", type=Path, required=True, help="folder for S1, S2, S3 and S3b.csv")
    g.add_argument("--n", type=positive, default=200_000, help="records (default 200,000)")
    r = commands.add_parser("run", help="time whole processes on the streams")
    r.add_argument("--dir", type=Path, required=True, help="the folder that gen wrote")
    r.add_argument(
        "--floor",
        type=Path,
        help="a program to compare with, called as PROG nb FILE and PROG aode FILE on the same CSV "
        "files (label last, numeric columns' names begin with x); any program with that calling "
        "convention serves; its accuracy is read from acc=PERCENT",
    )
    r.add_argument("--runs", type=positive, default=5, help="rounds (default 5)")
    r.add_argument("--only", default="", metavar="REGEX", help="the jobs with such names")
    m = commands.add_parser("micro", help="time single calls beside river's GaussianNB")
    m.add_argument("--runs", type=positive, default=9, help="rounds (default 9)")
    m.add_argument("--records", type=positive, default=1000, help="records a round (default 1000)")
    w = commands.add_parser("growth", help="cost by attributes and by records (needs numpy)")
    w.add_argument(
        "--attributes", type=positive, nargs="+", default=[5, 10, 20, 50, 100, 200], metavar="N"
    )
    w.add_argument("--records", type=positive, default=20_000, help="for each (default 20,000)")
    w.add_argument(
        "--lengths", type=positive, nargs="+", default=[10_000, 100_000, 1_000_000], metavar="N"
    )
    options = parser.parse_args()
    command: Callable[[argparse.Namespace], int] = globals()[options.command]
    return command(options)


if __name__ == "__main__":
    sys.exit(main())
