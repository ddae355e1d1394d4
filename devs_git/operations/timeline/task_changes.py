"""The files that the commits of tasks changed, for the events that recorded these commits."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from devs_git.domain.ledger.event_names import commit_before
from devs_git.domain.ledger.events import Event
from devs_git.storage.git.commit_files import ChangedFile, changed_files
from devs_git.workspace import Workspace


def find(workspace: Workspace, events: Sequence[Event]) -> dict[str, tuple[ChangedFile, ...]]:
    """The changed files by the oid of the event that recorded their commit.

    A commit that the task had before has no files again: a completion often records the commit of the last checkpoint.
    """
    recorded = [event for event in events if event.effects.records and not event.failed]
    if not recorded:
        return {}
    known = _repeated(workspace, recorded)
    fresh = [event for event in recorded if event.oid not in known]
    files = changed_files(workspace.store_git, (event.commit for event in fresh))
    return {event.oid: files[event.commit] for event in fresh if event.commit in files}


def _repeated(workspace: Workspace, recorded: Sequence[Event]) -> set[str]:
    """The events whose commit is that of the same task's event before. Only as much of the ledger is read as is needed."""
    asked = {event.oid for event in recorded}
    awaiting: dict[str, list[Event]] = {}
    repeated: set[str] = set()
    with closing(workspace.ledger.events(*asked)) as events:
        for event in events:
            if event.failed or not (event.effects.records or event.effects.starts):
                continue
            for later in awaiting.pop(event.task, ()):
                if later.commit == commit_before(event):
                    repeated.add(later.oid)
            if event.oid in asked:
                asked.discard(event.oid)
                awaiting.setdefault(event.task, []).append(event)
            if not (asked or awaiting):
                break
    return repeated
