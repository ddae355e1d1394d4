"""A tool's result that is too long for a conversation is stored as the trace of the call.

This is a module of its own, because most messages have no such result, and the git hook has little time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from devs_git.domain.calls.tool_guard import reads_back
from devs_git.domain.clients import answer_text, hook_payload
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import TranscriptMessage
from devs_git.domain.recall import handed_on
from devs_git.domain.recall.conversation import Message
from devs_git.domain.recall.traces import Trace, is_long, shorten
from devs_git.values import replace

# Where Codex left something of an output out, and what it writes above.
_GAP: Final = re.compile(r"…\d+ tokens truncated…")
_WARNING: Final = re.compile(r"Warning: truncated output[^\n]*\nTotal output lines: \d+\n\n")


class StoredOutput(NamedTuple):
    """The output of a stored trace, its size in bytes, and whether the client had cut it."""

    text: str
    size: int
    cut: bool


def with_trace(
    read: TranscriptMessage,
    known: Trace,
    output_of: Callable[[str], StoredOutput | None] = lambda _trace_id: None,
    find_unnamed: Callable[[Trace], str] = lambda _trace: "",
) -> tuple[Message, Trace | None]:
    """The message to store, and the trace of its result, None if it needs none. `known` has what is known of the trace.

    It has the id of the trace that the client's hook stores. If who stored it knew no id of the call, `find_unnamed`
    looks for that trace. A result that only shows stored data stays whole. `output_of`
    returns the output of a stored trace: a result that is in it needs no other trace. A failure is a trace, too, if hooks
    are told of none. A tool can print what we write into a shortened result, so that counts only for the call's own id,
    and for a trace that has the text.
    """
    message, whole, answer = read.message, read.message.tool_result, read.answer
    if whole is None:
        return message, None
    ids = [hook_payload.trace_id_of(known.session_id, call, read.event) for call in answer.calls]
    named = handed_on.trace_named(whole)
    if named and _is_believed(named, _own_id(read, known), output_of):
        ids = [named.trace_id]
    outputs = {name: output for name in ids if (output := output_of(name)) is not None}
    message = _named(message, tuple(outputs))
    if not answer.kept or _shows_stored(message, known):
        return message, None
    if not is_long(whole):
        return (
            (message, None)
            if outputs or not _is_untold_failure(message, known)
            else _own_trace(read, known, find_unnamed)
        )
    shown = _shown(read, outputs)
    if shown is not None:
        return replace(message, tool_result=shown), None
    return _own_trace(read, known, find_unnamed)


def _named(message: Message, ids: tuple[str, ...]) -> Message:
    if not ids:
        return message
    return replace(message, trace_id=ids[0], trace_ids=ids if len(ids) > 1 else None)


def _shows_stored(message: Message, known: Trace) -> bool:
    name, given = message.tool_name or "", message.tool_input
    return known.client in CLIENTS and reads_back(CLIENTS[known.client], name, given)


def _is_untold_failure(message: Message, known: Trace) -> bool:
    """Whether only this message tells that the call failed: no hook does, and no other line of the transcript."""
    return bool(message.is_error) and known.client in CLIENTS and CLIENTS[known.client].tells_ends


def _own_id(read: TranscriptMessage, known: Trace) -> str:
    return hook_payload.trace_id_of(known.session_id, read.call_id or read.message.id, read.event)


def _is_believed(named: handed_on.Named, own: str, output_of: Callable[[str], StoredOutput | None]) -> bool:
    """Whether a result is a shortened form of the output of the trace that it names.

    Of another trace, for example of the session that this one is a fork of, it is that if no own trace is there.
    """
    if named.trace_id == own:
        return True
    stored = None if output_of(own) else output_of(named.trace_id)
    return stored is not None and named.is_of(stored.text, stored.size)


def _own_trace(
    read: TranscriptMessage, known: Trace, find_unnamed: Callable[[Trace], str]
) -> tuple[Message, Trace]:
    message, whole = read.message, read.message.tool_result or ""
    trace_id = _own_id(read, known)
    # What we shortened for the model is a part, as what a client cuts is. The whole is in the repository of the hook.
    named = handed_on.trace_named(whole)
    named = named if named and named.trace_id == trace_id else None
    cut = read.answer.cut or named is not None
    given = message.tool_input
    trace = replace(
        known,
        trace_id=trace_id,
        output=(read.answer.printed or whole).encode("utf-8", "replace"),
        input="" if given is None else answer_text.canonical(given),
        tool_name=message.tool_name or "",
        is_error=bool(message.is_error),
        tool_use_id=read.call_id,
        cut_by_client=cut,
        full_bytes=named.size if named else read.answer.full_bytes,
    )
    if not named:
        trace = replace(trace, trace_id=find_unnamed(trace) or trace_id)
    shown = shorten(whole, trace.trace_id, cut_by_client=cut)
    return replace(message, tool_result=shown, trace_id=trace.trace_id), trace


def _shown(read: TranscriptMessage, outputs: Mapping[str, StoredOutput]) -> str | None:
    """The result, shortened where a stored output has it; None if too much of it is in none."""
    whole, texts = read.message.tool_result or "", read.answer.texts
    if not outputs:
        return None
    if not texts:
        name, stored = next(iter(outputs.items()))
        return shorten(whole, name, cut_by_client=stored.cut)
    shown, rest = list[str](), ""
    for told, printed in texts:
        home = next((name for name, stored in outputs.items() if is_within(printed, stored.text)), "")
        shown.append(shorten(told, home, cut_by_client=outputs[home].cut) if home else told)
        rest += "" if home else told
    return None if is_long(rest) else "\n".join(shown)


def is_within(printed: str, output: str) -> bool:
    """Whether `output` has this text, or what a client left of it, plain or in JSON's spelling."""
    pieces = _GAP.split(_WARNING.sub("", printed, count=1))
    spelled = json.dumps(output, ensure_ascii=False)
    return all(piece in output or piece in spelled for piece in pieces)
