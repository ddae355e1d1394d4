"""What the git hook does before it records a checkpoint: read on in the session's transcript, as far as that is little.

It has no time for the spool and for YAML. Where it would take longer, or somebody else writes, the checkpoint names what was
read until then. Without a catalog and without anything that an agent's hook left, no database is even imported.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devs_git.domain.text.trailers import work_of
from devs_git.operations.recall import worktree_note
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.transcripts import Source
    from devs_git.storage.git.places import Places

LITTLE: Final = 1 << 19  # bytes of a transcript
_PATIENCE: Final = 0.05  # seconds that others may write meanwhile


def read_new_messages(listener: Workspace, task_id: str) -> None:
    """Read on for the task's checkpoint. No trouble here stops it."""
    places = listener.places
    known = worktree_note.read(places, task_id)
    if (known is None or known.is_all) and not places.has_spooled:
        return
    from devs_git.domain.gates.policy import IN_FORCE, listens
    from devs_git.storage.catalog.database import TROUBLE, Catalog

    with contextlib.suppress(*TROUBLE):
        kept, every = listens(listener.ledger.tip().read(IN_FORCE))
        if not kept:
            return
        with Catalog.open(places.shared, patience=_PATIENCE) as catalog:
            source = _source(places, task_id, known)
            if source and source.path.is_file():
                _read(listener, catalog, source, every)


def _source(places: Places, task_id: str, known: worktree_note.Note | None) -> Source | None:
    """The transcript that a hook told of last, else the one that was noted."""
    from devs_git.operations.recall import spool
    from devs_git.storage.catalog.transcripts import Source

    told = spool.newest_payload(places, task_id) if places.has_spooled else None
    path = spool.transcript(told) if told else None
    if told and path:
        return Source(path, told.client.name, told.text(told.client.fields.session))
    return Source(Path(known.path)) if known and known.path else None


def _read(listener: Workspace, catalog: Catalog, source: Source, every: int) -> None:
    from devs_git.storage.catalog import transcripts

    if transcripts.unread(catalog, source.path) > LITTLE:
        return
    now, work = listener.now(), work_of(active_task.read(listener.places))
    seen = transcripts.ReadContext(
        now=now,
        at=now,
        new_id=listener.new_trace_id,
        worktree=listener.places.worktree_id,
        task_id=work.task if work else "",
        agent=work.agent if work else "",
        every=every,
        on_read=lambda session, read: worktree_note.write_for_session(
            listener.places, catalog, session, source.path, read
        ),
    )
    transcripts.take_in(catalog, source, seen)
