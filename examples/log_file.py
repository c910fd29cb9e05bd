"""A generator over a log file: one pass, each request scored before it is learned.

Run: python examples/log_file.py [FILE]    (without FILE a small log is made up)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from streambayes import NaiveBayes

LINE = re.compile(r'(\S+) .* "(\w+) (\S+)[^"]*" (\d{3}) (\d+|-) (\d+)')


def requests(lines: Iterable[str]) -> Iterator[tuple[dict, str]]:
    """Records of a web server's log; the label says whether it failed. Other lines are skipped."""
    for line in lines:
        if match := LINE.match(line):
            host, method, path, status, size, ms = match.groups()
            x = {
                "host": host,
                "method": method,
                "part": path.split("/")[1].partition("?")[0],
                "bytes": None if size == "-" else int(size),
                "ms": int(ms),
            }
            yield x, "error" if status >= "400" else "ok"


def read(path: str) -> Iterator[str]:
    with open(path) as file:
        yield from file


def made_up() -> Iterator[str]:
    for i in range(2_000):
        part = ("static", "api", "login", "search")[i * 7 % 11 % 4]
        fails = (part == "api" and i % 3 == 0) or (part == "login" and i % 5 == 0)
        status, size, ms = (
            (500, "-", 900 + i % 90) if fails else (200, 2_000 + i % 700, 20)
        )
        request = f'"GET /{part}/{i}?q=1 HTTP/1.1"'
        yield f"10.0.0.{i % 9} - - [01/Jan/2026] {request} {status} {size} {ms}"


def main() -> None:
    model = NaiveBayes(max_values=1_000)
    right = scored = odd = 0
    lines = read(sys.argv[1]) if len(sys.argv) > 1 else made_up()
    for x, y in requests(lines):
        p = model.predict_proba_one(x)
        if p:
            scored += 1
            right += max(p, key=p.get) == y
            odd += p.get(y, 0.0) < 0.01
        model.learn_one(x, y)
    print(f"{scored} requests scored, {right / max(scored, 1):.2%} right, {odd} surprising")


if __name__ == "__main__":
    main()
