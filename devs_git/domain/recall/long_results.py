"""A tool's result that is too long for a conversation is stored as the trace of the call.

This is a module of its own, because most messages have no such result, and the git hook has little time.
"""

from __future__ import annotations

from collections.abc import Callable

from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.tool_guard import reads_back
from devs_git.domain.clients.transcript_reader import TranscriptMessage
from devs_git.domain.recall.conversation import Message
from devs_git.domain.recall.traces import Trace, is_long, shorten
from devs_git.values import replace


def with_trace(
    read: TranscriptMessage, known: Trace, find_unnamed: Callable[[Trace], str] = lambda _trace: ""
) -> tuple[Message, Trace | None]:
    """The message to store, and the trace of its result, None if it needs none. `known` has what is known of the trace.

    It has the id of the trace that the client's hook stores. If the client's hooks tell no id of a call, `find_unnamed`
    looks for that trace. A result that only shows stored data stays whole.
    """
    message, whole = read.message, read.message.tool_result
    if whole is None or not is_long(whole):
        return message, None
    name, given = message.tool_name or "", message.tool_input
    client = CLIENTS.get(known.client)
    if client and reads_back(client, name, given):
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
    if client and not client.fields.use_id:
        trace = replace(trace, trace_id=find_unnamed(trace) or trace_id)
    shown = shorten(whole, trace.trace_id)
    return replace(message, tool_result=shown, trace_id=trace.trace_id), trace
