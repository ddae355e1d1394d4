"""The journal of one operation. It is on disk before the first step, so that we can recover after a `kill -9` at any step.

The file `<common git dir>/devs/journal/<op_id>.json` names the worktree. The private files of the operation are in
`<git dir>/devs/op/<op_id>/`. While a worktree has an open journal, our hooks refuse commits in it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

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

# This file lists the differences of the two trees. A `git gc` may prune the trees before a recovery.
LISTING: Final = "listing"


class WrittenFile(NamedTuple):
    """A file that we write ourselves: its mode, and the oid of its bytes. In the journal's JSON it is a list.

    `before` is the oid of the bytes before the move, if git's blob does not change, else ''.
    """

    mode: int
    oid: str
    before: str = ""


@immutable
class Journal:
    """The journal of an open operation. `kind` is `move`; `task complete` writes journals of the kind `commit`.

    `exact`: files that we write ourselves. `raw`: oids of bytes before the move that are not those of the blob. `stash`:
    entries that are made and removed after the transaction (`ref_changes.py`).
    """

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
    exact: Mapping[str, WrittenFile] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    stash: tuple[tuple[str, ...], ...] = ((), ())

    def path(self, places: Places) -> Path:
        return places.journals / f"{self.op_id}.json"

    def folder(self, places: Places) -> Path:
        return folder_of(places, self.op_id)


def folder_of(places: Places, op_id: str) -> Path:
    """The private folder of one operation in its worktree's git directory."""
    # Another name could lead to another folder, and this one is removed later.
    if not ids.is_operation(op_id):
        raise ValueError(op_id)
    return places.operations / op_id


def make_folder(places: Places, op_id: str) -> Path:
    (folder := folder_of(places, op_id)).mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def drop_folder(places: Places, op_id: str) -> None:
    """Remove an operation's private folder. If somebody put a link in its place, only the link is removed."""
    import shutil

    folder = folder_of(places, op_id)
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def write(places: Places, journal: Journal) -> None:
    """Write the journal. The private files that it names are synced to disk before it."""
    for name in ("index.user", "index.old", LISTING):
        if (journal.folder(places) / name).exists():
            sync(journal.folder(places) / name)
    sync(journal.folder(places))
    replace_file(journal.path(places), json.dumps(as_mapping(journal)).encode(), durable=True)


def close(places: Places, journal: Journal) -> None:
    """The last step. The journal is removed first: a folder without a journal needs no recovery."""
    journal.path(places).unlink(missing_ok=True)
    drop_folder(places, journal.op_id)


