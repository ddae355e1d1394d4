"""A large trace takes a small multiple of its size in memory, whatever it holds: on its way in, replaced, taken out, and exported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_MIB = 1 << 20
SIZE = 32  # MiB
BASE = 60  # MiB that a command of ours takes with nothing to do
# Runs a command of ours with so many MiB on its standard input, made of what it is told, and says how many MiB it took.
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
# How many times its own size a trace may take; what is no UTF-8 is three bytes a byte in the index.
CONTENTS = {
    "NUL": ("bytes(1)", 3.0),
    "control characters": ("bytes([1])", 3.0),
    "no UTF-8": ("bytes([255])", 7.5),
    "one word": ("b'a'", 4.0),
    "lines": ("b'some line of a log 12345\\\\n'", 3.0),
    "letters": ("'Привет, мир 12345\\\\n'.encode()", 3.5),
}


def taken(top: Path, content: str, size: int, *words: str) -> float:
    """How many MiB the command took."""
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
    # The old entry of the index goes with the text that is stored.
    assert taken(initialised, content, SIZE, "trace", "put", "--id", "t") < most * 1.5
    assert taken(initialised, "b'x'", 0, "trace", "get", "t") < most
    assert taken(initialised, "b'x'", 0, "trace", "search", "word") < most
    assert taken(initialised, "b'x'", 0, "trace", "export", "-o", "t.gz") < BASE + 2 * SIZE
    assert taken(initialised, "b'x'", 0, "trace", "prune", "--older-than", "0s", "--yes") < most * 1.5
    # An import holds the text beside what it was packed from.
    assert taken(initialised, "b'x'", 0, "trace", "import", "t.gz") < most * 1.5


@pytest.mark.thorough
def test_a_trace_of_300_megabytes_takes_no_gigabyte(initialised: Path) -> None:
    assert taken(initialised, "bytes(1)", 300, "trace", "put", "--id", "t") < 1000
