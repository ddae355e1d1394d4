"""The view follows verbs that change something, and neither reading nor a dry run writes it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.domain.verbs import VERBS


def call(monkeypatch: pytest.MonkeyPatch, line: str) -> int:
    monkeypatch.setattr(sys, "argv", ["devs-git", *line.split()])
    return main()


@pytest.fixture
def view(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The view of a repository with a completed task."""
    for line in ("init", "task start 10", "task complete --all", "task start 11"):
        assert call(monkeypatch, line) == 0
    return repo / ".devs"


def test_the_view_shows_what_a_verb_wrote(view: Path) -> None:
    assert sorted(path.name for path in (view / "tasks").iterdir()) == ["task-10", "task-11"]


@pytest.mark.parametrize("line", ["status", "log", "doctor", "rewind task-10 --dry-run"])
def test_reading_and_dry_runs_do_not_write_the_view(
    line: str, view: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(view)
    assert call(monkeypatch, line) == 0
    assert not view.exists()


def test_the_next_verb_that_changes_something_brings_a_deleted_view_back(
    view: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(view)
    assert call(monkeypatch, "branch task-10 -b try") == 0
    assert (view / "tasks" / "task-10").is_dir()


def test_a_view_that_cannot_be_written_does_not_fail_what_was_done(
    view: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(view)
    view.write_text("in the way")
    assert VERBS["branch"].tier == 1
    assert call(monkeypatch, "branch task-10 -b try") == 0
    assert "devs-git doctor" in capsys.readouterr().err
