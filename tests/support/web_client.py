"""The web application of a repository, served by this process, and a small client."""

from __future__ import annotations

import asyncio
import contextlib
import encodings.idna  # noqa: F401 - threads that are the first to resolve a name fall over its import
import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from devs_git.entrypoints.http.app import application
from devs_git.entrypoints.http.border import Rules
from devs_git.entrypoints.http.feed import Feed
from devs_git.entrypoints.http.listener import Server, listen


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def value(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def code(self) -> str:
        return str(self.value.get("code", ""))


@dataclass(frozen=True)
class Web:
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            got = connection.getresponse()
            return Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read())

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def post(self, path: str, **fields: Any) -> Answer:
        return self.send("POST", path, json.dumps(fields).encode())

    def tool(self, tool: str, **params: Any) -> Answer:
        return self.post("/mcp", tool=tool, params=params)

    @contextlib.contextmanager
    def events(self, **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
        """The events as they come: id, event and data."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request("GET", "/events", headers={k.replace("_", "-"): v for k, v in headers.items()})
        response = connection.getresponse()
        assert response.status == 200, response.read()
        assert response.readline() == b"retry: 1000\n"
        try:
            yield _events(response)
        finally:
            response.close()
            connection.close()


def _events(response: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    found: dict[str, Any] = {}
    while line := response.readline():
        key, _, value = line.decode().rstrip("\n").partition(": ")
        if key and value:
            found[key] = json.loads(value) if key == "data" else value
        elif "id" in found:
            yield found
            found = {}


@contextlib.contextmanager
def serve(where: Path, rules: Rules | None = None) -> Iterator[Web]:
    """The application on a free port until the end of the block."""
    rules = rules or Rules("127.0.0.1")
    with listen("127.0.0.1", 0) as ear:
        feed = Feed(where)
        app = application(where, rules, feed)
        server = Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"), feed)

        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[ear])))
        thread.start()
        try:
            yield Web(ear.getsockname()[1])
        finally:
            server.end()
            thread.join()
