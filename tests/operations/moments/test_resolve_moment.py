"""The moment that a name means, in a repository with moments and transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import snapshot_create
from devs_git.errors import DevsError
from devs_git.operations.moments.moment_rows import neighbours
from devs_git.operations.moments.resolve_moment import begin_of_turn, resolve
from devs_git.storage.moments.read_moments import list_moments
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.turn_scene import ONE, TWO, Turns

pytestmark = pytest.mark.quick


def refusal(workspace: Workspace, text: str) -> DevsError:
    with pytest.raises(DevsError) as refused:
        resolve(workspace, text, field="against")
    return refused.value


def test_without_moments_the_refusal_says_how_they_are_made(turns: Turns) -> None:
    for text in ("moment:-1", "moment:08:00", "moment:3fa9c1", "moment:s/1"):
        error = refusal(turns.now(100), text)
        assert (error.code, error.exit_status) == ("MOMENT_NOT_FOUND", 3)
        assert "agent install" in error.hint
        assert "snapshot create" in error.hint


def test_the_last_ones_times_and_beginnings_of_ids_name_moments(turns: Turns) -> None:
    first = turns.moment(0)
    turns.edit("a.txt", "second\n")
    second = turns.moment(125)
    now = turns.now(600)
    assert [resolve(now, f"moment:{text}").id for text in ("-1", "-2")] == [second, first]
    assert [resolve(now, f"moment:{text}").id for text in ("09:02", "9:01", "09:02:04")] == [
        second,
        first,
        first,
    ]
    assert resolve(now, f"moment:{second[:6]}").id == second
    assert resolve(now, f"moment:{turns.at(125)}").id == second
    assert refusal(now, "moment:-3").code == "MOMENT_NOT_FOUND"
    assert "09:00:00.000Z" in refusal(now, "moment:08:59").message
    assert (refusal(now, "moment:09:11").code, refusal(now, "moment:09:11").details["field"]) == (
        "INVALID_ARGUMENTS",
        "against",
    )


def test_the_moments_of_another_worktree_are_named_by_their_ids_only(
    turns: Turns, git: Run, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Workspace.open(tmp_path / "side")
    made = turns.moment(0)
    error = refusal(side, "moment:-1")
    assert (error.code, "other worktrees" in error.message) == ("MOMENT_NOT_FOUND", True)
    assert resolve(side, f"moment:{made[:10]}").worktree == "."


def three_turns(turns: Turns) -> list[str]:
    """Three turns: in the first files change twice, in the second nothing, and a call is within the third."""
    found = [turns.moment(0, "prompt", ONE)]
    turns.says(0.1, ONE, "user", "first")
    turns.says(1, ONE, "assistant", "I do")
    turns.edit("a.txt", "first\n")
    turns.moment(2, "after", ONE)
    turns.edit("b.txt", "first\n")
    turns.says(3, ONE, "assistant", "done")
    found.append(turns.moment(4, "stop", ONE))
    turns.moment(10, "prompt", ONE)
    turns.says(10.1, ONE, "user", "second")
    turns.says(11, ONE, "assistant", "nothing to do")
    turns.says(11.5, ONE, "user", "[Request interrupted by user]")
    turns.moment(20, "prompt", ONE)
    turns.says(20.1, ONE, "user", "third")
    turns.says(21, ONE, "assistant", "I do")
    turns.edit("a.txt", "third\n")
    turns.moment(22, "call", ONE)
    turns.edit("c.txt", "third\n")
    turns.moment(23, "after", ONE)
    turns.says(24, ONE, "assistant", "done")
    turns.read()
    return [found[0], found[1], found[1]]


def test_a_turn_names_the_state_before_it_also_if_nothing_had_changed(turns: Turns) -> None:
    expected = three_turns(turns)
    now = turns.now(100)
    assert [resolve(now, f"moment:{ONE}/{number}").id for number in (1, 2, 3)] == expected
    assert resolve(now, "moment:1111/1").id == expected[0]
    error = refusal(now, "moment:1111/4")
    assert (error.code, "3 prompts so far" in error.message) == ("MOMENT_NOT_FOUND", True)


def test_the_last_turn_begins_before_its_prompt_whatever_was_made_within_it(turns: Turns) -> None:
    expected = three_turns(turns)
    now = turns.now(100)
    assert begin_of_turn(now, "moment:-1").id == expected[2]
    assert begin_of_turn(now, "moment:-2").id == expected[0]
    assert resolve(now, "moment:-1").id != expected[2]
    turns.edit("d.txt", "by hand\n")
    made = turns.moment(90, "snapshot")
    assert begin_of_turn(now, "moment:-1").id == made


def test_of_two_sessions_each_turn_has_its_own_moment(turns: Turns) -> None:
    one = turns.moment(0, "prompt", ONE)
    turns.says(0.2, ONE, "user", "first")
    turns.edit("a.txt", "by hand\n")
    two = turns.moment(1, "prompt", TWO)
    turns.says(1.2, TWO, "user", "other")
    turns.says(5, ONE, "assistant", "late answer")
    turns.says(6, TWO, "assistant", "late answer")
    turns.read()
    now = turns.now(100)
    assert [resolve(now, f"moment:{name}/1").id for name in ("1111", "2222")] == [one, two]


def test_a_session_that_several_fit_is_refused_with_their_names(turns: Turns) -> None:
    turns.moment(0)
    for name in ("abc-1", "abc-2"):
        turns.says(1, name, "user", "hello")
    turns.read()
    error = refusal(turns.now(10), "moment:abc/1")
    assert (error.code, error.details["field"]) == ("INVALID_ARGUMENTS", "against")
    assert "abc-1" in error.message
    assert "abc-2" in error.message
    assert refusal(turns.now(10), "moment:xyz/1").code == "MOMENT_NOT_FOUND"


def test_a_fork_names_the_turns_of_its_beginning_too_and_then_its_own(turns: Turns) -> None:
    first = turns.moment(0, "prompt", ONE)
    for session in (ONE, TWO):
        turns.says(0.1, session, "user", "first", name="m1")
        turns.says(1, session, "assistant", "done", name="m2")
    turns.edit("a.txt", "first\n")
    second = turns.moment(10, "prompt", ONE)
    turns.says(10.1, ONE, "user", "second")
    turns.says(11, ONE, "assistant", "done")
    turns.edit("a.txt", "second\n")
    forked = turns.moment(20, "prompt", TWO)
    turns.says(20.1, TWO, "user", "instead")
    turns.says(21, TWO, "assistant", "done")
    turns.read()
    now = turns.now(100)
    assert [resolve(now, f"moment:{ONE}/{number}").id for number in (1, 2)] == [first, second]
    assert [resolve(now, f"moment:{TWO}/{number}").id for number in (1, 2)] == [first, forked]


def test_a_fork_that_leaves_after_a_prompt_names_the_moment_before_the_first_answer(turns: Turns) -> None:
    first = turns.moment(0, "prompt", ONE)
    for session in (ONE, TWO):
        turns.says(0.1, session, "user", "first", name="m1")
    turns.says(1, ONE, "assistant", "done")
    turns.edit("a.txt", "first\n")
    turns.moment(2, "stop", ONE)
    turns.says(50, TWO, "assistant", "done in another way")
    turns.read()
    assert resolve(turns.now(100), f"moment:{TWO}/1").id == first


def test_a_fork_that_found_nothing_changed_names_what_was_before_the_first_answer(turns: Turns) -> None:
    found = turns.moment(0, "stop", "earlier")
    for session in (ONE, TWO):
        turns.says(10.1, session, "user", "first", name="m1")
    turns.says(11, ONE, "assistant", "done")
    turns.edit("a.txt", "first\n")
    turns.moment(12, "stop", ONE)
    turns.says(50, TWO, "assistant", "done in another way")
    turns.read()
    assert [resolve(turns.now(100), f"moment:{name}/1").id for name in (ONE, TWO)] == [found, found]


def test_a_prompt_without_an_answer_and_the_next_one_have_each_its_own_moment(turns: Turns) -> None:
    first = turns.moment(0, "prompt", ONE)
    turns.says(0.1, ONE, "user", "stopped at once")
    turns.edit("a.txt", "by hand\n")
    second = turns.moment(9.9, "prompt", ONE)
    turns.says(10, ONE, "user", "again")
    turns.says(11, ONE, "assistant", "done")
    turns.read()
    assert [resolve(turns.now(100), f"moment:{ONE}/{number}").id for number in (1, 2)] == [first, second]


def test_a_moment_that_was_made_after_its_prompt_was_written_is_not_that_of_the_next_turn(
    turns: Turns,
) -> None:
    turns.says(0.1, ONE, "user", "first")
    first = turns.moment(0.3, "prompt", ONE)
    turns.says(1, ONE, "assistant", "done")
    turns.edit("a.txt", "first\n")
    stop = turns.moment(2, "stop", ONE)
    turns.says(10, ONE, "user", "second")
    turns.says(11, ONE, "assistant", "done")
    turns.read()
    assert [resolve(turns.now(100), f"moment:{ONE}/{number}").id for number in (1, 2)] == [first, stop]


def test_a_snapshot_names_the_moment_that_was_made_with_it(turns: Turns) -> None:
    turns.edit("a.txt", "saved\n")
    turns.edit("new.txt", "untracked\n")
    made = turns.moment(0, "snapshot")
    branch = snapshot_create.run(turns.now(0), snapshot_create.Request()).branch
    turns.edit("a.txt", "later\n")
    turns.moment(60)
    assert resolve(turns.now(100), branch).id == made
    assert refusal(turns.now(100), "snapshot/none").code == "SNAPSHOT_NOT_FOUND"


def test_a_branch_that_a_person_put_among_the_snapshots_has_no_moment(turns: Turns, git: Run) -> None:
    turns.moment(0)
    git("branch", "snapshot/mine", "HEAD")
    error = refusal(turns.now(100), "snapshot/mine")
    assert (error.code, "devs-git restore snapshot/mine" in error.hint) == ("MOMENT_NOT_FOUND", True)


def test_a_snapshot_whose_branch_was_moved_has_no_moment(turns: Turns, git: Run) -> None:
    turns.edit("a.txt", "saved\n")
    turns.moment(0, "snapshot")
    branch = snapshot_create.run(turns.now(0), snapshot_create.Request()).branch
    git("branch", "--force", branch, "HEAD")
    assert refusal(turns.now(100), branch).code == "MOMENT_NOT_FOUND"


def test_the_list_is_in_the_order_of_time_over_days_hours_and_worktrees(
    turns: Turns, git: Run, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", "--detach", str(tmp_path / "side"))
    side = Turns(Workspace.open(tmp_path / "side"), tmp_path)
    hour, day = 3600, 24 * 3600
    made = []
    for seconds in (0, 5, hour, 3 * hour, day - hour, day, 2 * day + 7, 30 * day):
        for one, later in ((turns, 0), (side, 2), (turns, 4)):
            one.edit("a.txt", f"{seconds} {later}\n")
            made.append((seconds + later, one.moment(seconds + later), one.workspace.places.worktree_id))
    made.sort(reverse=True)
    listed = list_moments(turns.workspace.store_git, turns.workspace.objects)
    assert [(one.id, one.worktree) for one in listed] == [row[1:] for row in made]
    here = list_moments(turns.workspace.store_git, turns.workspace.objects, worktree="side")
    assert [one.id for one in here] == [oid for _, oid, worktree in made if worktree == "side"]
    near = neighbours(turns.workspace, listed)
    assert [near[one].before for one in here] == [*here[1:], None]
    assert [near[one].after for one in here] == [None, *here[:-1]]
