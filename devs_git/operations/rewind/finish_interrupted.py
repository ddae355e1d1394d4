"""Carry out a person's decision about an interrupted move that recovery may not change: `doctor --finish` or `--take-back`.

Both first save the index and the files that the person has edited since under `refs/devs/backup/<op_id>-found`.

To finish is to complete the operation from its journal: files, index, HEAD, refs and the event. CONFLICT if a ref of the
operation, or the ledger, has moved since: then the person can only take it back. To take back is to restore files, index
and refs, and to record that the operation failed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from devs_git.domain.ledger.event_operations import finished_by_doctor
from devs_git.domain.ledger.events import NO_OID, Draft
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.places import Places
from devs_git.storage.git.private_index import DURABLE, index_path, private
from devs_git.storage.git.program import join_z
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import journal, late_saves
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.interrupted import half_done_move, ownership, positions, recovery
from devs_git.storage.worktree.journal import Journal
from devs_git.storage.worktree.survey import head_of


def interrupted_moves(places: Places) -> Iterator[Journal]:
    """The interrupted moves that this worktree can end: its own, and those of removed worktrees."""
    for path in sorted(places.journals.glob("*.json")):
        data = journal.read(path)
        if data.get("kind") == "move" and (
            data["worktree"] == places.worktree_id or journal.is_worktree_gone(places, data)
        ):
            yield journal.parse(data)


def carry_out_decision(site: Site, open_journal: Journal, *, forward: bool) -> str:
    """Finish the move (`forward`) or take it back; returns what was done. The caller holds the worktree's lock."""
    if open_journal.worktree != site.places.worktree_id:
        return close_removed_worktree(site, open_journal)
    return finish(site, open_journal) if forward else take_back(site, open_journal)


def finish(site: Site, open_journal: Journal) -> str:
    """Complete the move; returns what was done. The caller holds the worktree's lock."""
    positions.clear_locks(site, open_journal)
    if not recovery.committed_event(site, open_journal):
        _require_position(site, open_journal)
        recovery.hold_lock(site, open_journal)
        _keep_found(site, open_journal)
        journal.begin_writing(site.places, open_journal.op_id)
        half_done_move.restore(site, open_journal, forward=True, force=True)
        _commit(site, open_journal)
    recovery.finish(site, open_journal, replay=True)
    return f"The interrupted {open_journal.verb} is now finished ({open_journal.op_id})."


def take_back(site: Site, open_journal: Journal) -> str:
    """Take the move back; returns what was done. The caller holds the worktree's lock."""
    positions.clear_locks(site, open_journal)
    if recovery.committed_event(site, open_journal):
        recovery.finish(site, open_journal, replay=True)
        return f"The interrupted {open_journal.verb} was already recorded, and is now finished ({open_journal.op_id})."
    recovery.hold_lock(site, open_journal)
    _keep_found(site, open_journal)
    recovery.take_back(site, open_journal, "TAKEN_BACK", force=True)
    return f"The interrupted {open_journal.verb} is now taken back ({open_journal.op_id})."


def close_removed_worktree(site: Site, open_journal: Journal) -> str:
    """Close a move whose worktree is gone: its refs move on or back, as the ledger says. There are no files to move."""
    positions.clear_locks(site, open_journal)
    if recovery.committed_event(site, open_journal):
        positions.finish_refs(site, open_journal)
    else:
        positions.take_back_refs(site, open_journal)
    journal.close(site.places, open_journal)
    return f"The {open_journal.verb} that was interrupted in the removed worktree {open_journal.worktree!r} is closed."


def _require_position(site: Site, open_journal: Journal) -> None:
    """CONFLICT if a ref of the operation has neither its old nor its new value."""
    updates = (*open_journal.updates, *journal.decode_draft(open_journal.draft).updates)
    moved = [u.ref for u in updates if (refs.read(site.git, u.ref) or NO_OID) not in (u.old, u.new)]
    branch = head_of(site.git).branch
    if branch not in (open_journal.old.branch, open_journal.new.branch):
        moved.append("HEAD")
    if moved:
        raise DevsError(
            "CONFLICT",
            f"{moved[0]} was moved after the interrupted {open_journal.verb}, which cannot be finished now.",
            hint="Take it back: devs-git doctor --take-back",
            ref=moved[0],
        )


def _keep_found(site: Site, open_journal: Journal) -> None:
    """Save the index and the user's files as they are now under a ref, once for each decision."""
    late_saves.bring_back_in_recovery(site, open_journal)
    files = half_done_move.find_foreign(
        site, open_journal, ownership.sides_of(site.git, open_journal, open_journal.folder(site.places))
    )
    ours = ownership.index_is_ours(site.git, open_journal.folder(site.places))
    if ours and not files:
        return
    found = open_journal.folder(site.places) / "index.found"
    shutil.copy2(index_path(site.git), found)
    git = private(site.git, found).with_config(*DURABLE)
    index = git.text("write-tree", "--missing-ok")
    disks = ownership.look(site.git, sorted(files), open_journal.folder(site.places))
    there = [path for path, disk in disks.items() if disk.kind in ("file", "link")]
    git.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=join_z(there))
    head = head_of(site.git)
    state = State(head.commit, head.branch, index, git.text("write-tree", "--missing-ok"))
    late_saves.keep_found(site, open_journal, state, f"Found when deciding about {open_journal.op_id}")


def _commit(site: Site, open_journal: Journal) -> None:
    """The transaction that the interrupted verb did not reach."""
    kept = journal.decode_draft(open_journal.draft)
    waiting = [
        u for u in (*open_journal.updates, *kept.updates) if (refs.read(site.git, u.ref) or NO_OID) == u.old
    ]
    event = finished_by_doctor(kept.event)

    def build(tip: Tip) -> Draft:
        positions.require_same_ledger(site, open_journal.ledger, tip.oid)
        points = tip.here.checkpoints
        gone = [tag for tag in event.undone if tag not in points or not points[tag].live]
        if gone:
            raise DevsError(
                "CONFLICT",
                "Checkpoints of the operation have changed since, so it cannot be finished.",
                hint="Take it back: devs-git doctor --take-back",
            )
        return Draft(event, kept.files, tuple(u for u in waiting if u.old != u.new))

    positions.point_head(site, head_of(site.git).branch, open_journal.new.branch)
    git = site.ledger.git.with_env(GIT_DIR=str(site.places.git_dir), DEVS_GIT_OP=open_journal.op_id)
    site.ledger.append(build, git=git.with_descriptors(*site.git.keep_open))
