"""Lists moments, and reads the state and the details of one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from devs_git.domain.moments.moment import (
    STATES,
    Details,
    Moment,
    day_of_ref,
    details_of,
    path_of,
    time_of_entry,
)
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.objects import TREE, Entry, Objects
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.moments import moment_store
from devs_git.storage.worktree.backups import META, State, state_of


def list_moments(git: Git, objects: Objects, *, worktree: str | None = None) -> tuple[Moment, ...]:
    """All moments, newest first, or those of one worktree. Their details are not read. Trees that are gone are skipped.

    `git` is that of the ledger, `objects` are the user's.
    """
    return tuple(newest_first(git, objects, worktree=worktree))


def newest_first(git: Git, objects: Objects, *, worktree: str | None = None) -> Iterator[Moment]:
    """The same, but each hour is read only when it is asked for."""
    common = objects.folder.parent
    if not moment_store.exists(common):
        return
    pattern = STATES.rstrip("/") if worktree is None else f"{STATES}{path_of(worktree)}"
    own = moment_store.objects_of(objects)
    days: dict[str, list[tuple[str, str]]] = {}
    for ref, oid in refs.list_refs(moment_store.refs_of(git, common), pattern).items():
        if named := day_of_ref(ref):
            days.setdefault(named[1], []).append((named[0], oid))
    for day in sorted(days, reverse=True):
        yield from _of_day(own, day, days[day])


def list_of_worktree(git: Git, objects: Objects, places: Places) -> tuple[Moment, ...]:
    """The moments of this worktree, newest first, without those of a removed worktree that had the same name."""
    begin = _begin(places)
    every = newest_first(git, objects, worktree=places.worktree_id)
    return tuple(one for one in every if one.created_at >= begin)


def _begin(places: Places) -> str:
    """When git made the linked worktree, as moments have times; '' for the main worktree. git writes this file only once."""
    if places.git_dir == places.common:
        return ""
    from devs_git.domain.text.times import stamp_of

    made = (places.git_dir / "commondir").stat().st_mtime_ns
    return stamp_of(*divmod(made, 10**9))


def _of_day(objects: Objects, day: str, trees: Sequence[tuple[str, str]]) -> Iterator[Moment]:
    """The moments of one day, newest first. `trees` has the tree of each worktree."""
    hours: dict[str, list[tuple[str, str]]] = {}
    for worktree, oid in trees:
        for hour, folder in _entries(objects, oid).items():
            hours.setdefault(hour, []).append((worktree, folder.oid))
    for hour in sorted(hours, reverse=True):
        found = [
            one for worktree, oid in hours[hour] for one in _of_hour(objects, worktree, f"{day} {hour}", oid)
        ]
        yield from sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)


def _of_hour(objects: Objects, worktree: str, hour: str, oid: str) -> Iterator[Moment]:
    """The moments in the tree of one hour (`2026-11-23 14`)."""
    for name, entry in _entries(objects, oid).items():
        said = time_of_entry(hour[:10], hour[11:], name)
        if said and entry.mode == TREE:
            yield Moment(entry.oid, worktree, *said)


def _entries(objects: Objects, tree: str) -> dict[str, Entry]:
    try:
        return objects.read_tree(tree)
    except DevsError:
        return {}


def load(objects: Objects, moment_id: str) -> tuple[State, Details]:
    """The state that a moment has, and its details; afterwards the user's store `objects` has its objects and commits.

    MOMENT_NOT_FOUND if there is no such moment.
    """
    # Late: who makes a moment reads the one before, and needs no history.
    from devs_git.storage.moments import kept_commits

    own = moment_store.objects_of(objects)
    state, details = read(own, moment_id)
    try:
        entries = own.read_tree(moment_id)
        trees = [entry.oid for entry in entries.values() if entry.mode == TREE]
        more = [moment_id, *(entry.oid for entry in entries.values() if entry.mode != TREE)]
        moment_store.copy_to_user(objects, state.head, trees, more)
    except DevsError as error:
        raise _not_found(moment_id) from error
    kept_commits.give_back(objects, (state.head, *details.branches.values(), *details.stashes))
    return state, details


def look_up(objects: Objects, moment_id: str) -> tuple[State, Details]:
    """Like `load`, for a list: the objects stay where they are, so git cannot use the trees of the state."""
    return read(moment_store.objects_of(objects), moment_id)


def read(own: Objects, moment_id: str) -> tuple[State, Details]:
    """The same with the objects of the store of moments."""
    try:
        entry = own.read_tree(moment_id).get(META)
        record = json.loads(own.read(entry.oid, "blob")) if entry else {}
        return state_of(record["state"]), details_of(record["moment"])
    except (DevsError, KeyError, TypeError, ValueError) as error:
        raise _not_found(moment_id) from error


def _not_found(moment_id: str) -> DevsError:
    return DevsError(
        "MOMENT_NOT_FOUND",
        f"There is no moment {moment_id[:12]}, or a part of it is gone.",
        hint="List them: devs-git log --moments",
    )
