"""Read transcripts into the catalog: which worktree and task their messages belong to, and what checkpoints may say of them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from devs_git.domain.checkpoints.commit_trailers import work_of
from devs_git.errors import DevsError
from devs_git.operations.recall import worktree_note
from devs_git.storage.git.places import Places, locate
from devs_git.storage.git.program import REPOSITORY_VARIABLES
from devs_git.storage.worktree import active_task
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.messages import Session
    from devs_git.storage.catalog.transcripts import ReadResult, Source


@immutable
class Attribution:
    """Which worktree, task and agent the messages of a transcript belong to.

    `places`: the worktree of the agent. `at`: when it was there, with the task `task_id` active. `assign_all`: all new
    messages belong to that task. `snapshot`: make one at the end.
    """

    places: Places
    task_id: str
    agent: str = ""
    at: str = ""
    assign_all: bool = False
    snapshot: bool = False


def current_attribution(workspace: Workspace) -> Attribution:
    """The current worktree and its active task."""
    return _in(workspace.places)


def attribution_of(workspace: Workspace, session: Session) -> Attribution:
    """The last worktree of a session, and its active task: a person may name a session of another worktree."""
    places = workspace.places
    if session.worktree in ("", places.worktree_id):
        return current_attribution(workspace)
    is_main = session.worktree == "."
    folder = places.common if is_main else places.common / "worktrees" / session.worktree
    # A worktree that is gone gets no note: its folder would come back.
    return _in(replace(places, git_dir=folder, top=None) if folder.is_dir() else places)


def _in(places: Places) -> Attribution:
    work = work_of(active_task.read(places))
    return Attribution(places, work.task if work else "", work.agent if work else "")


def ingest_transcript(workspace: Workspace, catalog: Catalog, source: Source, how: Attribution) -> ReadResult:
    """Read the new messages of a transcript."""
    from devs_git.storage.catalog import transcripts

    context = transcripts.ReadContext(
        now=workspace.now(),
        at=how.at or workspace.now(),
        new_id=workspace.new_trace_id,
        worktree=how.places.worktree_id,
        task_id=how.task_id,
        agent=how.agent,
        assign_all=how.assign_all,
        every=workspace.policy.snapshot_every,
        snapshot=how.snapshot,
        on_read=lambda session, read: worktree_note.write_for_session(
            how.places, catalog, session, source.path, read
        ),
    )
    return transcripts.take_in(catalog, source, context, workspace.progress)


def ingest_pending(workspace: Workspace, catalog: Catalog) -> None:
    """Read the new messages of the transcripts that hooks named, unless the policy forbids it."""
    from devs_git.storage.catalog import pending_transcripts
    from devs_git.storage.catalog.transcripts import Source

    for pending in pending_transcripts.list_pending(catalog):
        how = Attribution(
            _around(workspace.places, pending.cwd),
            pending.task_id,
            pending.agent,
            pending.at,
            snapshot=pending.snapshot,
        )
        # The hook gave the file a second name. Our plug-in writes its own file there.
        kept = workspace.places.transcripts / pending.path.name
        with contextlib.suppress(DevsError):
            if workspace.policy.record_conversations:
                source = Source(pending.path, pending.client, pending.session_id, kept)
                ingest_transcript(workspace, catalog, source, how)
                if os.path.realpath(pending.path.parent) != os.path.realpath(kept.parent):
                    _remove(kept)
            else:
                # Neither the hook nor our plug-in can read the policy.
                _remove(kept)
        pending_transcripts.forget(catalog, pending)


def _remove(file: Path) -> None:
    # The path is from a payload: it may name a folder, or have a NUL.
    with contextlib.suppress(OSError, ValueError):
        file.unlink()


def _around(ours: Places, cwd: str) -> Places:
    """The worktree of this repository that contains the folder of an agent; `ours` where that is in no worktree of it."""
    try:
        found = locate(Path(cwd), unset=REPOSITORY_VARIABLES)
    except (DevsError, OSError, ValueError):  # ValueError: the path has a NUL
        return ours
    return found if found.common == ours.common else ours
