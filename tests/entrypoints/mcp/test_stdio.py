"""`devs-git mcp` as a process: what it loads, what it answers meanwhile, and what it does when a client wants no answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devs_git.entrypoints.tools import calling
from devs_git.storage.ledger import watch

pytestmark = pytest.mark.quick

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
# A start that loads one of these takes several times as long.
HEAVY = (
    "mcp",
    "mcp_types",
    "pydantic",
    "anyio",
    "asyncio",
    "starlette",
    "uvicorn",
    "httpx2",
    "jsonschema",
    "pygit2",
)
LISTING = f"""
import sys
from pathlib import Path
from devs_git.entrypoints.mcp import stdio
stdio.main(Path("."))
sys.stderr.write("loaded: " + ",".join(name for name in {HEAVY!r} if name in sys.modules))
"""


class Server:
    """The process behind two pipes; `code` is what Python runs."""

    def __init__(self, top: Path, *words: str) -> None:
        self.child = subprocess.Popen(
            [sys.executable, *(words or ("-m", "devs_git", "mcp"))],
            cwd=top,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.heard: list[dict[str, Any]] = []

    def send(self, method: str, number: object = None, **params: Any) -> None:
        assert self.child.stdin
        message = {"jsonrpc": "2.0", "method": method, "params": params, **({"id": number} if number else {})}
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()

    def hear(self, number: object) -> dict[str, Any]:
        """The answer to the request, and everything that comes before it."""
        assert self.child.stdout
        for line in self.child.stdout:
            self.heard.append(json.loads(line))
            if self.heard[-1].get("id") == number:
                return self.heard[-1]
        raise AssertionError(self.errors())

    def call(self, number: object, tool: str, arguments: dict[str, Any], **more: Any) -> None:
        self.send("tools/call", number, name=tool, arguments=arguments, **more)

    def errors(self) -> str:
        return self.child.communicate()[1].decode()


class SlowCommit:
    """A hook of the user that holds each commit until it is let go."""

    def __init__(self, top: Path) -> None:
        self._begun, self._go = top / ".git/begun", top / ".git/go"
        for pipe in (self._begun, self._go):
            os.mkfifo(pipe)
        hook = top / ".git/hooks/pre-commit"
        hook.write_text(f"#!/bin/sh\n: > '{self._begun}'\ncat '{self._go}'\n")
        hook.chmod(0o755)
        (top / "new.txt").write_text("new")

    def wait_begun(self) -> None:
        self._begun.read_bytes()

    def let_go(self) -> None:
        self._go.write_bytes(b"")


@pytest.fixture
def serving(initialised: Path) -> Iterator[Callable[..., Server]]:
    started: list[Server] = []

    def start(*words: str) -> Server:
        started.append(Server(initialised, *words))
        started[-1].send("initialize", 1, **HELLO)
        started[-1].hear(1)
        return started[-1]

    yield start
    for server in started:
        server.child.communicate()


@pytest.fixture
def worked(initialised: Path) -> Path:
    """Tasks 1 and 2 are completed."""
    for task in ("1", "2"):
        (initialised / "work.txt").write_text(task)
        for name, more in (("start_task", {"task_id": task}), ("commit_task", {"message": "m"})):
            assert not calling.call(name, more, initialised).is_error
    return initialised


def test_greeting_and_listing_load_no_library_that_is_slow_to_load(serving: Callable[..., Server]) -> None:
    server = serving("-c", LISTING)
    server.send("tools/list", 2)
    assert server.hear(2)["result"]["tools"]
    assert server.errors().endswith("loaded: ")


def test_a_list_is_answered_while_a_tool_works(serving: Callable[..., Server], initialised: Path) -> None:
    server = serving()
    commit = SlowCommit(initialised)
    server.call(2, "start_task", {"task_id": "1"})
    server.hear(2)
    server.call(3, "commit_task", {"message": "m"})
    commit.wait_begun()
    server.send("tools/list", 4)
    assert server.hear(4)["result"]["tools"]
    commit.let_go()
    assert server.hear(3)["result"]["structuredContent"]["task_id"] == "task-1"


def test_a_call_that_the_client_cancels_ends_and_is_not_answered(
    serving: Callable[..., Server], initialised: Path
) -> None:
    server = serving()
    commit = SlowCommit(initialised)
    server.call(2, "start_task", {"task_id": "1"})
    server.hear(2)
    server.call(3, "commit_task", {"message": "m"})
    commit.wait_begun()
    server.send("notifications/cancelled", requestId="3")
    server.send("ping", 4)
    server.hear(4)
    commit.let_go()
    assert server.child.communicate()[0] == b""
    assert calling.call("task_status", {"task_id": "1"}, initialised).value["status"] == "completed"


def test_a_client_with_a_token_is_told_of_each_step_and_one_without_of_none(
    serving: Callable[..., Server], worked: Path
) -> None:
    server = serving()
    server.call(2, "rewind_to_task", {"task_id": "1"}, _meta={"progressToken": "t"})
    assert server.hear(2)["result"]["structuredContent"]["rewound_to"] == "task-1"
    told = [one["params"] for one in server.heard if one.get("method") == "notifications/progress"]
    assert {one["progressToken"] for one in told} == {"t"}
    assert [one["progress"] for one in told] == [*range(1, len(told) + 1)]
    assert {"capture", "journal", "files", "transaction"} <= {one["message"] for one in told}
    known = len(server.heard)
    server.call(3, "undo_rewind", {})
    server.hear(3)
    assert len(server.heard) == known + 1
    assert (worked / "work.txt").read_text() == "2"


def _is_back(worked: Path) -> bool:
    """The rewind to task 1 is done; in its midst git takes the file away before it writes the other."""
    try:
        held = (worked / "work.txt").read_text()
    except FileNotFoundError:
        return False
    return held == "1" and not list((worked / ".git/devs/journal").iterdir())


def test_a_client_that_reads_nothing_does_not_stop_a_rewind(worked: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"x" * 65_536)
    except BlockingIOError:
        os.set_blocking(writing, True)
    call = {"name": "rewind_to_task", "arguments": {"task_id": "1"}, "_meta": {"progressToken": 1}}
    messages = ({"method": "notifications/initialized"}, {"id": 2, "method": "tools/call", "params": call})
    given = "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages)
    with subprocess.Popen(
        [sys.executable, "-m", "devs_git", "mcp"], cwd=worked, stdin=subprocess.PIPE, stdout=writing
    ) as child:
        assert child.stdin
        os.close(writing)
        child.stdin.write(given.encode())
        child.stdin.close()
        try:
            for _ in watch.looks(worked / ".git", 20):
                if _is_back(worked):
                    break
            assert _is_back(worked)
        finally:
            # The child waits for a reader at its last answer.
            os.close(reading)
    assert child.returncode == 0


def test_what_a_program_of_a_tool_prints_is_not_among_the_messages(
    serving: Callable[..., Server], initialised: Path
) -> None:
    hook = initialised / ".git/hooks/post-commit"
    hook.write_text("#!/bin/sh\necho printed\nread line && echo stolen\n")
    hook.chmod(0o755)
    server = serving()
    (initialised / "new.txt").write_text("new")
    server.call(2, "start_task", {"task_id": "1"})
    server.hear(2)
    server.call(3, "commit_task", {"message": "m"})
    assert server.hear(3)["result"]["structuredContent"]["status"] == "completed"
