"""Branches and stash entries that an operation makes or removes besides its own branch, and how an undo reverses that.

Only branches and stash entries that were lost come back, so no ref that exists ever moves. git cannot move a stash entry in
a transaction: an entry is a line of a reflog. So entries follow after the transaction, and again in a recovery.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.values import as_mapping, field, immutable

STASH: Final = "refs/stash"


@immutable
class RefChanges:
    """Branches by full name, and stash entries, newest first. `removed` ones were made by the operation that is undone."""

    made: Mapping[str, str] = field(default_factory=dict)
    removed: Mapping[str, str] = field(default_factory=dict)
    stashed: tuple[str, ...] = ()
    unstashed: tuple[str, ...] = ()

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
    for one in reversed(list(operations)):
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
    )


def is_free(ref: str, held: Iterable[str]) -> bool:
    """Whether git can make a ref of this name: none has it, or is above or below it."""
    return not any(f"{ref}/".startswith(f"{name}/") or name.startswith(f"{ref}/") for name in held)


def settle_stash(git: Git, made: Sequence[str], removed: Sequence[str]) -> None:
    """Make and remove stash entries, newest first, as far as that is not done yet. `git` is that of the ledger."""
    there = refs.stashes(git)
    for oid in reversed([oid for oid in made if oid not in there]):
        subject = git.text("show", "-s", "--format=%s", oid)
        update = RefUpdate(STASH, oid, refs.read(git, STASH) or NO_OID)
        refs.transaction(git, (update,), subject)
    for oid in removed:
        _drop(git, oid)


def _drop(git: Git, oid: str) -> None:
    """Remove one stash entry, as `git stash drop` does."""
    there = refs.stashes(git)
    if oid not in there:
        return
    git.run("reflog", "delete", "--updateref", "--rewrite", f"{STASH}@{{{there.index(oid)}}}")
    if len(there) == 1:
        refs.transaction(
            git, (RefUpdate(STASH, NO_OID, refs.read(git, STASH)),), "devs: no stash entry is left"
        )
