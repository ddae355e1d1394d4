"""`resume` from an earlier state over MCP, HTTP and the command line: the same answer but for clocks and random ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from devs_git.entrypoints.cli.main import cli
from devs_git.entrypoints.tools import calling
from tests.support.resumable_contract import begin
from tests.support.web_client import serve

pytestmark = pytest.mark.quick
# What differs from call to call.
OWN = ("rewind", "session", "start_command")


@pytest.fixture
def top(initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    begin(initialised, tmp_path)
    return initialised


def by_command(top: Path, *words: str) -> dict[str, Any]:
    said = CliRunner().invoke(cli, ["resume", *words, "--json", "--repo", str(top)])
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def same(one: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in OWN}


def test_a_supervisor_goes_on_from_a_checkpoint_in_every_door(top: Path) -> None:
    given = {"resume_mode": "from_checkpoint", "checkpoint_id": "task-1@1", "additional_context": "Go."}
    words = ("c", "--contract", "--mode", "from_checkpoint", "--checkpoint", "task-1@1", "--context", "Go.")
    told = by_command(top, *words)
    assert (told["contract"], told["rewind"]["rewound_to"]) == ("c", "task-1@1")
    tool = calling.call("resume_task", {**given, "contract": "c"}, top).value
    with serve(top) as web:
        answer = web.post("/api/v1/contracts/c/supervisor/resume", **given)
        assert web.post("/api/v1/contracts/none/supervisor/resume", **given).status == 404
        assert web.post("/api/v1/contracts/c/supervisor/resume", resume_mode="clean_restart").status == 422
    assert answer.status == 200
    assert same(told) == same(tool) == same(answer.value)
    for one in (told, tool, answer.value):
        assert one["start_command"] == ["claude", "--resume", one["session"]["session_id"], "Go."]


def test_a_task_goes_on_as_a_new_one_in_every_door(top: Path) -> None:
    given = {"resume_mode": "from_checkpoint", "checkpoint_id": "1", "new_task_plan": "Otherwise."}
    words = ("--mode", "from_checkpoint", "--checkpoint", "1", "--plan", "Otherwise.")
    told = by_command(top, "1", *words, "--name", "1a")
    tool = calling.call("resume_task", {**given, "task_id": "1", "new_task_name": "1b"}, top).value
    with serve(top) as web:
        answer = web.post("/api/v1/mesh/tasks/1/continue", **given, new_task_name="1c").value
    assert [one["task_id"] for one in (told, tool, answer)] == ["task-1a", "task-1b", "task-1c"]
    assert (
        told["bundle"]["conversation"] == tool["bundle"]["conversation"] == answer["bundle"]["conversation"]
    )
    assert {one["fork"]["forked_from"] for one in (told, tool, answer)} == {"task-1@1"}
