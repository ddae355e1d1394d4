"""The MCP server over HTTP: the SDK's low-level server in front of our tool table.

The SDK speaks both versions of the protocol (with a handshake and stateless), `tools/calling.py` does the work. This is
the only module that imports mcp. `devs-git mcp` does without it: see `stdio.py`.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

import devs_git
from devs_git.entrypoints.mcp import announcement
from devs_git.entrypoints.tools import calling

PROGRESS_SECONDS: Final = 0.5
Context = ServerRequestContext[Any, Any]


def server(where: Path) -> Server[Any]:
    """A server for the repository at `where`; it keeps no state between calls."""

    async def list_tools(_context: Context, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": announcement.listed_tools()})

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        work = partial(calling.call, params.name, params.arguments or {}, where, _progress(context))
        return _result(await anyio.to_thread.run_sync(work))

    return Server(
        announcement.NAME,
        version=devs_git.__version__,
        instructions=announcement.INSTRUCTIONS,
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
    """A function that reports long steps to the client, from a worker thread. None if the client gave no token."""
    if (context.meta or {}).get("progress_token") is None:
        return None
    steps, listens = count(1), True

    async def send(what: str) -> None:
        nonlocal listens
        with anyio.move_on_after(PROGRESS_SECONDS) as time:
            # Progress may only grow, and steps of several kinds follow each other, so count the steps.
            await context.session.report_progress(float(next(steps)), None, what)
        listens = not time.cancelled_caught

    def tell(what: str, _done: int, _total: int) -> None:
        nonlocal listens
        if listens:
            try:
                anyio.from_thread.run(send, what)
            except (Exception, CancelledError):  # noqa: BLE001 - a client that is gone must not end a move of the working tree
                listens = False

    return tell
