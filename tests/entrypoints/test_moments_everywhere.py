"""Moments on the command line, for agents and over HTTP: the same answers, in the form that is announced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.results import output_schema
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.workspace import Workspace
from tests.support.own_calls import devs_git
from tests.support.turn_scene import ONE, Turns
from tests.support.web_client import serve

pytestmark = pytest.mark.quick


@pytest.fixture
def top(initialised: Path, tmp_path: Path) -> Path:
    """A repository in which one turn changed two files."""
    turns = Turns(Workspace.open(initialised), tmp_path)
    turns.moment(0, "prompt", ONE, "do it")
    turns.says(0.1, ONE, "user", "do it")
    turns.edit("a.txt", "edited\n")
    turns.moment(1, "call", ONE, "make")
    turns.edit("new.txt", "new\n")
    turns.says(2, ONE, "assistant", "done")
    turns.read()
    return initialised


def tool(top: Path, name: str, **arguments: Any) -> dict[str, Any]:
    answer = calling.call(name, arguments, top)
    if not answer.is_error:
        jsonschema.validate(answer.value, output_schema(TOOLS[name].verb.module))
    return answer.value


def command(top: Path, *words: str, status: int = 0) -> str:
    return devs_git(*words, where=top, status=status)


def test_tools_take_and_give_moments(top: Path) -> None:
    listed = tool(top, "list_checkpoints", moments=True)
    assert [one["words"] for one in listed["moments"]] == ["make", "do it"]
    assert tool(top, "list_checkpoints")["moments"] == []
    assert [one["turn"] for one in tool(top, "list_checkpoints", session_id="1111")["moments"]] == [1, 1]
    shown = tool(top, "show_checkpoint", checkpoint="moment:-1")
    assert (shown["words"], shown["kind"], shown["files_changed"]) == ("make", "call", 1)
    since = tool(top, "checkpoint_diff", checkpoint="moment:-1")
    assert [one["path"] for one in since["files"]] == ["a.txt", "new.txt"]
    assert tool(top, "git_diff", against="moment:-1") == since
    only = tool(top, "checkpoint_diff", checkpoint=listed["moments"][0]["name"])
    assert [one["path"] for one in only["files"]] == ["new.txt"]
    assert tool(top, "git_status")["last_moment"]["words"] == "make"
    assert tool(top, "show_checkpoint", checkpoint="moment:ffff")["code"] == "MOMENT_NOT_FOUND"


def test_the_command_line_answers_as_the_tools_do(top: Path) -> None:
    listed = json.loads(command(top, "log", "--moments", "-n", "2", "--json"))
    assert listed == tool(top, "list_checkpoints", moments=True, limit=2)
    first, second = (one["name"] for one in listed["moments"][::-1])
    shown = command(top, "show", f"moment:{ONE}/1")
    assert first in shown
    assert f"devs-git rewind {first}" in shown
    lines = command(top, "diff", "moment:-1", "--stat").split("\n")
    assert lines[0].startswith(first)
    assert lines[0].endswith("-> the working tree")
    assert lines[3] == "2 files, +2 -3"
    assert command(top, "diff", first, second, "--stat").endswith("1 file, +1 -3\n")
    assert "Last moment: " in command(top, "status")
    refused = json.loads(command(top, "show", "moment:-9", "--json", status=3))
    assert (refused["code"], "2 moments" in refused["message"]) == ("MOMENT_NOT_FOUND", True)
    assert "INVALID_ARGUMENTS" in command(top, "show", "moment:soon", "--json", status=3)


def test_a_row_has_the_point_of_the_conversation_everywhere(top: Path) -> None:
    command(top, "task", "start", "1", "--title", "t")
    (top / "a.txt").write_text("while the task is active\n")
    command(top, "snapshot", "create")
    listed = tool(top, "list_checkpoints", moments=True)["moments"]
    said = {"client": "claude", "session_id": ONE, "message_count": 2}
    made = {**said, "entry": f"{ONE}-1", "message_id": f"{ONE}-1"}
    before_call = {**said, "message_count": 1, "entry": f"{ONE}-0", "message_id": f"{ONE}-0"}
    # Before the first prompt nothing had been said.
    assert [one.get("point") for one in listed] == [made, before_call, None]
    for one in listed:
        assert tool(top, "show_checkpoint", checkpoint=one["name"]).get("point") == one.get("point")
    assert json.loads(command(top, "log", "--moments", "--json"))["moments"] == listed
    with serve(top) as web:
        found = web.get("/api/v1/mesh/tasks/1/checkpoints?moments=true")
    assert [one["point"] for one in found.value["moments"]] == [made]


def test_http_gives_the_moments_of_a_task_and_compares_with_them(top: Path) -> None:
    for words in (("task", "start", "1", "--title", "t"), ("task", "complete", "1", "-m", "m", "--all")):
        command(top, *words)
    with serve(top) as web:
        found = web.get("/api/v1/mesh/tasks/1/checkpoints?moments=true")
        assert (found.status, found.value["moments"]) == (200, [])
        path = "/api/v1/mesh/tasks/1/checkpoints/completed/diff?against=moment:"
        compared = web.get(f"{path}-2")
        assert (compared.status, [one["path"] for one in compared.value["files"]]) == (
            200,
            ["a.txt", "new.txt"],
        )
        missing = web.get(f"{path}ffff")
        assert (missing.status, missing.code) == (404, "MOMENT_NOT_FOUND")
        assert web.get(f"{path}x").code == "INVALID_ARGUMENTS"
