"""The view follows verbs that change something, and neither reading nor a dry run writes it again."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.errors import EXIT_REFUSED


def call(monkeypatch: pytest.MonkeyPatch, line: str) -> int:
    monkeypatch.setattr(sys, "argv", ["devs-git", *line.split()])
    return main()


@pytest.fixture
def view(initialised: Path) -> Path:
    return initialised / ".devs"


def test_the_view_follows_what_changes_something_and_neither_reading_nor_a_dry_run_writes_it(
    view: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in ("task start 10", "task complete --all"):
        assert call(monkeypatch, line) == 0
    assert [path.name for path in (view / "tasks").iterdir()] == ["task-10"]
    shutil.rmtree(view)
    for line in ("status", "log", "doctor", "rewind task-10 --dry-run"):
        assert call(monkeypatch, line) == 0
        assert not view.exists()
    assert call(monkeypatch, "branch task-10 -b try") == 0
    assert (view / "tasks" / "task-10").is_dir()


def test_a_view_that_cannot_be_written_does_not_fail_what_was_done(
    view: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(view)
    view.write_text("in the way")
    assert call(monkeypatch, "task start 10") == 0
    assert "devs-git doctor" in capsys.readouterr().err


def test_a_linked_worktree_has_its_view_from_its_first_command_on(
    view: Path, monkeypatch: pytest.MonkeyPatch, git: Callable[..., str]
) -> None:
    other = view.parent.parent / "other"
    git("worktree", "add", "-q", str(other))
    monkeypatch.chdir(other)
    assert call(monkeypatch, "rewind task-10 --dry-run") == EXIT_REFUSED
    assert not (other / ".devs").exists()
    assert call(monkeypatch, "status") == 0
    assert (other / ".devs" / "policy.yaml").is_file()
    assert git("-C", str(other), "status", "--porcelain") == ""
