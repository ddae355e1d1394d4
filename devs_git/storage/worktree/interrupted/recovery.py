"""Recovery after a crash: finish each move whose event is in the ledger, and take back all others.

The caller holds the worktree's lock, so the process that opened the journal no longer runs. We only remove what is ours.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from devs_git.domain.ledger.events import Draft, Event
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import GitFailed
from devs_git.storage.worktree import active_task, files_aside, journal, ref_changes
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.interrupted import positions
from devs_git.storage.worktree.journal import Journal


def committed_event(site: Site, open_journal: Journal) -> Event | None:
    """The event of the operation, if the ledger has it: then the operation is decided."""
    return next((event for event in _events(site, open_journal) if not event.failed), None)


def _events(site: Site, open_journal: Journal) -> Iterator[Event]:
    """The events of this operation since its journal was opened."""
    events = site.ledger.events(since=open_journal.ledger) if site.ledger.tip().oid else iter(())
    return (event for event in events if event.op_id == open_journal.op_id)


def remove_leftovers(places: Places) -> None:
    """Remove what operations without a journal left: their private folders, and the locks of a git that was killed.

    They ended before their journal was written, or after it was removed, or they moved no file and wrote none.
    """
    left = journal.operations_without_journal(places)
    if left:
        positions.clear_ledger_lock(places.common)
    for op_id in left:
        journal.remove_leftovers(places, op_id)


def recover_all(site: Site) -> list[str]:
    """Finish or take back every open move of this worktree. Reports each to the user, and returns the operation ids."""
    done = []
    for data in journal.open_ones(site.places):
        from devs_git.storage.worktree import backups

        backups.restore(site)
        if data.get("kind") == "unreadable":
            _refuse_unreadable(data["op_id"])
        elif data.get("kind") == "move":
            recover(site, journal.parse(data))
            done.append(data["op_id"])
    return done


def _refuse_unreadable(op_id: str) -> None:
    """Refuse, because a person has to look: we rename each journal into place when it is complete, so something else
    damaged this one.
    """
    raise DevsError(
        "RECOVERY_NEEDED",
        f"The journal of operation {op_id} cannot be read.",
        hint=f"The state before the operation is in refs/devs/backup/{op_id}. Check it, then remove the journal "
        f"devs/journal/{op_id}.json in the git directory.",
    )


def recover(site: Site, open_journal: Journal) -> str:
    """Finish or take back one interrupted move. Returns a sentence that says which. RECOVERY_NEEDED as in `take_back`."""
    positions.clear_locks(site, open_journal)
    if committed_event(site, open_journal):
        finish(site, open_journal, replay=True)
        said = f"An interrupted {open_journal.verb} was finished ({open_journal.op_id})."
    else:
        take_back(site, open_journal, "INTERRUPTED")
        said = f"An interrupted {open_journal.verb} was taken back ({open_journal.op_id})."
    site.say(said)
    return said


def finish(
    site: Site, open_journal: Journal, *, file_states: FileStates | None = None, replay: bool = False
) -> list[str]:
    """Do the steps after the commit point: refs that a crash left, the active task, our lock, the journal.

    `replay`: after a crash, refs may not have moved yet. `file_states`: how the files looked at the capture. Returns the paths
    that somebody wrote to since then.
    """
    if replay:
        site.step("refs left")
        positions.finish_refs(site, open_journal)
    if any(open_journal.stash[:2]):
        site.step("stash entries")
        ref_changes.settle_stash(site.ledger.git, *open_journal.stash)
    site.step("active task")
    active_task.write(site.places, open_journal.new.active)
    site.step("unlock")
    journal.release_index_lock(site.git, open_journal.lock_inode)
    return _close(site, open_journal, file_states)


def _close(site: Site, open_journal: Journal, file_states: FileStates | None = None) -> list[str]:
    """The last step. The files aside are deleted with the journal, so first we look for late saves among them."""
    site.step("journal closed")
    folder, late = open_journal.folder(site.places), []
    if files_aside.is_there(folder):
        from devs_git.storage.worktree import late_saves

        late = (
            late_saves.bring_back_in_recovery(site, open_journal)
            if file_states is None
            else late_saves.bring_back_after_move(site, open_journal, file_states)
        )
        files_aside.drop(site.top, folder)
    journal.close(site.places, open_journal)
    return late


def _record_failure(site: Site, open_journal: Journal, code: str) -> None:
    """Record one event of the failed operation. If this fails, too, the error is ignored."""
    draft = Draft(_failure(site, open_journal, code))
    with contextlib.suppress(DevsError, GitFailed, refs.RefMoved, refs.RefLocked, OSError):
        if site.ledger.tip().oid and not any(event.failed for event in _events(site, open_journal)):
            site.ledger.append(lambda _tip: draft)


def _failure(site: Site, open_journal: Journal, code: str) -> Event:
    # Imported late: a move that succeeds does not need them.
    from devs_git.domain.ledger.event_header import Header
    from devs_git.domain.ledger.event_operations import OperationFailed
    from devs_git.domain.verbs import verb

    content = OperationFailed(open_journal.op_id, code)
    header = Header(
        verb=open_journal.verb,
        actor=site.actor,
        tier=verb(open_journal.verb).tier,
        worktree=site.places.worktree_id,
        # Another command may record the failure: the event keeps the time when the operation started.
        started=journal.decode_draft(open_journal.draft).event.started,
        finished=site.ledger.now(),
        outcome="failed",
    )
    return header.event_of(content, f"{open_journal.subject} (failed)")


def end_as_failed(site: Site, open_journal: Journal, code: str) -> None:
    """Remove our lock, record the failure, and only then close the journal.

    In this order a crash in between is recovered again, and the failure is recorded exactly once.
    """
    site.step("unlock")
    journal.release_index_lock(site.git, open_journal.lock_inode)
    site.step("failure recorded")
    _record_failure(site, open_journal, code)
    _close(site, open_journal)


def take_back(site: Site, open_journal: Journal, code: str, *, force: bool = False) -> None:
    """Restore files, index, HEAD and refs as before the move, record the failure with `code`, and close the journal.

    RECOVERY_NEEDED if a user's edit is in the way, unless `force`: then this edit stays.
    """
    if journal.has_begun_writing(site.places, open_journal.op_id):
        site.step("take back")
        hold_lock(site, open_journal)
        from devs_git.storage.worktree.interrupted import half_done_move

        try:
            half_done_move.restore(site, open_journal, force=force)
        except BaseException:
            # A person has to decide now, and may need git for it.
            journal.release_index_lock(site.git, open_journal.lock_inode)
            raise
        site.step("refs back")
        positions.take_back_refs(site, open_journal)
        positions.take_back_head(site, open_journal)
        if active_task.read(site.places) != open_journal.old.active:
            active_task.write(site.places, open_journal.old.active)
    end_as_failed(site, open_journal, code)


def hold_lock(site: Site, open_journal: Journal) -> None:
    """Hold `index.lock` during the take-back. A person may have removed the lock that a crash left."""
    path = journal.lock_path(site.git)
    if not (path.exists() and path.stat().st_ino == open_journal.lock_inode):
        journal.take_index_lock(site.git, site.places, open_journal.op_id)
