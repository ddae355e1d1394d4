"""What an operation left, in its backup beside the state before: an undo compares it with the current state.

`after` has the trees of index and files, their raw bytes and the index file, if the operation left uncommitted changes: who
has changed nothing since loses nothing by the undo. `refs.json` has the branches and stash entries that the operation made or removed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.ids import is_oid
from devs_git.storage.git import refs
from devs_git.storage.git.objects import FILE, TREE, Entry, Objects
from devs_git.storage.git.private_index import DURABLE, private
from devs_git.storage.git.program import join_z, split_z
from devs_git.storage.ledger import lines_of_work
from devs_git.storage.worktree import attributes, ref_changes
from devs_git.storage.worktree.backups import State, tree_of_head
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.ref_changes import NO_CHANGES, RefChanges, changes_of
from devs_git.values import replace

AFTER: Final = "after"
REFS: Final = "refs.json"


def entries(objects: Objects, new: State, changes: RefChanges) -> dict[str, Entry]:
    """The entries of a backup's tree for an operation that makes the state `new` and the changes of refs."""
    found = {}
    head = tree_of_head(objects, new.head)
    # A recovery may still need each object of the new state. Those of HEAD's tree are kept by HEAD, and a partial clone would
    # fetch them.
    trees = {"index": new.index, "worktree": new.worktree} if {new.index, new.worktree} != {head} else {}
    parts = {name: Entry(TREE, oid) for name, oid in (*trees.items(), ("raw", new.raw)) if oid}
    parts |= {"index.raw": Entry(FILE, new.index_raw)} if new.index_raw else {}
    if parts:
        found[AFTER] = Entry(TREE, objects.write_tree(parts))
    if changes:
        found[REFS] = Entry(FILE, objects.write("blob", changes.record()))
    return found


def load_after(objects: Objects, backup: str, state: State, commit: str) -> State | None:
    """`state` with the trees of index and files that the operation of a backup left; None if it left nothing uncommitted.

    `commit`: where the operation left the branch, '' before the first commit.
    """
    found = _entries(objects, backup).get(AFTER)
    if found is None:
        return None
    trees = objects.read_tree(found.oid)
    if "index" not in trees:
        # Flags, or intents to add without a file: the trees are those of the commit.
        known = "index.raw" in trees and (not commit or objects.exists(commit))
        head = tree_of_head(objects, commit) if known else ""
        return replace(state, index=head, worktree=head) if head else None
    return replace(state, index=trees["index"].oid, worktree=trees["worktree"].oid)


def without_flags(site: Site, folder: Path, state: State) -> State:
    """The state with an index file that has no flags. Without it a move leaves the flags that entries of the index have now."""
    index = folder / "index.plain"
    own = private(site.git, index).with_config(*DURABLE)
    own.run("read-tree", state.index)
    return replace(state, index_raw=own.text("hash-object", "-w", "--no-filters", "--", str(index)))


def with_all_files(site: Site, folder: Path, state: State) -> State:
    """The state without skip-worktree flags, if a sparse checkout was ended here. git would not see changes of those files."""
    ended = (site.places.git_dir / "info/sparse-checkout").exists() and not attributes.is_sparse(site.git)
    if not (ended and state.index_raw):
        return state
    index = folder / "index.all"
    index.write_bytes(site.objects.read(state.index_raw, "blob"))
    own = private(site.git, index).with_config(*DURABLE)
    left = [line[2:] for line in split_z(own.run("ls-files", "-t", "-z")) if line[:1] in "Ss"]
    own.run("update-index", "--no-skip-worktree", "-z", "--stdin", stdin=join_z(left))
    return replace(state, index_raw=own.text("hash-object", "-w", "--no-filters", "--", str(index)))


def load_refs(objects: Objects, backup: str) -> RefChanges:
    """The branches and stash entries that the operation of a backup made or removed."""
    found = _entries(objects, backup).get(REFS)
    return changes_of(json.loads(objects.read(found.oid, "blob"))) if found else NO_CHANGES


def reverse_refs(site: Site, left: Sequence[tuple[str, str]]) -> RefChanges:
    """The changes of refs that reverse those of operations, the oldest first.

    `left`: for each its backup, and the branch or stash entry by which it preserved the state before, as its event has it.
    """
    done = [one for backup, kept in left for one in (_preserved(kept), load_refs(site.objects, backup))]
    if not any(done):
        return NO_CHANGES
    git = site.ledger.git
    held = refs.list_refs(git, lines_of_work.HEADS)
    in_use = [head.branch for head in lines_of_work.heads(git, site.places.common, held)]
    return ref_changes.reverse(done, held, refs.stashes(git), in_use, site.objects.exists)


def _preserved(kept: str) -> RefChanges:
    """The branch or the stash entry that preserves a state, as a change of refs. Anybody may have written the event."""
    ref, _, oid = kept.partition(" ")
    if not is_oid(oid):
        return NO_CHANGES
    if ref == ref_changes.STASH:
        return RefChanges(stashed=(oid,))
    return RefChanges(made={ref: oid}) if ref.startswith(lines_of_work.HEADS) else NO_CHANGES


def _entries(objects: Objects, backup: str) -> dict[str, Entry]:
    return objects.read_tree(_tree(objects, backup))


def _tree(objects: Objects, commit: str) -> str:
    return objects.read(commit, "commit")[5:45].decode()
