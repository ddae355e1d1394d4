"""The SDK's client calls tools over standard input and output, in both versions of the protocol."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from devs_git.entrypoints.tools.table import TOOLS
from tests.support.terminal_person import at_terminal

REQUEST = {
    "agent_id": "developer",
    "task_id": "2",
    "blocker_description": "The specification contradicts itself here.",
    "proposed_changes": {
        "sections_to_modify": ["2.3"],
        "rationale": "It says two things about one field.",
        "risk_assessment": "Clients that rely on the first reading.",
    },
}


async def _story(top: Path, mode: str) -> None:
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "devs_git", "mcp"], cwd=top, env=dict(os.environ)
    )
    async with Client(started, mode=mode) as client:

        async def call(name: str, **arguments: Any) -> dict[str, Any]:
            found = await client.call_tool(name, arguments)
            value: dict[str, Any] = found.structured_content
            assert found.is_error is ("error" in value)
            return value

        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == set(TOOLS)
        moving, reading = listed["rewind_to_task"].annotations, listed["git_status"].annotations
        assert moving
        assert moving.destructive_hint
        assert not moving.read_only_hint
        assert reading
        assert reading.read_only_hint
        assert not reading.open_world_hint
        for task in ("1", "2"):
            await call("start_task", task_id=task, title="x")
            await anyio.Path(top / "work.txt").write_text(f"{task} begun")
            assert (await call("create_checkpoint", message="m"))["number"] == 1
            await anyio.Path(top / "work.txt").write_text(task)
            assert (await call("commit_task", task_id=task, message="m"))["number"] == 2
        await call("store_trace", output="printed\n" * 200, traceId="t-1", task_id="2")
        assert (await call("get_task_trace", traceId="t-1"))["fullOutput"] == "printed\n" * 200
        gate = (await call("request_tas_revision", **REQUEST))["gate_id"]
        assert (await call("request_tas_revision", **REQUEST))["existing_gate_id"] == gate
        assert (await call("rewind_to_task", task_id="1"))["code"] == "GATE_BLOCKED"
        assert (await call("get_gate", gate_id=gate))["status"] == "PENDING_APPROVAL"
        approve = ("gate", "approve", gate, "--reason", "fine")
        assert (await anyio.to_thread.run_sync(lambda: at_terminal(top, *approve, typed="y\n")))[0] == 0
        assert (await call("get_gate", gate_id=gate))["status"] == "APPROVED"
        await call("start_task", task_id="3", title="x")
        await anyio.Path(top / "work.txt").write_text("3")
        assert (await call("commit_task", task_id="3", message="m"))["task_id"] == "task-3"
        plan = await call("rewind_to_task", task_id="1", dry_run=True)
        assert (await call("rewind_to_task", plan_id=plan["plan_id"]))["rewound_to"] == "task-1"
        assert await anyio.Path(top / "work.txt").read_text() == "1"
        await call("undo_rewind")
        assert await anyio.Path(top / "work.txt").read_text() == "3"
        assert (await call("git_status"))["clean"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_a_client_starts_commits_is_blocked_goes_on_rewinds_and_undoes(mode: str, initialised: Path) -> None:
    anyio.run(_story, initialised, mode)
