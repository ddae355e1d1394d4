"""A fork beside git, which makes the same worktree without a task."""

from __future__ import annotations

import shutil

from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, START_UP, start_up, two_tasks

GIT = "git worktree add"


def fork(bench: Bench, rounds: int) -> list[Row]:
    """A worktree of 20,000 files: at most 1.3 times what git needs, start-up aside."""
    subject = two_tasks(bench, "forks", 20_000, 13)
    place = subject.top.with_name("forked")

    def remove() -> None:
        if subject.run("git", "-C", str(place), "rev-parse", "HEAD") != subject.base:
            raise SystemExit("The worktree is not at task-1.")
        shutil.rmtree(place)
        subject.run("git", "worktree", "prune")
        subject.run("git", "branch", "-q", "-D", "forked")

    made = ("git", "worktree", "add", "-q", "-b", "forked", str(place), subject.base)
    # The name is a title, so that each round makes another task.
    words = (OURS, "fork", "task-1", "--name", "Once more!", "--branch", "forked", "--worktree", str(place))
    found = bench.side_by_side(
        Arm("devs-git", (words,), subject.top, subject.refresh, remove),
        Arm(GIT, (made,), subject.top, subject.refresh, remove),
        start_up(subject.top),
        rounds=rounds,
    )
    ours, git = found["devs-git"].wall, found[GIT].wall
    value = (ours - found[START_UP].wall) / git
    return [Row("fork, 20,000 files", ours, GIT, git, value, "x", 1.3, "without start-up")]
