"""Calls of our own MCP tools: those that only read are not stored, and the others are one trace, whoever reports them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.recall.traces import Trace
from devs_git.domain.text.times import stamp
from devs_git.operations.recall import spool
from devs_git.storage.catalog import fulltext, traces
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
from tests.operations.recall.test_spool import leave
from tests.support.conversation_scene import stored_places, take

pytestmark = pytest.mark.quick

RESULT = {"task_id": "task-10", "message": "x" * 600}
GIVEN = {"task_id": "10", "message": "Done; and more"}


def payload(tool: str, response: str, use: str = "call_1", given: Any = None) -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": "s-1",
        "tool_name": tool,
        "tool_input": GIVEN if given is None else given,
        "tool_response": response,
        "tool_use_id": use,
    }


def from_server(catalog: Catalog, name: str, *, ago: float = 0) -> None:
    """What our MCP server stores of a call: it knows neither the session nor the call's id."""
    at = stamp(datetime.now(UTC) - timedelta(seconds=ago))
    made = Trace(name, at, json.dumps(RESULT).encode(), json.dumps(GIVEN), "task-10", tool_name="commit_task")
    with fulltext.write_transaction(catalog):
        traces.put(catalog, made)


def stored(catalog: Catalog) -> list[tuple[str, ...]]:
    query = "SELECT trace_id, session_id, tool_use_id, tool_name, task_id FROM traces ORDER BY body_id"
    return [tuple(row) for row in catalog.rows(query)]


def ingested(workspace: Workspace, catalog: Catalog) -> None:
    spool.ingest(workspace.places, workspace.store_git, catalog)


@pytest.mark.parametrize(
    ("client", "tool"), [("claude", "mcp__devs-git__commit_task"), ("codex", "mcp__devs_git__commit_task")]
)
@pytest.mark.parametrize("spaces", [(",", ":"), (", ", ": ")])
def test_the_answer_that_the_server_stored_and_the_hook_told_is_one_trace(
    ledgered: Workspace, client: str, tool: str, spaces: tuple[str, str]
) -> None:
    with Catalog.open(ledgered.places.shared) as catalog:
        from_server(catalog, "t-1")
        leave(ledgered, payload(tool, json.dumps(RESULT, separators=spaces)), client=client)
        ingested(ledgered, catalog)
        assert stored(catalog) == [("t-1", "s-1", "call_1", tool, "task-10")]


def test_another_call_with_the_same_input_is_another_trace(ledgered: Workspace) -> None:
    tool = "mcp__devs-git__commit_task"
    with Catalog.open(ledgered.places.shared) as catalog:
        from_server(catalog, "t-old", ago=60)
        from_server(catalog, "t-1")
        for use in ("call_1", "call_2"):
            leave(ledgered, payload(tool, json.dumps(RESULT), use))
            ingested(ledgered, catalog)
        found = stored(catalog)
        assert sorted((row[0] == "t-old", row[2]) for row in found) == [
            (False, "call_1"),
            (False, "call_2"),
            (True, ""),
        ]


def test_a_transcript_names_the_trace_that_the_server_stored(ledgered: Workspace, tmp_path: Path) -> None:
    tool, time = "mcp__devs-git__commit_task", stamp(datetime.now(UTC))
    parts = [
        ("assistant", {"type": "tool_use", "id": "call_1", "name": tool, "input": GIVEN}),
        ("user", {"type": "tool_result", "tool_use_id": "call_1", "content": json.dumps(RESULT)}),
    ]
    path = tmp_path / "s-1.jsonl"
    lines = (
        {
            "type": kind,
            "uuid": kind,
            "sessionId": "s-1",
            "timestamp": time,
            "message": {"role": kind, "content": [part]},
        }
        for kind, part in parts
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Catalog.open(ledgered.places.shared) as catalog:
        from_server(catalog, "t-1")
        take(catalog, path)
        assert stored(catalog) == [("t-1", "s-1", "call_1", tool, "task-10")]
        assert stored_places(catalog, "s-1")[1].message.trace_id == "t-1"


@pytest.mark.parametrize("tool", ["list_checkpoints", "git_status", "get_history", "search_traces"])
def test_a_call_of_a_tool_that_only_reads_is_not_stored(ledgered: Workspace, tool: str) -> None:
    with Catalog.open(ledgered.places.shared) as catalog:
        for client, start in (("claude", "mcp__devs-git__"), ("codex", "mcp__devs_git__")):
            leave(ledgered, payload(start + tool, json.dumps(RESULT)), client=client)
        ingested(ledgered, catalog)
        assert stored(catalog) == []


def test_the_call_that_completes_a_task_belongs_to_it(ledgered: Workspace) -> None:
    """When it ends, no task is active any more."""
    printed = "task-10 completed as devs/task-10, checkpoint 1 at 0123456789 (1 file, +1 -0): Done\n"
    shell = {"command": "devs-git task complete --all -m Done"}
    with Catalog.open(ledgered.places.shared) as catalog:
        leave(ledgered, payload("Bash", printed, "call_1", shell))
        leave(ledgered, payload("mcp__devs-git__commit_task", json.dumps(RESULT), "call_2"))
        leave(ledgered, payload("Bash", printed, "call_3", {"command": "cat log"}))
        ingested(ledgered, catalog)
        assert sorted((row[2], row[4]) for row in stored(catalog)) == [
            ("call_1", "task-10"),
            ("call_2", "task-10"),
            ("call_3", ""),
        ]
