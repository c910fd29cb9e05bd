"""Files and standard input as one stream of bytes: unpacked, and in UTF-8."""

from __future__ import annotations

import os
import stat
from collections import deque

from .problems import InputError, UsageError, reason

FILE_BLOCK = 1 << 18  # of regular files; also the most that one step of unpacking yields
STDIN_NAME = "<stdin>"


class Source:
    """The events ('open', name), ('data', bytes) and ('close', None) of each file in turn.

    Nothing is read ahead: a block is yielded as it arrives, a file opened when its turn comes.

    Parameters
    ----------
    paths : list of str
        Files in their order; `-` is standard input, and so is an empty list. Names that end in
        .gz, .bz2, .xz or .zst are unpacked.
    encoding : str, optional
        Of all files. What comes out is UTF-8; a byte that is bad comes out as the lone surrogate
        that Python's surrogateescape makes of it.
    stdin : int, optional
        The file descriptor of standard input, 0.
    block : int
        The most bytes taken at once from what isn't a regular file.
    skip : int
        Bytes of the first file, unpacked and in UTF-8, that are passed over.
    wait : callable, optional
        Called with a file descriptor before each read of it that may block.

    Raises
    ------
    UsageError
        From the constructor, if there is no such encoding.
    InputError
        While iterating, if a file can't be read or unpacked, or isn't in the encoding.
    """

    def __init__(self, paths, encoding=None, stdin=None, block=1 << 16, wait=None, skip=0):
        self.paths = list(paths) or ["-"]
        self.encoding = encoding
        self.stdin = 0 if stdin is None else stdin
        self.block = block
        self.wait = wait
        self.skip = skip
        self._make_decoder = incremental_decoder(encoding) if encoding else None
        self._pushed = deque()
        self._events = self._read_all()

    def __iter__(self):
        return self

    def __next__(self):
        if self._pushed:
            return self._pushed.popleft()
        return next(self._events)

    @property
    def pushed_back(self):
        """Whether events that were put back are still to come."""
        return bool(self._pushed)

    def push_back(self, events):
        """Puts events in front of those to come."""
        self._pushed.extendleft(reversed(list(events)))

    def close(self):
        """Closes the file that is open; nothing more comes."""
        self._pushed.clear()
        self._events.close()

    def _read_all(self):
        for path in self.paths:
            name = STDIN_NAME if path == "-" else os.fspath(path)
            fd = self.stdin if path == "-" else open_file(path, name)
            try:
                yield "open", name
                blocks = self._blocks(fd, name)
                unpacker = None if path == "-" else unpacker_of(name)
                if unpacker:
                    blocks = unpack(blocks, name, *unpacker)
                if self._make_decoder:
                    blocks = recode(
                        blocks, name, self._make_decoder("surrogateescape"), self.encoding
                    )
                for block in blocks:
                    if self.skip:
                        skipped = min(self.skip, len(block))
                        self.skip -= skipped
                        block = block[skipped:]
                    if block:
                        yield "data", block
                self.skip = 0
            finally:
                if path != "-":
                    os.close(fd)
            yield "close", None

    def _blocks(self, fd, name):
        try:
            regular = stat.S_ISREG(os.fstat(fd).st_mode)
            size = max(self.block, FILE_BLOCK) if regular else self.block
            while True:
                if self.wait and not regular:
                    self.wait(fd)
                block = os.read(fd, size)
                if not block:
                    return
                yield block
        except OSError as error:
            raise InputError(f"{name}: {reason(error)}; it can't be read on") from None


# ------------------------------------------------------------------------------------------ files
def open_file(path, name):
    """A file descriptor to read from."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; check the name") from None
    except PermissionError as error:
        if os.path.isdir(path):  # Windows
            raise InputError(f"{name}: a directory; name the files in it") from None
        raise InputError(f"{name}: {reason(error)}; ask for the right to read it") from None
    except OSError as error:
        raise InputError(f"{name}: {reason(error)}; check the name") from None
    if stat.S_ISDIR(os.fstat(fd).st_mode):
        os.close(fd)
        raise InputError(f"{name}: a directory; name the files in it")
    return fd


# -------------------------------------------------------------------------------------- unpacking
class _Gunzip:
    """zlib's decompressor with the methods of the others."""

    def __init__(self):
        import zlib

        self._inner = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self):
        return self._inner.eof

    @property
    def unused_data(self):
        return self._inner.unused_data

    def decompress(self, data, max_length):
        # What the last call left over comes first; a full answer may mean that more is ready.
        out = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = len(out) < max_length and not self._inner.unconsumed_tail
        return out


