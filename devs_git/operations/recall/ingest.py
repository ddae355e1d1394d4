"""Taking conversations in: which transcript, for which worktree and task, and what a checkpoint may say of it."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from devs_git.domain.text.times import stamp
from devs_git.domain.text.trailers import work_of
from devs_git.errors import DevsError
from devs_git.operations.recall import worktree_note
from devs_git.storage.git.places import Places, locate
from devs_git.storage.git.program import REPOSITORY_VARIABLES
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.transcripts import ReadResult, Source


@immutable
class Attribution:
    """What a caller says of a reading, else it is this worktree's active task that works.

    `places` is the worktree of the agent; `at` when it was there, with `task_id` active. `assign_all`: every new message is that
    task's. `snapshot`: one is made at the end.
    """

    places: Places
    task_id: str
    agent: str = ""
    at: str = ""
    assign_all: bool = False
    snapshot: bool = False


def current_attribution(listener: Workspace) -> Attribution:
    """The worktree and the task that are at work now."""
    work = work_of(active_task.read(listener.places))
    return Attribution(listener.places, work.task if work else "", work.agent if work else "")


def ingest_transcript(listener: Workspace, catalog: Catalog, source: Source, how: Attribution) -> ReadResult:
    """Read what is new in a transcript, and let go of snapshots that are past their time."""
    from devs_git.storage.catalog import fulltext, snapshots, transcripts

    policy = listener.policy
    seen = transcripts.ReadContext(
        now=listener.now(),
        at=how.at or listener.now(),
        new_id=listener.new_trace_id,
        worktree=how.places.worktree_id,
        task_id=how.task_id,
        agent=how.agent,
        assign_all=how.assign_all,
        every=policy.snapshot_every,
        snapshot=how.snapshot,
        on_read=lambda session, read: worktree_note.write_for_session(
            how.places, catalog, session, source.path, read
        ),
    )
    done = transcripts.take_in(catalog, source, seen, listener.progress)
    with fulltext.write_transaction(catalog):
        snapshots.prune(catalog, stamp(listener.clock() - timedelta(seconds=policy.keep_conversations)))
    return done


def ingest_pending(listener: Workspace, catalog: Catalog) -> None:
    """Read what is new in the transcripts that hooks told of. One that is gone is let go; the policy may want none."""
    from devs_git.storage.catalog import pending_transcripts
    from devs_git.storage.catalog.transcripts import Source

    for told in pending_transcripts.list_pending(catalog):
        how = Attribution(
            _around(listener.places, told.cwd), told.task_id, told.agent, told.at, snapshot=told.snapshot
        )
        with contextlib.suppress(DevsError):
            if listener.policy.record_conversations:
                ingest_transcript(listener, catalog, Source(told.path, told.client, told.session_id), how)
        pending_transcripts.forget(catalog, told)


def _around(ours: Places, cwd: str) -> Places:
    """The worktree of this repository around the folder where an agent was; the one that asks where it was elsewhere."""
    try:
        found = locate(Path(cwd), unset=REPOSITORY_VARIABLES)
    except (DevsError, OSError, ValueError):  # the last where it has a NUL
        return ours
    return found if found.common == ours.common else ours
