"""Lists moments, and reads the state and the details of one."""

from __future__ import annotations

import json
from collections.abc import Iterator

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
from devs_git.storage.git.objects import TREE, Objects
from devs_git.storage.git.program import Git
from devs_git.storage.worktree.backups import META, State, state_of


def list_moments(git: Git, objects: Objects, *, worktree: str | None = None) -> tuple[Moment, ...]:
    """All moments, newest first, or those of one worktree. Their details are not read. Trees that git pruned are skipped."""
    pattern = STATES.rstrip("/") if worktree is None else f"{STATES}{path_of(worktree)}"
    found = [
        moment for ref, oid in refs.list_refs(git, pattern).items() for moment in _of_day(objects, ref, oid)
    ]
    return tuple(sorted(found, key=lambda one: (one.created_at, one.id), reverse=True))


def _of_day(objects: Objects, ref: str, oid: str) -> Iterator[Moment]:
    """The moments below one ref."""
    named = day_of_ref(ref)
    if named is None:
        return
    worktree, day = named
    try:
        hours = objects.read_tree(oid)
    except DevsError:
        return
    for hour, folder in hours.items():
        try:
            entries = objects.read_tree(folder.oid)
        except DevsError:
            continue
        for name, entry in entries.items():
            said = time_of_entry(day, hour, name)
            if said and entry.mode == TREE:
                yield Moment(entry.oid, worktree, *said)


def load(objects: Objects, moment_id: str) -> tuple[State, Details]:
    """The state that a moment has, and its details. MOMENT_NOT_FOUND if no such moment is in the object store."""
    try:
        entry = objects.read_tree(moment_id).get(META)
        record = json.loads(objects.read(entry.oid, "blob")) if entry else {}
        return state_of(record["state"]), details_of(record["moment"])
    except (DevsError, KeyError, TypeError, ValueError) as error:
        raise DevsError(
            "MOMENT_NOT_FOUND",
            f"There is no moment {moment_id[:12]}, or git pruned a part of it.",
            hint="List them: devs-git log --moments",
        ) from error
