"""Files that somebody saved during a move, after we had taken them aside. They are put back to their paths.

If a path is not free, because somebody saved it twice, the file is stored behind a ref of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.storage.git import refs
from devs_git.storage.git.private_index import DURABLE, private
from devs_git.storage.git.program import Git
from devs_git.storage.git.refs import BACKUPS
from devs_git.storage.worktree import file_state, files_aside
from devs_git.storage.worktree.backups import State, store
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import FileState, FileStates
from devs_git.storage.worktree.interrupted import ownership
from devs_git.storage.worktree.interrupted.ownership import Side
from devs_git.storage.worktree.journal import Journal

_NOTHING: Final = (None, None)
# A path, and where its file is now.
Late = Iterator[tuple[str, str]]


def bring_back_after_move(site: Site, journal: Journal, file_states: FileStates) -> list[str]:
    """After a move: put back the files that changed after the capture, and return their paths."""

    def is_late_save(path: str, spot: str) -> bool:
        return not file_state.is_same(spot, file_states.get(path), renamed=True)

    return _bring_back(site, journal, is_late_save)


def bring_back_in_recovery(site: Site, journal: Journal) -> list[str]:
    """In a recovery: put back each file that is neither the old nor the new one, nor a part of one that git was writing.

    Returns their paths.
    """
    sides = ownership.sides_of(site.git, journal, journal.folder(site.places))
    known = ownership.oids_of(sides)
    made = ownership.git_on_moved_index(site.git, journal.folder(site.places))

    def is_late_save(path: str, spot: str) -> bool:
        seen = file_state.look_at(spot)
        if seen is None or seen.oid in known:
            return False
        return seen.is_link or not any(
            ownership.is_partial_write(made, path, side, spot) for side in sides.get(path, _NOTHING)
        )

    return _bring_back(site, journal, is_late_save)


def _bring_back(site: Site, journal: Journal, is_late_save: Callable[[str, str], bool]) -> list[str]:
    top, folder = os.fspath(site.top), journal.folder(site.places)
    late = [(path, spot) for path, spot in _files_taken_aside(top, journal, site) if is_late_save(path, spot)]
    if not late:
        return []
    sides = ownership.sides_of(site.git, journal, journal.folder(site.places))
    kept = {}
    for path, spot in late:
        if files_aside.put(spot, top, path):
            continue
        _make_way(site, folder, path, sides.get(path, _NOTHING))
        if not files_aside.put(spot, top, path):
            kept[path] = spot
    if kept:
        _keep(site, journal, kept)
    return sorted({path for path, _ in late})


def _files_taken_aside(top: str, journal: Journal, site: Site) -> Late:
    for one in files_aside.rounds(top, journal.folder(site.places)):
        for number, path in enumerate(one.paths):
            if spot := one.spot(number):
                yield path, spot


def _make_way(site: Site, folder: Path, path: str, sides: tuple[Side | None, Side | None]) -> None:
    """Remove the file that the move put at a path, unless somebody has saved a newer one there."""
    disk = ownership.look(site.git, [path], folder)[path]
    if disk.seen is None or not ownership.is_ours(
        ownership.git_on_moved_index(site.git, folder), path, disk, sides, going_back=False
    ):
        return
    again = files_aside.begin(os.fspath(site.top), folder, (path,))
    spot = again.take(0)
    if spot and not file_state.is_same(spot, disk.seen, renamed=True):
        files_aside.put(spot, os.fspath(site.top), path)
    elif spot:
        os.unlink(spot)  # noqa: PTH108 - strings


def _keep(site: Site, journal: Journal, files: Mapping[str, str]) -> None:
    """Store files whose paths have newer saves, behind a ref of their own."""
    git = private(site.git, journal.folder(site.places) / "index.late").with_config(*DURABLE)
    lines = []
    for path, spot in files.items():
        seen = file_state.look_at(spot)
        if seen is not None:
            lines.append(b"%s %s\t%s\0" % (_mode(seen), _stored(git, spot, seen).encode(), os.fsencode(path)))
    git.run("update-index", "-z", "--index-info", stdin=b"".join(lines))
    tree = git.text("write-tree")
    state = State(journal.old.head, journal.old.branch, site.objects.write("tree", b""), tree)
    ref = keep_found(site, journal, state, f"Saved during {journal.op_id}")
    site.say(f"{min(files)!r} was edited twice during the operation. The first edit is saved in {ref}.")


def _mode(seen: FileState) -> bytes:
    return b"120000" if seen.is_link else b"100755" if seen.mode & 0o100 else b"100644"


def _stored(git: Git, spot: str, seen: FileState) -> str:
    if seen.is_link:
        target = os.fsencode(os.readlink(spot))  # noqa: PTH115 - strings
        return git.run("hash-object", "-w", "--stdin", stdin=target).decode().strip()
    return git.text("hash-object", "-w", "--no-filters", "--", spot)


def keep_found(site: Site, journal: Journal, state: State, subject: str) -> str:
    """Store a state behind the ref `<backup>-found`, or one with a number after it. Returns the ref."""
    oid = store(site.objects, state, site.ledger.signature(), subject)
    taken, name = refs.list_refs(site.git, f"{BACKUPS}"), f"{BACKUPS}{journal.op_id}-found"
    free = next(
        ref for ref in (name, *(f"{name}-{at}" for at in range(2, len(taken) + 3))) if ref not in taken
    )
    update = RefUpdate(free, oid, NO_OID)
    refs.transaction(site.ledger.git.with_config(*DURABLE), (update,), "devs: found")
    return free
