"""After a crash: finish what the ledger says was decided, take back everything else (DESIGN 4.5).

The caller holds the worktree's lock, so whoever opened the journal is gone; only what is ours is removed.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from devs_git.domain.events import LEDGER, NO_OID, Draft, Event, RefUpdate
from devs_git.errors import DevsError
from devs_git.storage import active_task, refs
from devs_git.storage.engine import journal as journals
from devs_git.storage.engine import takeback
from devs_git.storage.engine.journal import Journal
from devs_git.storage.engine.site import Site
from devs_git.storage.engine.survey import head_of
from devs_git.storage.git_program import GitFailed
from devs_git.storage.places import Places

PACKED_REFS_QUIET_SECONDS = 10.0
LOCK_QUIET_SECONDS = 0.5


def happened(site: Site, opened: Journal) -> bool:
    """Whether the operation's event stands in the ledger: then it is decided."""
    return any(not event.failed for event in _events(site, opened))


def _events(site: Site, opened: Journal) -> Iterator[Event]:
    """Events of this operation since its journal was opened."""
    events = site.ledger.events(since=opened.ledger) if site.ledger.tip().oid else iter(())
    return (event for event in events if event.get("Devs-Op") == opened.op_id)


def sweep(places: Places) -> None:
    """Remove the private folders of operations that died before their journal was there, or after it had gone."""
    for op_id in journals.litter(places):
        journals.sweep(places, op_id)


def recover_all(site: Site) -> list[str]:
    """Finish or take back every open move of this worktree; says what it did and returns the operation ids."""
    done = []
    for data in journals.open_ones(site.places):
        if data.get("kind") == "unreadable":
            _refuse_unreadable(data["op_id"])
        elif data.get("kind") == "move":
            recover(site, journals.parse(data))
            done.append(data["op_id"])
    return done


def _refuse_unreadable(op_id: str) -> None:
    """A journal is renamed into place whole; one that cannot be read was damaged from outside: a person looks."""
    raise DevsError(
        "RECOVERY_NEEDED",
        f"The journal of operation {op_id} cannot be read.",
        hint=f"What was there before is in refs/devs/backup/{op_id}. Look at it, then remove the journal "
        f"devs/journal/{op_id}.json in the git directory.",
    )


def recover(site: Site, opened: Journal, *, forward: bool = False, force: bool = False) -> str:
    """Finish or take back one interrupted move; returns what was done. RECOVERY_NEEDED as `takeback` says.

    With `forward` (a person's decision) files and index become as after the move, without its records.
    """
    clear_locks(site, opened)
    if happened(site, opened):
        finish(site, opened, replay=True)
        said = f"An interrupted {opened.verb} was finished ({opened.op_id})."
    elif forward:
        _hold_lock(site, opened)
        takeback.restore(site, opened, forward=True, force=True)
        _end(site, opened, "COMPLETED_BY_HAND")
        said = f"The files of an interrupted {opened.verb} are as it wanted them; refs did not move ({opened.op_id})."
    else:
        take_back(site, opened, "INTERRUPTED", force=force)
        said = f"An interrupted {opened.verb} was taken back ({opened.op_id})."
    site.say(said)
    return said


def finish(site: Site, opened: Journal, *, replay: bool = False) -> None:
    """What remains after the commit point: refs that a crash left, the active task, our lock, the journal."""
    left = _not_done(site, opened) if replay else []
    site.step("active task")
    if left:
        site.step("refs left")
        refs.transaction(site.git.with_env(DEVS_GIT_OP=opened.op_id), left, f"devs: {opened.subject}")
    active_task.write(site.places, opened.new.active)
    site.step("unlock")
    journals.release_index_lock(site.git, opened.lock_inode)
    site.step("journal closed")
    journals.close(site.places, opened)


def _not_done(site: Site, opened: Journal) -> list[RefUpdate]:
    """Updates whose ref still has its old value; a ref that somebody moved since is theirs."""
    return [u for u in opened.updates if u.old != u.new and (refs.read(site.git, u.ref) or NO_OID) == u.old]


def _record_failure(site: Site, opened: Journal, code: str) -> None:
    """The one event of an operation that failed; never the reason for another failure."""
    draft = Draft(site.failed_event(opened.verb, opened.op_id, opened.subject, code))
    with contextlib.suppress(DevsError, GitFailed, refs.RefMoved, refs.RefLocked, OSError):
        if site.ledger.tip().oid and not any(event.failed for event in _events(site, opened)):
            site.ledger.append(lambda _tip: draft)


def _end(site: Site, opened: Journal, code: str) -> None:
    """Our lock goes, then the failure is told, and only then the journal: a crash in between tells it once."""
    site.step("unlock")
    journals.release_index_lock(site.git, opened.lock_inode)
    site.step("failure recorded")
    _record_failure(site, opened, code)
    site.step("journal closed")
    journals.close(site.places, opened)


def take_back(site: Site, opened: Journal, code: str, *, force: bool = False) -> None:
    """Files, index, HEAD and refs as before the move; one event says so with `code`; the journal closed."""
    if journals.was_writing(site.places, opened.op_id):
        site.step("take back")
        _hold_lock(site, opened)
        takeback.restore(site, opened, force=force)
        site.step("refs back")
        _refs_back(site, opened)
        if active_task.read(site.places) != opened.old.active:
            active_task.write(site.places, opened.old.active)
    _end(site, opened, code)


def _hold_lock(site: Site, opened: Journal) -> None:
    """Hold `index.lock` while taking back; a person may have removed the one that a crash left."""
    path = journals.lock_path(site.git)
    if not (path.exists() and path.stat().st_ino == opened.lock_inode):
        journals.take_index_lock(site.git, site.places, opened.op_id)


def _refs_back(site: Site, opened: Journal) -> None:
    """Refs that had moved already go back, each from the value that we gave it."""
    back = [
        RefUpdate(update.ref, update.old, update.new, update.no_deref)
        for update in opened.updates
        if (refs.read(site.git, update.ref) or NO_OID) == update.new != update.old
    ]
    if back:
        refs.transaction(
            site.git.with_env(DEVS_GIT_OP=opened.op_id), back, f"devs: take back {opened.subject}"
        )
    if head_of(site.git)[1] == opened.new.branch != opened.old.branch:
        if opened.old.branch:
            site.git.run("symbolic-ref", "-m", "devs: take back", "HEAD", opened.old.branch)
        else:
            site.git.run("update-ref", "--no-deref", "-m", "devs: take back", "HEAD", opened.old.head)


def clear_locks(site: Site, opened: Journal) -> None:
    """Remove locks that a killed git of ours left: those of refs in the journal, HEAD, and packed-refs with care."""
    common, git_dir = site.places.common, site.places.git_dir
    for path in [
        git_dir / "HEAD.lock",
        *(common / f"{u.ref}.lock" for u in opened.updates),
        common / f"{LEDGER}.lock",
    ]:
        _remove_quiet(path, LOCK_QUIET_SECONDS)
    if not opened.packed_refs_locked:
        _remove_quiet(common / "packed-refs.lock", PACKED_REFS_QUIET_SECONDS)


def _remove_quiet(path: Path, seconds: float) -> None:
    """Remove a lock that stays the same for `seconds`: a living git would have ended or changed it."""
    first = _identity(path)
    if first is None:
        return
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.05)
        if _identity(path) != first:
            return
    path.unlink(missing_ok=True)


def _identity(path: Path) -> tuple[Any, ...] | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
