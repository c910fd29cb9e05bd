"""Recorded runs of the whole program: ``cases/NAME/``.

``cmd`` is a bash script, run in a copy of its folder; ``streambayes`` is the program there, and
``python`` the running Python.  ``stdout``, ``stderr`` and ``status`` are what it must give, to the
byte.  Two kinds of numbers are compared as numbers: seconds and records a second, which stand as
``#``, and those with nine decimals or more, which were computed and may differ in the last place
between C libraries.

    pytest tests/test_cases.py --record      # then review the diff
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
PYTHON = shlex.quote(sys.executable)
PROGRAM = f'python() {{ {PYTHON} "$@"; }}\nstreambayes() {{ {PYTHON} -m streambayes "$@"; }}\n'
EXPECTED = ("stdout", "stderr", "status")
NUMBER = re.compile(r"(-?\d+\.\d+(?:e[-+]?\d+)?)")
TIMES = (
    (re.compile(r"\d+\.\d+ s(, \d+ records/s)?$", re.M), "# s"),
    (re.compile(r'("(?:seconds|records_per_second)": )(?:[\d.]+|null)'), r"\1#"),
    (re.compile(r"^( +\d+(?: +[-\d.]+){5,}) +\d+\.\d\d$", re.M), r"\1 #"),
)


def run(case: Path, folder: Path) -> dict[str, str]:
    """One run of a case: what it printed, and its status."""
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns(*EXPECTED))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "PYTHONIO"))}
    environment |= {"LC_ALL": "C", "COLUMNS": "100"}
    ended = subprocess.run(
        ["bash", "-c", PROGRAM + (case / "cmd").read_text()],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    out, err = (timeless(b.decode(errors="backslashreplace")) for b in (ended.stdout, ended.stderr))
    return {"stdout": out, "stderr": err, "status": f"{ended.returncode}\n"}


def timeless(text: str) -> str:
    for pattern, instead in TIMES:
        text = pattern.sub(instead, text)
    return text


def same_number(a: str, b: str) -> bool:
    if max(len(x.partition("e")[0].partition(".")[2]) for x in (a, b)) < 9:
        return False
    return float(a) == pytest.approx(float(b), rel=1e-9, abs=1e-12)


def alike(expected: str, got: str) -> bool:
    """To the byte, computed numbers aside."""
    a, b = NUMBER.split(expected), NUMBER.split(got)
    if len(a) != len(b) or a[::2] != b[::2]:
        return False
    return all(x == y or same_number(x, y) for x, y in zip(a[1::2], b[1::2], strict=True))


@pytest.mark.parametrize(
    "case", sorted(p.parent for p in CASES.glob("*/cmd")), ids=lambda p: p.name
)
def test_case(case, tmp_path, request):
    got = run(case, tmp_path / "run")
    assert not re.search("Traceback|No module named", got["stderr"]), got["stderr"]
    if request.config.getoption("--record"):
        for name, text in got.items():
            (case / name).write_text(text)
        return
    expected = {name: (case / name).read_text() for name in EXPECTED}
    different = [name for name in EXPECTED if not alike(expected[name], got[name])]
    if different:
        shown = "".join(f"\n---- {name} of the run\n{text}" for name, text in got.items())
        assert {n: got[n] for n in different} == {n: expected[n] for n in different}, shown


def test_comparison_tells_numbers_from_text():
    assert alike("p 0.123456789012 x", "p 0.123456789013 x")
    assert alike("p 0.5 x", "p 0.49999999999999994 x")
    assert not alike("p 1.50 x", "p 1.5 x")
    assert not alike("p 0.123456789012", "p 0.123456799012")
    assert not alike("a 0.123456789012", "b 0.123456789012")
    assert timeless("0.019 s, 734 records/s\n") == "# s\n"
    assert timeless('{"seconds": 0.01, "records_per_second": null}') == (
        '{"seconds": #, "records_per_second": #}'
    )


def test_every_case_says_what_it_is_about():
    for case in CASES.glob("*/cmd"):
        assert case.read_text().startswith("# "), case
