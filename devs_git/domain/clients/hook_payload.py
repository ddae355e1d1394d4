"""What a client's hook captured, as a file of the spool: a few lines of ours, an empty line, the payload."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.calls.own_tools import completed_task
from devs_git.domain.calls.tool_guard import reads_back
from devs_git.domain.clients.answer_text import canonical, text_of
from devs_git.domain.clients.client import Client
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.recall.traces import Trace
from devs_git.values import immutable

# The namespace of captured traces; never another.
_IDS: Final = bytes.fromhex("6b2f1a5459a55a0c9d4f6f1c7f1b1c55")
# Milliseconds.
_A_YEAR: Final = 3.2e10
HEAD, PWD = "HEAD ", "PWD "


@immutable
class Captured:
    """One payload. `pwd` is the folder in which the hook ran, `head` the content of HEAD: an oid, or `ref: …` if it has none.

    `lines` are the trailer lines of the task that was active in the worktree of that folder.
    """

    client: Client
    event: str
    pwd: str
    head: str
    lines: str
    raw: bytes
    payload: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A field of the payload as text that can be stored; '' if it is missing or not text."""
        value = self.payload.get(name)
        if not isinstance(value, str):
            return ""
        return value if value.isascii() else value.encode("utf-8", "replace").decode()


def read(data: bytes) -> Captured:
    """The parts of one file of the spool; ValueError says why it cannot be read."""
    top, gap, raw = data.partition(b"\n\n")
    first, *lines = top.decode("utf-8", "replace").split("\n")
    client, _, event = first.partition(" ")
    if not gap or client not in CLIENTS:
        raise ValueError("it does not begin with the lines of our hook")
    payload = json.loads(raw)
    if not isinstance(payload, dict):
        raise ValueError("the payload is not an object")  # noqa: TRY004 - one kind of unreadable
    pwd, head = (_taken(lines, key) for key in (PWD, HEAD))
    return Captured(CLIENTS[client], event, pwd, head, "\n".join(lines), raw, payload)


def _taken(lines: list[str], key: str) -> str:
    """Remove the first line if it has this key, and return its value."""
    return lines.pop(0).removeprefix(key) if lines and lines[0].startswith(key) else ""


def trace(captured: Captured, *, created_at: str, commit: str, task_id: str, agent: str) -> Trace:
    """The trace of a tool call; ValueError if the payload names no tool. `agent`: the role, unless a subagent called it."""
    fields, payload = captured.client.fields, captured.payload
    tool = captured.text(fields.tool)
    if not tool:
        raise ValueError("the payload names no tool")
    response = payload.get(fields.response)
    error = payload.get(fields.error)
    failed = captured.client.after.get(captured.event, False) or captured.client.failed(response)
    output = text_of(error if response is None else captured.client.unwrap(response))
    given = payload.get(fields.tool_input)
    cut = captured.client.cut(payload)
    return Trace(
        trace_id=trace_id(captured),
        created_at=created_at,
        output=output.encode("utf-8", "surrogatepass"),
        input="" if given is None else canonical(given),
        task_id=completed_task(captured.client, tool, given, output) or task_id,
        session_id=captured.text(fields.session),
        agent=captured.text(fields.agent) or agent,
        client=captured.client.name,
        tool_name=tool,
        is_error=failed or (None if captured.client.tells_ends else False),
        duration_ms=_milliseconds(payload.get(fields.duration)),
        commit=commit,
        tool_use_id=captured.text(fields.use_id),
        event=captured.event,
        cut_by_client=cut is not None,
        full_bytes=cut.full_bytes if cut else None,
        raw=captured.raw,
    )


def _milliseconds(value: Any) -> int | None:
    # NaN is not.
    sensible = isinstance(value, int | float) and 0 <= value < _A_YEAR
    return round(value) if sensible else None


def trace_id(captured: Captured) -> str:
    """The id of the call's trace. Calls without an id of the client differ by the bytes of the payload."""
    use = captured.text(captured.client.fields.use_id) or captured.raw.decode("utf-8", "replace")
    return trace_id_of(captured.text(captured.client.fields.session), use, captured.event)


def trace_id_of(session_id: str, tool_use_id: str, event: str) -> str:
    """Always the same for one call and event, so that a call that is ingested twice is stored once."""
    name = _IDS + f"{session_id}\0{tool_use_id}\0{event}".encode()
    made = bytearray(hashlib.sha1(name, usedforsecurity=False).digest()[:16])
    # A UUID, version 5; its module costs an import.
    made[6], made[8] = (
        made[6] & 0x0F | 0x50,
        made[8] & 0x3F | 0x80,
    )
    text = made.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def is_kept(captured: Captured) -> bool:
    """Whether the call is stored. Calls that read or search traces, and dry runs, are not."""
    fields = captured.client.fields
    return not reads_back(
        captured.client, captured.text(fields.tool), captured.payload.get(fields.tool_input)
    )


def may_be_shortened(captured: Captured) -> bool:
    """Whether a model may see a shortened form: of a stored output of a shell that did not fail, and of nothing else."""
    shell = captured.text(captured.client.fields.tool) in captured.client.shells
    return shell and captured.client.after.get(captured.event) is False and is_kept(captured)
