"""`devs-git serve` as a process: how it begins, ends and is killed."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from devs_git.entrypoints.cli.main import cli
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from devs_git.storage.ledger import watch
from tests.support.web_client import Web


@contextlib.contextmanager
def started(top: Path, *words: str, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], Web]]:
    """`devs-git serve` on a free port."""
    command = [sys.executable, "-m", "devs_git", "serve", "--port", "0", *words]
    child = subprocess.Popen(
        command, cwd=top, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **env}
    )
    assert child.stderr
    try:
        line = child.stderr.readline().decode()
        port = re.search(r"serving repo at http://\S+:(\d+)/mcp", line)
        assert port, line + child.stderr.read().decode()
        yield child, Web(int(port[1]))
    finally:
        child.kill()
        child.communicate()


def test_sigterm_ends_open_requests(initialised: Path) -> None:
    with started(initialised) as (child, web):
        assert web.tool("git_status").status == 200
        half = socket.create_connection(("127.0.0.1", web.port))
        half.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        with web.events() as events, half:
            begun = time.monotonic()
            child.send_signal(signal.SIGTERM)
            assert list(events) == []
            assert child.wait(10) == 0
            assert time.monotonic() - begun < 5
            assert b" 503 " in half.recv(100)
        assert child.stdout
        assert child.stderr
        assert child.stdout.read() == b""
        assert b"Traceback" not in child.stderr.read()


@pytest.mark.quick
def test_a_kill_leaves_no_lock(initialised: Path) -> None:
    with started(initialised) as (child, web):
        calls = [
            threading.Thread(target=_tried, args=(web, "store_trace"), kwargs={"output": str(number)})
            for number in range(3)
        ]
        calls.append(threading.Thread(target=_tried, args=(web, "create_snapshot"), kwargs={"message": "x"}))
        for call in calls:
            call.start()
        child.kill()
        for call in calls:
            call.join()
    answer = calling.call("start_task", {"task_id": "9", "title": "x"}, initialised)
    assert not answer.is_error
    assert not calling.call("store_trace", {"output": "x"}, initialised).is_error


def _tried(web: Web, tool: str, **params: str) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        web.tool(tool, **params)


def test_sigterm_ends_a_tool_that_waits_and_streams_of_mcp(initialised: Path) -> None:
    began = initialised / "began"
    hook = initialised / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch '{began}'\nexec sleep 7\n")
    (initialised / "new.txt").write_text("new\n")
    assert not calling.call("start_task", {"task_id": "1", "title": "x"}, initialised).is_error
    with started(initialised) as (child, web):
        calls = [
            threading.Thread(
                target=_tried, args=(web, "commit_task"), kwargs={"task_id": "1", "message": "m"}
            ),
            threading.Thread(target=_streamed, args=(web,)),
        ]
        for call in calls:
            call.start()
        for _ in watch.looks(initialised / ".git", 20):
            if began.exists():
                break
        assert began.exists()
        begun = time.monotonic()
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == 0
        assert time.monotonic() - begun < 5
        for call in calls:
            call.join()
    hook.unlink()
    answer = calling.call("commit_task", {"task_id": "1", "message": "m"}, initialised)
    assert answer.value.get("task_id") == "task-1" or answer.value["code"] == "BUSY"


def _streamed(web: Web) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        web.send("GET", "/mcp", Accept="text/event-stream")


def test_a_token_is_asked_for_where_others_can_come(initialised: Path) -> None:
    with started(initialised, "--require-token", DEVS_GIT_TOKEN="secret") as (_, web):
        assert web.tool("git_status").status == 401
        assert web.send("GET", "/events").status == 401
        body = b'{"tool": "git_status"}'
        assert web.send("POST", "/mcp", body, Authorization="Bearer secret").status == 200


@pytest.mark.parametrize(
    "words", [("--host", "::"), ("--require-token",), ("--host", "no.such.name.invalid")]
)
def test_without_a_token_only_this_machine_is_served(words: tuple[str, ...], initialised: Path) -> None:
    del initialised
    with pytest.raises(DevsError) as refused:
        cli.main(["serve", *words], standalone_mode=False)
    assert refused.value.details == {"field": "DEVS_GIT_TOKEN"}


def test_a_port_in_use_is_a_refusal(initialised: Path) -> None:
    del initialised
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(DevsError) as refused:
        cli.main(["serve", "--port", str(taken.getsockname()[1])], standalone_mode=False)
    assert refused.value.details == {"field": "port"}
