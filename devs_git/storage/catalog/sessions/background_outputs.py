"""Outputs of commands in the background: a trace gets the output when the transcript says that the command ended."""

from __future__ import annotations

import json
from pathlib import Path

from devs_git.domain.clients.hook_payload import trace_id_of
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_lines import EndedTask, Memory
from devs_git.domain.recall.conversation import main_session
from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import session_files
from devs_git.values import replace


def take_all(catalog: Catalog, memory: Memory, session_id: str, transcript: Path) -> None:
    """Store the outputs of commands that ended. If a hook's payload of the call is not read yet, the output waits."""
    tasks = (EndedTask(call_id, *rest) for call_id, rest in list(memory.tasks.items()))
    for task in tasks:
        if take(catalog, task, session_id, transcript):
            del memory.tasks[task.call_id]


def take(catalog: Catalog, task: EndedTask, session_id: str, transcript: Path) -> bool:
    """Store the output of the client's file in the trace of the call, inside `fulltext.write_transaction`.

    Returns False if there is no trace of the call yet: the spool may have it.
    A transcript is text that somebody may have planted: so the hook's payload must have started this task. Without the file
    the trace stays as it is: marked as cut.
    """
    # A call that went into the background did not fail by then.
    events = {client.answered[False] for client in CLIENTS.values()}
    names = (trace_id_of(main_session(session_id), task.call_id, event) for event in sorted(events))
    known = next(filter(None, (traces.trace(catalog, name) for name in names)), None)
    if known is None:
        return False
    if not known.cut_by_client or not _has_started(known.raw, task.task_id):
        return True
    packed = session_files.read_background(task.path, transcript)
    if packed is not None:
        whole = replace(known, is_error=task.is_error, cut_by_client=False, full_bytes=None)
        traces.put(catalog, whole, packed=packed)
    return True


def _has_started(payload: bytes, task_id: str) -> bool:
    """Whether this is the payload of the call that started the task."""
    try:
        told = json.loads(payload)
    except (ValueError, RecursionError):
        return False
    response = told.get("tool_response") if isinstance(told, dict) else None
    return isinstance(response, dict) and response.get("backgroundTaskId") == task_id
