"""Readers fed with bytes that are cut anywhere."""

from __future__ import annotations

from itertools import pairwise

from streambayes.records.arff import ArffReader
from streambayes.records.delimited import DelimitedReader
from streambayes.records.jsonlines import JsonLinesReader
from streambayes.records.problems import InputError
from streambayes.records.stream import Stream

MORE, RECORD, MALFORMED = 0, 1, 2
READERS = {"jsonl": JsonLinesReader, "arff": ArffReader}


def cut(data: bytes, places=()) -> list[bytes]:
    """The bytes in blocks that end at the places."""
    places = [0, *sorted(p for p in places if 0 < p < len(data)), len(data)]
    return [data[a:b] for a, b in pairwise(places)]


class Blocks:
    """The events of one file whose blocks are given; a source for a Stream."""

    def __init__(self, blocks, name="input"):
        self.events = [("open", name), *(("data", b) for b in blocks), ("close", None)]

    @property
    def pushed_back(self):
        return False

    def push_back(self, events):
        self.events[:0] = events

    def __iter__(self):
        return self

    def __next__(self):
        if not self.events:
            raise StopIteration
        return self.events.pop(0)


def read_all(schema, blocks, **options):
    """Every record as (x, y, w), every malformed one as its message, and what ended it all."""
    stream = Stream(schema, Blocks(blocks), on_error="skip", **options)
    found = []
    try:
        reader = stream.start()
        while reader is not None:
            status, x, y, w = reader.read()
            if status == RECORD:
                found.append((x, y, w))
            elif status == MALFORMED:
                found.append(reader.problem_message())
            elif not stream.pump():
                break
    except InputError as e:
        found.append(f"the end: {e}")
    return found


def rows(schema, blocks, columns, **options):
    """The fields of each row as text (None: missing) or the message, without a header or types."""
    options.setdefault("format", "csv")
    reader = READERS.get(options["format"], DelimitedReader)(schema, options)
    reader.begin_file("input")
    reader.configure([(str(j), "attribute", "nominal", None) for j in range(columns)])
    found = []
    for block in [*blocks, None]:
        if block is None:
            reader.end_of_file()
        else:
            reader.feed(block)
        while (answer := reader.read())[0] != MORE:
            if answer[0] == RECORD:
                found.append([answer[1][str(j)] for j in range(columns)])
            else:
                found.append(reader.problem_message())
    return found
