"""A ledger and a catalog that grow quickly, for the tests of the stream of `history`."""

from __future__ import annotations

from pathlib import Path

from devs_git.domain.clients.transcript_reader import TranscriptMessage
from devs_git.domain.ledger.event_tasks import TaskResult
from devs_git.domain.ledger.events import LEDGER, Draft, RefUpdate
from devs_git.domain.recall.conversation import Message
from devs_git.storage.catalog import append_messages, fulltext, messages
from devs_git.storage.catalog.append_messages import About
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.git import refs
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace


def grow(workspace: Workspace, count: int, *, line: str = "") -> list[str]:
    """Append so many events and return their oids. With `line`, the last one merges a second line of events, which begins there."""
    ledger = workspace.ledger
    tip = ledger.tip()
    found, at = [], tip.oid
    side = line
    for number in range(count):
        draft = Draft(
            workspace.event_of(TaskResult("task-1", ""), f"event {number}", verb_name="task result")
        )
        if line and number % 2:
            side = ledger.write_commit(Tip(ledger, side), draft).oid
            found.append(side)
        else:
            at = ledger.write_commit(Tip(ledger, at), draft).oid
            found.append(at)
    if side != line:
        event = workspace.event_of(TaskResult("task-1", ""), "both", verb_name="task result")
        at = ledger.write_commit(Tip(ledger, at), Draft(event, second_parent=side)).oid
        found.append(at)
    refs.transaction(ledger.git, [RefUpdate(LEDGER, at, tip.oid)], "devs: grown by a test")
    ledger.note_checked(at)
    return found


def say(workspace: Workspace, session: str, count: int, *, begin: int = 0, task: str = "task-1") -> None:
    """Record so many messages of a session."""
    with Catalog.open(workspace.places.shared) as catalog, fulltext.write_transaction(catalog):
        known = messages.session(catalog, session) or messages.Session(session, "claude", ".", task)
        about = About("", workspace.now(), ((workspace.now(), task),), Path(), False)
        for number in range(begin, begin + count):
            message = Message(f"{session}-{number}", "user", f"Say {number}.", "2001-01-01T00:00:00.000Z")
            known = append_messages.append(catalog, known, TranscriptMessage(message, "", "", 0), about)
        messages.save_session(catalog, known)
