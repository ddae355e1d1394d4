"""Tools of MCP and HTTP answer the same whether a checkpoint has a ref of its own or only an archive has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.entrypoints.tools import calling
from tests.support.archiving import archive_all, numbered
from tests.support.git_calls import git
from tests.support.web_client import serve

pytestmark = pytest.mark.quick
READS: dict[str, tuple[dict[str, Any], ...]] = {
    "list_checkpoints": ({}, {"task_id": "1"}),
    "show_checkpoint": ({"checkpoint": "task-1"}, {"checkpoint": "task-1@1"}),
    "checkpoint_diff": ({"checkpoint": "task-1@1", "hunks": True}, {"checkpoint": "task-2"}),
    "task_status": ({"task_id": "1"},),
    "git_diff": ({"against": "task-1"},),
    "rewind_to_task": ({"task_id": "1", "dry_run": True}, {"task_id": "1@1", "dry_run": True}),
}
# The plan of a rewind names the tip of the ledger, which the event of the archive moves.
_OF_THE_TIP = frozenset({"plan_id"})


@pytest.fixture
def top(initialised: Path) -> Path:
    """Two completed tasks with two checkpoints each."""
    for task in ("1", "2"):
        for name, arguments in (
            ("start_task", {"task_id": task}),
            ("create_checkpoint", {"message": "half"}),
            ("commit_task", {"task_id": task, "message": "whole"}),
        ):
            (initialised / "a.txt").write_text(f"{task} {name}\n")
            git("add", "a.txt", where=initialised)
            assert not calling.call(name, arguments, initialised).is_error
    return initialised


def answers(call: Callable[[str, dict[str, Any]], dict[str, Any]]) -> list[dict[str, Any]]:
    found = [(name, call(name, arguments)) for name, several in READS.items() for arguments in several]
    for name, value in found:
        assert "error" not in value, (name, value)
    return [
        {"tool": name} | {k: v for k, v in value.items() if k not in _OF_THE_TIP} for name, value in found
    ]


def test_a_tool_answers_the_same_for_a_checkpoint_that_only_an_archive_has(top: Path) -> None:
    with serve(top) as web:
        doors = (
            lambda name, arguments: dict(calling.call(name, arguments, top).value),
            lambda name, arguments: web.tool(name, **arguments).value,
        )
        before = [answers(call) for call in doors]
        archive_all(top)
        assert numbered(top) == []
        assert [answers(call) for call in doors] == before

        # And they go there and back.
        commit = web.tool("show_checkpoint", checkpoint="task-1@1").value["commit"]
        went = web.tool("rewind_to_task", task_id="1@1").value
        assert went["reset_commit"] == commit == git("rev-parse", "HEAD", where=top)
        assert not calling.call("undo_rewind", {}, top).is_error
        assert (top / "a.txt").read_text() == "2 commit_task\n"
        made = web.tool("branch_from_checkpoint", checkpoint="task-1@1", branch_name="from-there").value
        assert made["commit"] == commit
