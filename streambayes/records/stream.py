"""Files, standard input or a file object as one stream of records."""

from __future__ import annotations

from .problems import InputError, MalformedHeader, UsageError
from .schema import Schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OBSERVED = 100  # records that decide the types, where nothing else does
FORMATS = ("auto", "csv", "tsv", "ws", "arff", "jsonl")


def place_of(spec: str, names: list[str]) -> int:
    """The place of a column given by its name, or else by a position from 1 or from the end."""
    if spec in names:
        return names.index(spec)
    try:
        position = int(spec)
    except ValueError:
        position = 0
    if 1 <= position <= len(names):
        return position - 1
    if -len(names) <= position <= -1:
        return len(names) + position
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    raise UsageError(f"there is no column {spec}; the columns are {shown}")


class Interrupted(BaseException):
    """Raised by the caller's `wait` where a signal ended the wait for more bytes."""


def detected_format(line: str) -> tuple[str, str | None]:
    """Format and delimiter of a stream, by its first line alone."""
    start = line.lstrip()
    if start.startswith("%") or start[:9].lower() == "@relation":
        return "arff", None
    if start.startswith("{"):
        return "jsonl", None
    outside = "".join(line.split('"')[::2])  # what stands in quotes doesn't count
    for delimiter, format in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        if delimiter in outside:
            return format, delimiter
    return ("ws", None) if len(outside.split()) > 1 and '"' not in line else ("csv", ",")


