"""The index of a ledger of 100,000 checkpoints: made from nothing, and after 1,000 events that another clone wrote."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench import histories
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS

CHECKPOINTS, FOREIGN = 100_000, 1_000
FROM_NOTHING = 4  # times as long as git reads the same ledger
LATER = 150  # milliseconds
ASK = (OURS, "task", "status", "1")
MAKE = """
from pathlib import Path
from devs_git.storage.ledger.index import index_file
from devs_git.workspace import Workspace
ledger = Workspace.open(Path.cwd()).ledger
assert index_file.open_at(ledger, ledger.tip().oid)
"""


def indexing(bench: Bench, rounds: int) -> list[Row]:
    """From nothing at most 4 x `git log --format=raw`; the first command after 1,000 foreign events at most 150 ms more."""
    top = histories.make(bench, "indexing", CHECKPOINTS)
    return [_from_nothing(bench, top, rounds), _after_foreign_events(bench, top, rounds)]


def _from_nothing(bench: Bench, top: Path, rounds: int) -> Row:
    ours = Arm("the index", (("python", "-c", MAKE),), top, before=lambda: _remove(top))
    git = Arm("git log", (("git", "log", "--format=raw", histories.LEDGER),), top)
    seen = bench.side_by_side(ours, git, rounds=rounds)
    made, read = seen[ours.label].wall, seen[git.label].wall
    name = f"the index of {CHECKPOINTS:,} checkpoints from nothing"
    return Row(name, made, "git log --format=raw", read, made / read, unit="x", bound=FROM_NOTHING)


def _after_foreign_events(bench: Bench, top: Path, rounds: int) -> Row:
    """The index as it was 1,000 events before the tip is put back before each measurement."""
    index, older = top / ".git/devs/index.db", top / ".git/older.db"
    tip = bench.run("git", "rev-parse", histories.LEDGER, where=top).strip()
    bench.run("git", "update-ref", histories.LEDGER, f"{tip}~{FOREIGN}", where=top)
    _remove(top)
    bench.run(*ASK, where=top)
    shutil.copy(index, older)
    bench.run("git", "update-ref", histories.LEDGER, tip, where=top)
    bench.run(*ASK, where=top)

    def put_back() -> None:
        _remove(top)
        shutil.copy(older, index)

    first = Arm("first", (ASK,), top, before=put_back)
    again = Arm("again", (ASK,), top)
    ours, theirs, longer = bench.over(first, again, rounds=rounds)
    name = f"task status, the first after {FOREIGN:,} foreign events"
    return Row(name, ours, "the second", theirs, longer, bound=LATER, note="added")


def _remove(top: Path) -> None:
    for file in (top / ".git/devs").glob("index.db*"):
        file.unlink()
