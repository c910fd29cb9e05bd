"""Options and fixtures of all tests."""

from __future__ import annotations


def pytest_addoption(parser):
    parser.addoption(
        "--record",
        action="store_true",
        help="write down what the cases in tests/cases print now, instead of comparing",
    )
