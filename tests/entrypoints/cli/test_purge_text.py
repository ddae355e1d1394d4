"""`purge --text -` takes the secret from standard input, so that no shell writes it into its history."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.domain.text import limits
from tests.support.planted_secret import WORD, gc, places, plant

PURGE = (sys.executable, "-m", "devs_git", "purge", "--text", "-")


@pytest.fixture
def planted(initialised: Path, tmp_path: Path) -> Path:
    return plant(initialised, tmp_path)


def piped(top: Path, data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PURGE, "--yes"], cwd=top, input=data, capture_output=True, check=False)


@pytest.mark.quick(1)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b""])
def test_a_text_from_standard_input_is_purged_without_its_line_end(planted: Path, line_end: bytes) -> None:
    done = piped(planted, WORD.encode() + line_end)
    assert (done.returncode, WORD.encode() in done.stdout + done.stderr) == (0, False), done.stderr
    gc(planted)
    assert places(planted) == set()


def test_at_a_terminal_it_asks_for_the_text_and_does_not_show_it(planted: Path) -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        PURGE, cwd=planted, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    shown = b""
    try:
        for question, answer in ((b"not shown): ", WORD), (b"[y/N] ", "y")):
            while question not in shown:
                shown += os.read(ours, 4096)
            os.write(ours, f"{answer}\n".encode())
        while data := os.read(ours, 4096):
            shown += data
    except OSError:  # how Linux tells the end of a terminal
        pass
    os.close(ours)
    assert (child.wait(), WORD.encode() in shown) == (0, False), shown
    gc(planted)
    assert places(planted) == set()


@pytest.mark.parametrize(
    ("data", "code"), [(b"", b"INVALID_ARGUMENTS"), (b"\n", b"INVALID_ARGUMENTS"), (b"x" * (limits.SECRET.most + 1), b"INVALID_INPUT")]
)  # fmt: skip
def test_a_text_that_is_empty_or_too_long_is_refused(initialised: Path, data: bytes, code: bytes) -> None:
    done = piped(initialised, data)
    assert (done.returncode, code in done.stderr) == (3, True), done.stderr
