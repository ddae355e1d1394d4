"""Run a command on a terminal and type the answers. One of the tests shows that a program can do this."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path


def at_terminal(
    top: Path,
    *words: str,
    typed: str = "",
    env: Mapping[str, str] | None = None,
    size: tuple[int, int] = (0, 0),
) -> tuple[int, str]:
    """Exit status and what the terminal showed of `devs-git words`, with `typed` on its keyboard.

    `size`: its lines and columns; the default is a terminal that does not say how large it is.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, size)
    bare = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    child = subprocess.Popen(
        [sys.executable, "-m", "devs_git", *words],
        cwd=top,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**bare, **(env or {})},
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    try:
        while data := os.read(ours, 4096):
            shown += data
    except OSError:  # how Linux tells the end of a terminal
        pass
    os.close(ours)
    return child.wait(), shown.decode().replace("\r\n", "\n")
