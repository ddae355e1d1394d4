"""`kill -9` at each step of a `resume` that forks: the next command removes what was made, or keeps a complete fork."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import resume, status
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support import killed_work
from tests.support.resumable_contract import begin, numbers
from tests.support.rewind_cases import Case
from tests.support.selection import QUICK

TASK: dict[str, Any] = {"target": "1", "mode": "from_checkpoint", "checkpoint": "1", "plan": "Again."}
CONTRACT: dict[str, Any] = {"target": "c", "mode": "from_checkpoint", "checkpoint": "task-1@1", "fork": True}
RESTART: dict[str, Any] = {"target": "1", "mode": "clean_restart", "fork": True}


@pytest.fixture
def story(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A contract with one task and two checkpoints. The transcript of its session is in `tmp_path`."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    begin(case.top, tmp_path)
    return case


@pytest.mark.quick
@pytest.mark.parametrize(
    ("options", "kept"),
    [(TASK, ["one.txt"]), (CONTRACT, ["one.txt"]), (RESTART, [])],
    ids=["task", "contract", "restart"],
)
def test_killed_before_any_step_a_resume_that_forks_is_done_or_as_if_not_begun(
    story: Case, tmp_path: Path, options: dict[str, Any], kept: list[str]
) -> None:
    before, source = story.look(), [path.read_bytes() for path in tmp_path.glob("*.jsonl")]
    trees, removed, at = story.git("worktree", "list", "--porcelain"), 0, 0
    while True:
        request, known = resume.Request(name=f"f{at}", **options), written(tmp_path)
        if not killed_work.run(lambda asked=request: router.call("resume", story.workspace, asked), at):  # type: ignore[misc]
            break
        router.call("status", story.workspace, status.Request())
        story.look().must_equal(before)
        assert [path.read_bytes() for path in tmp_path.glob("*.jsonl")] == source
        places = places_of(tmp_path, at)
        done = f"task-f{at}" in Workspace.open(story.top).ledger.tip().here.tasks
        assert len(places) == done, at
        if done:
            must_be_whole(places, kept, written(tmp_path) - known)
            story.git("worktree", "remove", "--force", str(places[0]))
            story.git("branch", "-qD", f"task-f{at}")
        else:
            removed += 1
        assert story.git("worktree", "list", "--porcelain") == trees, at
        assert story.git("for-each-ref", "--format=%(refname)", f"refs/heads/task-f{at}") == "", at
        at += 41 if QUICK else 5
    assert removed > 2
    must_be_whole(places_of(tmp_path, at), kept, written(tmp_path) - known)


def written(folder: Path) -> set[Path]:
    return set((folder / "claude").rglob("*.jsonl"))


def places_of(folder: Path, at: int) -> list[Path]:
    """The worktree of the fork, if it is there."""
    return [path for path in folder.rglob(f"*task-f{at}") if (path / ".git").exists()]


def must_be_whole(places: list[Path], kept: list[str], sessions: set[Path]) -> None:
    """The fork has the files of the checkpoint. Its session has what was said until then, and nothing that came after."""
    (place,) = places
    assert numbers(place) == kept
    assert len(sessions) == (1 if kept else 0)
    for file in sessions:
        assert [word in file.read_text() for word in ("One is done.", "Two, please.")] == [True, False]
