"""`devs-git mcp` behind an HTTP port, for a client that can only use HTTP, such as the conformance suite.

The body of each POST is written to the standard input of the server. The lines that the server prints are the answer, as
a stream of events.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from devs_git.entrypoints.http.listener import listen

# A request without an answer after this time is a check that fails.
SECONDS = 3.0
STATELESS = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"
_META = {"protocolVersion": STATELESS, "clientInfo": {"name": "x", "version": "1"}, "clientCapabilities": {}}
DISCOVER = {
    "jsonrpc": "2.0",
    "id": "first",
    "method": "server/discover",
    "params": {"_meta": {_PREFIX + name: value for name, value in _META.items()}},
}


class Child:
    """A server process: one for each client that sends `initialize`, and one for all other clients."""

    def __init__(self, top: Path) -> None:
        command = [sys.executable, "-m", "devs_git", "mcp"]
        self.process = subprocess.Popen(
            command, cwd=top, env=dict(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.turn = threading.Lock()
        self.lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)

    def send(self, message: Any) -> list[bytes]:
        """The lines that the server prints up to the answer; none for a message that needs no answer."""
        assert self.process.stdin
        lines: list[bytes] = []
        with self.turn, contextlib.suppress(Empty):
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
            while isinstance(message, dict) and "id" in message and "method" in message:
                lines.append(self.lines.get(timeout=SECONDS))
                if json.loads(lines[-1]).get("id") == message["id"]:
                    break
        return lines


class Bridge:
    """The server processes by session. The session of clients that send no `initialize` is ''."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.children: dict[str, Child] = {}

    async def relay(self, request: Request) -> Response:
        message = json.loads(await request.body())
        stateless = request.headers.get("mcp-protocol-version") == STATELESS
        begins = not stateless and isinstance(message, dict) and message.get("method") == "initialize"
        session = str(len(self.children)) if begins else request.headers.get("mcp-session-id", "")
        lines = await run_in_threadpool(self._send, session, message, stateless=stateless)
        body = b"".join(b"event: message\ndata: " + line + b"\n" for line in lines)
        heads = {"Mcp-Session-Id": session} if begins else {}
        return Response(body, 200 if lines else 202, heads, "text/event-stream" if lines else None)

    def _send(self, session: str, message: Any, *, stateless: bool) -> list[bytes]:
        if session not in self.children:
            self.children[session] = Child(self.top)
            # The first message decides the version of the protocol, and a test may send a wrong one.
            if stateless:
                self.children[session].send(DISCOVER)
        return self.children[session].send(message)


@contextlib.contextmanager
def bridge(top: Path) -> Iterator[str]:
    """The address of a port that leads to `devs-git mcp` in the repository at `top`."""
    bridge = Bridge(top)
    app = Starlette(routes=[Route("/mcp", bridge.relay, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1))
    with listen("127.0.0.1", 0) as socket:
        thread = threading.Thread(target=lambda: server.run(sockets=[socket]))
        thread.start()
        try:
            yield f"http://127.0.0.1:{socket.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join()
            for child in bridge.children.values():
                child.process.kill()
                child.process.communicate()
