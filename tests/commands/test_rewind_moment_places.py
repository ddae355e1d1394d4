"""`rewind moment:…`: which checkpoints, branches and stash entries change, what it refuses, and what its plan says."""

from __future__ import annotations

import pytest

from devs_git.commands import rewind, task_complete, task_start
from devs_git.errors import DevsError
from tests.commands.conftest import SetUp
from tests.support.moment_stage import all_kinds, moment, there_and_back_at_moment
from tests.support.rewind_cases import Case


def test_a_moment_before_a_reset_is_reached_from_a_shorter_history_and_a_checkpoint_lives_again(
    case: Case,
) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    name = moment(case)
    case.rewind("1")
    assert case.git("tag") == "devs/task-1"
    done = case.rewind(name)
    assert case.git("tag").split() == ["devs/task-1", "devs/task-2"]
    assert done.affected_tasks == ()
    case.undo()
    assert case.git("tag") == "devs/task-1"
    case.undo()
    assert case.git("tag").split() == ["devs/task-1", "devs/task-2"]


@pytest.mark.quick
def test_checkpoints_after_the_moment_are_undone_and_come_back_with_the_undo(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.write({"a": b"dirty\n"})
    then, name = case.look(), moment(case)
    case.stage("2", {"a": b"2\n"})
    case.stage("3", {"a": b"3\n"})
    plan = case.plan(name)
    assert (plan.undone, plan.commits, plan.blocked_by) == (("task-2@1", "task-3@1"), 2, ())
    done = there_and_back_at_moment(case, name)
    assert done.affected_tasks == ("task-2", "task-3")
    case.look().must_equal(then)


def test_a_checkpoint_that_another_branch_has_is_kept(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    name = moment(case)
    case.stage("2", {"a": b"2\n"})
    case.branch_off("side")
    done = case.rewind(name)
    assert (done.affected_tasks, [row["checkpoint"] for row in done.kept_by]) == ((), ["task-2@1"])


def test_a_checkpoint_that_was_undone_then_stays_undone(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.rewind("1")
    case.write({"a": b"dirty\n"})
    then, name = case.look(), moment(case)
    case.git("checkout", "-q", "--", ".")
    case.undo()
    assert case.git("tag").split() == ["devs/task-1", "devs/task-2"]
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)
    assert case.git("tag") == "devs/task-1"


@pytest.mark.quick
def test_other_changes_ask_how_to_save_them_and_the_same_changes_do_not(case: Case) -> None:
    all_kinds(case)
    name = moment(case)
    case.git("clean", "-fdq")
    assert case.plan(name).blocked_by == ()
    case.write({"d/f": b"work since\n"})
    refused = case.assert_refused(name)
    assert (refused.details["reason"], refused.details["paths"]) == ("dirty", ["d/f"])
    case.rewind(name, "discard")


def test_a_plan_writes_nothing_and_only_that_plan_is_carried_out(case: Case) -> None:
    all_kinds(case)
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.write({"new": b"other\n"})
    before, refs = case.look(), case.git("for-each-ref")
    objects = case.git("count-objects", "-v")
    plan = case.plan("moment:-1")
    case.look().must_equal(before)
    assert (case.git("for-each-ref"), case.git("count-objects", "-v")) == (refs, objects)
    assert plan.plan_id.startswith(f"{name}:none:")
    assert plan.files["modified"] == ("a", "new")
    assert plan.files["added"] == ("intended", "staged")
    assert plan.files["deleted"] == ("gone",)
    done = rewind.run(case.workspace, rewind.Request(plan_id=plan.plan_id))
    assert isinstance(done, rewind.Result)
    case.look().must_equal(then)
    with pytest.raises(DevsError) as stale:
        rewind.run(case.workspace, rewind.Request(plan_id=plan.plan_id))
    assert stale.value.code == "PLAN_STALE"


def test_a_plan_beside_one_of_the_names_of_its_moment_is_carried_out(case: Case) -> None:
    all_kinds(case)
    moment(case)
    case.git("reset", "-q", "--hard")
    plan = case.plan("moment:-1")
    request = rewind.Request("moment:-1", plan_id=plan.plan_id)
    assert isinstance(rewind.run(case.workspace, request), rewind.Result)


def test_branches_and_stash_entries_that_are_gone_are_made_again_and_undo_removes_them(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.branch_off("side")
    case.branch_off("moved")
    case.branch_off("kept")
    for text in (b"s1\n", b"s2\n", b"s3\n"):
        case.write({"a": text})
        case.git("stash")
    name, refs = moment(case, keep_refs=True), case.git("for-each-ref", "refs/heads/side", "refs/heads/moved")
    stash = case.git("stash", "list", "--format=%H %gs")
    case.git("branch", "-qD", "side")
    case.git("branch", "-f", "moved", "main")
    moved = case.git("rev-parse", "moved")
    case.git("stash", "drop")
    case.git("stash", "drop")
    without = case.git("stash", "list", "--format=%H %gs")
    plan = case.plan(name)
    assert (plan.made_branches, len(plan.made_stashes)) == (("side",), 2)
    done = case.rewind(name)
    assert (done.made_branches, done.made_stashes) == (plan.made_branches, plan.made_stashes)
    assert case.git("rev-parse", "side") in refs
    assert case.git("stash", "list", "--format=%H %gs") == stash
    (row,) = done.moved_branches
    assert (row["branch"], case.git("rev-parse", "moved")) == ("moved", moved)
    assert row["command"] == f"git branch --force moved {row['then'][:12]}"
    case.undo()
    assert case.git("stash", "list", "--format=%H %gs") == without
    assert case.git("for-each-ref", "refs/heads/side") == ""
    case.undo()
    assert case.git("stash", "list", "--format=%H %gs") == stash
    assert case.git("rev-parse", "side") in refs


def test_a_branch_that_somebody_uses_since_stays_at_an_undo(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.branch_off("side")
    case.branch_off("more")
    name = moment(case, keep_refs=True)
    case.git("branch", "-qD", "side", "more")
    case.rewind(name)
    case.git("worktree", "add", "-q", "../side", "side")
    case.git("branch", "-f", "more", "main")
    case.undo()
    assert case.git(
        "for-each-ref", "--format=%(refname:short)", "refs/heads/side", "refs/heads/more"
    ).split() == [
        "more",
        "side",
    ]


@pytest.mark.quick
def test_the_branch_of_the_moment_must_be_checked_out_and_the_message_says_how(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.git("switch", "-qc", "side")
    name = moment(case)
    case.git("switch", "-q", "main")
    refused = case.assert_refused(name)
    assert refused.details["reason"] == "other_branch"
    assert "git switch side" in refused.hint
    case.git("branch", "-qD", "side")
    commit = case.git("rev-parse", "--short=12", "main")
    assert f"git switch -c side {commit}" in case.assert_refused(name).hint
    case.git("switch", "-qc", "side", commit)
    case.rewind(name)
    case.git("switch", "-q", "main")
    case.git("worktree", "add", "-q", "../other", "side")
    assert "../other" not in case.assert_refused(name).hint
    assert str(case.top.parent / "other") in case.assert_refused(name).hint


def test_a_moment_with_a_detached_head(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.git("switch", "-q", "--detach", "HEAD~1")
    case.write({"a": b"dirty\n", "new": b"n\n"})
    then, name = case.look(), moment(case)
    case.git("reset", "-q", "--hard")
    case.git("switch", "-q", "main")
    assert "git switch --detach" in case.assert_refused(name).hint
    case.git("switch", "-q", "--detach")
    there_and_back_at_moment(case, name)
    case.look().must_equal(then)


def test_a_branch_of_devs_git_that_is_gone_is_not_made_again(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    for branch in ("devs/preserved/old", "side"):
        case.git("branch", branch)
    case.write({"a": b"dirty\n"})
    name = moment(case, keep_refs=True)
    case.git("branch", "-qD", "devs/preserved/old", "side")
    case.git("reset", "-q", "--hard")
    assert case.rewind(name).made_branches == ("side",)


def test_a_nested_repository_in_the_way_refuses(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.write({"x": b"x\n"})
    name = moment(case)
    case.write({"x": None})
    case.git("init", "-q", "x")
    assert case.assert_refused(name).details["reason"] == "nested_repository"


def test_what_the_moment_leaves_out_is_in_the_plan(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    name = moment(case)
    case.git("init", "-q", "nested")
    case.git("-C", "nested", "commit", "-q", "--allow-empty", "-m", "inner")
    case.write({"a": b"2\n"})
    name = moment(case)
    case.git("checkout", "-q", "a")
    assert case.plan(name).not_covered["left_out"] == ("nested/",)


def test_an_unknown_moment_is_not_found(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    moment(case)
    with pytest.raises(DevsError) as refused:
        case.rewind("moment:" + "0" * 40)
    assert refused.value.code == "MOMENT_NOT_FOUND"


def test_a_checkpoint_that_an_amend_moved_is_where_it_was_and_its_task_is_not_undone(
    case: Case, set_up: SetUp
) -> None:
    set_up(case.top)
    case.git("add", "-A")
    case.git("commit", "-q", "-m", "set up")
    case.stage("1", {"a": b"1\n"})
    case.write({"a": b"dirty\n"})
    then, name = case.look(), moment(case)
    case.git("commit", "-q", "--amend", "-am", "amended")
    assert [point.name for point in case.workspace.ledger.tip().here.live()] == ["task-1@2"]
    done = there_and_back_at_moment(case, name)
    case.look().must_equal(then)
    assert (done.affected_tasks, done.revived) == ((), ("task-1@1",))


def test_a_task_that_was_active_then_is_active_again_if_it_has_a_checkpoint(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    task_start.run(case.workspace, task_start.Request("2", title="t"))
    case.point("2", completed=False)
    active, name = case.active(), moment(case)
    case.write({"a": b"2\n"})
    opened = case.workspace
    task_complete.run(opened, task_complete.Request("2", message="done", everything=True))
    assert case.active() == ""
    done = there_and_back_at_moment(case, name)
    assert (case.active(), done.now_active) == (active, "task-2")
    assert case.workspace.ledger.tip().here.tasks["task-2"].status == "active"


def test_a_task_that_was_started_later_stays_active_if_nothing_of_it_is_undone(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    name = moment(case)
    case.write({"a": b"2\n"})
    task_start.run(case.workspace, task_start.Request("2", title="t"))
    active = case.active()
    case.rewind(name, "discard")
    assert case.active() == active
