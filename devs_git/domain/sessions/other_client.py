"""What of a session goes to another client: texts, calls of tools and their results.

Signed and encrypted thoughts are for the provider that made them. Notes are about the client that wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.domain.recall.conversation import Message, ToolCall
from devs_git.domain.recall.session_entries import Native, SessionEntry
from devs_git.values import replace

# The APIs of models allow these characters and so many of them in the names of tools and in ids of calls.
_REFUSED: Final = re.compile("[^A-Za-z0-9_-]")
_LONGEST: Final = 64


def plain(entries: Sequence[SessionEntry]) -> list[SessionEntry]:
    """The entries as any client can have them. A summary of what was before is told in the person's place."""
    told = [entry for entry in entries if entry.message.role != "system" or _is_summary(entry.native)]
    return [SessionEntry(entry.position, *_plain(entry, answer)) for entry, answer in _with_answers(told)]


def _is_summary(native: Native) -> bool:
    return native.kind == "isCompactSummary" or bool(native.form.get("history"))


def count_thoughts(entries: Sequence[SessionEntry]) -> int:
    """How many messages have thoughts of the model that stay behind."""
    return sum(bool(entry.native.thoughts) for entry in entries)


def _with_answers(entries: Sequence[SessionEntry]) -> Iterator[tuple[SessionEntry, str]]:
    """The entries with the id of the answer that they are parts of: all that the model says without a pause is one."""
    answer = ""
    for entry in entries:
        answer = (answer or f"msg_{entry.message.id}") if entry.message.role == "assistant" else ""
        yield entry, answer


def _plain(entry: SessionEntry, answer: str) -> tuple[Message, Native]:
    message = entry.message
    calls = message.tool_calls
    made = replace(
        message,
        role="user" if message.role == "system" else message.role,
        tool_calls=None if calls is None else tuple(map(_call, calls)),
    )
    return made, Native(call_id=_allowed(entry.native.call_id), answer=answer, omitted=entry.native.omitted)


def _call(call: ToolCall) -> ToolCall:
    given = call.input if isinstance(call.input, dict) else {"input": call.input}
    return ToolCall(_allowed(call.id), _allowed(call.name), given)


def _allowed(name: str) -> str:
    return _REFUSED.sub("_", name)[:_LONGEST]
