"""Backups: the state of a worktree as objects, written as a commit, read back, and kept where nothing takes it away.

A backup is one commit whose tree holds, apart: `index` (git's tree of the staging area), `worktree` (what git would
store for the tracked and saved files as they are), `raw` (their bytes as they are on disk, where these
differ), `index.raw` (the index file itself, where a tree cannot say it all) and `meta.json`. Its parent is HEAD.

It is kept by its ref, and by second names of its objects, where no `git prune` looks.
Until the ref is there only git's own grace (two weeks by default) keeps its objects from a `git gc` that runs now; and one
that had listed before what can be reached deletes them after that, too (see `newest_objects`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.ledger.events import NO_OID, Event, RefUpdate
from devs_git.errors import DevsError, immovable
from devs_git.storage.git import newest_objects, refs
from devs_git.storage.git.objects import FILE, TREE, Entry, Objects
from devs_git.storage.git.private_index import DURABLE
from devs_git.storage.git.program import Git, GitFailed, split_lines
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.modes import Modes
from devs_git.values import as_mapping, field, immutable

FOLDER: Final = "devs/saved"  # in the common git directory
META: Final = "meta.json"
KEPT: Final = 4096  # objects of earlier backups


@immutable
class State:
    """A worktree's state as objects. Trees are oids; `raw` and `index_raw` are '' where there is nothing to say.

    `modes` are the permissions of the files that were captured or are to be written, and of the folders above them.
    Where the state is `exact`, each file has the bytes that `raw` has of it, or else those of its blob; only of `unkept` files
    the oid of the bytes alone is known.
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
    """A state from its mapping. Version 0.1 kept `modes` as a blob of their own."""
    return State(**data | {"modes": data["modes"] if isinstance(data.get("modes"), dict) else {}})


def store(
    objects: Objects, state: State, signature: str, subject: str, *event_fields: tuple[str, str]
) -> str:
    """Write the backup commit of `state` and return its oid; the caller gives it a ref. `told` is what the operation's event
    will say: copies of that event are told apart by it (`own_operations.py`).
    """
    entries = {"index": Entry(TREE, state.index), "worktree": Entry(TREE, state.worktree)}
    if state.raw:
        entries["raw"] = Entry(TREE, state.raw)
    if state.index_raw:
        entries["index.raw"] = Entry(FILE, state.index_raw)
        entries["empty"] = Entry(FILE, objects.write("blob", b""))  # what its intent-to-add entries name
    entries[META] = Entry(FILE, objects.write("blob", json.dumps(as_mapping(state), indent=1).encode()))
    tree = objects.write_tree(entries)
    head = f"tree {tree}\nparent {state.head}\nauthor {signature}\ncommitter {signature}\n\n"
    message = Event("backup", subject, event_fields).message()
    return objects.write("commit", f"{head}{message}".encode("utf-8", "surrogateescape"))


def load(objects: Objects, backup: str) -> State:
    """The state that a backup commit holds; NOTHING_TO_UNDO where retention took it away, or its HEAD was rewritten."""
    if not objects.exists(backup):
        raise DevsError(
            "NOTHING_TO_UNDO",
            f"The backup {backup[:12]} was pruned.",
            hint="Branches and stash entries still have what they saved: git branch --list 'devs/preserved/*'",
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
    if data.get("head", "").encode() != words[53:93]:
        raise DevsError(
            "NOTHING_TO_UNDO",
            "The history was rewritten after the operation, so the state before it cannot come back.",
            hint=f"List the files of the backup: git ls-tree -r {backup[:12]}",
        )
    return state_of(data)


def is_head_alone(objects: Objects, backup: str) -> bool:
    """Whether a backup holds no tree but HEAD's own, and nothing beside it."""
    state = load(objects, backup)
    trees = {state.index, state.worktree}
    beside = state.raw or state.index_raw
    return not beside and trees == {objects.read(state.head, "commit")[5:45].decode()}


def keep(site: Site, op_id: str, backup: str) -> None:
    """Give the backup its ref, on disk for good, before anything is moved. GIT_RESET_FAILED where it is not whole then."""
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
    """What the backup adds to branches and tags; GitFailed where some of it is gone."""
    said = git.run("rev-list", "--objects", backup, "--not", "--branches", "--tags", "--")
    return {line[:40] for line in split_lines(said.decode("utf-8", "replace"))}


def _own(site: Site, backup: str) -> set[str]:
    """The objects of a backup that holds no tree but HEAD's own; none of any other, and where it cannot be read."""
    try:
        if not is_head_alone(site.objects, backup):
            return set()
        tree = site.objects.read(backup, "commit")[5:45].decode()
        entries = site.objects.read_tree(tree).values()
    except DevsError:
        return set()
    return {backup, tree, *(entry.oid for entry in entries if entry.mode != TREE)}


def restore(site: Site) -> None:
    """Give the objects of the newest backups their first names again that a prune took."""
    newest_objects.restore(site.git, site.places.common, FOLDER)


def pruned_objects_refusal(code: str = "GIT_RESET_FAILED") -> DevsError:
    return immovable(
        "missing_objects",
        "Objects that were just saved are missing. Is git gc --prune=now running?",
        code=code,
        hint="Wait until it ends, then run the command again. Nothing was changed.",
    )
