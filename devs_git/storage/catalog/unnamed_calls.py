"""One call that hook and transcript report, if the client's hooks tell no id of a call: found by session, tool, input, time.

A trace that came from a hook has an event, one that came from a transcript has none. Both are found within two seconds of
the other. A trace that was found has the call's id from then on, so that a second call with the same input finds the next.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

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


def _nearest(catalog: Catalog, told: Trace, which: str) -> tuple[str, str] | None:
    at = datetime.fromisoformat(told.created_at)
    rows = catalog.rows(
        _QUERY + which, told.session_id, told.tool_name, stamp(at - _APART), stamp(at + _APART)
    )
    same = [
        (abs(datetime.fromisoformat(created_at) - at), trace_id, use)
        for trace_id, use, created_at, given in rows
        if bodies.unpack(given) == told.input.encode("utf-8", "surrogatepass")
    ]
    return min(same)[1:] if same else None
