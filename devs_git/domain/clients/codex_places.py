"""Which session, turn and line a line of a Codex transcript is in, and the session that it is a fork of.

Codex numbers the lines of a session from 0 (`ordinal`). A fork has its new lines alone: its first line names the source, and
the line of it before which the fork leaves. The numbers go on from there, so a number has one meaning along a whole path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devs_git.domain.clients.transcript_lines import Memory, moment, text, whole_number


def note_place(line: Mapping[str, Any], payload: Mapping[str, Any], memory: Memory) -> None:
    """Remember the place of a line with its payload."""
    memory.ordinal = whole_number(line.get("ordinal")) if "ordinal" in line else None
    if line.get("type") == "session_meta":
        memory.session_id = memory.session_id or text(payload.get("id"))
        _note_fork(payload, memory)
    if line.get("type") == "turn_context":
        memory.turn_id = text(payload.get("turn_id"))


def _note_fork(payload: Mapping[str, Any], memory: Memory) -> None:
    """Remember where a fork leaves its source. Older versions name no line, and copy the messages into the fork."""
    source, ordinal = text(payload.get("forked_from_id")), payload.get("forked_from_ordinal_exclusive")
    if source and source != memory.session_id and isinstance(ordinal, int) and not memory.fork:
        # The line may be written later than the fork was made.
        at = moment(payload.get("timestamp"), Memory(timestamp=memory.timestamp))
        memory.fork = [source, whole_number(ordinal), at or ""]
