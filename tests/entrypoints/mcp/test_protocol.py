"""Our reading of the protocol answers each message as the library `mcp` does, which speaks it over HTTP."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from devs_git.entrypoints.mcp import protocol, server
from devs_git.entrypoints.mcp.stdio import Connection, Output

pytestmark = pytest.mark.quick

META = "io.modelcontextprotocol/"
CLIENT = {"name": "x", "version": "1"}
ENVELOPE: dict[str, Any] = {
    META + "protocolVersion": "2026-07-28",
    META + "clientInfo": CLIENT,
    META + "clientCapabilities": {},
}
HELLO: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
Told = tuple[str, dict[str, Any] | None]


def _without(key: str) -> dict[str, Any]:
    return {name: value for name, value in ENVELOPE.items() if name != META + key}


def _with(**values: Any) -> dict[str, Any]:
    return {**ENVELOPE, **{META + name: value for name, value in values.items()}}


GREETED: list[Told] = [("initialize", HELLO), ("notifications/initialized", None)]
STORIES: dict[str, list[Told]] = {
    **{
        f"a client of {version}": [("initialize", {**HELLO, "protocolVersion": version}), ("tools/list", {})]
        for version in (*HANDSHAKE_PROTOCOL_VERSIONS, "1999-01-01", "2026-07-28")
    },
    "a greeting twice": [*GREETED, ("initialize", HELLO), ("ping", None)],
    "no greeting": [
        ("ping", None),
        ("tools/list", None),
        ("tools/call", {"name": "git_status"}),
        ("x", None),
    ],
    "a bare notification opens": [("notifications/initialized", None), ("tools/list", None)],
    "a greeting that lacks something": [
        ("initialize", {key: value for key, value in HELLO.items() if key != missing}) for missing in HELLO
    ],
    "a greeting with wrong types": [("initialize", {**HELLO, name: 7}) for name in HELLO]
    + [("initialize", {**HELLO, "clientInfo": {"name": "x"}}), ("initialize", None)],
    "methods that we lack": [*GREETED, ("resources/list", {}), ("prompts/list", None), ("x/y", {"a": 1})],
    "lists": [
        *GREETED,
        ("tools/list", {"cursor": None}),
        ("tools/list", {"cursor": 7}),
        ("tools/list", {"_meta": 7}),
    ],
    "calls": [
        *GREETED,
        ("tools/call", {"name": "git_status"}),
        ("tools/call", {"name": "git_status", "arguments": None, "_meta": None}),
        ("tools/call", {"name": "no_such_tool", "arguments": {}}),
        ("tools/call", {"name": "show_checkpoint", "arguments": {"checkpoint": "task-7"}}),
        ("tools/call", {"name": "show_checkpoint", "arguments": {"more": [1, {"a": None}]}}),
    ],
    "calls with wrong params": [
        *GREETED,
        ("tools/call", None),
        ("tools/call", {}),
        ("tools/call", {"name": 7}),
        ("tools/call", {"name": "git_status", "arguments": []}),
        ("tools/call", {"name": "git_status", "_meta": {"progressToken": []}}),
    ],
    "a client without a handshake": [
        ("server/discover", {"_meta": ENVELOPE}),
        ("tools/list", {"_meta": ENVELOPE}),
        ("tools/call", {"name": "git_status", "_meta": ENVELOPE}),
        ("tools/call", {"name": "task_status", "arguments": {}, "_meta": ENVELOPE}),
        ("tools/call", {"arguments": {}, "_meta": ENVELOPE}),
        ("ping", {"_meta": ENVELOPE}),
        ("resources/list", {"_meta": ENVELOPE}),
        ("x/y", {"_meta": ENVELOPE}),
    ],
    "an envelope that lacks something": [
        ("tools/list", {"_meta": ENVELOPE}),
        ("tools/list", None),
        ("tools/list", {"_meta": 7}),
        ("tools/list", {"_meta": _without("protocolVersion")}),
        ("tools/list", {"_meta": _without("clientCapabilities")}),
        ("tools/list", {"_meta": _without("clientInfo")}),
        ("tools/list", {"_meta": _with(protocolVersion="9999-01-01")}),
        ("tools/list", {"_meta": _with(protocolVersion=7)}),
        ("tools/list", {"_meta": _with(clientCapabilities=7)}),
        ("tools/list", {"_meta": _with(clientInfo={"name": "x"})}),
    ],
    "the other era afterwards": [*GREETED, ("tools/list", {"_meta": ENVELOPE}), ("tools/list", None)],
    "a handshake afterwards": [
        ("tools/list", {"_meta": ENVELOPE}),
        ("initialize", HELLO),
        ("initialize", None),
    ],
    "an era of the future": [
        ("tools/list", {"_meta": _with(protocolVersion="9999-01-01")}),
        ("initialize", HELLO),
    ],
}


def _messages(story: list[Told]) -> list[dict[str, Any]]:
    made = []
    for at, (method, params) in enumerate(story):
        number = {} if method.startswith("notifications/") else {"id": f"n{at}" if at % 2 else at}
        made.append(
            {"jsonrpc": "2.0", **number, "method": method, **({} if params is None else {"params": params})}
        )
    return made


class Heard(Output):
    """Standard output that remembers its lines."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def send(self, line: bytes) -> None:
        self.lines.append(json.loads(line))


def _ours(top: Path, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    output = Heard()
    with ThreadPoolExecutor(4) as threads:
        connection = Connection(top, output, threads)
        for message in told:
            connection.take(json.dumps(message).encode() + b"\n")
    return output.lines


async def _of_library(top: Path, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made, heard = server.server(top), list[dict[str, Any]]()
    give, reading = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    writing, take = anyio.create_memory_object_stream[SessionMessage](100)

    async def talk() -> None:
        for message in told:
            await give.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            if "id" in message:
                came = await take.receive()
                heard.append(json.loads(came.message.model_dump_json(by_alias=True, exclude_unset=True)))
        give.close()

    async with anyio.create_task_group() as group:
        group.start_soon(talk)
        await made.run(cast("Any", reading), cast("Any", writing), made.create_initialization_options())
    take.close()
    return heard


def _plain(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """By id; of an error its code and data, because each side has words of its own."""
    found = {}
    for answer in answers:
        error = answer.get("error")
        told = {"code": error["code"], "data": error.get("data")} if error else answer["result"]
        found[json.dumps(answer["id"])] = _bare(told)
    return found


def _bare(value: Any) -> Any:
    """Without what is empty and means the same as nothing."""
    if isinstance(value, dict):
        return {key: _bare(inner) for key, inner in value.items() if (key, inner) != ("experimental", {})}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", STORIES)
def test_a_message_is_answered_as_the_library_answers_it(name: str, initialised: Path) -> None:
    told = _messages(STORIES[name])
    assert _plain(_ours(initialised, told)) == _plain(anyio.run(_of_library, initialised, told))


def test_we_speak_the_versions_that_the_library_speaks() -> None:
    assert protocol.HANDSHAKE == HANDSHAKE_PROTOCOL_VERSIONS
    assert (protocol.STATELESS,) == MODERN_PROTOCOL_VERSIONS
