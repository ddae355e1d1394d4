"""Branches and stash entries that an operation makes or removes besides its own branch, and how an undo reverses that.

Only branches and stash entries that were lost come back, so no ref that exists ever moves. git cannot move a stash entry in
a transaction: an entry is a line of a reflog. So entries follow after the transaction, and again in a recovery.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.storage.git import refs
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import common_of
from devs_git.storage.git.program import Git
from devs_git.values import as_mapping, field, immutable

STASH: Final = "refs/stash"


@immutable
class RefChanges:
    """Branches by full name, and stash entries, newest first. `removed` ones were made by the operation that is undone.

    `order`: all entries that the stash had when it had those that come back.
    """

    made: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)
    stashed: tuple[str, ...] = ()
    unstashed: tuple[str, ...] = ()
    order: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.made or self.removed or self.stashed or self.unstashed)

    @property
    def updates(self) -> tuple[RefUpdate, ...]:
        """The updates of the branches."""
        return (
            *(RefUpdate(ref, oid, NO_OID) for ref, oid in self.made.items()),
            *(RefUpdate(ref, NO_OID, oid) for ref, oid in self.removed.items()),
        )

    def record(self) -> bytes:
        return json.dumps(as_mapping(self)).encode()


NO_CHANGES: Final = RefChanges()


def changes_of(data: Mapping[str, Any]) -> RefChanges:
    """The changes from their mapping."""
    return RefChanges(
        dict(data.get("made", {})),
        dict(data.get("removed", {})),
        tuple(data.get("stashed", ())),
        tuple(data.get("unstashed", ())),
        tuple(data.get("order", ())),
    )


def reverse(
    operations: Iterable[RefChanges],
    held: Mapping[str, str],
    stashes: Iterable[str],
    in_use: Iterable[str],
    exists: Callable[[str], bool],
) -> RefChanges:
    """The changes that reverse those of `operations`, oldest first. `held`: the refs of now, `in_use`: checked-out branches.

    A branch that somebody has moved, made or checked out since stays.
    """
    branches: dict[str, tuple[str, bool]] = {}
    entries: dict[str, bool] = {}
    done = list(operations)
    for one in reversed(done):
        branches |= {ref: (oid, False) for ref, oid in one.made.items()}
        branches |= {ref: (oid, True) for ref, oid in one.removed.items()}
        entries |= dict.fromkeys(one.stashed, False) | dict.fromkeys(one.unstashed, True)
    used, there = set(in_use), set(stashes)
    return RefChanges(
        {r: oid for r, (oid, wanted) in branches.items() if wanted and is_free(r, held) and exists(oid)},
        {
            r: oid
            for r, (oid, wanted) in branches.items()
            if not wanted and held.get(r) == oid and r not in used
        },
        tuple(oid for oid, wanted in entries.items() if wanted and oid not in there and exists(oid)),
        tuple(oid for oid, wanted in entries.items() if not wanted and oid in there),
        tuple(dict.fromkeys(oid for one in done for oid in one.order)),
    )


def is_free(ref: str, held: Iterable[str]) -> bool:
    """Whether git can make a ref of this name: none has it, or is above or below it."""
    return not any(f"{ref}/".startswith(f"{name}/") or name.startswith(f"{ref}/") for name in held)


def settle_stash(git: Git, made: Sequence[str], removed: Sequence[str], order: Sequence[str] = ()) -> None:
    """Make and remove stash entries, newest first, as far as that is not done yet. `git` is that of the ledger.

    `order`: all entries that the stash had, newest first. An entry that is made comes to its place among them.
    """
    there = refs.stashes(git)
    for oid in reversed([oid for oid in made if oid not in there]):
        _make(git, oid, order)
    for oid in removed:
        _drop(git, oid)


def _make(git: Git, oid: str, order: Sequence[str]) -> None:
    """Make one stash entry above the next older one that is there, with the time, author and message that it had."""
    there = refs.stashes(git)
    name, mail, date, subject = _facts(git, oid)
    newer = _count_newer(oid, there, order)
    if newer == 0:
        own = git.with_env(GIT_COMMITTER_NAME=name, GIT_COMMITTER_EMAIL=mail, GIT_COMMITTER_DATE=date)
        refs.transaction(own, (RefUpdate(STASH, oid, _without_entry(own, oid)),), subject)
        return
    line = f"{oid} {name} <{mail}> {date}\t{subject}\n"
    # git has no command for this. While it holds the lock of the ref, no other git writes the reflog.
    with refs.hold_transaction(git, (RefUpdate(STASH, there[0], there[0]),), "devs: stash entry"):
        _insert(common_of(git) / "logs" / STASH, os.fsencode(line), newer)


def _without_entry(git: Git, oid: str) -> str:
    """The oid from which the ref of the stash moves to a new entry. A ref whose lines expired is there without an entry.

    git writes no line for a ref that stays where it is, so such a ref is deleted first.
    """
    there = refs.read(git, STASH) or NO_OID
    if there != oid:
        return there
    refs.transaction(git, (RefUpdate(STASH, NO_OID, oid),), "devs: stash entry")
    return NO_OID


def _facts(git: Git, oid: str) -> list[str]:
    """Committer, mail, time and subject: git wrote the entry's line with these."""
    return git.text("show", "-s", "--format=%cn%n%ce%n%cd%n%s", "--date=raw", oid).split("\n", 3)


def _count_newer(oid: str, there: Sequence[str], order: Sequence[str]) -> int:
    """How many of the entries that are there come before this one."""
    if oid not in order:
        return 0
    older = [one for one in order[order.index(oid) + 1 :] if one in there]
    return there.index(older[0]) if older else len(there)


def _insert(log: Path, line: bytes, newer: int) -> None:
    """Write a line into a reflog, below the `newer` ones. Each line begins with the oid of the line before it."""
    lines = log.read_bytes().splitlines(keepends=True)
    at = len(lines) - newer
    before = lines[at - 1][41:81] if at else os.fsencode(NO_OID)
    lines[at] = line[:40] + lines[at][40:]
    lines.insert(at, before + b" " + line)
    replace_file(log, b"".join(lines), mode=stat.S_IMODE(log.stat().st_mode), exact=True)


def _drop(git: Git, oid: str) -> None:
    """Remove one stash entry, as `git stash drop` does. A kill may have left the ref without the entry."""
    there = refs.stashes(git)
    if oid in there:
        git.run("reflog", "delete", "--updateref", "--rewrite", f"{STASH}@{{{there.index(oid)}}}")
    elif there or refs.read(git, STASH) != oid:
        return
    if len(there) <= 1:
        refs.transaction(
            git, (RefUpdate(STASH, NO_OID, refs.read(git, STASH)),), "devs: no stash entry is left"
        )
