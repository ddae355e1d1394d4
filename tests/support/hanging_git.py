"""A git on PATH of which one call hangs until it is ended: itself, and a child that it started."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

DYING_SECONDS = 2.0  # a process that was killed is gone a moment later
# Each call takes the first number that is free: two at once never take the same one.
WRAPPER = """#!/bin/sh
n=1
while ! mkdir "$HANGING/$n" 2>/dev/null; do n=$((n + 1)); done
[ "$n" = "$HANGING_AT" ] || exec {program} "$@"
[ "$HANGING_DEAF" ] && trap '' TERM
sleep {seconds} &
echo $(date +%s.%N) $$ $! "$@" > "$HANGING/hung"
wait
exec {program} "$@" # whoever may wait as long as it takes goes on then
"""
SECONDS = 30


def hanging_git(folder: Path, *, at: int, deaf: bool = False) -> dict[str, str]:
    """The environment in which the `at`-th git (from 1 on; 0: none) hangs; `deaf` ones do not listen to SIGTERM."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "calls").mkdir(parents=True)
    wrapper = folder / "git"
    wrapper.write_text(WRAPPER.format(program=shutil.which("git"), seconds=SECONDS))
    wrapper.chmod(0o755)
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "HANGING": str(folder / "calls"),
        "HANGING_AT": str(at),
        "HANGING_DEAF": "yes" if deaf else "",
    }


@dataclass(frozen=True)
class Hung:
    """The git that hung: since when (seconds of the system's clock), with which words, and those of its processes that still run."""

    since: float
    words: str
    alive: list[int]


def hung(folder: Path) -> Hung | None:
    """None where none of them did."""
    try:
        since, wrapper, child, *words = (folder / "calls/hung").read_text().split()
    except FileNotFoundError:
        return None
    pids, until = (int(wrapper), int(child)), time.monotonic() + DYING_SECONDS
    while any(runs(pid) for pid in pids) and time.monotonic() < until:
        os.sched_yield()
    return Hung(float(since), " ".join(words), [pid for pid in pids if runs(pid)])


def runs(pid: int) -> bool:
    """Whether the process is there and has not ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # nobody here waits for the children of a wrapper that was killed
