"""Backups: the state of a worktree, stored as a commit, so that it can be read back and is not pruned.

A backup is one commit. Its parent is HEAD. Its tree has these entries: `index` (the tree of the index), `worktree` (what
git would store for the tracked and saved files), `raw` (their bytes on disk, where these differ from the blobs),
`index.raw` (the index file itself, if a tree cannot represent all of it), `brought` (the untracked files that the
operation brings back) and `meta.json`.

A ref keeps the backup, and so do hard links to its objects in a folder where `git prune` does not look. The ref alone is
not enough. Before it exists, only git's grace period (two weeks by default) protects the objects from a `git gc` that
runs at that moment. A `git gc` that listed the reachable objects before then deletes them even after the ref exists (see
`newest_objects`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from devs_git.domain.ledger.events import NO_OID, Event, RefUpdate
from devs_git.errors import DevsError, immovable
from devs_git.storage.git import refs
from devs_git.storage.git.objects import EMPTY_TREE, FILE, TREE, Entry, Objects
from devs_git.storage.git.private_index import DURABLE
from devs_git.storage.git.program import Git, GitFailed, split_lines, split_z
from devs_git.storage.worktree.modes import Modes
from devs_git.values import TYPE_CHECKING, Any, Final, as_mapping, field, immutable

if TYPE_CHECKING:
    from devs_git.storage.worktree.engine_site import Site

# In the common git directory.
FOLDER: Final = "devs/saved"
META: Final = "meta.json"
BROUGHT: Final = "brought"
# How many objects of earlier backups keep their second names.
KEPT: Final = 4096


@immutable
class State:
    """The state of a worktree. Trees are oids; `raw` and `index_raw` are '' if they are not needed.

    `modes` are the permissions of the captured files, or of those to be written, and of the folders above them.
    If the state is `exact`, each file has the bytes that `raw` has for it, or else those of its blob. The exception are
    the `unkept` files: only the oid of their bytes is recorded.
    """

    head: str
    branch: str
    index: str
    worktree: str
    raw: str = ""
    index_raw: str = ""
    active: str = ""
    modes: Modes = field(default_factory=dict)
    exact: bool = False
    unkept: Mapping[str, str] = field(default_factory=dict)


def state_of(data: dict[str, Any]) -> State:
    """A state from its mapping. Version 0.1 stored `modes` in a separate blob."""
    return State(**data | {"modes": data["modes"] if isinstance(data.get("modes"), dict) else {}})


@immutable
class Besides:
    """Further entries of a backup's tree (`brought_entries`, `left_state.py`), and commits that git must keep for it."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    commits: tuple[str, ...] = ()


def store(
    objects: Objects,
    state: State,
    signature: str,
    subject: str,
    *event_fields: tuple[str, str],
    more: Besides | None = None,
) -> str:
    """Write the backup commit of `state` and return its oid; the caller gives it a ref.

    `event_fields` are fields of the operation's event: they distinguish copies of that event (`own_operations.py`).
    `more`: what it has besides the state.
    """
    more = more or Besides()
    entries = {**more.entries, "index": Entry(TREE, state.index), "worktree": Entry(TREE, state.worktree)}
    if state.raw:
        entries["raw"] = Entry(TREE, state.raw)
    if state.index_raw:
        entries["index.raw"] = Entry(FILE, state.index_raw)
        # The intent-to-add entries of the index name the empty blob.
        entries["empty"] = Entry(FILE, objects.write("blob", b""))
    entries[META] = Entry(FILE, objects.write("blob", json.dumps(as_mapping(state), indent=1).encode()))
    tree = objects.write_tree(entries)
    # The first parent is HEAD of then. Without one, nothing else may be the first.
    parent = "".join(f"parent {oid}\n" for oid in (state.head, *more.commits)) if state.head else ""
    head = f"tree {tree}\n{parent}author {signature}\ncommitter {signature}\n\n"
    message = Event("backup", subject, event_fields).message()
    return objects.write("commit", f"{head}{message}".encode("utf-8", "surrogateescape"))


def load(objects: Objects, backup: str) -> State:
    """The state in a backup commit; NOTHING_TO_UNDO if retention pruned the backup, or its HEAD was rewritten."""
    if not objects.exists(backup):
        raise DevsError(
            "NOTHING_TO_UNDO",
            f"The backup {backup[:12]} was pruned.",
            hint="Preserved branches and stash entries still exist: git branch --list 'devs/preserved/*'",
        )
    words = objects.read(backup, "commit")
    entry = objects.read_tree(words[5:45].decode()).get(META)
    if entry is None:
        raise DevsError(
            "CONFLICT",
            f"{backup} is not a backup of devs-git.",
            hint="See: git for-each-ref refs/devs/backup",
        )
    data = json.loads(objects.read(entry.oid, "blob"))
    if data.get("modes") and isinstance(data["modes"], str):
        data["modes"] = json.loads(objects.read(data["modes"], "blob"))
    if data.get("head", "").encode() != (words[53:93] if words[46:53] == b"parent " else b""):
        raise DevsError(
            "NOTHING_TO_UNDO",
            "The history was rewritten after the operation, so the state before it cannot be restored.",
            hint=f"List the files in the backup: git ls-tree -r {backup[:12]}",
        )
    return state_of(data)


