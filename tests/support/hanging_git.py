"""A git on PATH of which one call hangs, with a child that it starts, until somebody ends them."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

# How long a killed process may take to end.
DYING_SECONDS = 2.0
# Each call takes the first free number; two calls at the same time get different numbers.
WRAPPER = """#!/bin/sh
n=1
while ! mkdir "$HANGING/$n" 2>/dev/null; do n=$((n + 1)); done
[ "$n" = "$HANGING_AT" ] || exec {program} "$@"
[ "$HANGING_DEAF" ] && trap '' TERM
sleep {seconds} &
echo $(date +%s.%N) $$ $! "$@" > "$HANGING/hung"
wait
exec {program} "$@" # a caller without a time limit gets its answer now
"""
SECONDS = 30


def hanging_git(folder: Path, *, at: int, deaf: bool = False) -> dict[str, str]:
    """An environment in which call number `at` of git hangs (the first is 1; 0: none). If it is `deaf`, it ignores SIGTERM."""
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
    """The call that hung: when it began (seconds of the system's clock), its arguments, and its processes that still run."""

    since: float
    words: str
    alive: list[int]


def hung(folder: Path) -> Hung | None:
    """The call that hung; None if there was none."""
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
