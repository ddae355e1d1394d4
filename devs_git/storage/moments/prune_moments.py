"""Deletes moments by whole days: for each worktree and day the ref of the moments and the refs of their commits.

A day's refs go together. A ref that somebody moved meanwhile makes the whole transaction fail, so no moment that was just
made is deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.moments.moment import PREFIX, STATES, day_of_ref
from devs_git.storage.git import refs
from devs_git.storage.git.object_graph import contents
from devs_git.storage.git.objects import TREE, Entry, Objects
from devs_git.storage.git.places import common_of
from devs_git.storage.git.program import Git
from devs_git.values import immutable

# The note of the last moment, for the hooks.
LAST: Final = "last"
# A tree's line is a mode, a space, a name, NUL and the 20 bytes of an oid.
_OID: Final = 20


@immutable
class Day:
    """The moments of one worktree (git's name of it, `.` for the main one) on one day (`2026-11-23`, UTC).

    `refs` are the names and oids of all refs that go with the day. `ids`: the moments, each as often as it is listed.
    """

    worktree: str
    day: str
    refs: tuple[tuple[str, str], ...]
    ids: tuple[str, ...]

    @property
    def moments(self) -> int:
        """How many moments the day has."""
        return len(self.ids)


def days(git: Git) -> tuple[Day, ...]:
    """All days that have moments, oldest first. `git` has GIT_DIR in its environment.

    This takes at most three git children, however many moments there are.
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for ref, oid in refs.list_refs(git, PREFIX.rstrip("/")).items():
        named = day_of_ref(ref)
        if named:
            found.setdefault(named, []).append((ref, oid))
    trees = [oid for each in found.values() for ref, oid in each if ref.startswith(STATES)]
    held = _moments(git, trees)
    return tuple(
        Day(
            worktree,
            day,
            tuple(each),
            tuple(one for ref, oid in each if ref.startswith(STATES) for one in held.get(oid, ())),
        )
        for (worktree, day), each in sorted(found.items(), key=lambda pair: (pair[0][1], pair[0][0]))
    )


def deletions(days: Sequence[Day]) -> tuple[RefUpdate, ...]:
    """The ref updates that delete these days, for a transaction of the caller."""
    return tuple(RefUpdate(ref, NO_OID, oid) for day in days for ref, oid in day.refs)


def reduction(objects: Objects, ref: str, day: str, keep: Collection[str]) -> RefUpdate:
    """The update of the ref of a day, now at the tree `day`, by which only the moments `keep` stay. It writes the trees.

    The refs of the day's commits stay as they are.
    """
    hours = {}
    for hour, folder in objects.read_tree(day).items():
        stay = {name: one for name, one in objects.read_tree(folder.oid).items() if one.oid in keep}
        if stay:
            hours[hour] = Entry(TREE, objects.write_tree(stay))
    return RefUpdate(ref, objects.write_tree(hours), day)


def prune(git: Git, days: Sequence[Day]) -> int:
    """Delete these days in one transaction; how many moments they had. RefMoved, RefLocked: then none was deleted."""
    updates = deletions(days)
    forget_last(git, updates)
    if updates:
        refs.transaction(git, updates, "devs: prune moments")
    return sum(day.moments for day in days)


def forget_last(git: Git, updates: Sequence[RefUpdate]) -> None:
    """Before a deletion: delete the notes of worktrees that lose their newest moment.

    By its note, the next hook would find that nothing has changed since that moment, and make none.
    """
    going = {update.ref for update in updates if update.ref.startswith(STATES)}
    if not going:
        return
    # The last part of the name is the day, so the newest ref of a worktree comes last.
    newest = {ref.rpartition("/")[0]: ref for ref in sorted(refs.list_refs(git, STATES.rstrip("/")))}
    for ref in going.intersection(newest.values()):
        named = day_of_ref(ref)
        if named:
            _folder(common_of(git), named[0]).joinpath(LAST).unlink(missing_ok=True)


def _folder(common: Path, worktree: str) -> Path:
    """The folder with our files about the moments of a worktree, which may be gone."""
    return (common if worktree == "." else common / "worktrees" / worktree) / "devs" / "moments"


def _moments(git: Git, trees: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The moments of each tree of a day. A tree that git pruned counts as empty."""
    hours = {oid: _entries(data) for oid, data in contents(git, list(dict.fromkeys(trees)))}
    every = [hour for each in hours.values() for hour in each]
    held = {oid: _entries(data) for oid, data in contents(git, list(dict.fromkeys(every)))}
    return {oid: tuple(one for hour in each for one in held.get(hour, ())) for oid, each in hours.items()}


def _entries(tree: bytes) -> list[str]:
    """The oids of a tree's entries."""
    found, at = [], 0
    while at < len(tree):
        nul = tree.index(b"\0", at)
        found.append(tree[nul + 1 : nul + 1 + _OID].hex())
        at = nul + 1 + _OID
    return found
