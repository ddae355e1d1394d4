"""HEAD and the refs of a move: move them, finish or take back their moves, and remove the locks of a killed git."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import LEDGER, NO_OID, RefUpdate
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.errors import DevsError
from devs_git.storage.git import locks, refs
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.journal import Journal
from devs_git.storage.worktree.survey import head_of

PACKED_REFS_QUIET_SECONDS = 10.0
LOCK_QUIET_SECONDS: Final = 0.5
LEDGER_WAIT_SECONDS: Final = 5.0


def point_head(site: Site, old: str, new: str) -> None:
    """Point HEAD to another branch (for checkout). A detached HEAD moves in the reference transaction."""
    if new and new != old:
        site.git.run("symbolic-ref", "-m", f"devs: checkout {new.removeprefix('refs/heads/')}", "HEAD", new)


def require_same_ledger(site: Site, then: str, now: str) -> None:
    """Check that the ledger continues the one that the move began with. Events may have been appended since.

    LEDGER_MISSING, LEDGER_ROLLBACK.
    """
    if now == then:
        return
    if not now:
        raise DevsError(
            "LEDGER_MISSING", "The ledger was removed during the operation.", hint="See: devs-git doctor"
        )
    if then and not site.ledger.git.says("merge-base", "--is-ancestor", then, now):
        raise DevsError(
            "LEDGER_ROLLBACK", "The ledger was moved back during the operation.", hint="See: devs-git doctor"
        )


def finish_refs(site: Site, journal: Journal) -> None:
    """Move the refs that a crash did not move. A ref that somebody has moved since is left alone."""
    left = [u for u in journal.updates if u.old != u.new and _now(site, u) == u.old]
    _move(site, journal, left, f"devs: {journal.subject}")


def take_back_refs(site: Site, journal: Journal) -> None:
    """Move the refs back that had moved already. Each goes back only from the value that we gave it."""
    back = [
        RefUpdate(update.ref, update.old, update.new, update.no_deref)
        for update in journal.updates
        if _now(site, update) == update.new != update.old
    ]
    _move(site, journal, back, f"devs: take back {journal.subject}")


def take_back_head(site: Site, journal: Journal) -> None:
    """Point HEAD back to the branch or commit of before."""
    if head_of(site.git).branch != journal.new.branch or journal.new.branch == journal.old.branch:
        return
    if journal.old.branch:
        site.git.run("symbolic-ref", "-m", "devs: take back", "HEAD", journal.old.branch)
    else:
        site.git.run("update-ref", "--no-deref", "-m", "devs: take back", "HEAD", journal.old.head)


def _now(site: Site, update: RefUpdate) -> str:
    return refs.read(site.git, update.ref) or NO_OID


def _move(site: Site, journal: Journal, updates: Sequence[RefUpdate], message: str) -> None:
    """Move refs in a recovery. BUSY if another git moves or locks one of them."""
    if not updates:
        return
    restore_archived_tags(site, updates)
    try:
        refs.transaction(site.git.with_env(DEVS_GIT_OP=journal.op_id), updates, message)
    except (refs.RefMoved, refs.RefLocked) as error:
        raise DevsError(
            "BUSY",
            "Another git process is moving the refs of an interrupted command.",
            hint="Run the command again.",
        ) from error


def restore_archived_tags(site: Site, updates: Sequence[RefUpdate]) -> None:
    """Make the tag objects again that a visible tag will name. If only an archive has them, git may have deleted them."""
    from devs_git.storage.git import ref_files

    made = [one for one in updates if one.new != NO_OID and one.ref.startswith("refs/tags/devs/")]
    if made and ref_files.has_below(site.ledger.git, ARCHIVES):
        # Few repositories have an archive.
        from devs_git.storage.ledger.archived import archived_points

        archived_points.restore_tags(site.ledger.git, made)


def clear_locks(site: Site, journal: Journal) -> None:
    """Remove the locks that a killed git of ours left: on the refs in the journal, on HEAD, the ledger and packed-refs."""
    common = site.places.common
    named = [common / f"{update.ref}.lock" for update in journal.updates if update.ref != "HEAD"]
    for path in (site.places.git_dir / "HEAD.lock", *named):
        _remove_quiet(path, LOCK_QUIET_SECONDS)
    clear_ledger_lock(common)
    if not journal.packed_refs_locked:
        _clear_packed_refs(common)


def clear_ledger_lock(common: Path) -> None:
    """Remove the lock that a killed git left on the ledger's ref. `common`: the common git directory.

    We remove it only while we hold our own lock of the ledger. Otherwise we could remove the lock of a command of ours in
    another worktree.
    """
    if (common / f"{LEDGER}.lock").exists():
        with (
            contextlib.suppress(DevsError),
            locks.hold(common / "devs" / "ledger.lock", wait=LEDGER_WAIT_SECONDS),
        ):
            _remove_quiet(common / f"{LEDGER}.lock", LOCK_QUIET_SECONDS)


def _clear_packed_refs(common: Path) -> None:
    """Remove `packed-refs.lock` and `packed-refs.new`. While one of them is left, git refuses to delete any ref.

    git writes `packed-refs.new` while it holds `packed-refs.lock`.
    """
    lock, new = common / "packed-refs.lock", common / "packed-refs.new"
    if not lock.exists() and new.exists():
        with contextlib.suppress(FileExistsError):
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            new.unlink(missing_ok=True)
            lock.unlink()
    elif _stays(lock, PACKED_REFS_QUIET_SECONDS):
        new.unlink(missing_ok=True)
        lock.unlink(missing_ok=True)


def _remove_quiet(path: Path, seconds: float) -> None:
    if _stays(path, seconds):
        path.unlink(missing_ok=True)


def _stays(path: Path, seconds: float) -> bool:
    """Whether a lock exists and does not change for `seconds`. A running git would remove or change it."""
    first = _identity(path)
    deadline = time.monotonic() + seconds
    while first is not None and time.monotonic() < deadline:
        time.sleep(0.05)
        if _identity(path) != first:
            return False
    return first is not None


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
