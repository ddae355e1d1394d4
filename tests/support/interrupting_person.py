"""A person at a terminal who types Ctrl-C while a chosen git of a command runs. The terminal sends the signal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
from pathlib import Path

from tests.support.hanging_git import hanging_git

# Seconds between two looks whether the chosen git runs.
_LOOK = 0.02


def calls_of(top: Path, folder: Path, *words: str) -> int:
    """How many gits `devs-git words` starts. It runs to its end, without a terminal."""
    env = hanging_git(folder, at=0)
    run = subprocess.run(
        [sys.executable, "-m", "devs_git", *words],
        cwd=top,
        env={**os.environ, **env},
        capture_output=True,
        check=True,
    )
    assert run.returncode == 0
    return sum(1 for _ in (folder / "calls").iterdir())


def interrupted(top: Path, folder: Path, *words: str, at: int) -> tuple[int, str]:
    """Exit status and what the terminal showed of `devs-git words`, interrupted while call number `at` of git runs.

    The command may end before, if it starts fewer gits than that.
    """
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "devs_git", *words],
        cwd=top,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **hanging_git(folder, at=at)},
        start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - nothing else runs in the child yet
    )
    os.close(theirs)
    shown, typed = b"", False
    while True:
        if not select.select([ours], [], [], _LOOK)[0]:
            if not typed and (folder / "calls" / "hung").exists():
                os.write(ours, b"\x03")
                typed = True
            continue
        try:
            data = os.read(ours, 4096)
        except OSError:  # how Linux tells the end of a terminal
            break
        if not data:
            break
        shown += data
    os.close(ours)
    return child.wait(), shown.decode().replace("\r\n", "\n")


def _take_terminal() -> None:
    """Make standard input the terminal that sends its signals to this process."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
