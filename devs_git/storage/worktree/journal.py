"""The journal of one operation: what recovery needs after a `kill -9` at any step, on disk before the step.

`<common git dir>/devs/journal/<op_id>.json` names the worktree; the operation's private files are in
`<git dir>/devs/op/<op_id>/`. While a journal of this worktree is open, our hooks refuse commits.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import Draft, Event, RefUpdate
from devs_git.errors import DevsError
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import index_path
from devs_git.storage.git.program import Git
from devs_git.storage.git.refs import BACKUPS
from devs_git.storage.worktree.backups import State, state_of
from devs_git.values import as_mapping, field, immutable

LISTING: Final = "listing"  # of what differs between the two trees: a gc may prune them meanwhile


@immutable
class Journal:
    """An open operation. `kind` is `move` here; recording has journals of its own kind (`commit`)."""

    op_id: str
    verb: str
    subject: str
    worktree: str
    kind: str
    old: State
    new: State
    backup: str
    ledger: str
    updates: tuple[RefUpdate, ...]
    trees: tuple[str, str]
    draft: dict[str, Any]
    lock_inode: int
    packed_refs_locked: bool
    # Bytes that files get from us, by path: mode, oid, and the oid of the bytes before where git's blob stays.
    exact: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)  # oids of bytes before that are not the blob's

    def path(self, places: Places) -> Path:
        return places.journals / f"{self.op_id}.json"

    def folder(self, places: Places) -> Path:
        return folder_of(places, self.op_id)


def folder_of(places: Places, op_id: str) -> Path:
    """The private folder of one operation in its worktree's git directory."""
    if not ids.is_operation(op_id):  # it could lead elsewhere, and this folder is removed
        raise ValueError(op_id)
    return places.operations / op_id


def make_folder(places: Places, op_id: str) -> Path:
    folder = folder_of(places, op_id)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def drop_folder(places: Places, op_id: str) -> None:
    """Take an operation's private folder away; of a link that somebody planted there, the link."""
    folder = folder_of(places, op_id)
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def write(places: Places, journal: Journal) -> None:
    """Write the journal, once the private files that it speaks of are on disk for good."""
    for name in ("index.user", "index.old", LISTING):
        if (journal.folder(places) / name).exists():
            sync(journal.folder(places) / name)
    sync(journal.folder(places))
    replace_file(journal.path(places), json.dumps(as_mapping(journal)).encode(), durable=True)


def close(places: Places, journal: Journal) -> None:
    """The last step: the journal goes first, its folder is only litter after that."""
    journal.path(places).unlink(missing_ok=True)
    drop_folder(places, journal.op_id)


def open_ones(places: Places) -> list[dict[str, Any]]:
    """Journals of this worktree, oldest first, as plain mappings; an unreadable one says so by its `op_id` alone."""
    found = []
    if not places.journals.is_dir():
        return []
    for path in sorted(places.journals.glob("*.json")):
        data = read(path)
        if data["kind"] == "unreadable" and _ours(places, path.stem):
            data["worktree"] = places.worktree_id
        if data["worktree"] == places.worktree_id:
            found.append(data)
    return found


