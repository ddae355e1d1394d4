"""Rows as an earlier devs-git wrote them, for a catalog of an earlier format."""

from __future__ import annotations

from devs_git.domain.recall.traces import Trace
from devs_git.storage.catalog import bodies
from devs_git.storage.catalog.database import Catalog

_INSERT = """
INSERT INTO traces (trace_id, body_id, task_id, session_id, agent, client, tool_name, is_error, duration_ms, "commit",
  tool_use_id, event, created_at, digest, size, stored) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def put(catalog: Catalog, trace: Trace) -> None:
    """Store a trace as formats 1 and 2 did. The first byte of a payload said that it is complete."""
    packed = bodies.pack_output(trace.output)
    given, raw = bodies.pack(trace.input.encode()), bodies.pack(b"\2" + trace.raw)
    body = catalog.base.execute("INSERT INTO bodies (input, raw) VALUES (?, ?)", (given, raw)).lastrowid
    for number, part in enumerate(packed.parts):
        catalog.base.execute("INSERT INTO parts VALUES (?, ?, ?)", (body, number, part))
    values = (
        trace.trace_id,
        body,
        trace.task_id,
        trace.session_id,
        trace.agent,
        trace.client,
        trace.tool_name,
        trace.is_error,
        trace.duration_ms,
        trace.commit,
        trace.tool_use_id,
        trace.event,
        trace.created_at,
        packed.digest,
        packed.size,
        0,
    )
    catalog.base.execute(_INSERT, values)