def brought_entries(objects: Objects, brought: Mapping[str, str]) -> dict[str, Entry]:
    """The entry of a backup's tree for untracked files that the operation brings back; none for no files."""
    if not brought:
        return {}
    lines = b"".join(f"{oid} ".encode() + os.fsencode(path) + b"\0" for path, oid in brought.items())
    return {BROUGHT: Entry(FILE, objects.write("blob", lines))}


def load_brought(objects: Objects, backup: str) -> dict[str, str]:
    """The untracked files that the operation of a backup brought back, with the oids of their bytes."""
    entry = objects.read_tree(objects.read(backup, "commit")[5:45].decode()).get(BROUGHT)
    lines = split_z(objects.read(entry.oid, "blob")) if entry else []
    return {line[41:]: line[:40] for line in lines}


def is_head_alone(objects: Objects, backup: str) -> bool:
    """Whether a backup has no other trees than HEAD's own, no raw bytes and no index file."""
    state = load(objects, backup)
    trees = {state.index, state.worktree}
    more = state.raw or state.index_raw or len(_trees(objects, backup)) > len(("index", "worktree"))
    return not more and trees == {tree_of_head(objects, state.head)}


def tree_of_head(objects: Objects, head: str) -> str:
    """The tree of HEAD's commit; the empty one if `head` is '', before the first commit."""
    return objects.read(head, "commit")[5:45].decode() if head else EMPTY_TREE


def _trees(objects: Objects, backup: str) -> list[str]:
    """The names of the trees in a backup."""
    entries = objects.read_tree(objects.read(backup, "commit")[5:45].decode())
    return [name for name, entry in entries.items() if entry.mode == TREE]


def keep(site: Site, op_id: str, backup: str) -> None:
    """Create the backup's ref and sync it to disk, before anything is moved.

    GIT_RESET_FAILED if objects of the backup are missing then.
    """
    from devs_git.storage.git import newest_objects

    update = RefUpdate(f"{refs.BACKUPS}{op_id}", backup, NO_OID)
    git = site.ledger.git.with_config(*DURABLE).with_descriptors(*site.git.keep_open)
    try:
        refs.transaction(git, (update,), "devs: backup")
    except GitFailed as error:
        raise (pruned_objects_refusal() if refs.missing_object(error) else error) from error
    try:
        oids = _own(site, backup) or _listed(git, backup)
        if not newest_objects.keep(site.places.common, oids, FOLDER, KEPT):
            _listed(git, backup)
    except GitFailed as error:
        gone = RefUpdate(update.ref, NO_OID, backup)
        refs.transaction(git, (gone,), "devs: backup is not whole")
        raise pruned_objects_refusal() from error


def _listed(git: Git, backup: str) -> set[str]:
    """The objects of the backup that no branch or tag reaches; GitFailed if one of them is missing."""
    said = git.run("rev-list", "--objects", backup, "--not", "--branches", "--tags", "--")
    return {line[:40] for line in split_lines(said.decode("utf-8", "replace"))}


def _own(site: Site, backup: str) -> set[str]:
    """The objects of a backup with no other trees than HEAD's own; none for other backups, or if it cannot be read."""
    try:
        if not is_head_alone(site.objects, backup):
            return set()
        tree = site.objects.read(backup, "commit")[5:45].decode()
        entries = site.objects.read_tree(tree).values()
    except DevsError:
        return set()
    return {backup, tree, *(entry.oid for entry in entries if entry.mode != TREE)}


def restore(site: Site) -> None:
    """Restore objects of the newest backups that `git prune` deleted, from their second names."""
    from devs_git.storage.git import newest_objects

    newest_objects.restore(site.git, site.places.common, FOLDER)


def pruned_objects_refusal(code: str = "GIT_RESET_FAILED") -> DevsError:
    """The refusal if objects of a new backup are missing."""
    return immovable(
        "missing_objects",
        "Objects that were just saved are missing. Is git gc --prune=now running?",
        code=code,
        hint="Wait until it ends, then run the command again. Nothing was changed.",
    )
