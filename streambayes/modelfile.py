"""Model files: a learner as bytes, and back. The layout is in docs/model-file.md.

    frame      magic, format version, length of the header, length of the file
    header     JSON: model, parameters, records learned, target, names and lengths of the arrays
    arrays     names, values and sums, one behind the other
    checksum   SHA-256 of all before it

The frame and the checksum stay as they are in every version, so that any version can tell a damaged
file from a newer one.
"""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from struct import Struct
from typing import Annotated, Any, TypeVar

import msgspec

from .records.problems import ModelFileError, UsageError, reason

MAGIC = b"\x89SBAYES\n"  # no text, so that what a text transfer has mangled is noticed
VERSION = 1
FRAME = Struct("<8sIIQ")
CHECKSUM = 32
BLOCK = 1 << 24

Size = Annotated[int, msgspec.Meta(ge=0)]
Scalar = bool | int | float | str | None
Anything = TypeVar("Anything", bound=msgspec.Struct)


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """What a model file says of itself."""

    model: str
    parameters: dict[str, Scalar | dict[str, list[float]]]
    learned: Size
    target: str | None
    arrays: list[tuple[str, Size]]


# ------------------------------------------------------------------------------------ the container
def packed(header: msgspec.Struct, arrays: list[bytes], magic: bytes = MAGIC) -> bytes:
    """Frame, header, arrays and checksum."""
    text = msgspec.json.encode(header)
    length = FRAME.size + len(text) + sum(map(len, arrays)) + CHECKSUM
    body = b"".join([FRAME.pack(magic, VERSION, len(text), length), text, *arrays])
    return body + sha256(body).digest()


def framed_length(start: bytes, magic: bytes = MAGIC) -> int:
    """The file's length by its first bytes, which are enough to refuse a foreign one."""
    if not start:
        raise ModelFileError("an empty file, no model; take a copy of the model, or learn anew")
    if not start.startswith(magic[: len(start)]):
        raise ModelFileError("not a model file; name one that --save or save() has written")
    if len(start) < FRAME.size:
        raise ModelFileError("cut short; take a copy of the model, or learn anew")
    return FRAME.unpack_from(start)[3]


