"""The MCP server over standard input and output: the SDK's low-level server in front of our tool table.

The SDK speaks both versions of the protocol (with a handshake and stateless), `tools/calling.py` does the work. This is
the only module that imports mcp.
"""

from __future__ import annotations

import json
import logging
import os
from asyncio import CancelledError
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, cast

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

import devs_git
from devs_git.domain.text import limits
from devs_git.entrypoints.cli.texts import console
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.results import answer_schema
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import Tool

INSTRUCTIONS: Final = (
    "Checkpoints, rewind and gates for coding agents in this git repository. While a gate is open, every tool that writes "
    "answers GATE_BLOCKED: stop writing, tell the person, and wait. No tool decides a gate. Before you call rewind_to_task or "
    "undo_rewind, call it with dry_run. A shortened output names its trace: get_task_trace returns the whole output."
)
PROGRESS_SECONDS: Final = 0.5
Context = ServerRequestContext[Any, Any]


def tool_description(tool: Tool) -> types.Tool:
    """The tool as `tools/list` shows it."""
    return types.Tool(
        name=tool.name,
        description=tool.meaning,
        input_schema=tool.input_schema(),
        output_schema=answer_schema(tool.verb.module),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=tool.moves_tree,
            idempotent_hint=tool.reads,
            open_world_hint=False,
        ),
    )


def server(where: Path) -> Server[Any]:
    """A server for the repository at `where`; it keeps no state between calls."""

    async def list_tools(_context: Context, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool_description(tool) for tool in TOOLS.values()])

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


class _Answering:
    """The messages of a client. Lines that are no message get an error as answer; the SDK would drop them, and the client would wait."""

    def __init__(self, reading: Any, writing: Any) -> None:
        self.reading, self.writing = reading, writing

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reading, name)

    def __aiter__(self) -> _Answering:
        return self

    async def __anext__(self) -> Any:
        while isinstance(item := await self.reading.__anext__(), Exception):
            refusal = _refusal([one["input"] for one in getattr(item, "errors", list)()])
            if refusal:
                logging.getLogger("devs_git").warning("a line on standard input is not a message of MCP")
                await self.writing.send(SessionMessage(refusal))
        return item


def _refusal(inputs: list[Any]) -> types.JSONRPCError | None:
    """The answer to a line that is not a message, with its id if it can be read. None for an empty line."""
    code, found = types.INVALID_REQUEST, next((one for one in inputs if isinstance(one, dict)), None)
    if found is None and inputs and isinstance(inputs[0], str):
        if not inputs[0].strip():
            return None
        try:
            # json reads more than the SDK does: lone surrogates, deeper nesting.
            found = json.loads(inputs[0])
        except (ValueError, RecursionError):
            code = types.PARSE_ERROR
    number = found.get("id") if isinstance(found, dict) else None
    known = number if isinstance(number, str) or type(number) is int else None
    error = types.ErrorData(code=code, message="This is not a readable message of JSON-RPC 2.0.")
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=error)


class _Lines:
    """Standard input, line by line. A line that is longer than a message may be is replaced by a text that is no message.

    Descriptor 0 becomes the null device, as in the SDK, so that no child process reads the client's messages.
    """

    def __init__(self) -> None:
        self.stream = os.fdopen(os.dup(0), "rb")
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)

    def readline(self) -> str:
        most = limits.MESSAGE.most
        line = self.stream.readline(most + 1)
        if len(line) <= most:
            return line.decode("utf-8", "replace")
        while line and not line.endswith(b"\n"):
            line = self.stream.readline(most)
        return limits.MESSAGE.size_text + "\n"


async def _serve(where: Path) -> None:
    lines: Any = anyio.wrap_file(cast("Any", _Lines()))
    async with stdio_server(stdin=lines) as (reading, writing):
        made = server(where)
        await made.run(_Answering(reading, writing), writing, made.create_initialization_options())


def main(where: Path) -> int:
    """Serve until standard input ends. Only protocol messages go to standard output."""
    console.log(logging.WARNING, "devs-git: %(levelname)s: %(message)s")
    try:
        anyio.run(_serve, where)
    except* BrokenPipeError:
        # All calls have ended by now, and nobody reads their answers.
        logging.getLogger("devs_git").warning("nobody reads standard output any more")
    return 0
