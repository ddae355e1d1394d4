"""Progress of a rewind over HTTP, and the rewind after its client disconnected."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from pathlib import Path

import anyio
import pytest
from mcp import Client

from devs_git.entrypoints.tools import calling
from devs_git.storage.ledger import watch
from tests.support.web_client import Web, serve

NEW = "2026-07-28"
ENVELOPE = {
    "progressToken": "t",
    "io.modelcontextprotocol/protocolVersion": NEW,
    "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def worked(initialised: Path) -> Path:
    """Tasks 1 and 2 are completed."""
    for task in ("1", "2"):
        (initialised / "work.txt").write_text(task)
        for name, more in (("start_task", {"title": "x"}), ("commit_task", {"message": "m"})):
            assert not calling.call(name, {"task_id": task, **more}, initialised).is_error
    return initialised


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["legacy", NEW])
def test_a_client_that_gave_a_token_is_told_of_each_step(mode: str, worked: Path) -> None:
    told: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told.append((progress, message))

    async def rewind(web: Web) -> None:
        async with Client(web.url, mode=mode) as client:
            done = await client.call_tool("rewind_to_task", {"task_id": "1"}, progress_callback=hear)
            assert done.structured_content
            assert done.structured_content["rewound_to"] == "task-1"

    with serve(worked) as web:
        anyio.run(rewind, web)
    assert [progress for progress, _ in told] == [float(number + 1) for number in range(len(told))]
    assert {"capture", "journal", "files", "transaction"} <= {message for _, message in told}


@pytest.mark.parametrize("era", ["2025-11-25", NEW])
def test_a_client_that_goes_away_in_the_middle_stops_no_rewind(era: str, worked: Path) -> None:
    call = {"name": "rewind_to_task", "arguments": {"task_id": "1"}, "_meta": ENVELOPE}
    if era != NEW:
        call["_meta"] = {"progressToken": "t"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"
        f"Content-Type: application/json\r\nMCP-Protocol-Version: {era}\r\nMcp-Method: tools/call\r\n"
        f"Mcp-Name: rewind_to_task\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with serve(worked) as web:
        with contextlib.closing(socket.create_connection(("127.0.0.1", web.port))) as line:
            line.sendall(head.encode() + body)
            heard = b""
            while b"index lock" not in heard:  # the journal is open by now
                heard += line.recv(4096)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # go without a word
        journals = worked / ".git" / "devs" / "journal"
        for _ in watch.looks(worked / ".git", 20):
            if not list(journals.iterdir()):
                break
        assert list(journals.iterdir()) == []
        assert (worked / "work.txt").read_text() == "1"
        assert web.tool("list_checkpoints").value["operations"][0]["type"] == "rewound"
        assert web.tool("undo_rewind").status == 200
