"""One move, step by step: journal, lock, files, index, refs. If a step fails, the whole move is taken back.

The event in the ledger is the commit point. Before it, everything can be taken back. After it, the move is decided, and
only its remaining steps have to be done.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

from devs_git.domain.ledger.events import Draft, Event, RefUpdate
from devs_git.errors import DevsError, immovable
from devs_git.storage.git import children, locks, refs
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.files import are_same
from devs_git.storage.git.private_index import index_path
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import (
    attributes,
    backups,
    files_aside,
    journal,
    missing_objects,
    modes,
    place_files,
    tree_difference,
    unconverted_bytes,
)
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.capture import git_words
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.file_state import changed_meanwhile
from devs_git.storage.worktree.interrupted import positions, recovery
from devs_git.storage.worktree.journal import Journal
from devs_git.storage.worktree.move_plan import Known, Work, find_edited, verify, work_out
from devs_git.storage.worktree.survey import Head, head_of, moved_meanwhile
from devs_git.values import immutable, replace

LIVE_OWNER_SECONDS = 2.0
ORPHAN_SECONDS = 60.0


@immutable
class Move:
    """The move to carry out. git merges the private index from one of `trees` to the other.

    The refs in `updates` move together with the ledger; right after that, entries of the `stash` are made and removed.
    `refusal` is the code of a failure (GIT_RESET_FAILED or
    CHECKOUT_FAILED).
    """

    op_id: str
    verb: str
    subject: str
    old: State
    new: State
    trees: tuple[str, str]
    known: Known
    build: Callable[[Tip], Draft]
    updates: tuple[RefUpdate, ...] = ()
    backup: str = ""
    refusal: str = "GIT_RESET_FAILED"
    stash: tuple[tuple[str, ...], ...] = ((), ())


@immutable
class MoveResult:
    """The result of a move. `edited` are files that somebody saved during the move: they stay as they were saved."""

    event: Event
    not_exact: tuple[str, ...]
    files: int
    edited: tuple[str, ...] = ()


@contextlib.contextmanager
def worktree_lock(
    site: Site, *, wait: float = LIVE_OWNER_SECONDS, recovering: bool = True, alone: bool = False
) -> Iterator[Site]:
    """Hold this worktree's lock. First, what an interrupted command left is recovered, unless `recovering` is false.

    BUSY if another live process still has the lock after `wait` seconds. With `alone`, BUSY even if that process ended in
    time: a rewind must start from the state that the user saw, and not from the state that another rewind has just made.
    A command with which a person decides about an interrupted operation sets `recovering` to false.
    """
    with locks.hold(
        site.places.lock, wait=wait, orphan_wait=ORPHAN_SECONDS, on_wait=site.say, alone=alone
    ) as descriptor:
        holding = replace(site, git=site.git.with_descriptors(descriptor).with_cache())
        if recovering:
            with children.within(None):
                recovery.recover_all(holding)
            recovery.remove_leftovers(site.places)
        yield holding


def execute(site: Site, move: Move) -> MoveResult:
    """Carry the move out. The caller holds `worktree_lock` and has captured `move.old`.

    If a step fails, the move is taken back and the error is raised. GitTimedOut if a time limit ended the move.
    """
    index = journal.folder_of(site.places, move.op_id) / "index"
    work = work_out(site, index, move.old, move.new, move.known)
    if not (move.known.merged or work.plain):
        tree_difference.merge(site.git, index, *move.trees)
    open_journal = _open(site, move, work)
    try:
        return _carry_out(site, move, open_journal, work)
    except BaseException as error:
        with children.within(None):
            event = _undo_all(site, open_journal, error)
            if event is None or not isinstance(error, Exception):
                raise
            return MoveResult(event, (), len(work.touched))


def _open(site: Site, move: Move, work: Work) -> Journal:
    places, tip = site.places, site.ledger.require()
    inode = journal.prepare_lock(places, move.op_id)
    (journal.folder_of(places, move.op_id) / journal.LISTING).write_bytes(work.listing)
    open_journal = Journal(
        op_id=move.op_id,
        verb=move.verb,
        subject=move.subject,
        worktree=places.worktree_id,
        kind="move",
        old=move.old,
        new=replace(move.new, modes=work.modes),
        backup=move.backup,
        ledger=tip.oid,
        updates=move.updates,
        trees=move.trees,
        exact=work.written_files,
        raw=work.bytes_before(move.known),
        draft=journal.encode_draft(move.build(tip)),
        lock_inode=inode,
        packed_refs_locked=(places.common / "packed-refs.lock").exists(),
        stash=move.stash,
    )
    site.step("journal")
    journal.write(places, open_journal)
    return open_journal


def _carry_out(site: Site, move: Move, open_journal: Journal, work: Work) -> MoveResult:
    folder, top = open_journal.folder(site.places), os.fspath(site.top)
    index = folder / "index"
    site.step("index lock")
    journal.take_index_lock(site.git, site.places, move.op_id)
    _require_unmoved(site, move)
    site.step("files")
    _require_unwritten(site, move, work)
    _write_files(site, move, work)
    site.step("raw bytes")
    place_files.write_captured(top, site.objects, work.exact, folder)
    if modes.apply(top, work.modes):
        tree_difference.refresh(site.git, index)
    site.step("verify")
    not_exact, edited = verify(site.git, index, move.new, work, move.known)
    other = unconverted_bytes.find_not_restored(
        site.git, move.old, move.new, [change.path for change in work.touched]
    )
    tree_difference.settle_index(site.git, site.objects, index, move.new, written=bool(work.exact))
    site.step("index in place")
    tree_difference.put_index(site.git, index)
    site.step("refs")
    event = _commit(site, move, open_journal.ledger)
    late = recovery.finish(site, open_journal, file_states=move.known.file_states)
    return MoveResult(
        event, tuple(sorted({*not_exact, *other})), len(work.touched), tuple(sorted({*edited, *late}))
    )


def _require_unmoved(site: Site, move: Move) -> None:
    """Raise PLAN_STALE if HEAD or the index changed between the survey and our lock."""
    before = move.old
    user = journal.folder_of(site.places, move.op_id) / "index.user"
    now = index_path(site.git)
    same = now.exists() == user.exists() and (not user.exists() or are_same(user, now))
    if head_of(site.git) != Head(before.head, before.branch) or not same:
        raise moved_meanwhile()


def _require_unwritten(site: Site, move: Move, work: Work) -> None:
    """Raise PLAN_STALE if somebody wrote to one of the files after the capture. Nothing has been moved yet."""
    written = find_edited(site, work, move.known)
    if written:
        raise changed_meanwhile(written)


def _write_files(site: Site, move: Move, work: Work) -> None:
    """Take the old files aside, and let git write the new ones."""
    top, folder = os.fspath(site.top), journal.folder_of(site.places, move.op_id)
    taken = files_aside.begin(top, folder, work.taken)
    index = folder / "index"
    with translate_failures(move.refusal):
        if move.known.merged:
            move.known.merged().replace(index)
        few = move.known.few() if move.known.few and work.plain else None
    journal.begin_writing(site.places, move.op_id)
    for number in range(len(taken.paths)):
        taken.take(number)
    gone = [change.path for change in work.touched if not change.new]
    wanted = [*work.by_git, *work.exact]
    place_files.remove_empty_folders(top, gone, wanted, work.folders)
    left_out = (
        place_files.paths_outside_sparse_checkout(site.git, index, wanted)
        if attributes.is_sparse(site.git)
        else set()
    )
    try:
        written = [path for path in work.by_git if path not in left_out]
        if few:
            place_files.write_and_enter(site.git, few, written, index, list(move.known.entries or ()))
        else:
            place_files.write_by_git(site.git, index, written, work.fallbacks)
    except GitFailed as error:
        words = f"git could not write the files: {git_words(error)}"
        raise missing_objects.refusal_from_git(error, move.refusal) or immovable(
            "git_failed", words, code=move.refusal
        ) from error


def _commit(site: Site, move: Move, ledger: str) -> Event:
    """Run the reference transaction that moves the refs and the ledger: the commit point of the move."""

    def build(tip: Tip) -> Draft:
        positions.require_same_ledger(site, ledger, tip.oid)
        draft = move.build(tip)
        return replace(draft, updates=(*move.updates, *draft.updates))

    git = site.ledger.git.with_env(GIT_DIR=str(site.places.git_dir), DEVS_GIT_OP=move.op_id).with_descriptors(
        *site.git.keep_open
    )
    try:
        positions.point_head(site, move.old.branch, move.new.branch)
        site.step("transaction")
        return site.ledger.append(build, git=git)
    except refs.RefMoved as error:
        raise immovable(
            "moved_meanwhile",
            "Another git process moved the branch during the operation. Nothing else was changed.",
            code=move.refusal,
            hint="Check the files, then run the command again.",
        ) from error
    except GitFailed as error:
        if refs.missing_object(error):
            raise backups.pruned_objects_refusal(move.refusal) from error
        words = f"git could not move the refs: {git_words(error)}"
        raise immovable("git_failed", words, code=move.refusal) from error


def _killed(error: BaseException | None) -> bool:
    """Whether a git that we started was killed. Only then it may have left locks on refs, which nobody else removes."""
    while error is not None:
        if isinstance(error, GitTimedOut) or (isinstance(error, GitFailed) and error.status < 0):
            return True
        error = error.__cause__
    return False


def _undo_all(site: Site, open_journal: Journal, error: BaseException) -> Event | None:
    """Take everything back, and record the failure in one event. The backup ref stays.

    If the event of the move is already in the ledger, the move is decided: we finish it and return its event.
    """
    if _killed(error):
        positions.clear_locks(site, open_journal)
    event = recovery.committed_event(site, open_journal)
    if event:
        recovery.finish(site, open_journal, replay=True)
    else:
        late = "CHECKOUT_TIMEOUT" if isinstance(error, GitTimedOut) else "INTERNAL"
        recovery.take_back(site, open_journal, error.code if isinstance(error, DevsError) else late)
    return event


@contextlib.contextmanager
def translate_failures(code: str) -> Iterator[None]:
    """Turn failures of git and of the disk into a refusal with `code`. Its message has no path of this machine."""
    try:
        yield
    except GitFailed as error:
        words = f"git said: {git_words(error)}"
        raise missing_objects.refusal_from_git(error, code) or immovable(
            "git_failed", words, code=code
        ) from error
    except OSError as error:
        from devs_git.storage.git import failures

        said = failures.disk_refusal(error)
        raise immovable("disk", said.message, code=code, hint=said.hint) from error
