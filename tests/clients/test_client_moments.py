"""When real clients make moments, and what the moments know of the session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace
from tests.clients.claude_code import ClaudeCode
from tests.clients.script import Call
from tests.clients.workbench import Workbench
from tests.support.hook_moments import kept

pytestmark = pytest.mark.thorough


def test_a_session_has_moments_before_its_prompts_and_calls_that_write_and_none_where_nothing_changed(
    workbench: Workbench,
) -> None:
    program, top = workbench.program, workbench.top
    (top / "mine.txt").write_text("a person's\n")
    run = workbench.run(
        (program.shell("ls -l"),),
        (program.write(top / "new.txt", "hello\n"),),
        (program.shell("cat a.txt"),),
        (program.shell("echo one >one.txt"),),
        (program.shell("true && true"),),
    )
    assert (top / "one.txt").read_text() == "one\n"
    found = kept(top)
    assert [moment.kind for moment, _ in found] == ["prompt", "call", "after"]
    occasions = [details.occasion for _, details in found]
    payload = run.payloads[-1]
    assert {one.session for one in occasions} == {payload["session_id"]}
    assert {one.client for one in occasions} == {program.client}
    assert occasions[0].words == "Do as planned."
    assert [one.words for one in occasions[1:]] == ["echo one >one.txt"] * 2
    written = [one for one in run.payloads_of(program.before) if "one.txt" in str(one["tool_input"])]
    (call_id,) = {one.call_id for one in occasions[1:]}
    # Gemini CLI names no call, and our recording plug-in for OpenCode is not told its id.
    assert bool(call_id) == (program.client != "gemini")
    assert call_id == written[0].get("tool_use_id", call_id)
    (top / "one.txt").write_text("changed between two prompts\n")
    workbench.run(prompt="And again.", resume=payload["session_id"])
    assert [details.occasion.words for _, details in kept(top)[3:]] == ["And again."]


def test_the_end_of_a_turn_has_a_moment_of_what_the_edit_tools_wrote(workbench: Workbench) -> None:
    program = workbench.program
    workbench.run((program.write(workbench.top / "new.txt", "hello\n"),))
    assert [moment.kind for moment, _ in kept(workbench.top)] == ["prompt", "stop"]


def test_the_agent_is_told_of_a_moment_that_was_not_made(workbench: Workbench) -> None:
    program, lock = workbench.program, workbench.top / ".git/devs/moments/lock"
    lock.mkdir(parents=True)
    run = workbench.run((program.shell("echo one >one.txt"),), prompt="Do as planned.")
    told = str([request.body for request in run.asked])
    assert (workbench.top / "one.txt").exists()
    assert "the state of the worktree was not kept at" in told


def test_before_claude_code_removes_a_worktree_each_worktree_has_a_moment(tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    with Workbench(ClaudeCode(), folder) as bench:
        rules = {"permissions": {"allow": ["EnterWorktree", "ExitWorktree"]}}
        (bench.top / ".claude/settings.local.json").write_text(json.dumps(rules))
        run = bench.run(
            (Call("EnterWorktree", {"name": "aside"}),),
            (bench.program.shell("echo precious >precious.txt"),),
            (Call("ExitWorktree", {"action": "remove", "discard_changes": True}),),
        )
        assert not list(bench.top.rglob("precious.txt")), run.results
        workspace = Workspace.open(bench.top)
        moments = read_moments.list_moments(workspace.store_git, workspace.objects)
        assert {one.worktree for one in moments} == {".", "aside"}
        newest = next(one for one in moments if one.worktree == "aside")
        state, _ = read_moments.load(workspace.objects, newest.id)
        assert state.worktree
