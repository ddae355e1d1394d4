"""A tool's result in a conversation that is too long to stand there: it is kept as the trace of the call.

Apart, because most messages have none, and the git hook that reads them has little time.
"""

from __future__ import annotations

from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.tool_guard import reads_back
from devs_git.domain.clients.transcript_reader import Read
from devs_git.domain.recall.conversation import Message
from devs_git.domain.recall.traces import Trace, is_long, shorten
from devs_git.values import replace


def with_trace(read: Read, known: Trace) -> tuple[Message, Trace | None]:
    """The message as it is kept, and the trace of its result; None where it needs none. `known` is what is known of it.

    It is the trace that the client's hook stores. What a tool only read back from us is no trace again: it stays whole.
    """
    message, whole = read.message, read.message.tool_result
    if whole is None or not is_long(whole):
        return message, None
    name, given = message.tool_name or "", message.tool_input
    if known.client in CLIENTS and reads_back(CLIENTS[known.client], name, given):
        return message, None
    trace_id = hook_payload.trace_id_of(known.session_id, read.call_id or message.id, read.event)
    trace = replace(
        known,
        trace_id=trace_id,
        output=whole.encode("utf-8", "replace"),
        input="" if given is None else hook_payload.canonical(given),
        tool_name=name,
        is_error=bool(message.is_error),
        tool_use_id=read.call_id,
    )
    return replace(message, tool_result=shorten(whole, trace_id), trace_id=trace_id), trace