def open_ones(places: Places) -> list[dict[str, Any]]:
    """The open journals of this worktree as plain mappings, oldest first. Of an unreadable one only `op_id` is known."""
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
    """A journal as a plain mapping. If it is damaged or not ours, its `kind` is `unreadable` and its `worktree` is ''."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        data = None
    # We trust the file's name and check the id inside: the id becomes the name of a folder that is removed.
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
    """Whether git could have given a worktree this name. The name becomes a part of paths."""
    return isinstance(worktree, str) and worktree != ".." and "/" not in worktree


def _require_refs(open_journal: Journal) -> None:
    """Raise ValueError if an update names something that is not a ref: we remove lock files by the names of refs."""
    for update in (*open_journal.updates, *decode_draft(open_journal.draft).updates):
        if update.ref != "HEAD" and (not update.ref.startswith("refs/") or ".." in update.ref):
            raise ValueError(update.ref)


def is_worktree_gone(places: Places, data: dict[str, Any]) -> bool:
    """Whether the worktree of a journal was removed, and with it the files that the move had changed."""
    name = data["worktree"]
    return name not in ("", ".") and not (places.common / "worktrees" / name).is_dir()


def _ours(places: Places, op_id: str) -> bool:
    """Whether an operation with an unreadable journal ran in this worktree: its private files are here."""
    if not ids.is_operation(op_id):
        return False
    return folder_of(places, op_id).is_dir() or (places.own / f"index.{op_id}").exists()


def interruption_errors(places: Places) -> list[DevsError]:
    """One error for each interrupted command. Nothing is recovered: a dry run changes nothing."""
    return [
        DevsError(
            "RECOVERY_NEEDED",
            f"The operation {entry['op_id']} was interrupted and is neither finished nor taken back.",
            hint="Any command but a dry run finishes it or takes it back, for example: devs-git status",
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
            "stash": tuple(map(tuple, data.get("stash", ((), ())))),
            "exact": {path: WrittenFile(*entry) for path, entry in data.get("exact", {}).items()},
        }
    )


def encode_draft(draft: Draft) -> dict[str, Any]:
    """A draft as a mapping for JSON. With it, a person can still finish the operation and write its event."""
    files = {path: None if data is None else os.fsdecode(data) for path, data in draft.files}
    updates = [as_mapping(update) for update in draft.updates]
    return {"event": as_mapping(draft.event), "files": files, "updates": updates}


def decode_draft(data: dict[str, Any]) -> Draft:
    """The draft from the mapping of `encode_draft`."""
    fields = tuple((key, value) for key, value in data["event"]["fields"])
    files = ((path, None if text is None else os.fsencode(text)) for path, text in data["files"].items())
    updates = tuple(RefUpdate(**update) for update in data["updates"])
    return Draft(Event(**data["event"] | {"fields": fields, "parents": ()}), tuple(files), updates)


def prepare_lock(places: Places, op_id: str) -> int:
    """Make the file that will become `index.lock`. So the journal can record its inode before the lock exists."""
    path = make_folder(places, op_id) / "held"
    path.write_text(f"devs-git {op_id}\n")
    return path.stat().st_ino


def take_index_lock(git: Git, places: Places, op_id: str) -> None:
    """Take git's own lock on the index, so that no other git can stage or commit. BUSY if another process has it."""
    try:
        os.link(folder_of(places, op_id) / "held", lock_path(git))
    except FileExistsError as error:
        raise DevsError(
            "BUSY",
            "Another git process is writing the index (index.lock).",
            hint="Wait until it ends. If no git is running, remove .git/index.lock.",
        ) from error


def begin_writing(places: Places, op_id: str) -> None:
    """Record that we write files from now on. The record is on disk before the first file is written."""
    folder = folder_of(places, op_id)
    (folder / "writing").touch()
    sync(folder)


def has_begun_writing(places: Places, op_id: str) -> bool:
    """Whether we may have written files. If not, there is nothing to take back, whatever the files contain."""
    return (folder_of(places, op_id) / "writing").exists()


def sync(path: Path) -> None:
    """Sync a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock_path(git: Git) -> Path:
    index = index_path(git)
    return index.with_name(index.name + ".lock")


def release_index_lock(git: Git, inode: int) -> None:
    """Remove `index.lock` if it has this inode. Another lock belongs to another process."""
    path = lock_path(git)
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_ino == inode:
            path.unlink()


@contextlib.contextmanager
def remove_leftovers_on_failure(places: Places, op_id: str) -> Iterator[None]:
    """If the body fails before the journal was written, remove what the operation left."""
    try:
        yield
    except BaseException:
        if not (places.journals / f"{op_id}.json").exists():
            remove_leftovers(places, op_id)
        raise


def operations_without_journal(places: Places) -> list[str]:
    """Operations of this worktree with a private folder and no journal.

    They ended before their journal was written, or after it was removed, or they moved no file and wrote none.
    """
    folder = places.operations
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    ours = filter(ids.is_operation, names)
    return [name for name in ours if not (places.journals / f"{name}.json").exists()]


def remove_leftovers(places: Places, op_id: str) -> None:
    """Remove what an operation without a journal left. It had moved nothing, or everything.

    The caller holds the worktree's lock.
    """
    (places.common / f"{BACKUPS}{op_id}.lock").unlink(missing_ok=True)
    for half in places.journals.glob(f".{op_id}.json.*"):
        half.unlink(missing_ok=True)
    drop_folder(places, op_id)
