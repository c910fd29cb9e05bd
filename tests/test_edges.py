"""`edges`: bins that are given to several learners, so that these add up."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from streambayes import load


def run(*arguments, cwd):
    command = [sys.executable, "-m", "streambayes", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def parts(tmp_path):
    """Two halves of a stream whose label turns at x = 3."""
    rng = random.Random(7)
    rows = [(rng.uniform(0, 10), rng.gauss(0, 1)) for _ in range(600)]
    lines = [f"{x:.4f},{z:.4f},{'low' if x < 3 else 'high'}\n" for x, z in rows]
    for name, part in (("a.csv", lines[:300]), ("b.csv", lines[300:]), ("all.csv", lines)):
        (tmp_path / name).write_text("x,z,y\n" + "".join(part))
    return tmp_path


def test_edges_lie_where_the_label_turns(parts):
    answer = run("edges", "all.csv", cwd=parts)
    assert answer.returncode == 0 and answer.stderr == ""
    edges = json.loads(answer.stdout)
    assert set(edges) == {"x", "z"}
    assert len(edges["x"]) >= 1 and min(abs(edge - 3) for edge in edges["x"]) < 0.2
    assert edges["z"] == []  # nothing to tell labels apart by


@pytest.mark.parametrize("model", ["nb-disc", "aode", "haode"])
def test_models_with_the_same_edges_add_up(parts, model):
    (parts / "edges.json").write_text(run("edges", "all.csv", cwd=parts).stdout)
    spec = f"{model}:bins_file=edges.json"
    for name in ("a", "b", "all"):
        flags = ("-q", "--summary", "none", "-m", spec, "--save", f"{name}.model")
        assert run(*flags, f"{name}.csv", cwd=parts).returncode == 0
    assert run("merge", "a.model", "b.model", "-o", "both.model", cwd=parts).returncode == 0
    both, whole = load(parts / "both.model"), load(parts / "all.model")
    for x in ({"x": 2.5, "z": 0.0}, {"x": 3.1, "z": -1.0}, {"x": 9.0, "z": None}):
        assert both.predict_proba_one(x) == pytest.approx(whole.predict_proba_one(x), rel=1e-9)


def test_models_that_made_their_own_bins_are_refused(parts):
    for name in ("a", "b"):
        flags = ("-q", "--summary", "none", "-m", "haode", "--save", f"{name}.model")
        run(*flags, f"{name}.csv", cwd=parts)
    answer = run("merge", "a.model", "b.model", "-o", "both.model", cwd=parts)
    assert answer.returncode != 0 and "bins_file" in answer.stderr
    assert not (parts / "both.model").exists()


def test_another_model_is_wrong_usage(parts):
    answer = run("edges", "-m", "haode", "all.csv", cwd=parts)
    assert answer.returncode == 2 and answer.stderr.count("\n") == 1
