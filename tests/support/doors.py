"""One repository in a world that can be put back, and the doors through which a verb of it is called.

The world stands at the same path each time, and the clock stands still, from which devs-git makes its ids. So two doors
that do the same give the same bytes, but for what `same` takes out.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

import pytest

from devs_git.__main__ import main
from devs_git.commands import checkpoint as checkpoint_verb
from devs_git.commands import (
    contract_start,
    init,
    phase_set,
    snapshot_create,
    task_complete,
    task_start,
    trace_put,
)
from devs_git.entrypoints import router
from devs_git.entrypoints.http.routes import PREFIX, ROUTES
from devs_git.entrypoints.mcp import stdio
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.errors import EXIT_NO
from devs_git.workspace import Workspace
from tests.support import git_calls, repository_copy
from tests.support.turn_scene import Turns
from tests.support.web_client import serve

SESSION = "4d5611e5-241a-462a-8d15-5122611a9569"
NOW = "2026-11-24T09:00:00+00:00"
# Ids of traces and of new sessions of a client are random, whatever the clock says.
_RANDOM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Case:
    """The same call for each door: the words of the command, the tool's arguments, and the route with its body or query."""

    words: tuple[str, ...]
    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    route: str = ""
    path: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    typed: str = ""
    # What is done in the world before; the calls of tools that do it.
    before: tuple[tuple[str, dict[str, Any]], ...] = ()
    # The code of the refusal; '' for a result.
    code: str = ""

    @property
    def name(self) -> str:
        return f"{self.route or self.tool} {self.code}".rstrip()


@dataclass(frozen=True)
class Told:
    """What a door answered. `well`: its own sign for success (exit status, isError, HTTP status) says that it is one."""

    door: str
    value: dict[str, Any]
    well: bool


@dataclass(frozen=True)
class World:
    """The folder `place` with the repository, and a copy of how it was."""

    place: Path
    monkeypatch: pytest.MonkeyPatch

    @property
    def top(self) -> Path:
        return self.place / "repo"

    @property
    def kept(self) -> Path:
        return self.place.with_name("kept")

    def set_up(self) -> None:
        """The environment of each door; the world as it was made first."""
        self.monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            self.monkeypatch.setenv(name, NOW)
        self.monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(self.place / "claude"))
        self.monkeypatch.setenv("CODEX_HOME", str(self.place / "codex"))
        if not self.kept.exists():
            shutil.rmtree(self.place, ignore_errors=True)
            _make(self.top)
            self.place.rename(self.kept)
        self.put_back(self.kept)

    def put_back(self, source: Path) -> None:
        os.chdir(self.place.parent)
        shutil.rmtree(self.place, ignore_errors=True)
        repository_copy.folder(source, self.place)
        # A copy's files have other inodes than its index says.
        git_calls.git("update-index", "-q", "--refresh", where=self.top)
        self.monkeypatch.chdir(self.top)


def _make(top: Path) -> None:
    """Two tasks of a contract that are completed, one that is active, a conversation, a snapshot and a trace."""
    top.mkdir(parents=True)
    git_calls.git("init", "-q", where=top)
    (top / "app.txt").write_text("begun\n")
    git_calls.git("add", "-A", where=top)
    git_calls.git("commit", "-qm", "Begin", where=top)
    router.call("init", Workspace.open(top), init.Request())
    git_calls.git("add", "-A", where=top)
    git_calls.git("commit", "-qm", "Set up devs-git", where=top)
    made = Turns(Workspace.open(top), top.parent)
    contract_start.run(made.now(0), contract_start.Request("a/b", SESSION))
    phase_set.run(made.now(1), phase_set.Request("execute", contract="a/b"))
    task_start.run(made.now(2), task_start.Request("1", title="Count", plan="One.\nTwo.", contract="a/b"))
    for number, second in ((1, 10), (2, 20)):
        made.says(second, SESSION, "user", f"Write {number}, please.")
        made.calls(second + 0.3, SESSION, f"call-{number}")
        made.answers(second + 0.6, SESSION, f"call-{number}")
        made.says(second + 1, SESSION, "assistant", f"{number} is written.")
        made.edit("app.txt", "begun\n" + "".join(f"{one}\n" for one in range(1, number + 1)))
        made.moment(second + 2, "prompt", SESSION)
        made.read_here(second + 3)
        checkpoint_verb.run(made.now(second + 4), checkpoint_verb.Request(f"part {number}", everything=True))
    task_complete.run(made.now(30), task_complete.Request(message="Counted", everything=True))
    trace_put.run(
        made.now(31), trace_put.Request(b"2 passed\n", trace_id="t-1", tool_name="pytest", task_id="1")
    )
    task_start.run(made.now(40), task_start.Request("2", title="Name", contract="a/b"))
    made.edit("names.txt", "Ada\n")
    task_complete.run(made.now(41), task_complete.Request(message="Named", everything=True))
    task_start.run(made.now(50), task_start.Request("3", title="Last", contract="a/b"))
    git_calls.git("branch", "other", where=top)
    made.edit("left.txt", "not committed\n")
    snapshot_create.run(made.now(51), snapshot_create.Request("before lunch"))


