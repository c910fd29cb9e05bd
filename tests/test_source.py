"""Files, pipes, packed files and encodings as one stream of bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import subprocess
import sys
import threading

import pytest

from streambayes.records.problems import InputError, UsageError
from streambayes.records.source import FILE_BLOCK, Source

TEXT = b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i % 7919) for i in range(5000))


def zstd():
    try:
        from compression import zstd
    except ImportError:
        return pytest.importorskip("backports.zstd")
    return zstd


PACK = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: zstd().compress(data),
}


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return str(path)


def content(path, **options):
    """The bytes of a single file."""
    events = list(Source([path], **options))
    assert events[0] == ("open", path) and events[-1] == ("close", None)
    assert all(kind == "data" and block for kind, block in events[1:-1])
    return b"".join(block for _, block in events[1:-1])


def until_error(path, **options):
    """What comes before the error, and its message."""
    blocks = []
    source = Source([path], **options)
    with pytest.raises(InputError) as error:
        for kind, block in source:
            if kind == "data":
                blocks.append(block)
    message = str(error.value)
    assert message.startswith(path + ":") and "; " in message and "\n" not in message
    assert list(source) == []
    return b"".join(blocks), message[len(path) :]


# ----------------------------------------------------------------------------------------- files
def test_files_come_in_order_as_one_stream(tmp_path):
    one, two = write(tmp_path, "one.csv", b"a\n1"), write(tmp_path, "two.csv", b"")
    assert list(Source([one, two, one])) == [
        ("open", one),
        ("data", b"a\n1"),
        ("close", None),
        ("open", two),
        ("close", None),
        ("open", one),
        ("data", b"a\n1"),
        ("close", None),
    ]


def test_blocks_are_bounded(tmp_path):
    path = write(tmp_path, "big", b"x" * (3 * FILE_BLOCK + 5))
    blocks = [block for kind, block in Source([path]) if kind == "data"]
    assert [len(block) for block in blocks] == [FILE_BLOCK] * 3 + [5]


def test_events_can_be_put_back(tmp_path):
    source = Source([write(tmp_path, "f", b"x")])
    first, second = next(source), next(source)
    source.push_back([first, second])
    assert [next(source), next(source), next(source)] == [first, second, ("close", None)]
    source.push_back([second])
    assert list(source) == [second]


def test_a_file_that_cannot_be_read(tmp_path):
    good, missing = write(tmp_path, "good", b"x"), str(tmp_path / "missing")
    source = Source([good, missing])
    assert [next(source) for _ in range(3)] == [("open", good), ("data", b"x"), ("close", None)]
    with pytest.raises(InputError) as error:
        next(source)
    assert str(error.value) == f"{missing}: no such file; check the name"
    for path, what in (
        (str(tmp_path), "a directory; name the files in it"),
        (good + "/x", "not a directory; "),
    ):
        with pytest.raises(InputError) as error:
            list(Source([path]))
        assert str(error.value).startswith(f"{path}: {what}")
    if os.geteuid() != 0:
        os.chmod(good, 0)
        assert until_error(good)[1].startswith(": permission denied; ")


def test_files_are_closed(tmp_path):
    path = write(tmp_path, "f", b"x" * FILE_BLOCK * 2)
    free = os.open(path, os.O_RDONLY)
    os.close(free)
    source = Source([path])
    next(source), next(source)
    source.close()
    assert list(source) == []
    again = os.open(path, os.O_RDONLY)
    os.close(again)
    assert again == free


# ----------------------------------------------------------------------------------------- pipes
def test_what_a_pipe_has_is_yielded_at_once():
    reading, writing = os.pipe()
    waits = []
    source = Source([], stdin=reading, wait=waits.append)
    assert next(source) == ("open", "<stdin>")
    for block in (b"a", b"b\nc", b"d" * 1000):
        os.write(writing, block)
        assert next(source) == ("data", block)
    os.close(writing)
    assert next(source) == ("close", None)
    assert waits == [reading] * 4
    os.fstat(reading)  # still open: it isn't ours
    os.close(reading)


def test_a_packed_pipe_is_unpacked_as_it_arrives(tmp_path):
    path = str(tmp_path / "fifo.gz")
    os.mkfifo(path)
    source = Source([path])
    halves = [gzip.compress(b"one\n"), gzip.compress(b"two\n")]
    go_on = threading.Event()

    def produce():
        with open(path, "wb", buffering=0) as out:
            out.write(halves[0])
            go_on.wait(10)
            out.write(halves[1])

    producer = threading.Thread(target=produce)
    producer.start()
    assert next(source) == ("open", path)
    assert next(source) == ("data", b"one\n")
    go_on.set()
    assert list(source) == [("data", b"two\n"), ("close", None)]
    producer.join()


def test_standard_input_stands_where_it_is_named(tmp_path):
    path = write(tmp_path, "f", b"file")
    code = (
        "from streambayes.records.source import Source; import sys\n"
        f"print([e for e in Source([{path!r}, '-', {path!r}])])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=b"in",
        capture_output=True,
        check=True,
        cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    )
    file = [("open", path), ("data", b"file"), ("close", None)]
    assert eval(done.stdout) == [
        *file,
        ("open", "<stdin>"),
        ("data", b"in"),
        ("close", None),
        *file,
    ]


# ---------------------------------------------------------------------------------- packed files
@pytest.mark.parametrize("ending", PACK)
def test_packed_files(tmp_path, ending):
    pack = PACK[ending]
    assert content(write(tmp_path, "one.csv." + ending, pack(TEXT))) == TEXT
    assert content(write(tmp_path, "none." + ending, pack(b""))) == b""
    many = pack(TEXT) + pack(b"") + pack(b"x\n") + pack(TEXT)
    path = write(tmp_path, "many." + ending, many)
    assert content(path) == TEXT + b"x\n" + TEXT
    large = bytes(1 << 22)
    path = write(tmp_path, "zeros." + ending, pack(large))
    blocks = [block for kind, block in Source([path]) if kind == "data"]
    assert b"".join(blocks) == large and max(map(len, blocks)) <= FILE_BLOCK


@pytest.mark.parametrize("ending", PACK)
def test_packed_files_in_small_blocks(tmp_path, ending):
    from streambayes.records.source import unpack, unpacker_of

    pack = PACK[ending]
    data = pack(TEXT) + pack(b"x\n")
    for size in (1, 7):
        blocks = (data[at : at + size] for at in range(0, len(data), size))
        assert b"".join(unpack(blocks, "f", *unpacker_of("f." + ending))) == TEXT + b"x\n"


@pytest.mark.parametrize("ending", PACK)
def test_packed_files_cut_short(tmp_path, ending):
    kind = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd"}[ending]
    text = TEXT[:3000]
    whole = PACK[ending](text)
    for size in [*range(0, 20), *range(20, len(whole), 97), *range(len(whole) - 12, len(whole))]:
        before, message = until_error(write(tmp_path, "cut." + ending, whole[:size]))
        assert message == f": the {kind} data is cut short; fetch or pack it again"
        assert text.startswith(before)
    before, _ = until_error(write(tmp_path, "second." + ending, whole + whole[: len(whole) // 2]))
    assert before.startswith(text)


@pytest.mark.parametrize("ending", PACK)
def test_packed_files_that_are_damaged(tmp_path, ending):
    whole = PACK[ending](TEXT)
    assert "damaged" in until_error(write(tmp_path, "foreign." + ending, TEXT))[1]
    assert (
        "damaged"
        in until_error(write(tmp_path, "behind." + ending, whole + b"no such data at all"))[1]
    )
    rng = random.Random(5)
    for _ in range(20):
        bad = bytearray(whole)
        bad[rng.randrange(len(bad) // 3, 2 * len(bad) // 3)] ^= 1 << rng.randrange(8)
        if ending != "zst":  # which need not have a checksum
            until_error(write(tmp_path, "bad." + ending, bytes(bad)))


def test_zeros_behind_gzip_members(tmp_path):
    one = gzip.compress(TEXT)
    assert content(write(tmp_path, "z.gz", one + bytes(1000))) == TEXT
    assert (
        content(write(tmp_path, "m.gz", one + bytes(3) + one + bytes(FILE_BLOCK + 9))) == TEXT * 2
    )


# -------------------------------------------------------------------------------------- encoding
@pytest.mark.parametrize(
    "encoding",
    [
        "utf-8",
        "latin-1",
        "cp1252",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-8-sig",
        "shift_jis",
        "gb18030",
        "euc_jp",
    ],
)
def test_encodings(tmp_path, encoding):
    text = (
        "naïve €\r\n"
        if encoding.startswith(("utf", "cp", "gb"))
        else "naïve\n"
        if encoding == "latin-1"
        else "日本語\n"
    )
    data = (text * 5).encode(encoding)
    assert content(write(tmp_path, "f", data), encoding=encoding) == (text * 5).encode()
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    events = list(Source(["-"], encoding=encoding, stdin=reading, block=1))
    os.close(reading)
    assert b"".join(block for kind, block in events if kind == "data") == (text * 5).encode()


def test_a_byte_order_mark_goes_through(tmp_path):
    path = write(tmp_path, "f", "\ufeffa".encode("utf-16-le"))
    assert content(path, encoding="utf-16-le") == "\ufeffa".encode()


def test_a_bad_byte_comes_out_as_a_lone_surrogate(tmp_path):
    path = write(tmp_path, "f", b"a\xe9b\xc3")
    assert content(path, encoding="utf-8") == b"a\xed\xb3\xa9b\xed\xb3\x83"
    assert content(path, encoding="ascii") == b"a\xed\xb3\xa9b\xed\xb3\x83"
    path = write(tmp_path, "g", "日\n".encode("shift_jis") + b"\x81 ")
    assert content(path, encoding="shift_jis") == "日\n".encode() + b"\xed\xb2\x81 "


def test_bad_bytes_that_cannot(tmp_path):
    good = "é\nb\n".encode("utf-16")
    for bad, what in ((b"\x00\xdcz\x00", "the bytes 0x00dc are"), (b"a", "byte 0x61 is")):
        path = write(tmp_path, "f", good + bad)
        assert until_error(path, encoding="utf-16") == (
            "é\nb\n".encode(),
            f":3: {what} not utf-16; name the right encoding with --encoding",
        )
    reading, writing = os.pipe()
    os.write(writing, good + b"\x00\xdcz\x00")
    os.close(writing)
    source = Source([], encoding="utf-16", stdin=reading, block=1)
    with pytest.raises(InputError, match=r"^<stdin>:3: the bytes 0x00dc are not utf-16; "):
        list(source)
    os.close(reading)


@pytest.mark.parametrize("encoding", ["no-such", "rot13", "hex", "", "a\0b"])
def test_unknown_encodings(encoding):
    if encoding == "":
        assert list(Source([], encoding="", stdin=os.open(os.devnull, os.O_RDONLY)))
        return
    with pytest.raises(UsageError, match=r"^unknown encoding "):
        Source([], encoding=encoding)


def test_packed_and_encoded(tmp_path):
    assert (
        content(write(tmp_path, "f.gz", gzip.compress("é\n".encode("latin-1"))), encoding="latin-1")
        == "é\n".encode()
    )


# -------------------------------------------------------------------------------------- start-up
def test_unpacking_modules_are_imported_only_when_used():
    code = (
        "import sys; before = set(sys.modules)\n"
        "from streambayes.records import source; list(source.Source([sys.argv[1]]))\n"
        "packers = {'gzip', 'zlib', 'bz2', 'lzma', 'compression', 'backports'}\n"
        "print(packers & (set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, __file__],
        capture_output=True,
        check=True,
        text=True,
        cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    )
    assert done.stdout.strip() == "set()"
