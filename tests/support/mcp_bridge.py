"""`devs-git mcp` behind an HTTP port, for a client that speaks nothing else, such as the conformance suite.

A POST is a line on standard input, and the lines that come for it are its answer, as a stream of events.
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

SECONDS = 3.0  # what is never answered is a check that fails
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
    """The process: one for each client that shakes hands, and one for all that do not."""

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

    def say(self, told: Any) -> list[bytes]:
        """What comes until the answer; nothing is waited for where a message wants none."""
        assert self.process.stdin
        heard: list[bytes] = []
        with self.turn, contextlib.suppress(Empty):
            self.process.stdin.write(json.dumps(told).encode() + b"\n")
            self.process.stdin.flush()
            while isinstance(told, dict) and "id" in told and "method" in told:
                heard.append(self.lines.get(timeout=SECONDS))
                if json.loads(heard[-1]).get("id") == told["id"]:
                    break
        return heard


class Bridge:
    """The children by their session: '' for who does not shake hands."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.children: dict[str, Child] = {}

    async def relay(self, request: Request) -> Response:
        told = json.loads(await request.body())
        stateless = request.headers.get("mcp-protocol-version") == STATELESS
        begins = not stateless and isinstance(told, dict) and told.get("method") == "initialize"
        session = str(len(self.children)) if begins else request.headers.get("mcp-session-id", "")
        heard = await run_in_threadpool(self._say, session, told, stateless=stateless)
        body = b"".join(b"event: message\ndata: " + line + b"\n" for line in heard)
        heads = {"Mcp-Session-Id": session} if begins else {}
        return Response(body, 200 if heard else 202, heads, "text/event-stream" if heard else None)

    def _say(self, session: str, told: Any, *, stateless: bool) -> list[bytes]:
        if session not in self.children:
            self.children[session] = Child(self.top)
            if stateless:  # what comes first decides the era of a pipe, and may be wrong on purpose
                self.children[session].say(DISCOVER)
        return self.children[session].say(told)


@contextlib.contextmanager
def bridge(top: Path) -> Iterator[str]:
    """The address of a port that leads to `devs-git mcp` in the repository at `top`."""
    bridge = Bridge(top)
    app = Starlette(routes=[Route("/mcp", bridge.relay, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1))
    with listen("127.0.0.1", 0) as ear:
        thread = threading.Thread(target=lambda: server.run(sockets=[ear]))
        thread.start()
        try:
            yield f"http://127.0.0.1:{ear.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join()
            for child in bridge.children.values():
                child.process.kill()
                child.process.communicate()
