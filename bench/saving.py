"""Saving a working tree that holds a large untracked file: from the second time on it is not read again."""

from __future__ import annotations

import random

from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, Subject, two_tasks

MEGABYTES = 256
COPY = "git add --all on a copied index"
STASH = "git stash + reset --hard"


def large_file(bench: Bench, rounds: int) -> list[Row]:
    """A snapshot, and what preserving a dirty tree adds to a rewind: less than 200 ms each.

    The bound of the snapshot names no size of the repository: it is held to in one of 2,000 files, and the same
    is shown for 20,000, of which git has to look at each.
    """
    usual, big = (two_tasks(bench, f"saving {files}", files, 13) for files in (2_000, 20_000))
    for subject in (usual, big):
        dice = random.Random(1)
        with (subject.top / "model.bin").open("wb") as stream:
            for _ in range(MEGABYTES):
                stream.write(dice.randbytes(1 << 20))
    return [_snapshot(usual, rounds, 200), _snapshot(big, rounds, None), _preserve(big, rounds)]


def _snapshot(subject: Subject, rounds: int, bound: int | None) -> Row:
    copy = "cp .git/index .git/copy && GIT_INDEX_FILE=.git/copy git add --all && GIT_INDEX_FILE=.git/copy git write-tree"
    found = subject.bench.side_by_side(
        Arm("snapshot", ((OURS, "snapshot", "create", "--yes"),), subject.top, subject.refresh),
        Arm(COPY, (("sh", "-c", copy),), subject.top, subject.refresh),
        rounds=rounds,
    )
    ours = found["snapshot"].wall
    name = f"snapshot, {len(subject.names):,} files and {MEGABYTES} MB untracked"
    return Row(name, ours, COPY, found[COPY].wall, ours, bound=bound)


def _preserve(subject: Subject, rounds: int) -> Row:
    """A rewind of a dirty tree less a rewind of a clean one, in the same repository."""

    def undo() -> None:
        subject.run(OURS, "undo", "--yes")
        subject.run("git", "restore", "--staged", "--worktree", ".")

    def dirty() -> None:
        for name in subject.names[5:3000:1000]:
            with (subject.top / name).open("a") as stream:
                stream.write("# not committed\n")
        subject.refresh()

    rewind = ((OURS, "rewind", "task-1", "--preserve", "branch", "--yes"),)
    stash = (("git", "stash", "--quiet"), ("git", "reset", "-q", "--hard", subject.base))

    def back() -> None:
        subject.run("git", "reset", "-q", "--hard", subject.tip)

    found = subject.bench.side_by_side(
        Arm("clean", rewind, subject.top, subject.refresh, undo),
        Arm("dirty", rewind, subject.top, dirty, undo),
        Arm(STASH, stash, subject.top, dirty, back),
        rounds=rounds,
    )
    added = found["dirty"].wall - found["clean"].wall
    name = f"rewind of a dirty tree beside {MEGABYTES} MB"
    return Row(
        name, found["dirty"].wall, STASH, found[STASH].wall, added, bound=200, note="added to a clean one"
    )
