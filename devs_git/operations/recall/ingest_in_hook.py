"""Before the git hook records a checkpoint, it reads the new messages of the session's transcript, if they are few.

It has no time for the spool and for YAML. If reading would take longer, or another process writes the catalog, the
checkpoint names what was read before. Without a catalog and without payloads of agent hooks, no database is imported.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from devs_git.domain.checkpoints.commit_trailers import work_of
from devs_git.operations.recall import worktree_note
from devs_git.storage.worktree import active_task
from devs_git.values import TYPE_CHECKING, Final
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.transcripts import Source
    from devs_git.storage.git.places import Places

LITTLE: Final = 1 << 19  # bytes of a transcript
_PATIENCE: Final = 0.05  # seconds to wait while others write


def read_new_messages(workspace: Workspace, task_id: str) -> None:
    """Read the new messages for the task's checkpoint. No problem here stops the checkpoint."""
    places = workspace.places
    known = worktree_note.read(places, task_id)
    if (known is None or known.is_all) and not places.has_spooled:
        return
    from devs_git.domain.gates.policy import listens
    from devs_git.domain.ledger.events import IN_FORCE
    from devs_git.storage.catalog.database import TROUBLE, Catalog

    with contextlib.suppress(*TROUBLE):
        kept, every = listens(workspace.ledger.tip().read(IN_FORCE))
        if not kept:
            return
        with Catalog.open(places.shared, patience=_PATIENCE) as catalog:
            source = _source(places, task_id, known)
            if source and source.path.is_file():
                _read(workspace, catalog, source, every)


def _source(places: Places, task_id: str, known: worktree_note.Note | None) -> Source | None:
    """The transcript that the newest payload names, else the one in the worktree's note."""
    from devs_git.operations.recall import payload_handlers, spool
    from devs_git.storage.catalog.transcripts import Source

    payload = spool.newest_payload(places, task_id) if places.has_spooled else None
    path = payload_handlers.transcript_path(payload) if payload else None
    if payload and path:
        return Source(path, payload.client.name, payload.text(payload.client.fields.session))
    return Source(Path(known.path)) if known and known.path else None


def _read(workspace: Workspace, catalog: Catalog, source: Source, every: int) -> None:
    from devs_git.storage.catalog import transcripts

    if transcripts.unread(catalog, source.path) > LITTLE:
        return
    now, work = workspace.now(), work_of(active_task.read(workspace.places))
    context = transcripts.ReadContext(
        now=now,
        at=now,
        new_id=workspace.new_trace_id,
        worktree=workspace.places.worktree_id,
        task_id=work.task if work else "",
        agent=work.agent if work else "",
        every=every,
        hurried=True,
        on_read=lambda session, read: worktree_note.write_for_session(
            workspace.places, catalog, session, source.path, read
        ),
    )
    transcripts.take_in(catalog, source, context)
