"""Makes a moment of a worktree. It writes objects, refs of ours and private files, and nothing that belongs to the user."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from devs_git.domain.moments.moment import Details, Occasion
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.storage.git import under_way
from devs_git.storage.git.private_index import private
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import (
    captured_state,
    file_tree,
    keep_moment,
    last_moment,
    moment_store,
    read_moments,
)
from devs_git.storage.moments.captured_state import Captured
from devs_git.storage.moments.last_moment import LastMoment
from devs_git.storage.moments.maker import KnownMoment, Maker, refuse_foreign
from devs_git.storage.worktree import modes, survey
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.survey import Head
from devs_git.values import Final, immutable, replace

# Seconds that a moment waits for another one of the same worktree.
WAIT: Final = 5.0
_ATTEMPTS: Final = 3


class _MovedMeanwhile(DevsError):
    """HEAD moved while the files were read, so they are of two states."""


@immutable
class Made:
    """The moment of the current state. If nothing changed, it is the one before, and `made` is false."""

    moment_id: str
    made: bool
    left_out: tuple[str, ...]


def make(maker: Maker, occasion: Occasion, *, keep_refs: bool = False, ignored: Sequence[str] = ()) -> Made:
    """Make a moment, unless the state is that of the last one.

    `keep_refs`: local branches and stash entries are kept, too. `ignored`: ignored files to keep. BUSY if another moment of
    this worktree, or a move of it, takes too long; CONFLICT if git cannot read a file; OSError.
    """
    refuse_foreign(maker.folder)
    with _lock(maker) as descriptor:
        file_tree.refuse_half_moved(maker.places)
        maker = _after_start(_of_store(maker, descriptor))
        one = partial(_make, occasion=occasion, keep_refs=keep_refs, ignored=ignored)
        try:
            return _make_settled(maker, one)
        except (DevsError, GitFailed):
            if not moment_store.remove_empty_objects(maker.places.common):
                raise
        return _make_settled(_unseen(maker), one)


def _after_start(maker: Maker) -> Maker:
    """If the machine was started since the last moment, files of that moment may be empty: it may have lost its power."""
    last = last_moment.read(maker.places)
    if not last.id or last.started == last_moment.start_of_machine():
        return maker
    maker = _unseen(maker)
    if moment_store.remove_empty_objects(maker.places.common):
        last_moment.forget(maker.places)
    return maker


def _make_settled(maker: Maker, one: Callable[[Maker], Made]) -> Made:
    for _ in range(_ATTEMPTS - 1):
        # A commit that another process makes at this moment takes some milliseconds.
        with contextlib.suppress(_MovedMeanwhile):
            return one(maker)
        maker = _unseen(maker)
    return one(maker)


@contextlib.contextmanager
def _lock(maker: Maker) -> Iterator[int]:
    """Hold the lock for moments of this worktree. A git that was begun has it already."""
    if maker.seen and maker.seen.begun:
        with contextlib.closing(maker.seen.begun) as begun:
            yield begun.lock
    else:
        from devs_git.storage.git import locks

        with locks.hold(maker.folder / "lock", wait=WAIT, orphan_wait=WAIT) as descriptor:
            yield descriptor


def _of_store(maker: Maker, descriptor: int) -> Maker:
    """The same maker, with git and objects that write into the store of moments."""
    common = maker.places.common
    moment_store.prepare(common)
    git = moment_store.with_objects(maker.git, common).with_cache().with_descriptors(descriptor)
    return replace(maker, git=git, objects=moment_store.objects_of(maker.objects))


def _make(maker: Maker, occasion: Occasion, *, keep_refs: bool, ignored: Sequence[str]) -> Made:
    now, before = maker.clock(), last_moment.read(maker.places)
    maker.step("look")
    look = last_moment.look_of_index(maker.git)
    head, head_file = survey.head_of(maker.git), last_moment.head_file(maker.places)
    if (head_file, head.commit) != (before.head_file, before.head):
        # It moved since the hook looked: files and index are to be those of the new HEAD.
        maker = _unseen(maker)
    listed = _refs(maker) if keep_refs else b""
    current = LastMoment(
        head_file=head_file,
        head=head.commit,
        index_sum=maker.seen.index_sum if maker.seen else last_moment.sum_of_index(maker.git),
        refs_sum=last_moment.sum_of_refs(listed) if keep_refs else before.refs_sum,
        started=last_moment.start_of_machine(),
    )
    known = _last_known(maker, before, current)
    if not (known and known.same_index and not known.state.index_raw):
        maker = _unseen(maker)
        known = known and replace(known, doubted=last_moment.is_doubted(maker.places))
    # The private index changes from here on. After a kill the next check must not take it for that of a moment.
    last_moment.doubt(maker.places)
    maker.step("files")
    captured = captured_state.take(maker, head, known)
    _refuse_moved(maker, head)
    details = _details(maker, occasion, captured, listed)
    details = replace(details, created_at=stamp(now), ignored=_save_ignored(maker, ignored))
    if last_moment.look_of_index(maker.git) != look:
        # Somebody staged something meanwhile: the next check must look again.
        current = replace(current, index_sum="")
    if known and _is_same(known, captured.state, details, keep_refs=keep_refs):
        last_moment.write(maker.places, replace(current, id=before.id))
        return Made(before.id, made=False, left_out=captured.left_out)
    maker.step("store")
    moment_id = keep_moment.keep(maker, captured, details, known)
    maker.step("note")
    last_moment.write(maker.places, replace(current, id=moment_id))
    return Made(moment_id, made=True, left_out=captured.left_out)


def _save_ignored(maker: Maker, ignored: Sequence[str]) -> str:
    """The tree of these ignored files; '' for none."""
    if not ignored:
        return ""
    from devs_git.storage.moments import ignored_files

    return ignored_files.save(private(maker.git, maker.folder / "index.ignored"), ignored)


def _unseen(maker: Maker) -> Maker:
    """The same maker, for which git looks again, after a git that was begun has ended. GitTimedOut."""
    if maker.seen and maker.seen.begun:
        maker.seen.begun.result()
    return replace(maker, seen=None)


def _refuse_moved(maker: Maker, head: Head) -> None:
    """BUSY if a command of ours moved the files while we read them, or if HEAD moved."""
    file_tree.refuse_half_moved(maker.places)
    if survey.head_of(maker.git) != head:
        raise _MovedMeanwhile("BUSY", "HEAD moved while the files were read.", hint="Run the command again.")


def _details(maker: Maker, occasion: Occasion, captured: Captured, listed: bytes) -> Details:
    """The details, still without time and ignored files. `listed`: branches and stash entries to keep, as the hook lists them."""
    busy = under_way.operation_under_way(maker.places)
    return Details(
        occasion,
        "",
        os.path.relpath(maker.places.top or "", maker.places.common.parent),
        captured.unmerged,
        busy.name if busy else "",
        captured.left_out,
        *last_moment.read_refs(listed),
        umask=modes.umask(),
    )


def _last_known(maker: Maker, last: LastMoment, current: LastMoment) -> KnownMoment | None:
    """The last moment; None if there is none, or if it was pruned."""
    if not last.id:
        return None
    try:
        state, details = read_moments.read(maker.objects, last.id)
    except DevsError:
        return None
    same_index = bool(current.index_sum) and current.index_sum == last.index_sum
    # Who begins a git doubts, too.
    doubted = last_moment.is_doubted(maker.places) and not (maker.seen and maker.seen.begun)
    known = KnownMoment(state, details, same_index, doubted)
    return known if keep_moment.is_kept(maker, details) else None


def _is_same(known: KnownMoment, state: State, details: Details, *, keep_refs: bool) -> bool:
    """Whether the last moment already has all of this."""
    last = known.details
    if known.state != state or (last.unmerged, last.under_way) != (details.unmerged, details.under_way):
        return False
    if details.ignored and details.ignored != last.ignored:
        return False
    return not keep_refs or (dict(last.branches), last.stashes) == (dict(details.branches), details.stashes)


def _refs(maker: Maker) -> bytes:
    """The branches and stash entries, as the shell hook lists them."""
    seen = maker.seen.refs if maker.seen else b""
    return seen or last_moment.list_refs(maker.store, maker.places)
