"""What a rewind undoes, what it leaves, and what undo brings back."""

from __future__ import annotations

import pytest

from devs_git.commands import rewind, task_complete, task_start
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate
from devs_git.domain.ledger.ids import checkpoint_ref
from devs_git.errors import DevsError
from tests.support.rewind_cases import REFUSED, Case


def start(case: Case, task: str) -> None:
    task_start.run(case.workspace, task_start.Request(task))


def complete(case: Case, message: str = "done") -> str:
    request = task_complete.Request(message=message, everything=True)
    return task_complete.run(case.workspace, request).commit


def statuses(case: Case) -> dict[str, str]:
    return {name: task.status for name, task in case.workspace.ledger.tip().history.tasks.items()}


def live(case: Case) -> set[str]:
    return {point.name for point in case.workspace.ledger.tip().history.live()}


def code_of(case: Case, target: str) -> DevsError:
    with pytest.raises(DevsError) as error:
        case.rewind(target)
    return error.value


@pytest.mark.quick
def test_of_two_checkpoints_on_one_commit_the_later_one_is_after(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.point("2", 1, completed=False)
    case.point("2", 2, completed=True)
    done = case.rewind("task-2@1")
    assert (done.affected_tasks, live(case)) == ((), {"task-1@1", "task-2@1"})
    case.undo()
    assert live(case) == {"task-1@1", "task-2@1", "task-2@2"}
    assert case.rewind("1").affected_tasks == ("task-2",)
    assert live(case) == {"task-1@1"}


def test_a_rewind_before_its_completion_makes_the_targets_task_active_again(case: Case) -> None:
    start(case, "10")
    case.commit({"a": b"1\n"})
    case.point("10", 1, completed=False)
    case.write({"a": b"2\n"})
    complete(case)
    start(case, "11")
    lines = case.active()
    done = case.rewind("task-10@1")
    assert (done.cleared_tasks, statuses(case)["task-10"]) == (0, "active")
    assert case.active().startswith("Devs-Task: task-10\n")
    assert case.git("tag") == ""
    case.undo()
    assert (statuses(case)["task-10"], case.git("tag")) == ("completed", "devs/task-10")
    assert case.active() == lines


def test_a_task_completed_twice_goes_back_to_its_first_completion_and_its_tag(case: Case) -> None:
    start(case, "1")
    for text in (b"1\n", b"2\n"):
        case.write({"a": text})
        task_complete.run(case.workspace, task_complete.Request("1", message="done", everything=True))
    first, second = case.workspace.ledger.tip().history.of_task("task-1")
    assert case.git("rev-parse", "devs/task-1") == second.tag
    case.rewind("task-1@1")
    assert (case.git("rev-parse", "devs/task-1"), statuses(case)) == (first.tag, {"task-1": "completed"})
    case.undo()
    assert case.git("rev-parse", "devs/task-1") == second.tag


def test_an_undo_whose_backup_was_pruned_says_so(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    done = case.rewind("1", "discard")
    case.git("update-ref", "-d", done.backup)
    case.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    case.git("gc", "-q", "--prune=now")
    with pytest.raises(DevsError) as error:
        case.undo()
    assert (error.value.code, "pruned" in error.value.message) == ("NOTHING_TO_UNDO", True)


def test_the_active_task_is_cleared_when_it_was_undone_and_kept_when_not(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    start(case, "2")
    case.rewind("1", "discard")
    assert case.active().startswith("Devs-Task: task-2\n")  # nothing of it was undone
    case.commit({"a": b"2\n"})
    case.point("2", 1, completed=False)
    case.rewind("1")
    assert (case.active(), statuses(case)["task-2"]) == ("", "rewound")
    case.undo()
    assert case.active().startswith("Devs-Task: task-2\n")


def test_checkpoints_that_another_branch_keeps_stay_and_are_listed(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.branch_off("keeper")
    case.stage("3", {"a": b"3\n"})
    plan = case.plan("1")
    assert (plan.affected_tasks, plan.undone) == (("task-3",), ("task-3@1",))
    assert plan.kept_by == ({"checkpoint": "task-2@1", "branches": ("keeper",)},)
    done = case.rewind("1")
    assert (done.kept_by, live(case)) == (plan.kept_by, {"task-1@1", "task-2@1"})
    assert case.git("tag").split() == ["devs/task-1", "devs/task-2"]


def test_a_completion_that_another_branch_keeps_leaves_the_targets_task_completed(case: Case) -> None:
    case.commit({"a": b"1\n"})
    case.point("1", 1, completed=False)
    case.commit({"a": b"2\n"})
    case.point("1", 2, completed=True)
    case.branch_off("keeper")
    case.rewind("task-1@1")
    assert (statuses(case)["task-1"], case.active(), case.git("tag")) == ("completed", "", "devs/task-1")


def test_a_branch_that_a_rewind_left_counts_only_once_it_moved(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    left = case.rewind("1", "branch").preserved_as["reference"]
    tip = case.git("rev-parse", left)
    case.undo()
    case.git("branch", left, tip)  # it went with the undo
    assert case.rewind("1", "branch").affected_tasks == ("task-2",)
    case.undo()
    # Somebody's own branch on top of it counts.
    case.branch_off("mine", left)
    assert case.rewind("1").affected_tasks == ()


def test_a_branch_left_under_a_name_of_ones_own_does_not_count_until_it_moves(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    rewind.run(case.workspace, rewind.Request("1", branch_name="old-work"))
    tip = case.git("rev-parse", "old-work")
    case.undo()
    case.git("branch", "old-work", tip)  # it went with the undo
    assert case.plan("1").affected_tasks == ("task-2",)
    case.git("switch", "-q", "old-work")
    case.commit({"b": b"moved on\n"})
    case.git("switch", "-q", "main")
    assert case.plan("1").affected_tasks == ()


def test_a_second_and_third_rewind_behave_like_the_first(case: Case) -> None:
    for task in ("1", "2", "3", "4"):
        case.stage(task, {"a": task.encode(), "f" + task: b"f\n"})
    case.git("branch", "snapshot/edit-2001-02-03-0405")
    for task, undone in (("3", ("task-4",)), ("2", ("task-3",)), ("1", ("task-2",))):
        done = case.rewind(task)
        assert (done.affected_tasks, case.git("status", "--porcelain")) == (undone, "")
        assert case.read("a") == task.encode()
        assert case.git("rev-parse", done.preserved_as["reference"])
    assert len(case.git("branch", "--list", "devs/preserved/*").split()) == 3


def test_a_target_without_a_live_completion_says_what_there_is(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.rewind("1")
    error = code_of(case, "2")
    assert error.code == "NO_CHECKPOINT"
    assert "task-2@1" in error.hint
    assert "undo" in error.hint
    assert code_of(case, "task-2@7").code == "CHECKPOINT_NOT_FOUND"
    assert code_of(case, "99").code == "TASK_NOT_FOUND"


def test_an_undone_number_that_is_no_ancestor_is_refused_with_the_way_there(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.rewind("1")
    error = case.assert_refused("task-2@1")
    assert "HEAD does not contain " in error.message
    assert "devs-git undo" in error.hint


def test_undo_by_id_goes_back_over_several(case: Case) -> None:
    case.commit({".gitattributes": b"*.txt text=auto\n", "odd.txt": b"1\n"})
    for task in ("1", "2", "3"):
        case.stage(task, {"a": task.encode(), f"{task}.txt": b"x\n"})
    case.write({"2.txt": b"x\r\n"})  # clean for git, and not what git would write
    case.git("add", "2.txt")
    before = case.look()
    first = case.rewind("2")
    case.rewind("1")
    assert not case.has("2.txt")
    case.undo(first.rewind_id)
    case.look().must_equal(before)
    assert live(case) == {"task-1@1", "task-2@1", "task-3@1"}
    case.undo()  # the undo itself
    assert (case.read("a"), live(case)) == (b"1", {"task-1@1"})


@pytest.mark.quick
def test_undo_keeps_new_commits_and_asks_how(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    op = case.rewind("1").rewind_id
    new = case.stage("3", {"b": b"new\n"})
    for op_id, way in ((None, op), (op, "--preserve")):
        with pytest.raises(DevsError) as error:
            case.undo(op_id)
        assert (error.value.code, way in error.value.hint) == (REFUSED, True)
    assert case.git("rev-parse", "HEAD") == new
    done = case.undo(op, preserve="branch")
    assert case.git("rev-parse", done.preserved_as["reference"]) == new
    assert (case.read("a"), case.has("b"), statuses(case)["task-3"]) == (b"2\n", False, "rewound")
    case.undo()
    assert (case.read("a"), case.read("b"), statuses(case)["task-3"]) == (b"1\n", b"new\n", "completed")


def test_undo_refuses_where_the_id_was_used_again_and_names_it(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    start(case, "2")
    case.write({"a": b"2\n"})
    complete(case)
    case.rewind("1")
    start(case, "2")
    with pytest.raises(DevsError) as error:
        case.undo(preserve="branch")
    assert (error.value.code, error.value.details["task_id"]) == ("TASK_EXISTS", "task-2")
    assert case.read("a") == b"1\n"


def test_an_undo_elsewhere_finds_nothing_of_this_branch_and_worktree(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.rewind("1")
    case.git("worktree", "add", "-q", "-b", "other", "../other")
    for there in (case, Case(case.top.parent / "other")):
        if there is case:
            there.git("switch", "-qc", "third")
        with pytest.raises(DevsError) as error:
            there.undo()
        assert error.value.code == "NOTHING_TO_UNDO"
    case.git("switch", "-q", "main")
    case.undo()
    assert case.read("a") == b"2\n"


@pytest.mark.parametrize("mode", [pytest.param("branch", marks=pytest.mark.thorough), "stash"])
def test_the_preserved_branch_or_stash_entry_goes_with_the_undo_and_a_redo_makes_it_again(
    case: Case, mode: str
) -> None:
    case.stage("1", {"a": b"1\n"})
    case.stage("2", {"a": b"2\n"})
    case.write({"a": b"dirty\n"})
    kept = case.rewind("1", mode).preserved_as
    assert kept["type"] == mode
    before = case.git("rev-parse", kept["reference"])
    case.undo()
    assert case.read("a") == b"dirty\n"
    assert not case.git("for-each-ref", "refs/stash", "refs/heads/devs/preserved")
    case.undo()
    assert case.git("rev-parse", kept["reference"]) == before
    assert case.git("show", f"{kept['reference']}:a") == "dirty"


def test_an_amend_after_the_rewind_is_kept_and_the_undo_brings_the_old_one_back(case: Case) -> None:
    case.stage("1", {"a": b"1\n"})
    old = case.workspace.ledger.tip().history.completion("task-1")
    case.stage("2", {"a": b"2\n"})
    case.rewind("1")
    case.git("commit", "-q", "--amend", "-m", "amended")
    moved(case, old.tag if old else "")
    assert live(case) == {"task-1@2"}
    with pytest.raises(DevsError):
        case.undo()
    case.undo(preserve="branch")
    assert live(case) == {"task-1@1", "task-2@1"}
    assert case.git("rev-parse", "devs/task-1") == (old.tag if old else "")


def moved(case: Case, old: str) -> None:
    """What the post-rewrite hook records of an amend."""
    commit, tree = case.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    text = f"object {commit}\ntype commit\ntag task-1@2\ntagger A <a@b.c> 978307200 +0000\n\ntask-1@2\n"
    new = case.workspace.objects.write("tag", text.encode())
    event = case.workspace.event(
        "checkpoints.moved", "moved", ("Devs-Moved", f"{old} {new} 2 {commit} {tree}"), verb_name="checkpoint"
    )
    updates = (
        RefUpdate(checkpoint_ref("task-1", 2), new, NO_OID),
        RefUpdate("refs/tags/devs/task-1", new, old),
    )
    case.workspace.append(lambda _tip: Draft(event, updates=updates))
