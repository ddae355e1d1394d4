"""Store calls of tools that a transcript reports. A call is one trace, also if a hook reported it, before or later.

A hook reports the whole input and where the tool ran. A transcript may report how the call ended, and more of the output.
"""

from __future__ import annotations

from devs_git.domain.calls import own_tools
from devs_git.domain.clients import answer_text, hook_payload
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_lines import FinishedCall
from devs_git.domain.recall.long_results import StoredOutput, is_within
from devs_git.domain.recall.traces import Trace
from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import unnamed_calls
from devs_git.values import replace

# A transcript has at most so many bytes of an output in one place.
_MOST_AT_ONCE = 1 << 16


def keep(catalog: Catalog, call: FinishedCall, known: Trace, event: str) -> None:
    """Store a call as a trace, inside `fulltext.write_transaction`, or complete the trace that it has already.

    `known` has what is known of the trace; `event` is that of the hook after such a call.
    """
    made = _trace(call, known, event)
    made = replace(made, trace_id=unnamed_calls.join_server(catalog, made) or made.trace_id)
    stored = traces.trace(catalog, made.trace_id)
    if stored is None:
        traces.put(catalog, made)
    elif not call.is_part:
        if (both := join(stored, made)) != stored:
            traces.put(catalog, both)
    # After the end the whole output is there, unless it is too long. What a hook told has the last part.
    elif not stored.event and (not call.is_last_part or len(stored.output) > _MOST_AT_ONCE):
        _grow(catalog, stored, call)


def _grow(catalog: Catalog, stored: Trace, call: FinishedCall) -> None:
    if not is_within(call.output, _text(stored.output)):
        output = stored.output + call.output.encode("utf-8", "replace")
        traces.put(catalog, replace(stored, output=output, cut_by_client=stored.cut_by_client or call.cut))


def with_told(catalog: Catalog, trace: Trace) -> Trace:
    """The trace of a hook, completed from the trace that a transcript gave the call before."""
    stored = traces.trace(catalog, trace.trace_id)
    return join(trace, stored) if stored else trace


def join(hooks: Trace, told: Trace) -> Trace:
    """One trace of the same call from a hook and from a transcript: with the longer output, and with how the call ended."""
    longer = told if len(told.output) > len(hooks.output) else hooks
    return replace(
        hooks,
        output=longer.output,
        cut_by_client=longer.cut_by_client,
        full_bytes=longer.full_bytes,
        is_error=told.is_error if told.is_error is not None and not hooks.is_error else hooks.is_error,
        duration_ms=told.duration_ms if hooks.duration_ms is None else hooks.duration_ms,
    )


def output_of(catalog: Catalog, trace_id: str) -> StoredOutput | None:
    """The output of a stored trace; None if there is no such trace."""
    row = traces.row(catalog, trace_id)
    if row is None:
        return None
    return StoredOutput(_text(traces.output(catalog, trace_id)), row.size, row.cut_by_client)


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace")


def _trace(call: FinishedCall, known: Trace, event: str) -> Trace:
    given, client = call.tool_input, CLIENTS[known.client]
    task_id = own_tools.completed_task(client, call.tool_name, given, call.output)
    return replace(
        known,
        task_id=task_id or known.task_id,
        trace_id=hook_payload.trace_id_of(known.session_id, call.call_id, event),
        output=call.output.encode("utf-8", "replace"),
        input="" if given is None else answer_text.canonical(given),
        tool_name=call.tool_name,
        # Of a command that runs on, nobody knows it yet.
        is_error=None if call.is_part else call.is_error,
        duration_ms=call.duration_ms,
        tool_use_id=call.call_id,
        cut_by_client=call.cut,
        raw=call.raw.encode(),
    )
