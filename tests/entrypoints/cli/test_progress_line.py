"""`verify` and `doctor` say on a terminal what they do, if they take longer than a second. In a pipe and with --json they do not."""

from __future__ import annotations

import sys

import pytest

from devs_git.__main__ import main
from devs_git.commands import task_start
from devs_git.entrypoints import router
from devs_git.entrypoints.cli import terminal
from devs_git.workspace import Workspace

ERASED = "\r\x1b[K"


@pytest.fixture
def repository(ledgered: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A repository with a task, in which each command counts as one that takes long."""
    router.call("task start", ledgered, task_start.Request("10", title="t"))
    monkeypatch.chdir(ledgered.top)
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    return ledgered


def standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str, at_terminal: bool
) -> str:
    capsys.readouterr()
    monkeypatch.setattr("sys.argv", ["devs-git", *words])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: at_terminal)
    main()
    return capsys.readouterr().err


@pytest.mark.quick
@pytest.mark.usefixtures("repository")
def test_at_a_terminal_verify_and_doctor_rewrite_one_line_and_remove_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb, steps in (
        ("verify", ("checking the ledger", "judging events 0/", "checking commits", "checking records")),
        ("doctor", ("checking the ledger and the hooks",)),
    ):
        shown = standard_error(monkeypatch, capsys, verb, at_terminal=True)
        assert [step for step in steps if f"{ERASED}{step}" not in shown] == []
        assert shown.endswith(ERASED)
        assert "\n" not in shown


@pytest.mark.usefixtures("repository")
def test_in_a_pipe_and_with_json_there_is_no_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb in ("verify", "doctor"):
        assert standard_error(monkeypatch, capsys, verb, at_terminal=False) == ""
        assert standard_error(monkeypatch, capsys, verb, "--json", at_terminal=True) == ""


def test_a_step_that_says_nothing_more_is_shown_when_the_time_is_over(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "PATIENCE", 0.05)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    attached = terminal.attach(ledgered)
    with terminal.progress_line(attached):
        attached.progress("git works", 0, 0)
        thread = attached.progress.thread  # type: ignore[attr-defined]
        thread.join()
    assert capsys.readouterr().err == f"{ERASED}git works{ERASED}"


def test_a_step_that_has_ended_is_not_shown_later(
    ledgered: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "PATIENCE", 0.05)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    attached = terminal.attach(ledgered)
    with terminal.progress_line(attached):
        attached.progress("git works", 0, 0)
    attached.progress.thread.join()  # type: ignore[attr-defined]
    assert capsys.readouterr().err == ""
