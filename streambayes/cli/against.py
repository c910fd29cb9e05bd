"""Published figures that ours are printed beside: a table by data set and model."""

from __future__ import annotations

import csv
import re

from ..records.problems import InputError
from ..records.source import reason

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
NB_GAUSS, NB_BINS = "nb", "nb-disc"  # what papers call NB-G and NB, where they have both


def read_published(path: str, specs: list[str]) -> dict[tuple[str, str], float]:
    """(data set, spec) to a percentage.

    A csv or tsv file, or a page with Markdown tables, with the data sets in the first column and
    models in the header, by name or spec. Of a cell `ours / theirs` the last figure counts; where a
    table has such cells, cells with a single figure have none to compare with.

    Raises
    ------
    InputError
        If the file can't be read, or has no column of any of the models.
    """
    try:
        with open(path, encoding="utf-8-sig") as f:
            text = f.read()
    except OSError as e:
        raise InputError(f"{path}: {reason(e)}; the published figures can't be read") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8; save the published figures as UTF-8 text") from None
    found: dict[tuple[str, str], float] = {}
    for rows in _tables(text):
        header = [_plain(cell).lower() for cell in rows[0]]
        both = "nb-g" in header
        columns = {}
        for spec in specs:
            name = spec.lower()
            wanted = [name]
            if both and name == NB_GAUSS:
                wanted = ["nb-g"]
            elif both and name == NB_BINS:
                wanted = ["nb-disc", "nb"]
            at = next((header.index(w) for w in wanted if w in header[1:]), None)
            if at is not None:
                columns[spec] = at
        pairs = any("/" in cell for row in rows[1:] for cell in row[1:])
        for row in rows[1:]:
            for spec, at in columns.items():
                if (
                    at < len(row)
                    and (not pairs or "/" in row[at])
                    and (numbers := NUMBER.findall(row[at]))
                ):
                    found[_plain(row[0]), spec] = float(numbers[-1])
    if not found:
        raise InputError(
            f"{path}: no table with a column of {', '.join(specs)}; "
            "name the models in its header and the data sets in its first column"
        )
    return found


def _plain(cell: str) -> str:
    return cell.strip().strip("*`").strip()


def _tables(text: str):
    """The tables of a text as lists of rows, each with its header."""
    lines = text.splitlines()
    if any(line.lstrip().startswith("|") for line in lines):
        rows: list[list[str]] = []
        for line in [*lines, ""]:
            if line.lstrip().startswith("|"):
                cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
                if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                    rows.append(cells)
            elif rows:
                yield rows
                rows = []
        return
    rows = (
        [row for row in csv.reader(lines, delimiter="\t" if "\t" in lines[0] else ",") if row]
        if lines
        else []
    )
    if rows:
        yield rows
