"""What becomes of a payload of an agent's hook: a trace, or a note that a transcript is to be read."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.hook_payload import Captured
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.values import immutable, replace

if TYPE_CHECKING:
    from devs_git.domain.clients.client import Client
    from devs_git.storage.catalog.database import Catalog


@immutable
class SpoolFile:
    """One file that was read: its payload, when the hook ended, and commit, task and agent of the worktree."""

    payload: Captured
    created_at: str
    commit: str
    task_id: str
    agent: str


def _keep_trace(catalog: Catalog, spooled: SpoolFile) -> None:
    from devs_git.storage.catalog import traces
    from devs_git.storage.catalog.sessions import session_files, unnamed_calls

    payload, transcript = spooled.payload, transcript_path(spooled.payload)
    _add_pending(catalog, spooled, transcript, spooled.agent)
    if not hook_payload.is_kept(payload):
        return
    known = {"commit": spooled.commit, "task_id": spooled.task_id, "agent": spooled.agent}
    made = hook_payload.trace(payload, created_at=spooled.created_at, **known)
    cut = payload.client.cut(payload.payload) if made.cut_by_client else None
    if server := unnamed_calls.join_server(catalog, made):
        made = replace(made, trace_id=server)
    elif not payload.client.fields.use_id:
        made = unnamed_calls.join_transcript(catalog, made)
    trace, whole = session_files.with_whole(made, cut, transcript)
    if payload.client.tells_ends:
        # The git hook may have read the transcript before.
        from devs_git.storage.catalog.sessions import finished_calls

        trace = finished_calls.with_told(catalog, trace)
    traces.put(catalog, trace, packed=whole)


def _keep_transcript(catalog: Catalog, spooled: SpoolFile) -> None:
    """The session or a subagent stopped, or the session will be compacted. Transcripts are read after all payloads."""
    from devs_git.storage.catalog.sessions import session_files

    payload, of_subagent = (
        spooled.payload,
        _path(spooled.payload, spooled.payload.client.fields.agent_transcript),
    )
    transcript = transcript_path(payload)
    if payload.event == payload.client.end:
        _note_end(catalog, spooled)
    _add_pending(catalog, spooled, transcript, spooled.agent, snapshot=of_subagent is None)
    if of_subagent and transcript and session_files.is_subagents(of_subagent, transcript):
        agent = payload.text(payload.client.fields.agent) or spooled.agent
        _add_pending(catalog, spooled, of_subagent, agent)


def _note_end(catalog: Catalog, spooled: SpoolFile) -> None:
    from devs_git.storage.catalog.sessions import session_signs

    session = spooled.payload.text(spooled.payload.client.fields.session)
    if session:
        session_signs.note_end(catalog, session, spooled.created_at)


def _add_pending(
    catalog: Catalog, spooled: SpoolFile, path: Path | None, agent: str, *, snapshot: bool = False
) -> None:
    """Note that a transcript is to be read; `agent` is whose messages it has."""
    from devs_git.storage.catalog import pending_transcripts

    payload = spooled.payload
    if path is not None:
        client, session, cwd = (
            payload.client.name,
            payload.text(payload.client.fields.session),
            payload.text(payload.client.fields.folder),
        )
        known = (client, session, cwd, spooled.task_id, agent, spooled.created_at)
        pending_transcripts.put(catalog, pending_transcripts.PendingTranscript(path, *known, snapshot))


def transcript_path(payload: Captured) -> Path | None:
    """The transcript that a payload names; None where it names none."""
    return _path(payload, payload.client.fields.transcript)


def _path(payload: Captured, name: str) -> Path | None:
    """The path in a field of the payload; None if it has none that is absolute."""
    text = payload.text(name)
    path = Path(text)
    if text.startswith("~"):
        with contextlib.suppress(RuntimeError):  # the user has no home folder
            path = path.expanduser()
    return path if path.is_absolute() else None


def is_kept(client: str, event: str) -> bool:
    """Whether the payload of an event is read; that of another client's event is rejected then. Files of other events stay."""
    # The own client first: the modules of the others are imported only if it does not know the event.
    if client in CLIENTS and _knows(CLIENTS[client], event):
        return True
    return any(_knows(one, event) for one in CLIENTS.values())


def _knows(client: Client, event: str) -> bool:
    return event in client.after or event in client.session


def keep(catalog: Catalog, spooled: SpoolFile) -> None:
    """Take in the payload, in the transaction. A ValueError rejects it."""
    client, event = spooled.payload.client, spooled.payload.event
    if event in client.after:
        _keep_trace(catalog, spooled)
    elif event in client.session:
        _keep_transcript(catalog, spooled)
    else:
        raise ValueError("the payload of this event is not kept")