def _gzip():
    import zlib

    return "gzip", _Gunzip, zlib.error


def _bzip2():
    import bz2

    return "bzip2", bz2.BZ2Decompressor, (OSError, ValueError)


def _xz():
    import lzma

    return "xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), lzma.LZMAError


def _zstd():
    try:
        from compression import zstd  # type: ignore[import-not-found]  # Python 3.14
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            raise InputError(
                "zst files need Python 3.14 or the package backports.zstd; install it"
            ) from None
    return "zstd", zstd.ZstdDecompressor, zstd.ZstdError


UNPACKERS = {".gz": _gzip, ".bz2": _bzip2, ".xz": _xz, ".zst": _zstd}


def unpacker_of(name):
    """By a name's ending: what the packing is called, its decompressor, its errors; or None."""
    make = UNPACKERS.get(os.path.splitext(name)[1].lower())
    try:
        return make() if make else None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except ImportError:
        raise InputError(
            f"{name}: this Python was built without the module that unpacks it; unpack it before"
        ) from None


def unpack(blocks, name, kind, make, errors):
    """What is packed in `blocks`: one stream after the other, perhaps with zeros behind each."""
    current = None
    started = False
    for block in blocks:
        while block or (current and not current.needs_input):
            if current is None:
                if started:
                    block = block.lstrip(b"\0")
                    if not block:
                        break
                current = make()
            try:
                out = current.decompress(block, FILE_BLOCK)
            except errors as error:
                raise InputError(
                    f"{name}: the {kind} data is damaged ({error}); fetch or pack it again"
                ) from None
            block = b""
            started = True
            if out:
                yield out
            if current.eof:
                block = current.unused_data
                current = None
    if current is not None or not started:
        raise InputError(f"{name}: the {kind} data is cut short; fetch or pack it again")


# --------------------------------------------------------------------------------------- encoding
def incremental_decoder(encoding):
    """What makes an incremental decoder of an encoding.

    Raises
    ------
    UsageError
        If there is none.
    """
    import codecs

    try:
        info = codecs.lookup(encoding)
        if info._is_text_encoding and info.incrementaldecoder:
            return info.incrementaldecoder
    except (LookupError, ValueError):
        pass
    raise UsageError(
        f"unknown encoding {encoding}; name one that Python knows, as utf-8, latin-1 or cp1252"
    )


def recode(blocks, name, decoder, encoding):
    """UTF-8 of what `decoder` makes of the blocks."""
    line = 1
    for block in blocks:
        text, error = decode(decoder, block, False)
        if text:
            yield text.encode("utf-8", "surrogatepass")
        line += text.count("\n")
        if error:
            break
    else:
        text, error = decode(decoder, b"", True)
        if text:
            yield text.encode("utf-8", "surrogatepass")
        line += text.count("\n")
    if error:
        raise InputError(
            f"{name}:{line}: {error} not {encoding}; name the right encoding with --encoding"
        )


def decode(decoder, block, final):
    """What can be decoded, and the bad bytes that surrogateescape can't stand for."""
    state = decoder.getstate()
    try:
        return decoder.decode(block, final), None
    except UnicodeError as error:
        if not isinstance(error, UnicodeDecodeError):
            return "", "the text is"
        octets = error.object[error.start : error.end].hex()
        bad = f"byte 0x{octets} is" if len(octets) == 2 else f"the bytes 0x{octets} are"
        good = error.start - (len(error.object) - len(block))
    decoder.setstate(state)
    try:
        return decoder.decode(block[: max(good, 0)], False), bad
    except UnicodeError:
        return "", bad
