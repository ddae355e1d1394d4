"""One script at one width: each command with the screen that it leaves.

Clock, identity, ids and HOME are fixed as in `devs-git demo`, so a screen is the same everywhere.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from tests.screens.scripts import BEFORE, SCRIPTS
from tests.screens.terminal import screen
from tests.support import real_repository

WIDTHS: Final = (80, 40)
NAMES: Final = tuple(f"{script}-{width}" for width in WIDTHS for script in SCRIPTS)
BEGIN: Final = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
GITCONFIG: Final = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
# What is typed at a command's questions, one letter each, where it is not yes.
ANSWERS: Final = {"devs-git rewind": "1y", "devs-git resume": "1y"}
KEPT: Final = ("TMPDIR", "PYTHONPATH", "COVERAGE_PROCESS_START")


def record(name: str, room: Path) -> str:
    """The text of one example, such as `readme-80`; the repository is made in the empty folder `room`."""
    script, width = name.rsplit("-", 1)
    env, times, top = _environment(room), _times(), room / "work"
    if script == "tour":
        top.mkdir()
    else:
        real_repository.make(top, env | next(times))
    for line in BEFORE if script == "nearly-right" else ():
        subprocess.run(
            ["sh", "-c", line],
            cwd=top,
            env=env | next(times),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
    return "".join(
        f"$ {line}\n{screen(line, top, env | next(times), int(width), ANSWERS.get(line, 'y'))}\n"
        for line in SCRIPTS[script]()
    )


def _times() -> Iterator[dict[str, str]]:
    """The time of each command, a minute after the one before."""
    moment = BEGIN
    while True:
        yield dict.fromkeys(("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), moment.isoformat())
        moment += timedelta(minutes=1)


def _environment(room: Path) -> dict[str, str]:
    """A HOME of its own, and on PATH this program under its two names; nothing of the caller that changes a text."""
    home, programs = room / "home", room / "bin"
    home.mkdir()
    programs.mkdir()
    (home / ".gitconfig").write_text(GITCONFIG)
    for name in ("devs-git", "git-devs"):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m devs_git "$@"\n')
        program.chmod(0o755)
    return {
        **{name: os.environ[name] for name in KEPT if name in os.environ},
        "PATH": os.pathsep.join((str(programs), os.environ.get("PATH", os.defpath))),
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        # No test cuts the power, so git need not wait for the disk.
        "GIT_TEST_FSYNC": "0",
        "PAGER": "cat",
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "TZ": "UTC",
    }
