"""Writes the golden model file of the present format version: `python tests/golden/make.py`.

A file that was published is never written anew: its version must stay readable as it is.
"""

from __future__ import annotations

from pathlib import Path

import streambayes
from streambayes import modelfile

RECORDS = [
    ({"sky": "rain", "wind": True, "degrees": 10.5}, "wet", 1.0),
    ({"sky": "sun", "wind": False, "degrees": 25.0}, "dry", 2.0),
    ({"sky": "sun", "wind": 1, "degrees": None}, 1, 0.5),
    ({"sky": "größer", "degrees": 24.0}, True, 1.0),
    ({"sky": "1", "wind": "1", "new": -3.25}, "1", 1.0),
    ({"sky": "snow", "wind": 2.5, "degrees": -4.0}, "wet", 1.0),
    ({"sky": "hail", "wind": True}, "dry", 1.0),
]


def golden():
    """The learner that the file holds."""
    model = streambayes.NaiveBayes(max_values=4, m=2.0)
    for x, y, w in RECORDS:
        model.learn_one(x, y, w)
    model.schema.target = "ground"
    return model


if __name__ == "__main__":
    path = Path(__file__).with_name(f"version-{modelfile.VERSION}.model")
    if path.exists():
        raise SystemExit(f"{path.name} is there; a new version gets a new file")
    golden().save(path)
    print(path.name)
