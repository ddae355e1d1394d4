"""A hostile client and a hostile repository: no program runs, nothing leaks, and the server still answers."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.table import TOOLS
from tests.entrypoints.samples import sample
from tests.support.selection import QUICK
from tests.support.web_client import serve

Git = Callable[..., str]
FRAMES = int(os.environ.get("DEVS_TEST_COUNT_FRAMES", "100"))
MEBIBYTES = int(os.environ.get("DEVS_TEST_COUNT_ARGUMENT_MEBIBYTES", "5"))
TEXTS = ("../../x", "/etc/passwd", "--output=x", "-x", "task-1\0", "$(touch ran)", "`touch ran`", "a\nb", "\x1b[2J", "x" * 5000, "refs/heads/main", "HEAD", ":/x", "@{-1}", "", " ", "\ud800", "task-1@9", "1@0", "😀")  # fmt: skip


def frame(dice: random.Random) -> bytes:
    """A line that is not a valid message of the protocol."""
    whole = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": dice.choice([1, "a", None, 1.5, [], {}]),
            "method": "tools/call",
            "params": {"name": "git_status", "arguments": {}},
        }
    ).encode()
    cut = dice.randrange(len(whole))
    return dice.choice(
        [
            dice.randbytes(dice.randrange(1, 200)).replace(b"\n", b"").replace(b"\r", b"") or b"x",
            whole[:cut],
            whole[:cut] + dice.randbytes(3).replace(b"\n", b" ").replace(b"\r", b" ") + whole[cut:],
            b"[" * dice.randrange(1, 5000),
            b'{"a":' * dice.randrange(1, 2000) + b"1",
            json.dumps(
                dice.choice([[], [1], 1, "x", None, {}, {"jsonrpc": "1.0"}, {"jsonrpc": "2.0"}])
            ).encode(),
            json.dumps(
                {"jsonrpc": "2.0", "id": 1, "method": dice.choice(["", "x", "tools/call", 7])}
            ).encode(),
            json.dumps({"jsonrpc": "2.0", "id": 10**30, "method": "tools/list", "params": [1]}).encode(),
            json.dumps({"jsonrpc": "2.0", "id": 2, "result": {}}).encode(),
            json.dumps(
                {"tool": dice.choice(TEXTS), "params": dice.choice([None, [], 1, {"a": {}}])}
            ).encode(),
        ]
    )


class Talker:
    """`devs-git mcp` with its two pipes, without an MCP library."""

    def __init__(self, top: Path) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", "devs_git", "mcp"],
            cwd=top,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.answers: dict[Any, Any] = {}
        self.came = threading.Condition()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.child.stdout
        for line in self.child.stdout:
            told = json.loads(line)
            with self.came:
                self.answers[json.dumps(told.get("id"))] = told
                self.came.notify_all()

    def send(self, line: bytes) -> None:
        assert self.child.stdin
        self.child.stdin.write(line + b"\n")
        self.child.stdin.flush()

    def ask(self, number: str, method: str, **params: Any) -> dict[str, Any]:
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        with self.came:
            assert self.came.wait_for(lambda: json.dumps(number) in self.answers, 60), method
            found: dict[str, Any] = self.answers[json.dumps(number)]
            return found

    def shake(self) -> None:
        told = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }
        assert "result" in self.ask("hello", "initialize", **told)
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def call(self, number: str, tool: str, **arguments: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ask(number, "tools/call", name=tool, arguments=arguments)["result"]
        return found

    def close(self) -> None:
        assert self.child.stdin
        with contextlib.suppress(OSError):
            self.child.stdin.close()
        self.child.wait(20)
        self.reader.join()
        assert self.child.stdout
        self.child.stdout.close()


@pytest.fixture
def talker(initialised: Path) -> Iterator[Talker]:
    found = Talker(initialised)
    yield found
    found.close()


@pytest.mark.quick
def test_garbage_on_standard_input_ends_nothing(talker: Talker) -> None:
    dice = random.Random(5)
    talker.shake()
    for _ in range(FRAMES):
        talker.send(frame(dice))
    talker.send(b'{"jsonrpc": "2.0", "id": "deep", "method": "tools/call", "params": ' + b'{"a":' * 100_000)
    assert talker.call("last", "git_status")["structuredContent"]["branch"] == "main"
    unread = talker.ask("half", "tools/call", name="git_status", arguments={"a": "\ud800"})
    assert (unread["error"]["code"], talker.answers["null"]["error"]["code"]) == (-32600, -32700)
    assert talker.call("none", "no_such_tool")["structuredContent"]["code"] == "INVALID_ARGUMENTS"
    text = "x" * (MEBIBYTES << 20)
    stored = talker.call("large", "store_trace", output=text, traceId="large")
    assert not stored["isError"]
    assert (
        talker.call("larger", "start_task", task_id=text)["structuredContent"]["code"] == "INVALID_ARGUMENTS"
    )
    assert not talker.call("still", "git_status").get("isError")


def test_a_client_that_reads_no_more_is_no_bug_of_ours(initialised: Path) -> None:
    command = [sys.executable, "-m", "devs_git", "mcp"]
    with subprocess.Popen(
        command, cwd=initialised, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        child.stdout.close()
        child.stdin.write(b"no message\n")
        child.stdin.close()
        said = child.stderr.read().decode()
    assert (child.returncode, "Traceback" in said, "INTERNAL" in said) == (0, False, False), said
    assert "nobody reads" in said


def test_garbage_over_http_is_the_clients_fault_each_time(initialised: Path) -> None:
    dice = random.Random(7)
    with serve(initialised) as web:
        line = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
        with contextlib.closing(line):
            for _ in range(FRAMES):
                body, heads = frame(dice), {"Content-Type": "application/json"}
                if dice.random() < 0.7:
                    heads["Accept"] = "application/json, text/event-stream"
                if dice.random() < 0.3:
                    heads["MCP-Protocol-Version"] = dice.choice(
                        ["2026-07-28", "2025-11-25", "x", "9999-99-99"]
                    )
                line.request("POST", "/mcp", body, heads)
                said = line.getresponse()
                assert said.status < 500, (body[:200], heads, said.read())
                said.read()
        too_much = b'{"tool":"store_trace","params":{"output":"' + b"x" * (50 << 20) + b'"}}'
        with contextlib.suppress(OSError):  # the server may end the connection before it has read all
            assert web.send("POST", "/mcp", too_much).status == 413
        assert web.tool("git_status").status == 200


def test_no_text_in_any_argument_is_a_bug_or_tells_a_path(initialised: Path, tmp_path: Path) -> None:
    chosen = [TOOLS["show_checkpoint"], TOOLS["git_checkout"]] if QUICK else TOOLS.values()
    for tool in chosen:
        for one in tool.params:
            for text in TEXTS:
                answer = calling.call(tool.name, {**sample(tool.name), one.name: text}, initialised)
                assert answer.value.get("code") != "INTERNAL", (tool.name, one.name, text)
                # A fork that was made says where.
                own = {"worktree": ""} if tool.name == "fork_task" and not answer.is_error else {}
                assert str(tmp_path) not in json.dumps({**answer.value, **own, one.name: ""}), (
                    tool.name,
                    one.name,
                    text,
                )
    assert not list(tmp_path.rglob("ran"))
    assert not list(initialised.rglob("passwd"))


def test_what_a_repository_has_planted_is_not_run_by_any_tool_that_reads(
    initialised: Path, git: Git, tmp_path: Path
) -> None:
    for name, arguments in (
        ("start_task", {"task_id": "1", "title": "x"}),
        ("commit_task", {"task_id": "1", "message": "m"}),
        ("store_trace", {"output": "printed", "traceId": "t-1"}),
    ):
        assert not calling.call(name, arguments, initialised).is_error
    head = git("rev-parse", "HEAD")
    ran = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {ran}\n')
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "core.pager", "core.editor", "gpg.program", "core.sshCommand", "credential.helper", "interactive.diffFilter", "trailer.x.command", "core.alternateRefsCommand", "uploadpack.packObjectsHook", "filter.x.clean", "filter.x.smudge", "filter.y.process"):  # fmt: skip
        git("config", key, str(trap))
    git("config", "alias.status", f"!{trap}")
    (initialised / ".gitattributes").write_text("* diff=x filter=x\nf1.txt filter=y\n")
    (initialised / "a.txt").write_text("changed\n")
    for path in initialised.glob("f?.txt"):
        os.utime(path, (5, 5))
    for name in ("-x", "--output=x", "--upload-pack=x"):
        (initialised / ".git" / "refs" / "heads" / name).write_text(head + "\n")
    ran.unlink(missing_ok=True)
    for name, tool in TOOLS.items():
        for more in ({"hunks": True}, {"dry_run": True}):
            known = {one.name for one in tool.params}
            if tool.reads or (more.keys() & known and "dry_run" in more):
                calling.call(name, {**sample(name), **(more if more.keys() <= known else {})}, initialised)
    for branch in ("-x", "--output=x", "--upload-pack=x"):
        answer = calling.call("git_checkout", {"branch_name": branch}, initialised)
        assert answer.value["code"] == "INVALID_BRANCH"
    assert not ran.exists(), ran.read_text()
    assert not list(initialised.glob("x"))
    status = calling.call("git_status", {}, initialised)
    assert not status.is_error
