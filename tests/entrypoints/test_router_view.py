"""The view `.devs/` is updated by verbs that write, restored by verbs that read, and never touched by a dry run."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.__main__ import main
from devs_git.errors import EXIT_REFUSED
from devs_git.workspace import Workspace
from tests.support import gate_scene


def call(monkeypatch: pytest.MonkeyPatch, line: str) -> int:
    monkeypatch.setattr(sys, "argv", ["devs-git", *line.split()])
    return main()


@pytest.fixture
def view(initialised: Path) -> Path:
    return initialised / ".devs"


@pytest.mark.quick
def test_the_view_follows_what_changes_something_and_is_drawn_again_by_any_verb_that_finds_it_gone(
    view: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in ("task start 10", "task complete --all"):
        assert call(monkeypatch, line) == 0
    assert [path.name for path in (view / "tasks").iterdir()] == ["task-10"]
    whole = {path: path.read_bytes() for path in view.rglob("*") if path.is_file()}
    gate_scene.ask(Workspace.open(), kind="MANUAL")  # the view is written by the router
    for line in ("status", "log", "doctor", "history", "trace list", "gate list"):
        shutil.rmtree(view)
        assert call(monkeypatch, "rewind task-10 --dry-run") == 1
        assert not view.exists()
        assert call(monkeypatch, line) == 0, line
        now = {path: path.read_bytes() for path in view.rglob("*") if path.is_file()}
        assert whole.items() <= now.items(), line
        assert list((view / "open").iterdir())


def test_a_view_that_is_there_is_not_written_by_what_only_reads(
    view: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (view / "policy.yaml").unlink()
    assert call(monkeypatch, "status") == 0
    assert not (view / "policy.yaml").exists()


def test_a_view_is_not_drawn_again_without_a_ledger_nor_after_it_was_taken_out(
    view: Path, monkeypatch: pytest.MonkeyPatch, git: Callable[..., str]
) -> None:
    shutil.rmtree(view)
    git("branch", "-m", "devs/ledger", "away")
    assert call(monkeypatch, "status") == 0
    assert not view.exists()
    git("branch", "-m", "away", "devs/ledger")
    assert call(monkeypatch, "init --uninstall") == 0
    assert call(monkeypatch, "status") == 0
    assert not view.exists()


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
