"""A terminal of so many columns: what stands on it after a command, as text, with a person who answers questions."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import termios
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyte

ROWS: Final = 24
# All that a command prints is kept, as if the person scrolled back.
KEPT_ROWS: Final = 400
# An oid changes with each byte of an event, so its digits are no part of what is compared.
OID: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{7,64}(?![0-9A-Za-z])")
QUESTION: Final = re.compile(rb"\[[^\]\r\n]*\]:? $")


def screen(line: str, where: Path, env: Mapping[str, str], columns: int, answers: str) -> str:
    """What the terminal shows of `sh -c line`, with a letter of `answers` typed at each question.

    The last letter answers all questions that follow.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (ROWS, columns))
    child = subprocess.Popen(
        ["sh", "-c", line],
        cwd=where,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown, letters = b"", list(answers)
    try:
        while data := os.read(ours, 4096):
            shown += data
            if QUESTION.search(shown):
                os.write(ours, f"{letters.pop(0) if letters[1:] else letters[0]}\n".encode())
    except OSError:  # how Linux tells the end of a terminal
        pass
    os.close(ours)
    child.wait()
    return _text(shown, columns)


def _text(shown: bytes, columns: int) -> str:
    """The rows of the terminal, without spaces at their ends and without empty rows after the last."""
    terminal = pyte.Screen(columns, KEPT_ROWS)
    pyte.ByteStream(terminal).feed(OID.sub(lambda found: b"0" * len(found[0]), shown))
    rows = "\n".join(row.rstrip() for row in terminal.display).rstrip()
    assert rows.count("\n") < KEPT_ROWS - 2, "the output is longer than what is kept of it"
    return f"{rows}\n" if rows else ""