def read(path: Path) -> dict[str, Any]:
    """A journal as a plain mapping; `kind` unreadable, of no worktree, where it was damaged from outside or is none of ours."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        data = None
    # Its name is believed, not what it says of itself: that becomes the name of a folder that is removed.
    if (
        isinstance(data, dict)
        and {"worktree", "kind"} <= data.keys()
        and data.get("op_id") == path.stem
        and ids.is_operation(path.stem)
        and _is_name(data["worktree"])
    ):
        with contextlib.suppress(TypeError, KeyError, ValueError):
            if data["kind"] == "move":
                _require_refs(parse(data))
            return data
    return {"op_id": path.stem, "worktree": "", "kind": "unreadable"}


def _is_name(worktree: Any) -> bool:
    """Whether git could have given a worktree this name, which becomes a part of paths."""
    return isinstance(worktree, str) and worktree != ".." and "/" not in worktree


def _require_refs(opened: Journal) -> None:
    """ValueError where an update names what is no ref: locks of refs are removed by their names."""
    for update in (*opened.updates, *decode_draft(opened.draft).updates):
        if update.ref != "HEAD" and (not update.ref.startswith("refs/") or ".." in update.ref):
            raise ValueError(update.ref)


def is_worktree_gone(places: Places, data: dict[str, Any]) -> bool:
    """Whether the worktree that a journal names was removed, with the files that its move had touched."""
    name = data["worktree"]
    return name not in ("", ".") and not (places.common / "worktrees" / name).is_dir()


def _ours(places: Places, op_id: str) -> bool:
    """Whether an operation whose journal says nothing was at work in this worktree: its private files are here."""
    if not ids.is_operation(op_id):
        return False
    return folder_of(places, op_id).is_dir() or (places.own / f"index.{op_id}").exists()


def interruption_errors(places: Places) -> list[DevsError]:
    """What an interrupted command left behind, told but not touched (under `--dry-run` nothing is recovered)."""
    return [
        DevsError(
            "RECOVERY_NEEDED",
            f"The operation {entry['op_id']} was interrupted, and is neither finished nor taken back.",
            hint="Any command without --dry-run finishes it or takes it back, for example: devs-git status",
        )
        for entry in open_ones(places)
    ]


def parse(data: dict[str, Any]) -> Journal:
    """A journal from its mapping."""
    return Journal(
        **{
            **data,
            "old": state_of(data["old"]),
            "new": state_of(data["new"]),
            "updates": tuple(RefUpdate(**update) for update in data["updates"]),
            "trees": tuple(data["trees"]),
            "exact": {path: tuple(entry) for path, entry in data.get("exact", {}).items()},
        }
    )


def encode_draft(draft: Draft) -> dict[str, Any]:
    """A draft as a mapping that JSON can hold, so that a person's decision can still write its event."""
    files = {path: None if data is None else os.fsdecode(data) for path, data in draft.files}
    return {
        "event": as_mapping(draft.event),
        "files": files,
        "updates": [as_mapping(u) for u in draft.updates],
    }


def decode_draft(data: dict[str, Any]) -> Draft:
    fields = tuple((key, value) for key, value in data["event"]["fields"])
    files = ((path, None if text is None else os.fsencode(text)) for path, text in data["files"].items())
    updates = tuple(RefUpdate(**update) for update in data["updates"])
    return Draft(Event(**data["event"] | {"fields": fields, "parents": ()}), tuple(files), updates)


def prepare_lock(places: Places, op_id: str) -> int:
    """Make the file that will become `index.lock`, so that its inode can be journalled before it is there."""
    path = make_folder(places, op_id) / "held"
    path.write_text(f"devs-git {op_id}\n")
    return path.stat().st_ino


def take_index_lock(git: Git, places: Places, op_id: str) -> None:
    """Take git's own lock on the index, so that no other git can stage or commit; BUSY where another has it."""
    try:
        os.link(folder_of(places, op_id) / "held", lock_path(git))
    except FileExistsError as error:
        raise DevsError(
            "BUSY",
            "Another git process is writing the index (index.lock).",
            hint="Wait until it ends. If no git is running, remove .git/index.lock.",
        ) from error


def begin_writing(places: Places, op_id: str) -> None:
    """Say that files are written from here on; on disk before the first of them is."""
    folder = folder_of(places, op_id)
    (folder / "writing").touch()
    sync(folder)


def has_begun_writing(places: Places, op_id: str) -> bool:
    """Whether files may have been written. Before that there is nothing to take back, whatever they hold."""
    return (folder_of(places, op_id) / "writing").exists()


def sync(path: Path) -> None:
    """Let a file or the names in a folder be on disk for good."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock_path(git: Git) -> Path:
    index = index_path(git)
    return index.with_name(index.name + ".lock")


def release_index_lock(git: Git, inode: int) -> None:
    """Remove `index.lock` if it is the one with this inode, and no other."""
    path = lock_path(git)
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_ino == inode:
            path.unlink()


@contextlib.contextmanager
def remove_leftovers_on_failure(places: Places, op_id: str) -> Iterator[None]:
    """Take the operation's folder away when it ends before its journal was written."""
    try:
        yield
    except BaseException:
        if not (places.journals / f"{op_id}.json").exists():
            remove_leftovers(places, op_id)
        raise


def operations_without_journal(places: Places) -> list[str]:
    """Operations of this worktree that have a private folder and no journal: they died before it or after it."""
    folder = places.operations
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    ours = filter(ids.is_operation, names)
    return [name for name in ours if not (places.journals / f"{name}.json").exists()]


def remove_leftovers(places: Places, op_id: str) -> None:
    """Remove what such an operation left; nothing was moved, or all of it. The caller holds the worktree's lock."""
    (places.common / f"{BACKUPS}{op_id}.lock").unlink(missing_ok=True)
    for half in places.journals.glob(f".{op_id}.json.*"):
        half.unlink(missing_ok=True)
    drop_folder(places, op_id)
