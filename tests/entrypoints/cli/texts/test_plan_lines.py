"""A plan fits a screen: ten files and a count, and one line for all tasks that the same branch has."""

from __future__ import annotations

from typing import Any

import pytest

from devs_git.commands.rewind import Plan
from devs_git.entrypoints.cli.texts import plan_lines
from devs_git.values import replace

_PLAN = Plan(
    would_reset_to_commit="",
    affected_tasks=(),
    sqlite_tables_affected=(),
    plan_id="",
    target="task-1",
    commits=0,
    files={},
    preserve="branch",
    undone=(),
    kept_by=(),
    still_on={},
    not_covered={},
    now_visible=(),
)


def _plan(**members: object) -> Plan:
    any_members: Any = members
    return replace(_PLAN, **any_members)


pytestmark = pytest.mark.quick


def test_the_first_ten_files_are_named_and_the_others_are_counted() -> None:
    names = tuple(f"f{at}" for at in range(30))
    found = {"count": 32, "added": ("new",), "modified": names, "deleted": ("old",)}
    lines = plan_lines.files(_plan(files=found))
    assert lines[0] == "  comes back      new"
    assert lines[1] == "  changes         f0"
    assert lines[10:] == ["                  and 22 more files"]
    assert plan_lines.files(_plan(files={"count": 1, "added": (), "modified": (), "deleted": ("a\nb",)})) == [
        '  deletes         "a\\nb"'
    ]


def test_tasks_that_the_same_branch_has_are_one_line() -> None:
    kept = [{"checkpoint": f"task-{at}@1", "branches": ("feature-39",)} for at in range(37)]
    kept.append({"checkpoint": "task-40@1", "branches": ("worktree look",)})
    kept.append({"checkpoint": "task-41@1", "branches": ("a", "b")})
    assert plan_lines.stay_lines(_plan(kept_by=tuple(kept))) == [
        "37 tasks stay: branch feature-39 has them",
        "task-40 stays: worktree look has it",
        "task-41 stays: a, b have it",
    ]


def test_many_checkpoints_are_told_by_their_tasks() -> None:
    assert plan_lines.undone(()) == "no checkpoint"
    assert plan_lines.undone(("task-1@1", "task-1@2")) == "task-1@1, task-1@2"
    many = tuple(f"task-{at}@{number}" for at in range(8) for number in (1, 2))
    assert plan_lines.undone(many) == "task-0, task-1, task-2, task-3, task-4 and 3 more (16 checkpoints)"


def test_tasks_that_a_remote_still_has_are_one_line_a_branch() -> None:
    assert plan_lines.elsewhere({"task-1@1": "origin/main", "task-2@1": "origin/main"}) == [
        "origin/main still has task-1, task-2"
    ]
