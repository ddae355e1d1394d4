"""`sync` of 5,000 checkpoints with a remote on the same disk: the first push, and a run where nothing changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench import histories
from bench.histories import LEDGER
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS

CHECKPOINTS: Final = 5_000
KNOWN: Final = "refs/devs/remotes/origin/ledger"
REFS: Final = ("refs/devs/checkpoints/*:refs/devs/checkpoints/*", "refs/tags/devs/*:refs/tags/devs/*")
FETCH: Final = ("fetch", "-q", "--no-tags", "--no-auto-maintenance")


def sync(bench: Bench, rounds: int) -> list[Row]:
    """At most 2 x `git push` and 1.5 x `git fetch` of the same refs."""
    top, remote = histories.make(bench, "syncing", CHECKPOINTS), bench.folder / "syncing.git"
    bench.run("git", "remote", "add", "origin", str(remote), where=top)

    def empty() -> None:
        """A remote without refs, that this clone never saw."""
        shutil.rmtree(remote, ignore_errors=True)
        bench.run("git", "init", "-q", "--bare", str(remote), where=bench.folder)
        bench.run("git", "update-ref", "-d", KNOWN, where=top)

    def whole() -> None:
        """The remote has all refs of ours."""
        if _ours(bench, remote) != _ours(bench, top):
            raise SystemExit("The remote does not have the same refs.")

    return [*_first(bench, top, rounds, empty, whole), *_unchanged(bench, top, rounds)]


def _ours(bench: Bench, where: Path) -> str:
    return bench.run("git", "for-each-ref", LEDGER, "refs/devs/checkpoints", "refs/tags/devs", where=where)


def _first(
    bench: Bench, top: Path, rounds: int, empty: Callable[[], None], whole: Callable[[], None]
) -> list[Row]:
    ours = Arm("sync", ((OURS, "sync"),), top, empty, whole)
    push = ("git", "push", "-q", "--no-verify", "origin", LEDGER, *REFS)
    found = bench.side_by_side(ours, Arm("git push", (push,), top, empty, whole), rounds=min(rounds, 3))
    mine, theirs = found["sync"].wall, found["git push"].wall
    name = f"the first sync of {CHECKPOINTS:,} checkpoints"
    return [Row(name, mine, "git push", theirs, mine / theirs, "x", 2)]


def _unchanged(bench: Bench, top: Path, rounds: int) -> list[Row]:
    bench.run(OURS, "sync", where=top)
    ours = Arm("sync", ((OURS, "sync"),), top)
    git = Arm("git fetch", (("git", *FETCH, "origin", f"+{LEDGER}:{KNOWN}", *REFS),), top)
    found = bench.side_by_side(ours, git, rounds=rounds)
    mine, theirs = found["sync"].wall, found["git fetch"].wall
    name = f"sync of {CHECKPOINTS:,} checkpoints where nothing changed"
    return [Row(name, mine, "git fetch", theirs, mine / theirs, "x", 1.5)]