class Stream:
    """Records of one or more files, in one format, with one set of columns.

    Parameters
    ----------
    schema : Schema
        The learner's; the stream declares its columns there and reads with it.
    source : iterator of events with `push_back` and `pushed_back`
        ('open', name), ('data', bytes), ('close', None): see `Source`.
    target, weight : str, optional
        Column names, else positions from 1 (negative from the end). The default target is the last
        column (ARFF: the attribute called class, else the last); JSON lines have none.
    format : {'auto', 'csv', 'tsv', 'ws', 'arff', 'jsonl'}
    delimiter, no_header, skip_lines, skip_initial_space, comment, missing, decimal, encoding
        As the command line has them; `missing` is a list.
    numeric, nominal, text, drop : sequence of str
        Names or positions.
    on_error : {'fail', 'skip'}
        Whether the look at the first records ends at a malformed one.
    columns : list of (name, role, kind), optional
        JSON lines: the columns of a run that is taken up again, as the reader's `layout` gave them.
    """

    def __init__(
        self,
        schema: Schema,
        source,
        *,
        target=None,
        weight=None,
        format="auto",
        numeric=(),
        nominal=(),
        text=(),
        drop=(),
        on_error="fail",
        columns=None,
        **options,
    ):
        self.schema = schema
        self.source = source
        self.target = target
        self.weight = weight
        self.format = format
        self.kinds = {"numeric": list(numeric), "nominal": list(nominal), "text": list(text)}
        self.drop = list(drop)
        self.on_error = on_error
        self.columns_before = columns
        self.options = {name: value for name, value in options.items() if value is not None}
        self.reader: Any = None  # of the class that the format asks for
        self.interrupted = False
        self.raw_header: bytes | None = None
        self._names: list[str] | None = None
        self._header_due = False
        self._recorded: list | None = []
        self._failure: Exception | None = None
        self._first_file = ""

    # ------------------------------------------------------------ the start of a stream
    def start(self):
        """Reads on until format, columns and types are known.

        Returns the reader; None where a signal came before any input.
        """
        try:
            if self.format == "auto":
                self._detect()
            self._new_reader()
            self._until_columns()
            if self._is_undecided():
                self._decide()
        except Interrupted:
            self.interrupted = True
            if self.reader is not None and self._names is not None and self._is_undecided():
                self._settle_kinds()
        if self.reader is not None and self._names is not None:
            self.declare(self.schema)
        self._recorded = None
        return self.reader

    def _detect(self):
        text, skip, comment = b"", self.options.get("skip_lines", 0), self.options.get("comment")
        events = []
        try:
            for event in self.source:
                events.append(event)
                kind, value = event
                if kind == "data":
                    text += value
                ended = kind == "close"
                lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
                whole = (lines if ended else lines[:-1])[skip:]
                for line in whole:
                    if line.strip() and not (comment and line.startswith(comment.encode())):
                        self._set_format(line.decode("utf-8", "replace").rstrip("\r"))
                        return
                if ended:
                    text = b""
                elif len(text) > 1 << 24:
                    break
            self._set_format(text.decode("utf-8", "replace"))
        except InputError as failure:
            self._failure = failure
            self._set_format("")
        finally:
            self.source.push_back(events)

    def _set_format(self, line: str):
        if self.options.get("delimiter"):
            self.format = "tsv" if self.options["delimiter"] == "\t" else "csv"
            return
        self.format, delimiter = detected_format(line)
        if self.format == "csv":
            self.options["delimiter"] = delimiter

    def _new_reader(self):
        options = {**self.options, "format": self.format, "drop": self.drop}
        if self.format == "jsonl":
            from .jsonlines import JsonLinesReader

            self.reader = JsonLinesReader(self.schema, options)
        elif self.format == "arff":
            from .arff import ArffReader

            self.reader = ArffReader(self.schema, options)
        else:
            from .delimited import DelimitedReader

            self.reader = DelimitedReader(self.schema, options)
        if self.format == "jsonl" and self._names is None:
            self._configure_members()

    def _until_columns(self):
        while self._names is None and self.pump():
            pass

    def _is_undecided(self) -> bool:
        return self.format != "jsonl" and any(
            role == "attribute" and kind == "undecided" for _, role, kind in self.reader.layout()
        )

    def _decide(self):
        from .reader import ENOUGH, IS_MALFORMED

        try:
            while True:
                status = self.reader.observe(OBSERVED)
                if status == ENOUGH or (status == IS_MALFORMED and self.on_error == "fail"):
                    break
                if status != IS_MALFORMED and not self.pump():
                    break
        except InputError as failure:
            self._failure = failure
        self._settle_kinds()

    def _settle_kinds(self):
        """Takes the kinds that were observed, and begins anew with them."""
        kinds = self.reader.decided_kinds()
        self._columns = [
            (name, role, kind if role == "attribute" else given, declared)
            for (name, role, given, declared), kind in zip(self._columns, kinds, strict=True)
        ]
        self.source.push_back(self._recorded)
        self._recorded = None
        self._new_reader()
        self.reader.configure(self._columns)

    # ------------------------------------------------------------ more bytes
    def pump(self) -> bool:
        """Feeds the reader the next bytes; False when there are no more.

        Raises
        ------
        InputError
            For a file that can't be read, or a header that is refused.
        """
        while True:
            if self.interrupted and not self.source.pushed_back:
                return False
            if self._failure is not None and not self.source.pushed_back:
                failure, self._failure = self._failure, None
                raise failure
            event = next(self.source, None)
            if event is None:
                return False
            if self._recorded is not None:
                self._recorded.append(event)
            kind, value = event
            if kind == "open":
                self.reader.begin_file(value)
                self._header_due = self.format != "jsonl"
                continue
            if kind == "data":
                self.reader.feed(value)
            else:
                self.reader.end_of_file()
            if self._header_due and not self._read_header():
                if kind == "close":
                    self._header_due = False
                continue
            return True

    def _read_header(self) -> bool:
        """Reads a file's header once it is whole: the first file's columns, in every other too."""
        if self.format == "arff":
            header = self.reader.read_header()
            if not header:
                return False
            columns = [(name, kind, declared) for name, kind, declared in header]
        elif self.options.get("no_header"):
            if self._names is None:
                count = self.reader.count_columns()
                if not count:
                    return False
                columns = [(str(i), None, None) for i in range(1, count + 1)]
            else:
                columns = [(name, None, None) for name in self._names]
        else:
            names = self.reader.read_header()
            if not names:
                return False
            columns = [(name, None, None) for name in names]
        self._header_due = False
        names = [name for name, *_ in columns]
        if self._names is None:
            self._names = names
            self._first_file = self.reader.file_name
            if self.format in ("csv", "tsv") and not self.options.get("no_header"):
                self.raw_header = self.reader.raw_record()
            self._plan(columns)
        elif names != self._names:
            raise MalformedHeader(
                f"{self.reader.file_name}:{self.reader.record_line}: "
                f"its columns {', '.join(names)} are not those of {self._first_file}; "
                "give every file the same header"
            )
        elif self.format == "arff":
            self.reader.configure(self._columns)
        return True

    def go_to(self, source, number: int, offset: int, line: int, rest):
        """Reading goes on in another place: at a record's start in file `number`, counted from 0.

        Parameters
        ----------
        source : Source
            Of the files from that one on.
        rest : Source
            The same, without the first `offset` bytes.
        """
        self.source = source
        self.pump()  # a format's header comes again in every file
        source.close()
        self.reader.go_to(number, offset, line)
        self.source = rest
        next(rest, None)  # that it opens

    # ------------------------------------------------------------ what the columns are
    def _plan(self, columns: list):
        names = [name for name, *_ in columns]
        roles = ["attribute"] * len(names)
        kinds = [kind for _, kind, _ in columns]
        known = self.schema.column_kinds()
        for spec in self.drop:
            roles[place_of(spec, names)] = "drop"
        if self.weight is not None:
            roles[place_of(self.weight, names)] = "weight"
        target = self._target(names)
        if target is not None:
            roles[target] = "target"
        self._compare(names, roles, known)
        for j, name in enumerate(names):
            if name in known and roles[j] == "attribute" and known[name] != "undecided":
                if kinds[j] not in (None, known[name]):
                    raise UsageError(
                        f"{name} is declared {kinds[j]} in {self.reader.file_name} and "
                        f"{known[name]} in the model; mend the declaration, or learn anew"
                    )
                kinds[j] = known[name]
        named: dict[int, str] = {}
        for kind, specs in self.kinds.items():
            for spec in specs:
                j = place_of(spec, names)
                if named.setdefault(j, kind) != kind:
                    raise UsageError(f"{names[j]} is in both --{named[j]} and --{kind}; choose one")
                if names[j] in known and known[names[j]] != kind:
                    raise UsageError(
                        f"{names[j]} is {known[names[j]]} in the model, not {kind}; "
                        f"leave --{kind} out"
                    )
                kinds[j] = kind
        self._columns = [
            (
                name,
                role,
                kind if role == "attribute" else "numeric" if role == "weight" else None,
                declared if role in ("attribute", "target") and kind in (None, "nominal") else None,
            )
            for name, role, kind, (_, _, declared) in zip(names, roles, kinds, columns, strict=True)
        ]
        self.reader.configure(self._columns)

    def _compare(self, names: list[str], roles: list[str], known: dict[str, str]):
        """A model's attributes must be those of the stream, in any order."""
        if not known:
            return
        where = self.reader.file_name
        for name, role in zip(names, roles, strict=True):
            if role == "attribute" and name not in known:
                raise UsageError(
                    f"{where}: the model has no attribute {name}; leave it out with --drop {name}"
                )
            if role in ("target", "weight") and name in known:
                raise UsageError(
                    f"{where}: {name} is an attribute in the model; "
                    f"name another column with --{role}"
                )
        for name in known:
            if name not in names:
                raise UsageError(
                    f"{where}: it has no column {name}, which the model has learned; "
                    "name the columns as they were then"
                )

    def _target(self, names: list[str]) -> int | None:
        known = self.schema.target
        if known is not None and self.target is None:
            return names.index(known) if known in names else None
        if self.target is not None:
            if self.target == known and known not in names:
                return None
            target = place_of(self.target, names)
            if known not in (None, names[target]):
                raise UsageError(
                    f"the model's target is {known}, not {names[target]}; leave --target out"
                )
            return target
        if self.format == "arff":
            for j, name in enumerate(names):
                if name.lower() == "class":
                    return j
        return len(names) - 1

    def _configure_members(self):
        """JSON lines: the members that options name; all others come as they come."""
        if self.columns_before is not None:
            self._names = [name for name, *_ in self.columns_before]
            self._columns = [(name, role, kind, None) for name, role, kind in self.columns_before]
            self.reader.configure(self._columns)
            return
        known = self.schema.target
        if self.target is None and known is None:
            raise UsageError(
                "JSON lines have no last column: name the label's member with --target"
            )
        if self.target is not None and known not in (None, self.target):
            raise UsageError(
                f"the model's target is {known}, not {self.target}; leave --target out"
            )
        columns = {(self.target or known): ("target", None)}
        if self.weight is not None:
            columns[self.weight] = ("weight", "numeric")
        for name in self.drop:
            columns.setdefault(name, ("drop", None))
        for name, kind in self.schema.attribute_kinds().items():
            columns.setdefault(name, ("attribute", kind))
        for kind, names in self.kinds.items():
            for name in names:
                if columns.setdefault(name, ("attribute", kind)) != ("attribute", kind) and (
                    columns[name][0] == "attribute"
                ):
                    if name in self.schema.attribute_kinds():
                        raise UsageError(
                            f"{name} is {columns[name][1]} in the model, not {kind}; "
                            f"leave --{kind} out"
                        )
                    raise UsageError(
                        f"{name} is in both --{columns[name][1]} and --{kind}; choose one"
                    )
        self._names = list(columns)
        self._columns = [(name, role, kind, None) for name, (role, kind) in columns.items()]
        self.reader.configure(self._columns)

    def declare(self, schema: Schema):
        """Tells a schema the columns with their kinds and declared values."""
        for name, role, kind, declared in self._columns:
            if role == "target":
                schema.target = name
            elif role == "attribute" and self.format != "jsonl":
                schema.declare(name, kind, declared)

    def kinds_by_name(self) -> dict[str, str]:
        """Attribute name to kind, as far as they are known."""
        if self.reader is None:
            return {}
        return {
            name: kind if kind != "undecided" else "nominal"
            for name, role, kind in self.reader.layout()
            if role == "attribute"
        }


