"""A large trace needs only a small multiple of its size in memory, to store, replace, read and export it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_MIB = 1 << 20
SIZE = 32  # MiB
BASE = 60  # MiB that our command needs without any work
DETECTOR = 90  # MiB of the rules of the detector of secrets, whatever it reads
# Runs our command with so many MiB of the given bytes on its standard input, and prints how many MiB it needed.
_CHILD = """
import resource, subprocess, sys
def fill(stream):
    piece = eval(sys.argv[1])
    piece *= max(1, (1 << 20) // len(piece))
    left = int(sys.argv[2]) << 20
    while left > 0:
        stream.write(piece[:left])
        left -= len(piece)
done = subprocess.Popen([sys.executable, "-m", "devs_git", *sys.argv[3:]], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
try:
    fill(done.stdin)
    done.stdin.close()
except BrokenPipeError:
    pass
status = done.wait()
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
"""
# How many times its own size a trace may need. Each byte that is not UTF-8 becomes three bytes in the index.
CONTENTS = {
    "NUL": ("bytes(1)", 3.0),
    "control characters": ("bytes([1])", 3.0),
    "no UTF-8": ("bytes([255])", 7.5),
    "one word": ("b'a'", 4.0),
    "lines": ("b'some line of a log 12345\\\\n'", 3.0),
    "letters": ("'Привет, мир 12345\\\\n'.encode()", 3.5),
}


def taken(top: Path, content: str, size: int, *words: str) -> float:
    """How many MiB the command needed."""
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, content, str(size), *words],
        cwd=top,
        capture_output=True,
        text=True,
        check=True,
    )
    status, most = done.stdout.split()
    assert (status, done.stderr) == ("0", "")
    return float(most)


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", CONTENTS)
def test_a_large_trace_takes_a_small_multiple_of_its_size(initialised: Path, name: str) -> None:
    content, times = CONTENTS[name]
    assert taken(initialised, content, SIZE, "trace", "put") < BASE + times * SIZE


@pytest.mark.parametrize("name", CONTENTS)
def test_so_does_what_comes_after(initialised: Path, name: str) -> None:
    content, times = CONTENTS[name]
    most = BASE + times * SIZE
    taken(initialised, content, SIZE, "trace", "put", "--id", "t")
    # The old entry is removed from the index with the stored text.
    assert taken(initialised, content, SIZE, "trace", "put", "--id", "t") < most * 1.5
    assert taken(initialised, "b'x'", 0, "trace", "get", "t") < most
    assert taken(initialised, "b'x'", 0, "trace", "search", "word") < most
    assert taken(initialised, "b'x'", 0, "trace", "export", "-o", "t.gz") < BASE + DETECTOR + 2 * SIZE
    assert taken(initialised, "b'x'", 0, "trace", "export", "--raw", "--yes", "-o", "t.gz") < BASE + 2 * SIZE
    assert taken(initialised, "b'x'", 0, "trace", "prune", "--older-than", "0s", "--yes") < most * 1.5
    # An import has both the text and the bytes before packing in memory.
    assert taken(initialised, "b'x'", 0, "trace", "import", "t.gz") < most * 1.5


@pytest.mark.thorough
def test_a_trace_of_300_megabytes_takes_no_gigabyte(initialised: Path) -> None:
    assert taken(initialised, "bytes(1)", 300, "trace", "put", "--id", "t") < 1000
