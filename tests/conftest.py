"""Options and fixtures of all tests."""

from __future__ import annotations

import os

from hypothesis import settings


def pytest_addoption(parser):
    parser.addoption(
        "--record",
        action="store_true",
        help="write down what the cases in tests/cases print now, instead of comparing",
    )


# The same examples in every run of CI; elsewhere new ones each time.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
