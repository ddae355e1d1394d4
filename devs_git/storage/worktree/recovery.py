"""After a crash: finish what the ledger says was decided, take back everything else.

The caller holds the worktree's lock, so whoever opened the journal is gone; only what is ours is removed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from devs_git.domain.ledger.events import Draft, Event, Key
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import GitFailed
from devs_git.storage.worktree import active_task, files_aside, journal, positions
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.journal import Journal


def committed_event(site: Site, opened: Journal) -> Event | None:
    """The operation's event where it stands in the ledger: then it is decided."""
    return next((event for event in _events(site, opened) if not event.failed), None)


def _events(site: Site, opened: Journal) -> Iterator[Event]:
    """Events of this operation since its journal was opened."""
    events = site.ledger.events(since=opened.ledger) if site.ledger.tip().oid else iter(())
    return (event for event in events if event.get(Key.OP) == opened.op_id)


def remove_leftovers(places: Places) -> None:
    """Remove the private folders of operations that died before their journal was there, or after it had gone."""
    for op_id in journal.operations_without_journal(places):
        journal.remove_leftovers(places, op_id)


def recover_all(site: Site) -> list[str]:
    """Finish or take back every open move of this worktree; says what it did and returns the operation ids."""
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
    """A journal is renamed into place whole; one that cannot be read was damaged from outside: a person looks."""
    raise DevsError(
        "RECOVERY_NEEDED",
        f"The journal of operation {op_id} cannot be read.",
        hint=f"The state before the operation is in refs/devs/backup/{op_id}. Check it, then remove the journal "
        f"devs/journal/{op_id}.json in the git directory.",
    )


def recover(site: Site, opened: Journal) -> str:
    """Finish or take back one interrupted move; returns what was done. RECOVERY_NEEDED as `takeback` says."""
    positions.clear_locks(site, opened)
    if committed_event(site, opened):
        finish(site, opened, replay=True)
        said = f"An interrupted {opened.verb} was finished ({opened.op_id})."
    else:
        take_back(site, opened, "INTERRUPTED")
        said = f"An interrupted {opened.verb} was taken back ({opened.op_id})."
    site.say(said)
    return said


def finish(
    site: Site, opened: Journal, *, sights: FileStates | None = None, replay: bool = False
) -> list[str]:
    """What remains after the commit point: refs that a crash left, the active task, our lock, the journal.

    `sights` are the files as they were when they were taken aside. Returns the paths that somebody has written since.
    """
    if replay:
        site.step("refs left")
        positions.finish_refs(site, opened)
    site.step("active task")
    active_task.write(site.places, opened.new.active)
    site.step("unlock")
    journal.release_index_lock(site.git, opened.lock_inode)
    return _close(site, opened, sights)


def _close(site: Site, opened: Journal, sights: FileStates | None = None) -> list[str]:
    """The last step. What stands aside goes with the journal, so this is the last look at it."""
    site.step("journal closed")
    folder, late = opened.folder(site.places), []
    if files_aside.is_there(folder):
        from devs_git.storage.worktree import late_saves

        late = (
            late_saves.bring_back_in_recovery(site, opened)
            if sights is None
            else late_saves.bring_back_after_move(site, opened, sights)
        )
        files_aside.drop(site.top, folder)
    journal.close(site.places, opened)
    return late


def _record_failure(site: Site, opened: Journal, code: str) -> None:
    """The one event of an operation that failed; never the reason for another failure."""
    event = site.failed_event(opened.verb, opened.op_id, opened.subject, code)
    # Another command may end what that one began.
    began = journal.decode_draft(opened.draft).event.get(Key.STARTED)
    draft = Draft(event.saying(Key.STARTED, began))
    with contextlib.suppress(DevsError, GitFailed, refs.RefMoved, refs.RefLocked, OSError):
        if site.ledger.tip().oid and not any(event.failed for event in _events(site, opened)):
            site.ledger.append(lambda _tip: draft)


def end_as_failed(site: Site, opened: Journal, code: str) -> None:
    """Our lock goes, then the failure is told, and only then the journal: a crash in between tells it once."""
    site.step("unlock")
    journal.release_index_lock(site.git, opened.lock_inode)
    site.step("failure recorded")
    _record_failure(site, opened, code)
    _close(site, opened)


def take_back(site: Site, opened: Journal, code: str, *, force: bool = False) -> None:
    """Files, index, HEAD and refs as before the move; one event says so with `code`; the journal closed."""
    if journal.has_begun_writing(site.places, opened.op_id):
        site.step("take back")
        hold_lock(site, opened)
        from devs_git.storage.worktree import half_done_move

        try:
            half_done_move.restore(site, opened, force=force)
        except BaseException:
            journal.release_index_lock(site.git, opened.lock_inode)  # a person may need their git to decide
            raise
        site.step("refs back")
        positions.take_back_refs(site, opened)
        positions.take_back_head(site, opened)
        if active_task.read(site.places) != opened.old.active:
            active_task.write(site.places, opened.old.active)
    end_as_failed(site, opened, code)


def hold_lock(site: Site, opened: Journal) -> None:
    """Hold `index.lock` while taking back; a person may have removed the one that a crash left."""
    path = journal.lock_path(site.git)
    if not (path.exists() and path.stat().st_ino == opened.lock_inode):
        journal.take_index_lock(site.git, site.places, opened.op_id)
