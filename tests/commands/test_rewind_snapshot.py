"""`rewind snapshot/…`, moments with gates and tools, and what a rewind to a moment leaves in the ledger."""

from __future__ import annotations

import pytest

from devs_git.commands import rewind, snapshot_create
from devs_git.domain.ledger.event_operations import Rewound
from devs_git.domain.ledger.events import FORMAT
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from tests.support import gate_scene
from tests.support.moment_stage import all_kinds, moment, there_and_back_at_moment
from tests.support.own_calls import devs_git
from tests.support.rewind_cases import Case


@pytest.mark.quick
def test_a_snapshot_brings_staged_unstaged_and_untracked_files_back_as_they_were(case: Case) -> None:
    all_kinds(case)
    then = case.look()
    name = snapshot_create.run(case.workspace, snapshot_create.Request()).branch
    case.commit({"a": b"3\n"})
    case.git("reset", "-q", "--hard", "HEAD~2")
    case.git("clean", "-fdq")
    plan = case.plan(name)
    assert plan.plan_id.startswith("moment:")
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


def test_a_snapshot_without_a_moment_is_refused_with_what_brings_its_files(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("branch", "snapshot/old", "HEAD~1")
    refused = case.assert_refused("snapshot/old", code="MOMENT_NOT_FOUND")
    assert "devs-git restore snapshot/old" in refused.hint
    assert case.assert_refused("snapshot/none", code="SNAPSHOT_NOT_FOUND")


def test_the_event_has_the_moment_and_no_task_and_its_file_says_the_same(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    name = moment(case)
    case.stage("2", {"a": b"2\n"})
    done = case.rewind(name)
    event = next(case.workspace.ledger.events())
    content = Rewound.of(event)
    assert (event.type, content.target, content.task, event.format) == ("rewound", name, "", FORMAT)
    assert event.statuses == (("task-2", "rewound"),)
    assert f'target: "{name}"' in case.git("show", f"devs/ledger:rewinds/{done.rewind_id}.yaml")
    devs_git("verify", "ledger", where=case.top)


def test_while_a_gate_is_open_going_to_a_moment_is_frozen_and_its_plan_is_not(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    gate_scene.ask(case.workspace, kind="MANUAL")
    for target, code in ((name, "GATE_BLOCKED"), ("moment:" + "0" * 40, "MOMENT_NOT_FOUND")):
        with pytest.raises(DevsError) as refused:
            router.call("rewind", case.workspace, rewind.Request(target))
        assert refused.value.code == code
    plan = router.call("rewind", case.workspace, rewind.Request(name, dry_run=True))
    assert plan.blocked_by[0]["code"] == "GATE_BLOCKED"


@pytest.mark.quick
def test_tools_take_moments(case: Case) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    plan = calling.call("preview_rewind", {"task_id": "moment:-1"}, case.top).value
    assert (plan["target"], plan["blocked_by"]) == (name, [])
    done = calling.call("rewind_to_task", {"plan_id": plan["plan_id"]}, case.top).value
    assert done["rewound_to"] == name
    case.look().must_equal(then)
    case.write({"new": b"other\n"})
    brought = calling.call("restore_files", {"checkpoint": "moment:-1", "paths": ["new"]}, case.top).value
    assert (brought["files"], case.read("new")) == (1, b"n\r\n\0")
    calling.call("undo_rewind", {}, case.top)
    assert case.read("new") == b"other\n"


def test_the_command_line_says_what_comes_back(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.branch_off("side", "HEAD~1")
    name = moment(case, keep_refs=True)
    case.rewind("1")
    case.git("branch", "-qD", "side")

    def said(*words: str) -> str:
        return devs_git(*words, where=case.top)

    for text in (said("rewind", "moment:-1", "--dry-run"), said("rewind", "moment:-1")):
        assert name in text
        assert "checkpoint task-2@1" in text
        assert "branch side" in text
    assert "into the working tree; nothing is committed" in _restored(case, said)
    made = said("restore", "moment:-1", "--worktree", "../again")
    assert "Made the worktree" in made
    assert "HEAD is detached, because main is checked out in" in made


def _restored(case: Case, said: object) -> str:
    case.write({"a": b"edited\n"})
    assert callable(said)
    text: str = said("restore", "moment:-1", "--", "a")
    return text