class FileObject:
    """The events of an open file, binary or text."""

    def __init__(self, file):
        self._pushed: list = []
        self._events = self._read(file)

    def _read(self, file):
        yield "open", str(getattr(file, "name", "<stream>"))
        while block := file.read(1 << 16):
            yield "data", block.encode() if isinstance(block, str) else bytes(block)
        yield "close", None

    @property
    def pushed_back(self):
        return bool(self._pushed)

    def push_back(self, events):
        self._pushed[:0] = events

    def __iter__(self):
        return self

    def __next__(self):
        return self._pushed.pop(0) if self._pushed else next(self._events)


def stream(path_or_file, target=None, *, weights=False, on_error="fail", **options):
    """Iterates over the records of a file: (x, y) pairs for a Python loop.

    Parameters
    ----------
    path_or_file : str, path, list of them, or an open file
        Files are unpacked by their ending (.gz .bz2 .xz .zst); several are one stream. Parquet
        (.parquet .pq) and Arrow (.arrow .feather .ipc) are read with pyarrow, batch by batch; their
        own types decide.
    target : str, optional
        The label's column: a name, else a position from 1. Default: the last; JSON lines must have
        one.
    weights : bool, default False
        Yield (x, y, w) triples.
    on_error : {'fail', 'skip'}
        Whether a malformed record raises or is passed over.
    **options
        `format`, `delimiter`, `no_header`, `skip_lines`, `skip_initial_space`, `comment`,
        `numeric`, `nominal`, `text`, `drop`, `missing` (lists of str), `weight`, `decimal`,
        `encoding`, as the
        command line has them.

    Yields
    ------
    x : dict
        Attribute name to float, str (JSON: bool too) or None where missing.
    y : str (JSON: or bool, int, float) or None

    Raises
    ------
    InputError
        FILE:LINE and what is wrong, for a malformed record or a file that can't be read.
    UsageError
        For a column that isn't there, or JSON lines without a target.

    Examples
    --------
    >>> import io
    >>> from streambayes import stream
    >>> list(stream(io.StringIO("x,y\\n1.5,a\\n?,b\\n"), target="y"))
    [({'x': 1.5}, 'a'), ({'x': None}, 'b')]
    """
    several = isinstance(path_or_file, (list, tuple))
    paths = [str(p) for p in (path_or_file if several else [path_or_file])]
    if not hasattr(path_or_file, "read") and paths:
        from .columnar import format_of, rows_of

        if format_of(paths[0]):
            for x, y, w in rows_of(paths, target, on_error=on_error, **options):
                yield (x, y, w) if weights else (x, y)
            return
    if hasattr(path_or_file, "read"):
        source = FileObject(path_or_file)
    else:
        from .source import Source

        source = Source(paths, encoding=options.get("encoding"))
    records = Stream(Schema(), source, target=target, on_error=on_error, **options)
    reader = records.start()
    while reader is not None:
        status, x, y, w = reader.read()
        if status == 1:
            yield (x, y, w) if weights else (x, y)
        elif status == 2:
            if on_error == "fail":
                raise InputError(reader.problem_message())
        elif not records.pump():
            return
