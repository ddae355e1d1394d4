"""Deletes moments by whole days: for each worktree and day the ref of the moments and those of their commits.

A day's refs go together. A ref that somebody moved meanwhile makes the whole deletion fail, so no moment that was just made
is deleted. In every function here `git` has the user's GIT_DIR in its environment; the store of moments is found from it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.moments.moment import COMMITS, STATES, TIPS, day_of_ref
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.object_graph import contents
from devs_git.storage.git.objects import TREE, Entry, Objects
from devs_git.storage.git.places import common_of
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.moments import moment_store, store_packing
from devs_git.values import immutable, replace

# The refs in the store of moments.
_OURS: Final = (STATES, TIPS)
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
    """All days that have moments, oldest first.

    This takes at most four git children, however many moments there are.
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    own = _own(git)
    every = {
        **refs.list_refs(git, COMMITS.rstrip("/")),
        **(refs.list_refs(own, *(folder.rstrip("/") for folder in _OURS)) if own else {}),
    }
    for ref, oid in every.items():
        named = day_of_ref(ref)
        if named:
            found.setdefault(named, []).append((ref, oid))
    trees = [oid for each in found.values() for ref, oid in each if ref.startswith(STATES)]
    held = _moments(own, trees) if own else {}
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


def moments_of(git: Git, trees: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The ids of the moments in each of these trees of a day."""
    return _moments(git, trees)


def without(objects: Objects, days: Iterable[tuple[str, str]], gone: Collection[str]) -> dict[str, str]:
    """For refs of days (name and oid): what they are to name so that the moments `gone` go. It writes the trees."""
    found = {}
    own = moment_store.objects_of(objects)
    for ref, day in days:
        keep = {
            one.oid
            for folder in own.read_tree(day).values()
            for one in own.read_tree(folder.oid).values()
            if one.oid not in gone
        }
        found[ref] = reduction(objects, ref, day, keep).new if keep else NO_OID
    return found


def forget_all(common: Path, refs_of_days: Iterable[str]) -> None:
    """Delete the notes and the private indexes of the worktrees whose days these refs are: they name what has gone."""
    for named in filter(None, map(day_of_ref, refs_of_days)):
        for file in _folder(common, named[0]).glob("*"):
            if file.name == LAST or file.name.startswith("index"):
                file.unlink(missing_ok=True)


def reduction(objects: Objects, ref: str, day: str, keep: Collection[str]) -> RefUpdate:
    """The update of the ref of a day, now at the tree `day`, by which only the moments `keep` stay. It writes the trees.

    The refs of the day's commits stay as they are. `objects` are the user's.
    """
    objects = replace(moment_store.objects_of(objects), alternates=())
    hours = {}
    for hour, folder in objects.read_tree(day).items():
        stay = {name: one for name, one in objects.read_tree(folder.oid).items() if one.oid in keep}
        if stay:
            hours[hour] = Entry(TREE, objects.write_tree(stay))
    return RefUpdate(ref, objects.write_tree(hours), day)


@contextlib.contextmanager
def apart(git: Git, updates: Sequence[RefUpdate]) -> Iterator[tuple[RefUpdate, ...]]:
    """Make those of `updates` that are of refs in the store after the body, or none if the body raises.

    Yields the others, which are of refs of the user's repository: the body makes them. RefMoved and RefLocked before it.
    """
    ours = [update for update in updates if update.ref.startswith(_OURS)]
    others = tuple(update for update in updates if update not in ours)
    own = _own(git)
    if own is None or not ours:
        yield others
        return
    with refs.hold_transaction(own, ours, "devs: prune moments"):
        yield others


def free_space(git: Git) -> None:
    """Delete the objects that no moment has any more, unless they are new. If that fails, the next call does it."""
    with contextlib.suppress(DevsError, GitFailed, OSError):
        store_packing.pack(git, common_of(git))


def _own(git: Git) -> Git | None:
    """git for the refs of moments; None if this repository never had any."""
    common = common_of(git)
    return moment_store.refs_of(git, common) if moment_store.exists(common) else None


def forget_last(git: Git, updates: Sequence[RefUpdate]) -> None:
    """Before a deletion: delete the notes of worktrees that lose their newest moment.

    By its note, the next hook would find that nothing has changed since that moment, and make none.
    """
    going = {update.ref for update in updates if update.ref.startswith(STATES)}
    own = _own(git)
    if not going or own is None:
        return
    # The last part of the name is the day, so the newest ref of a worktree comes last.
    newest = {ref.rpartition("/")[0]: ref for ref in sorted(refs.list_refs(own, STATES.rstrip("/")))}
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
