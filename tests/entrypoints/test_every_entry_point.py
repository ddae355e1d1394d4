"""Every tool through every entry point, with and without an open gate. Each row of the tool table is tested."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters

from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.results import output_schema
from devs_git.entrypoints.tools.table import TOOLS
from tests.entrypoints.samples import sample
from tests.support.selection import QUICK
from tests.support.web_client import Web, serve

pytestmark = pytest.mark.quick

ASKING = "request_tas_revision"
FEW = ("git_status", "get_task_trace", "start_task", "rewind_to_task")
CHOSEN = [name for name in TOOLS if name != ASKING and (not QUICK or name in FEW)]
# In the quick run test_mcp_server tells its story over standard input and output.
STDIO = [pytest.param(f"stdio {mode}", marks=pytest.mark.thorough) for mode in ("legacy", "2026-07-28")]
ENTRY_POINTS = (*STDIO, "http legacy", "http 2026-07-28", "plain")
# What comes before the guard says no: wrong arguments, and what is not there.
FIRST = frozenset({"INVALID_ARGUMENTS", "TASK_NOT_FOUND", "CHECKPOINT_NOT_FOUND", "MESSAGE_NOT_FOUND"})
ANNOUNCED: dict[str, dict[str, Any]] = {}
Call = Callable[[str, dict[str, Any]], Awaitable[tuple[dict[str, Any], bool]]]


@pytest.fixture
def lived_in(initialised: Path) -> Path:
    """A repository with a completed task, a second branch and a trace."""
    for name, arguments in (
        ("start_task", {"task_id": "1", "title": "x"}),
        ("commit_task", {"task_id": "1", "message": "m"}),
        ("store_trace", {"output": "printed", "traceId": "t-1"}),
    ):
        assert not calling.call(name, arguments, initialised).is_error
    subprocess.run(["git", "branch", "other"], cwd=initialised, check=True)
    return initialised


@asynccontextmanager
async def _client(entry_point: str, top: Path, web: Web) -> AsyncIterator[Call]:
    """Calls a tool through one entry point: the value, and whether it is an error."""
    kind, _, mode = entry_point.partition(" ")

    async def plain(name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        said = await anyio.to_thread.run_sync(lambda: web.tool(name, **arguments))
        return said.value, said.status >= 400

    if kind == "plain":
        yield plain
        return
    process = StdioServerParameters(
        command=sys.executable, args=["-m", "devs_git", "mcp"], cwd=top, env=dict(os.environ)
    )
    async with Client(process if kind == "stdio" else web.url, mode=mode) as client:

        async def call(name: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bool]:
            found = await client.call_tool(name, arguments)
            value: dict[str, Any] = found.structured_content
            return value, bool(found.is_error)

        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == set(TOOLS)
        ANNOUNCED.update({name: tool.output_schema or {} for name, tool in listed.items()})
        yield call


def _state(top: Path) -> bytes:
    """What a gate freezes: branches without ledger and snapshots, visible tags, HEAD, index and files."""
    words = (
        "git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags | grep -v -e devs/ledger -e heads/snapshot/; "
        "git symbolic-ref HEAD; git ls-files --stage; git status --porcelain"
    )
    return subprocess.run(["sh", "-c", words], cwd=top, check=True, capture_output=True).stdout


async def _through(entry_point: str, top: Path, web: Web) -> None:
    async with _client(entry_point, top, web) as call:
        for name in CHOSEN:
            value, is_error = await call(name, sample(name))
            _fits(name, value, is_error)
            assert value.get("code") != "GATE_BLOCKED", name
        value, is_error = await call(ASKING, sample(ASKING))
        _fits(ASKING, value, is_error)
        gate, before = value["gate_id"], _state(top)
        for name in [*CHOSEN, ASKING]:
            value, is_error = await call(name, sample(name))
            _fits(name, value, is_error)
            if TOOLS[name].runs_while_frozen:
                assert value.get("code") != "GATE_BLOCKED", name
            elif value.get("code") not in FIRST:
                assert (value["code"], value["gate_id"]) == ("GATE_BLOCKED", gate), name
            assert _state(top) == before, name


def _fits(name: str, value: dict[str, Any], is_error: bool) -> None:
    """The value fits the tool's output schema, or is an error with one of its codes."""
    assert is_error is ("error" in value), name
    jsonschema.validate(value, ANNOUNCED.get(name, {}))  # clients hold errors to it, too
    if is_error:
        assert value["code"] in TOOLS[name].every_code, f"{name}: {value}"
    else:
        jsonschema.validate(value, output_schema(TOOLS[name].verb.module))


@pytest.mark.quick(1)
@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_every_tool_answers_what_is_announced_and_is_frozen_where_its_verb_is(
    entry_point: str, lived_in: Path
) -> None:
    with serve(lived_in) as web:
        anyio.run(_through, entry_point, lived_in, web)
