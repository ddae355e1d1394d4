"""Find the trace of a call that was reported twice, once without an id of the call: by session, tool, input and time.

It may be a client whose hooks tell no id, or our own MCP server: no request names the session or the call.

A trace that came from a hook has an event, one that came from a transcript has none. Both are found within two seconds of
the other. A trace that was found has the call's id from then on, so that a second call with the same input finds the next.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from devs_git.domain.calls.own_tools import own_tool
from devs_git.domain.clients.answer_text import canonical
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.text.times import stamp
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.database import Catalog
from devs_git.values import replace

if TYPE_CHECKING:
    from devs_git.domain.recall.traces import Trace

_APART: Final = timedelta(seconds=2)
_QUERY: Final = (
    "SELECT trace_id, tool_use_id, created_at, input FROM traces JOIN bodies USING (body_id) "
    "WHERE session_id = ? AND tool_name = ? AND created_at BETWEEN ? AND ? AND "
)


def join(catalog: Catalog, told: Trace) -> str:
    """The id of the trace of a call that a transcript tells, from whoever told no id of the call; '' if there is none."""
    client = CLIENTS.get(told.client)
    unnamed = client is not None and not client.fields.use_id
    return join_server(catalog, told) or (join_hook(catalog, told) if unnamed else "")


def join_hook(catalog: Catalog, told: Trace) -> str:
    """The id of the hook's trace of a call that a transcript tells; '' if there is none. It gets the call's id."""
    found = _nearest(catalog, told, "event <> '' AND tool_use_id = ''")
    if found:
        values = (told.tool_use_id, found[0])
        catalog.base.execute("UPDATE traces SET tool_use_id = ? WHERE trace_id = ?", values)
    return found[0] if found else ""


def join_transcript(catalog: Catalog, told: Trace) -> Trace:
    """The trace of a call that a hook tells, with the ids that it has from a transcript, if that was read before."""
    found = _nearest(catalog, told, "event = '' AND tool_use_id <> ''")
    return replace(told, trace_id=found[0], tool_use_id=found[1]) if found else told


def join_server(catalog: Catalog, told: Trace) -> str:
    """The id of the trace in which our MCP server stored the answer of a call that a client tells; '' if there is none.

    From then on the trace has the session and the id of the call.
    """
    tool = own_tool(CLIENTS[told.client], told.tool_name) if told.client in CLIENTS else ""
    if not tool:
        return ""
    query = (
        "SELECT trace_id FROM traces WHERE session_id = ? AND tool_name = ? AND tool_use_id = ? AND ? <> ''"
    )
    named = catalog.rows(query, told.session_id, told.tool_name, *[told.tool_use_id] * 2)
    if named:
        return str(named[0][0])
    found = _nearest(
        catalog, replace(told, session_id="", tool_name=tool), "client = '' AND tool_use_id = ''"
    )
    if found is None:
        return ""
    catalog.base.execute(
        "UPDATE traces SET session_id = ?, tool_use_id = ?, client = ?, tool_name = ? WHERE trace_id = ?",
        (told.session_id, told.tool_use_id, told.client, told.tool_name, found[0]),
    )
    return found[0]


def _nearest(catalog: Catalog, told: Trace, which: str) -> tuple[str, str] | None:
    at = datetime.fromisoformat(told.created_at)
    rows = catalog.rows(
        _QUERY + which, told.session_id, told.tool_name, stamp(at - _APART), stamp(at + _APART)
    )
    same = [
        (abs(datetime.fromisoformat(created_at) - at), trace_id, use)
        for trace_id, use, created_at, given in rows
        if _canonical(bodies.unpack(given)) == _canonical(told.input.encode("utf-8", "surrogatepass"))
    ]
    return min(same)[1:] if same else None


def _canonical(given: bytes) -> bytes:
    """An input without differences that mean nothing: the order of its members, spaces, escapes."""
    try:
        return canonical(json.loads(given)).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return given
