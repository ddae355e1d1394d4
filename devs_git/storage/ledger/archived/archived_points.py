"""What the archives of this repository tell of some checkpoints, for who looked for their refs and did not find them.

A repository without archives starts no git for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from devs_git.domain.checkpoints.archives import Entry
from devs_git.domain.checkpoints.wanted_refs import FOLDERS, NUMBERED
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.ledger.ids import ARCHIVES, checkpoint_ref
from devs_git.storage.git import object_graph, ref_files, refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.archived import archives

# Names of refs in one call of git, because they are arguments.
_AT_ONCE = 1000


def here(git: Git, tasks: Collection[str]) -> archives.Archived:
    """What archives have of these tasks. Without an archive, only files of git are read."""
    return archives.here(git, tasks) if tasks and ref_files.has_below(git, ARCHIVES) else {}


def without_ref(git: Git, points: Collection[Checkpoint]) -> list[Checkpoint]:
    """Those of the points that an archive has, and that have no numbered ref here."""
    have = here(git, {point.task_id for point in points})
    found = {(checkpoint_ref(point.task_id, point.number), point.tag): point for point in points}
    archived = {
        key: point for key, point in found.items() if key in have and have[key].commit == point.commit
    }
    held = _held(git, [ref for ref, _ in archived])
    return [point for (ref, _), point in archived.items() if ref not in held]


def tags_reached(git: Git, points: Collection[Checkpoint], tips: Iterable[str]) -> frozenset[str]:
    """The tags of those of the points whose commit can be reached from one of `tips`."""
    commits = object_graph.find_existing(git, {point.commit for point in points})
    left = _not_reached(git, commits, tips)
    return frozenset(point.tag for point in points if point.commit in commits and point.commit not in left)


def at(git: Git, commits: Collection[str]) -> dict[str, Entry]:
    """The numbered refs at `commits` that only archives have, of which there is one."""
    # Most commits that a rewind passes are newer than all archives, and then no archive need be read.
    every = archives.oids(git)
    old = set(commits) - _not_reached(git, commits, every)
    have = archives.at(git, every, old) if old else {}
    found = {one.ref: one for one in have.values() if one.ref.startswith(NUMBERED)}
    held = _held(git, list(found))
    return {ref: one for ref, one in found.items() if ref not in held}


def tag_object(git: Git, point: Checkpoint) -> bytes:
    """The bytes of the point's tag object; b'' if no archive has it."""
    found = archives.oids(git)
    wanted = (checkpoint_ref(point.task_id, point.number), point.tag)
    return archives.tags(git, found, [wanted]).get(point.tag, b"")


def restore_tags(git: Git, updates: Iterable[RefUpdate]) -> None:
    """Make those tag objects again that the updates name, and that git deleted because only an archive has them."""
    wanted = [(one.ref, one.new) for one in updates if one.new != NO_OID and one.ref.startswith(FOLDERS)]
    archives.restore_tags(git, archives.oids(git), wanted)


def _held(git: Git, names: list[str]) -> Collection[str]:
    """The refs that are here, of these or of more."""
    if not names:
        return ()
    return refs.list_refs(git, *(names if len(names) <= _AT_ONCE else [NUMBERED.rstrip("/")]))


def _not_reached(git: Git, commits: Iterable[str], tips: Iterable[str]) -> set[str]:
    """The commits that no tip reaches, and some of those before them."""
    script = "".join(f"{oid}\n" for oid in (*commits, *(f"^{tip}" for tip in tips))).encode()
    return set(git.run("rev-list", "--stdin", "--", stdin=script).decode().split()) if script else set()