def by_command(world: World, case: Case, capsys: pytest.CaptureFixture[str]) -> Told:
    world.monkeypatch.setattr(sys, "argv", ["devs-git", *case.words, "--json"])
    world.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(case.typed.encode())))
    capsys.readouterr()
    status = main()
    value = json.loads(capsys.readouterr().out)
    # A dry run whose real run is refused exits with 1, so that a script sees it.
    return Told("command line", value, status == (EXIT_NO if value.get("blocked_by") else 0))


class _Line:
    """The output of a connection, for its lines."""

    is_closed = False

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def send(self, line: bytes) -> None:
        self.lines.append(line)


def by_mcp(world: World, tool: str, arguments: dict[str, Any]) -> Told:
    """The answer of the server of `devs-git mcp`."""
    output = _Line()
    greeting = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    with ThreadPoolExecutor(1) as threads:
        connection = stdio.Connection(world.top, cast("stdio.Output", output), threads)
        for number, (method, params) in enumerate(
            (("initialize", greeting), ("tools/call", {"name": tool, "arguments": arguments}))
        ):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            connection.take(json.dumps(message).encode() + b"\n")
    result = json.loads(output.lines[-1])["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return Told("MCP", result["structuredContent"], not result["isError"])


def by_request(world: World, case: Case) -> Told:
    """The answer to the plain form of a call, over HTTP."""
    with serve(world.top) as web:
        answer = web.tool(case.tool, **case.arguments)
    return Told("HTTP, by tool", answer.value, answer.status == 200)


def by_route(world: World, case: Case) -> Told:
    """The answer of the case's route."""
    method = case.route.partition(" ")[0]
    with serve(world.top) as web:
        if method == "GET":
            answer = web.get(PREFIX + case.path + ("?" + urlencode(case.given) if case.given else ""))
        else:
            answer = web.post(PREFIX + case.path, **case.given)
    status = next(one.status for one in ROUTES if f"{one.method} {one.path}" == case.route)
    return Told("HTTP, by route", answer.value, answer.status == status)


def answers(world: World, case: Case, capsys: pytest.CaptureFixture[str]) -> Iterator[Told]:
    """What each door of the case answers, each in the same world."""
    world.set_up()
    begun = world.kept
    if case.before:
        begun = world.place.with_name("begun")
        shutil.rmtree(begun, ignore_errors=True)
        for tool, arguments in case.before:
            told = by_mcp(world, tool, arguments)
            assert told.well, told
            case = _filled(case, told.value)
        repository_copy.folder(world.place, begun)
    doors: list[Callable[[], Told]] = [
        lambda: by_command(world, case, capsys),
        lambda: by_mcp(world, case.tool, case.arguments),
        lambda: by_request(world, case),
        *([lambda: by_route(world, case)] if case.route else []),
    ]
    for door in doors:
        # What only reads leaves the world as it is.
        if not TOOLS[case.tool].reads:
            world.put_back(begun)
        yield door()


def _filled(case: Case, told: dict[str, Any]) -> Case:
    """The case with values that a call before it told, where it says `$` and their place, such as `$events.1.id`."""

    def fill(value: Any) -> Any:
        if not isinstance(value, str) or not value.startswith("$"):
            return value
        found: Any = told
        for part in value[1:].split("."):
            found = found[int(part)] if part.isdecimal() else found.get(part, value)
        return found

    return replace(
        case,
        words=tuple(fill(word) for word in case.words),
        arguments={name: fill(value) for name, value in case.arguments.items()},
        given={name: fill(value) for name, value in case.given.items()},
    )


def same(value: dict[str, Any]) -> dict[str, Any]:
    """The answer with random ids as numbers, in the order in which they appear."""
    known: dict[str, str] = {SESSION: SESSION}
    text = _RANDOM.sub(lambda one: known.setdefault(one[0], f"id {len(known)}"), json.dumps(value))
    found: dict[str, Any] = json.loads(text)
    return found
