"""Taking conversations in: which transcript, for which worktree and task, and what a checkpoint may say of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from devs_git.domain.times import stamp
from devs_git.domain.trailers import work_of
from devs_git.errors import DevsError
from devs_git.storage import active_task, conversation_note
from devs_git.storage.git_program import REPOSITORY_VARIABLES
from devs_git.storage.places import Places, locate
from devs_git.values import immutable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from devs_git.domain.policy import Policy
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.transcripts import Source, TakenIn


class Listener(Protocol):
    """The parts of `Workspace` that taking in needs."""

    @property
    def places(self) -> Places: ...
    @property
    def policy(self) -> Policy: ...
    @property
    def progress(self) -> Callable[[str, int, int], None]: ...
    @property
    def clock(self) -> Callable[[], datetime]: ...
    def now(self) -> str: ...
    def new_trace_id(self) -> str: ...
    def catalog(self, *, caught_up: bool = False) -> AbstractContextManager[Catalog]: ...


@immutable
class How:
    """What a caller says of a reading, else it is this worktree's active task that works.

    `places` is the worktree of the agent; `at` when it was there, with `task_id` active. `all_its`: every new message is that
    task's. `snapshot`: one is made at the end.
    """

    places: Places
    task_id: str
    agent: str = ""
    at: str = ""
    all_its: bool = False
    snapshot: bool = False


def here(listener: Listener) -> How:
    """The worktree and the task that are at work now."""
    work = work_of(active_task.read(listener.places))
    return How(listener.places, work.task if work else "", work.agent if work else "")


def take_in(listener: Listener, catalog: Catalog, source: Source, how: How) -> TakenIn:
    """Read what is new in a transcript, and let go of snapshots that are past their time."""
    from devs_git.storage.catalog import snapshots, transcripts

    policy = listener.policy
    seen = transcripts.Seen(
        now=listener.now(),
        at=how.at or listener.now(),
        new_id=listener.new_trace_id,
        worktree=how.places.worktree_id,
        task_id=how.task_id,
        agent=how.agent,
        all_its=how.all_its,
        every=policy.snapshot_every,
        snapshot=how.snapshot,
        told=lambda session, read: conversation_note.of_session(
            how.places, catalog, session, (source.path, read)
        ),
    )
    done = transcripts.take_in(catalog, source, seen, listener.progress)
    with catalog.writing():
        snapshots.prune(catalog, stamp(listener.clock() - timedelta(seconds=policy.keep_conversations)))
    return done


def read_on(listener: Listener, catalog: Catalog) -> None:
    """Read what is new in the transcripts that hooks told of. One that is gone is let go; the policy may want none."""
    from devs_git.storage.catalog import heard
    from devs_git.storage.catalog.transcripts import Source

    for told in heard.waiting(catalog):
        how = How(
            _around(listener.places, told.cwd), told.task_id, told.agent, told.at, snapshot=told.snapshot
        )
        with contextlib.suppress(DevsError):
            if listener.policy.record_conversations:
                take_in(listener, catalog, Source(told.path, told.client, told.session_id), how)
        heard.forget(catalog, told)


def _around(ours: Places, cwd: str) -> Places:
    """The worktree of this repository around the folder where an agent was; the one that asks where it was elsewhere."""
    try:
        found = locate(Path(cwd), unset=REPOSITORY_VARIABLES)
    except (DevsError, OSError, ValueError):  # the last where it has a NUL
        return ours
    return found if found.common == ours.common else ours


def refresh(listener: Listener, task_id: str) -> None:
    """Before a checkpoint: read on in the transcripts of the session that it will name. No trouble here stops it."""
    known = conversation_note.read(listener.places, task_id)
    if (known is None or known.is_all) and not listener.places.has_spooled:
        return
    from devs_git.storage.catalog import transcripts
    from devs_git.storage.catalog.database import TROUBLE

    with contextlib.suppress(*TROUBLE), listener.catalog() as catalog:
        known = conversation_note.read(listener.places, task_id)
        if known and not known.is_all:
            source = transcripts.Source(Path(known.path))
            take_in(listener, catalog, source, here(listener))
