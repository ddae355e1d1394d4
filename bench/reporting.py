"""`report` of 100 tasks: its time and its size beside those of `git log -p` of the same commits."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS

TASKS = 100
LINES = 150


def report(bench: Bench, rounds: int) -> list[Row]:
    """The page has at most 1 MB. The time is for comparison: nothing bounds it."""
    top = bench.folder / "report"
    top.mkdir()
    base = make(bench, top)
    log = ("git", "log", "-p", f"{base}..HEAD")
    ours = Arm("report", ((OURS, "report", "--output", "-", "--raw", "--yes"),), top)
    found = bench.side_by_side(ours, Arm("git log -p", (log,), top), rounds=rounds)
    mine, theirs = found["report"].wall, found["git log -p"].wall
    page = _bytes(bench, top, *ours.commands[0])
    patches = _bytes(bench, top, *log)
    name = f"report, {TASKS} tasks"
    note = f"{page:,} bytes; {page / patches:.2f} x those of git log -p"
    return [
        Row(name, mine, "git log -p", theirs, mine, note=note),
        Row(f"{name}, size", page, "git log -p", patches, page, unit="bytes", bound=1_000_000),
    ]


def make(bench: Bench, top: Path) -> str:
    """A repository with that many completed tasks; the commit before the first."""
    bench.run("git", "init", "-q", where=top)
    (top / "base.txt").write_text("base\n")
    bench.run("git", "add", "base.txt", where=top)
    bench.run("git", "commit", "-q", "-m", "base", where=top)
    bench.run(OURS, "init", where=top)
    bench.run("git", "add", "-A", where=top)
    bench.run("git", "commit", "-q", "-m", "policy", where=top)
    base = bench.run("git", "rev-parse", "HEAD", where=top)
    for task in range(TASKS):
        bench.run(OURS, "task", "start", str(task), "--title", f"Part {task} of the work", where=top)
        for name in ("one", "two"):
            text = "".join(f"{name} of {task}, line {line}: what stands here\n" for line in range(LINES))
            (top / f"{name}{task % 10}.txt").write_text(text)
        bench.run(OURS, "task", "complete", str(task), "--all", "-m", f"Part {task}", where=top)
    return base


def _bytes(bench: Bench, top: Path, *words: str) -> int:
    done = subprocess.run(words, cwd=top, env=bench.env, capture_output=True, check=True)
    return len(done.stdout)
