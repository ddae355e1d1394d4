"""Which branches and worktrees keep a checkpoint alive when a branch is rewound: those that have work of their own."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from devs_git.commands import snapshot_create, snapshot_open
from devs_git.storage.git.program import Git
from tests.support.rewind_cases import Case


@pytest.fixture
def three(case: Case) -> Case:
    """Tasks 1, 2 and 3 are completed on main."""
    for task in ("1", "2", "3"):
        case.stage(task, {"a": task.encode()})
    return case


@pytest.mark.quick
def test_merged_branches_that_nobody_deleted_keep_nothing(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    for number in range(2, 9):
        case.git("switch", "-qc", f"feature-{number}")
        case.stage(str(number), {f"f{number}": b"x\n"})
        case.git("switch", "-q", "main")
        case.git("merge", "-q", "--no-edit", *(["--no-ff"] if number % 2 else []), f"feature-{number}")
    plan = case.plan("1")
    assert (len(plan.affected_tasks), plan.kept_by) == (7, ())
    assert case.rewind("1").cleared_tasks == 7
    assert case.git("tag") == "devs/task-1"


def test_a_branch_with_work_of_its_own_keeps_what_it_has(three: Case) -> None:
    three.git("branch", "merged", "devs/task-2")
    for name in ("one", "two"):
        three.branch_off(name, "devs/task-2")
    plan = three.plan("1")
    assert plan.kept_by == ({"checkpoint": "task-2@1", "branches": ("one", "two")},)
    done = three.rewind("1")
    assert (done.affected_tasks, done.kept_by) == (("task-3",), plan.kept_by)
    assert three.git("tag").split() == ["devs/task-1", "devs/task-2"]


@pytest.mark.parametrize("where", ["branch", "detached"])
def test_a_worktree_that_a_person_made_keeps_what_its_head_has(three: Case, where: str) -> None:
    words = ("-b", "beside") if where == "branch" else ("--detach",)
    three.git("worktree", "add", "-q", *words, "../beside", "devs/task-2")
    three.git("branch", "unmerged")
    plan = three.plan("1")
    assert (plan.affected_tasks, [row["checkpoint"] for row in plan.kept_by]) == (("task-3",), ["task-2@1"])
    assert plan.kept_by[0]["branches"] == ("worktree beside",)


@pytest.mark.parametrize("at", ["", "look"])
def test_a_look_at_a_snapshot_keeps_nothing(three: Case, at: str) -> None:
    three.write({"a": b"dirty\n"})
    name = snapshot_create.run(three.workspace, snapshot_create.Request()).branch
    three.git("checkout", "-q", "--", "a")
    folder = str(three.top.parent / at) if at else ""
    opened = snapshot_open.run(three.workspace, snapshot_open.Request(name, folder))
    assert three.plan("1").kept_by == ()
    if at:  # who works on there has a line of work
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "on"], cwd=opened.path, check=True)
        assert three.plan("1").affected_tasks == ()
    else:
        assert three.rewind("1").affected_tasks == ("task-2", "task-3")


def test_a_detached_head_that_goes_back_leaves_the_tasks_to_the_branches_that_have_them(three: Case) -> None:
    three.git("switch", "-q", "--detach")
    plan = three.plan("1")
    assert (plan.affected_tasks, {row["branches"] for row in plan.kept_by}) == ((), {("main",)})


def test_a_branch_without_a_common_commit_keeps_nothing(three: Case) -> None:
    three.git("switch", "-q", "--orphan", "pages")
    three.commit({"index.html": b"x\n"})
    three.git("switch", "-q", "main")
    assert three.plan("1").affected_tasks == ("task-2", "task-3")


def test_an_undo_that_leaves_new_work_leaves_it_to_the_branch_that_has_it(three: Case) -> None:
    done = three.rewind("1")
    three.stage("4", {"b": b"4\n"})
    three.stage("5", {"b": b"5\n"})
    three.git("branch", "merged")
    three.branch_off("own", "devs/task-4")
    assert three.undo(done.rewind_id, preserve="branch").undone == ("task-5@1",)


def test_no_git_is_asked_again_for_each_checkpoint_or_branch_that_keeps(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    start = Git.start

    def counted(self: Git, *args: str, **more: Any) -> Any:
        asked.append(args[0])
        return start(self, *args, **more)

    monkeypatch.setattr(Git, "start", counted)
    counts = []
    case.stage("0", {"a": b"0\n"})
    for number in (1, 2, 3):
        for name in ("a", "b"):
            case.stage(f"{number}{name}", {name: str(number).encode()})
            case.git("branch", f"merged-{number}{name}")
        case.branch_off(f"own-{number}")
        asked.clear()
        assert len(case.plan("0").kept_by) == 2 * number
        counts.append(len(asked))
    assert len(set(counts)) == 1, counts


@pytest.mark.parametrize(("went_on", "undone"), [(True, ()), (False, ("task-2", "task-3"))])
def test_a_feature_branch_that_goes_back_before_its_fork_leaves_to_main_what_main_alone_went_on_from(
    three: Case, went_on: bool, undone: tuple[str, ...]
) -> None:
    """docs/decisions/02: where main still stands at the fork it is merged into the HEAD that is left, as after a fast-forward."""
    three.git("switch", "-qc", "feature")
    three.stage("4", {"b": b"4\n"})
    if went_on:
        three.branch_off("own", "main")
        three.git("branch", "-f", "main", "own")
        three.git("branch", "-D", "own")
    plan = three.plan("1")
    assert plan.affected_tasks == (*undone, "task-4")
    assert {row["branches"] for row in plan.kept_by} == ({("main",)} if went_on else set())
