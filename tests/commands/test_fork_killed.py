"""`kill -9` at each step of `fork`: the next command removes what was made, or keeps a complete fork."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import checkpoint, fork, status, task_start
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import killed_work
from tests.support.moment_stage import dirty, moment
from tests.support.rewind_cases import Case
from tests.support.selection import QUICK


@pytest.mark.quick
@pytest.mark.parametrize("origin", ["moment", "checkpoint"])
def test_killed_before_any_step_a_fork_is_whole_or_not_there(case: Case, tmp_path: Path, origin: str) -> None:
    task_start.run(case.workspace, task_start.Request("1"))
    case.write({"one.txt": b"1\n"})
    checkpoint.run(case.workspace, checkpoint.Request("one", everything=True))
    dirty(case, {})
    name = moment(case) if origin == "moment" else "task-1@1"
    # git notes the worktree without links.
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    place, before, at, removed = tmp_path / "link" / "fork", case.look(), 0, 0
    refs, trees = _refs(case), case.git("worktree", "list", "--porcelain")
    while True:
        request = fork.Request(name, f"f{at}", branch="side", worktree=str(place), conversation=False)
        if not killed_work.run(lambda asked=request: router.call("fork", case.workspace, asked), at):  # type: ignore[misc]
            break
        router.call("status", case.workspace, status.Request())
        case.look().must_equal(before)
        assert not list((case.top / ".git/devs/forks").glob("*.json")), at
        known = Workspace.open(case.top).ledger.tip().here.tasks
        assert place.exists() == (f"task-f{at}" in known), at
        if place.exists():
            assert Case(place).read("one.txt") == b"1\n"
            assert Workspace.open(place).places.active_task.exists()
            case.git("worktree", "remove", "--force", str(place))
            case.git("branch", "-qD", "side")
        else:
            removed += 1
        assert (_refs(case), case.git("worktree", "list", "--porcelain")) == (refs, trees), at
        at += 31 if QUICK else 3
    assert removed > (2 if QUICK else 10)
    assert Case(place).read("one.txt") == b"1\n"


@pytest.mark.quick
@pytest.mark.parametrize("damage", ["", "garbage", "{}", "[1]", '{"op_id": "x", "place": "/"}'])
def test_a_damaged_note_of_a_fork_is_named_and_removes_nothing(case: Case, damage: str) -> None:
    note = case.top / ".git/devs/forks/20261124T010527-547c2f9b.json"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(damage)
    before = case.look()
    with pytest.raises(DevsError) as refused:
        router.call("status", case.workspace, status.Request())
    assert (refused.value.code, note.name in refused.value.message) == ("RECOVERY_NEEDED", True)
    assert "remove the note" in refused.value.hint
    case.look().must_equal(before)
    note.unlink()
    router.call("status", case.workspace, status.Request())


def _refs(case: Case) -> str:
    return case.git("for-each-ref", "refs/heads/main", "refs/heads/side", "refs/stash")
