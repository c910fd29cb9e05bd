"""Parquet and Arrow IPC files as records, batch by batch; pyarrow is the extra `arrow`."""

from __future__ import annotations

import os

from .problems import InputError, UsageError
from .spelling import spelled
from .stream import place_of

ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
BATCH = 8_192  # rows that are Python objects at once


def format_of(path) -> str | None:
    """`parquet` or `arrow` by a name's ending, None for others."""
    return ENDINGS.get(os.path.splitext(str(path))[1].lower())


def _batches(path, format: str):
    """The record batches of a file, and the names of its columns."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError:
        raise InputError(f"{path}: reading it needs pyarrow; install streambayes[arrow]") from None
    try:
        if format == "parquet":
            with parquet.ParquetFile(path) as file:
                yield file.schema_arrow.names
                yield from file.iter_batches(BATCH)
            return
        with pyarrow.memory_map(str(path)) as source:
            try:
                file = ipc.open_file(source)
                yield file.schema.names
                yield from map(file.get_batch, range(file.num_record_batches))
            except pyarrow.ArrowInvalid:  # not a file with a footer: a stream
                source.seek(0)
                stream = ipc.open_stream(source)
                yield stream.schema.names
                yield from stream
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the name") from None
    except (OSError, pyarrow.ArrowException) as error:
        reason = str(error).splitlines()[0][:200]
        raise InputError(f"{path}: {reason}; fetch or write it again") from None


def _number(value, path, name):
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        raise InputError(
            f"{path}: {value!r} in the numeric column {name} is not a number; "
            "mend it, or leave the column out with drop"
        ) from None


def rows_of(paths, target=None, *, weight=None, drop=(), numeric=(), nominal=(), **others):
    """(x, y, w) of each row: numbers as they are, others as strings or booleans, None where null.

    Parameters
    ----------
    paths : list of str
    target, weight : str, optional
        Columns by name, else position from 1; the target's default is the last.
    drop, numeric, nominal : sequence of str
        Columns that are left out, read as numbers, and read as words.

    Raises
    ------
    InputError
        For a file that can't be read, or whose columns are not those of the first.
    UsageError
        For a column that isn't there, or an option that these formats have no use for.
    """
    for name, value in others.items():
        if value not in (None, False, (), [], 0, "auto", "fail", "parquet", "arrow", "."):
            raise UsageError(f"{name} says nothing about Parquet and Arrow files; leave it out")
    first: list[str] | None = None
    for path in paths:
        format = format_of(path)
        if format is None:
            raise UsageError(
                f"{path} is neither Parquet nor Arrow, as the others are; read it by itself"
            )
        names: list[str] | None = None
        for batch in _batches(path, format):
            if names is None:
                names = batch
                if len(set(names)) < len(names):
                    raise InputError(f"{path}: two columns have the same name; name them apart")
                if first is None:
                    first = names
                    label = place_of(target, names) if target is not None else len(names) - 1
                    weigh = place_of(weight, names) if weight is not None else None
                    kinds = {place_of(name, names): "drop" for name in drop}
                    kinds |= {place_of(name, names): "numeric" for name in numeric}
                    kinds |= {place_of(name, names): "nominal" for name in nominal}
                    attributes = [
                        (j, name, kinds.get(j))
                        for j, name in enumerate(names)
                        if j not in (label, weigh) and kinds.get(j) != "drop"
                    ]
                elif names != first:
                    raise InputError(
                        f"{path}: its columns {', '.join(names)} are not those of {paths[0]}; "
                        "give every file the same columns"
                    )
                continue
            columns = [column.to_pylist() for column in batch.columns]
            for i in range(batch.num_rows):
                x = {}
                for j, name, kind in attributes:
                    value = columns[j][i]
                    if kind == "numeric":
                        value = _number(value, path, name)
                    elif kind == "nominal" and value is not None:
                        value = spelled(value)
                    x[name] = value
                w = 1.0 if weigh is None else _number(columns[weigh][i], path, names[weigh])
                yield x, columns[label][i], w