def unpacked(
    data: bytes, kind: type[Anything], magic: bytes = MAGIC
) -> tuple[Anything, list[bytes]]:
    """Header and arrays, with the checksum and every length checked.

    Raises
    ------
    ModelFileError
        For anything but what `packed` makes.
    """
    again = "take a copy of the model, or learn anew"
    length = framed_length(data[: FRAME.size], magic)
    if length > len(data):
        raise ModelFileError(f"cut short, {len(data)} of {length} bytes; {again}")
    if length < len(data):
        raise ModelFileError(f"longer than its {length} bytes; {again}")
    body = memoryview(data)[:-CHECKSUM]
    if len(body) < FRAME.size or sha256(body).digest() != data[-CHECKSUM:]:
        raise ModelFileError(f"damaged, its checksum is wrong; {again}")
    _, version, size, _ = FRAME.unpack_from(data)
    if version != VERSION:
        raise ModelFileError(
            f"of format version {version}, and this streambayes reads version {VERSION}; "
            "install the streambayes that wrote it, or a newer one"
        )
    at = FRAME.size + size
    if at > len(body):
        raise damaged("its header is longer than the file")
    try:
        header = msgspec.json.decode(body[FRAME.size : at], type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as e:
        raise damaged(f"its header: {e}") from None
    if msgspec.json.encode(header) != body[FRAME.size : at]:
        raise damaged("its header is not written in its one way")
    sizes = [size for _, size in header.arrays]  # type: ignore[attr-defined]
    if at + sum(sizes) != len(body):
        raise damaged("its arrays don't fill the file")
    arrays = []
    for size in sizes:
        arrays.append(bytes(body[at : at + size]))
        at += size
    return header, arrays


def damaged(reason: str) -> ModelFileError:
    """The checksum was right, and still it is no model."""
    reason = reason if len(reason) <= 200 else reason[:200] + "…"
    return ModelFileError(f"no good model, {reason}; take a copy of the model, or learn anew")


# -------------------------------------------------------------------------------- learners as bytes
def header_of(learner: Any, state: dict[str, Any]) -> Header:
    """The header of a learner, whose `state` gives the arrays."""
    arrays = [(name, len(value)) for name, value in state.items() if isinstance(value, bytes)]
    return Header(
        learner.NAME, learner.effective_parameters(), state["learned"], state["target"], arrays
    )


def to_bytes(learner: Any) -> bytes:
    """A learner as a model file's bytes; equal models are equal bytes.

    Raises
    ------
    UsageError
        If the target's name is not Unicode text.
    """
    state = learner.state()
    for name, value in state.items():
        if not isinstance(value, bytes) and name not in ("learned", "target"):
            raise TypeError(f"the state of {learner.NAME} has {name}, which is no bytes")
    try:
        return packed(
            header_of(learner, state), [v for v in state.values() if isinstance(v, bytes)]
        )
    except UnicodeEncodeError:
        raise UsageError(
            f"the target {state['target']!r} is not Unicode text; rename the column"
        ) from None


def from_bytes(data: bytes) -> Any:
    """The learner that a model file's bytes hold.

    Raises
    ------
    ModelFileError
        If they are damaged, cut short, too long, foreign or newer.
    """
    from .learners.registry import learner_class

    header, arrays = unpacked(bytes(data), Header)
    try:
        cls = learner_class(header.model)
    except UsageError:
        raise ModelFileError(
            f"it holds a model {header.model!r:.40}, which this streambayes hasn't got; "
            "install the streambayes that wrote it, or a newer one"
        ) from None
    try:
        learner = cls(**header.parameters)
    except UsageError as e:
        raise damaged(f"its parameters: {e}") from None
    names = [name for name, _ in header.arrays]
    expected = learner.state()
    if names != [name for name, value in expected.items() if isinstance(value, bytes)]:
        raise damaged(f"its arrays are not those of the model {header.model}")
    state = dict(zip(names, arrays, strict=True))
    for name in expected:  # in the learner's order
        state[name] = state.pop(name) if name in state else getattr(header, name)
    try:
        learner.restore(state)
    except ModelFileError as e:
        raise damaged(str(e)) from None
    if msgspec.json.encode(learner.effective_parameters()) != msgspec.json.encode(
        header.parameters
    ):
        raise damaged("its parameters are not written in their one way")
    if learner.state() != state:
        raise damaged("its arrays are not written in their one way")
    return learner


# ------------------------------------------------------------------------------------------- files
def save(learner: Any, path: str | os.PathLike[str]) -> None:
    """Writes a learner to a model file, whole or not at all.

    Raises
    ------
    ModelFileError
        If it can't be written; what stood at `path` stands there still.
    """
    write(path, to_bytes(learner))


def load(path: str | os.PathLike[str]) -> Any:
    """The learner in a model file.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Learner
        Of the class that was saved.

    Raises
    ------
    ModelFileError
        If there is none, or it is damaged, cut short, too long, foreign or newer.

    Examples
    --------
    >>> import os, tempfile
    >>> import streambayes
    >>> model = streambayes.NaiveBayes()
    >>> model.learn_one({"sky": "rain"}, "wet")
    >>> path = os.path.join(tempfile.mkdtemp(), "sky.model")
    >>> model.save(path)
    >>> streambayes.load(path).class_counts
    {'wet': 1.0}
    """
    try:
        return from_bytes(read(path))
    except ModelFileError as e:
        raise located(path, e) from None


def load_header(path: str | os.PathLike[str]) -> Header:
    """What a model file says of itself; the model isn't built."""
    try:
        return unpacked(read(path), Header)[0]
    except ModelFileError as e:
        raise located(path, e) from None


def located(path: str | os.PathLike[str], error: Exception) -> ModelFileError:
    """The error with the file's name in front."""
    text = str(error)
    name = os.fspath(path)
    return ModelFileError(text if text.startswith(f"{name}: ") else f"{name}: {text}")


def read(path: str | os.PathLike[str], magic: bytes = MAGIC) -> bytes:
    """A file's bytes: as many as its frame announces, and one, so that more are noticed."""
    try:
        with open(path, "rb") as file:
            pieces = [file.read(FRAME.size)]
            left = framed_length(pieces[0], magic) - len(pieces[0]) + 1
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                left = min(left, status.st_size - len(pieces[0]) + 1)
            while left > 0 and (piece := file.read(min(left, BLOCK))):
                pieces.append(piece)
                left -= len(piece)
            return b"".join(pieces)
    except FileNotFoundError:
        raise ModelFileError("no such file; check the name") from None
    except IsADirectoryError:
        raise ModelFileError("a directory, no model; name the file") from None
    except OSError as e:
        raise ModelFileError(f"{reason(e)}; it can't be read") from None


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuses, as far as can be told before writing, a path that can't be written."""
    place = os.path.realpath(path)
    folder = os.path.dirname(place)
    if os.path.isdir(place):
        raise ModelFileError(f"{os.fspath(path)}: a directory; name a file in it")
    if os.path.exists(place) and not os.path.isfile(place):
        raise ModelFileError(
            f"{os.fspath(path)}: not a regular file; name one that may be replaced"
        )
    if not os.path.isdir(folder):
        raise ModelFileError(f"{os.fspath(path)}: there is no folder {folder}; make it")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ModelFileError(
            f"{os.fspath(path)}: the folder {folder} can't be written to; name another"
        )


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Replaces a file whole or not at all: written beside it, synced, renamed."""
    check_writable(path)
    place = os.path.realpath(path)
    folder = os.path.dirname(place)
    temporary = os.path.join(folder, f".streambayes-{os.getpid()}-{os.urandom(8).hex()}")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        fd = os.open(temporary, flags, 0o666)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(fd, left) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, place)
    except BaseException as e:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        if isinstance(e, OSError):
            raise ModelFileError(f"{os.fspath(path)}: {reason(e)}; it can't be written") from None
        raise
    sync_folder(folder)


def sync_folder(folder: str) -> None:
    """Makes a rename last; where folders can't be synced (Windows), the system sees to it."""
    try:
        fd = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)
