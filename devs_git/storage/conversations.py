"""Taking conversations in: which transcript, for which worktree and task, and what a checkpoint may say of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from devs_git.domain.times import stamp
from devs_git.domain.trailers import work_of
from devs_git.storage import active_task, conversation_note

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from devs_git.domain.policy import Policy
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.messages import Session
    from devs_git.storage.catalog.transcripts import Source, TakenIn
    from devs_git.storage.places import Places


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


@dataclass(frozen=True)
class How:
    """What a caller says of a reading. `task_id` None is the active task; `snapshot`: one is made at the end."""

    task_id: str | None = None
    snapshot: bool = False


def take_in(listener: Listener, catalog: Catalog, source: Source, how: How | None = None) -> TakenIn:
    """Read what is new in a transcript for this worktree, and let go of snapshots that are past their time."""
    from devs_git.storage.catalog import snapshots, transcripts

    how, places, policy = how or How(), listener.places, listener.policy
    work = work_of(active_task.read(places))
    seen = transcripts.Seen(
        now=listener.now(),
        new_id=listener.new_trace_id,
        worktree=places.worktree_id,
        task_id=how.task_id if how.task_id is not None else work.task if work else "",
        agent=work.agent if work else "",
        all_its=how.task_id is not None,
        every=policy.snapshot_every,
        snapshot=how.snapshot,
        told=lambda session: note(places, catalog, session),
    )
    done = transcripts.take_in(catalog, source, seen, listener.progress)
    with catalog.writing():
        snapshots.prune(catalog, stamp(listener.clock() - timedelta(seconds=policy.keep_conversations)))
    return done


def note(places: Places, catalog: Catalog, session: Session) -> None:
    """Let the next checkpoint of the session's task in this worktree name the session as it is now."""
    from devs_git.storage.catalog import messages

    last = messages.places(catalog, session.session_id, session.message_count, 1)
    time = (last[0].message.timestamp or "") if last else ""
    prefix = (session.session_id, session.message_count, session.digest)
    conversation_note.write(places, session.task_id, prefix, time)


def refresh(listener: Listener, task_id: str) -> None:
    """Before a checkpoint: read on in the transcripts of the session that it will name. No trouble here stops it."""
    prefix = conversation_note.read(listener.places, task_id)
    if not prefix:
        return
    from devs_git.storage.catalog import transcripts
    from devs_git.storage.catalog.database import TROUBLE

    with contextlib.suppress(*TROUBLE), listener.catalog() as catalog:
        for source in transcripts.of_session(catalog, prefix.rsplit(" ", 2)[0]):
            take_in(listener, catalog, source)
