"""The MCP door over standard input and output: the SDK's low-level server in front of our one tool table.

Thin on purpose: the SDK speaks both protocol eras (the handshake and the stateless one), `tools/calling.py` does what
the command line does. The only importer of mcp.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

import devs_git
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.results import announced
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import Tool

INSTRUCTIONS: Final = (
    "Checkpoints, rewind and gates for coding agents in this git repository. While a gate is open every tool that writes "
    "answers GATE_BLOCKED: stop writing, tell the person, and wait. No tool decides a gate. Before rewind_to_task, git_checkout "
    "or restore_files call it with dry_run where it has one. A shortened output names its trace: get_task_trace has the whole."
)
Context = ServerRequestContext[Any, Any]


def described(tool: Tool) -> types.Tool:
    """The tool as `tools/list` shows it."""
    return types.Tool(
        name=tool.name,
        description=tool.meaning,
        input_schema=tool.input_schema(),
        output_schema=announced(tool.verb.module),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=tool.moves_tree,
            idempotent_hint=tool.reads,
            open_world_hint=False,
        ),
    )


def server(where: Path) -> Server[Any]:
    """A server for the repository at `where`; it keeps nothing between two calls."""

    async def list_tools(_context: Context, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[described(tool) for tool in TOOLS.values()])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        work = partial(calling.call, params.name, params.arguments or {}, where, _progress(context))
        return _result(await anyio.to_thread.run_sync(work))

    return Server(
        "devs-git",
        version=devs_git.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _result(answer: calling.Answer) -> types.CallToolResult:
    meta = {"traceId": answer.trace_id} if answer.trace_id else None
    return types.CallToolResult(
        content=[types.TextContent(text=answer.text)],
        structured_content=answer.value,
        is_error=answer.is_error,
        _meta=meta,
    )


def _progress(context: Context) -> Callable[[str, int, int], None] | None:
    """Tell a client that gave a token of long steps; called on a worker thread. None without a token."""
    token = (context.meta or {}).get("progress_token")
    if token is None:
        return None
    steps = iter(range(1, 1 << 30))

    def tell(what: str, _done: int, _total: int) -> None:
        # Steps of several kinds follow each other: progress only ever grows, so it counts them.
        send = partial(context.session.send_progress_notification, token, float(next(steps)), None, what)
        anyio.from_thread.run(send)

    return tell


async def _serve(where: Path) -> None:
    async with stdio_server() as (reading, writing):
        made = server(where)
        await made.run(reading, writing, made.create_initialization_options())


def main(where: Path) -> int:
    """Serve until standard input ends; standard output is the protocol's alone."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="devs-git: %(levelname)s: %(message)s"
    )
    anyio.run(_serve, where)
    return 0
