"""`status` says what is in progress, what is recorded, which hooks git does not call, and where undo would go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import restore, rewind, status, trace_put, undo
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts import log_text
from devs_git.storage.ledger.index import NAME as INDEX
from devs_git.storage.ledger.store import Ledger
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.scene import Scene
from tests.support.terminal_person import at_terminal

Make = Callable[..., str]


def look(top: Path) -> status.Result:
    return status.run(Workspace.open(top), status.Request())


@pytest.mark.quick
@pytest.mark.usefixtures("ledgered")
def test_a_merge_in_progress_is_told_with_the_commands_that_end_it(git: Make, repo: Path) -> None:
    assert (look(repo).under_way, look(repo).undo) == ("", None)
    (repo / ".git/MERGE_HEAD").write_text(git("rev-parse", "HEAD") + "\n")
    found = look(repo)
    assert (found.under_way, found.under_way_end) == ("a merge", "git merge --continue or --abort")
    assert "A merge is in progress. To end it: git merge --continue or --abort" in log_text.status_text(found)


def test_a_hook_that_git_does_not_call_is_told_with_the_command_that_repairs_it(initialised: Path) -> None:
    assert look(initialised).hooks == ()
    (initialised / ".git/hooks/pre-commit").unlink()
    (gap,) = look(initialised).hooks
    assert "pre-commit" in gap.message
    assert gap.fix == "devs-git init"


@pytest.mark.usefixtures("ledgered")
def test_it_tells_what_undo_would_take_back(mark: Make, git: Make, repo: Path) -> None:
    mark(10)
    (repo / "f1.txt").write_text("changed\n")
    git("commit", "-qam", "later")
    head = git("rev-parse", "HEAD")
    restore.run(Workspace.open(repo), restore.Request("task-10@1"))
    goal = look(repo).undo
    assert goal is not None
    assert goal.commit == head
    assert "Undo would take back: restore " in log_text.status_text(look(repo))


@pytest.mark.quick
def test_what_undo_would_take_back_is_told_without_the_whole_ledger(
    tasks: Callable[..., Scene], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = tasks({"10": {"a.txt": "a\n"}, "11": {"b.txt": "b\n"}})
    router.call("rewind", Workspace.open(scene.top), rewind.Request("10"))
    router.call("undo", Workspace.open(scene.top), undo.Request())
    before = look(scene.top)
    assert before.undo is not None
    (scene.top / ".git" / INDEX).touch()
    monkeypatch.setattr(
        Ledger, "history_at", lambda _self, oid: pytest.fail(f"all events of {oid} were read")
    )
    assert look(scene.top) == before


@pytest.mark.usefixtures("ledgered")
def test_a_rebase_and_a_bisect_in_progress_are_told_with_what_ends_them(git: Make, repo: Path) -> None:
    for text in ("one", "two"):
        (repo / "a.txt").write_text(f"{text}\n")
        git("commit", "-qam", text)
    git("bisect", "start", "-q")
    assert (look(repo).under_way, look(repo).under_way_end) == ("a bisect", "git bisect reset")
    git("bisect", "reset")
    git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "HEAD~1")
    found = look(repo)
    assert (found.under_way, found.under_way_end) == ("a rebase", "git rebase --continue or --abort")


def test_gates_and_traces_are_counted(initialised: Path) -> None:
    assert (look(initialised).gates, look(initialised).traces) == (0, 0)
    trace_put.run(Workspace.open(initialised), trace_put.Request(b"out\n"))
    ask(Workspace.open(initialised))
    found = look(initialised)
    assert (found.gates, found.traces) == (1, 1)
    assert "Outputs of tools: 1" in log_text.status_text(found)


def test_a_terminal_names_a_missing_hook_once(initialised: Path) -> None:
    (initialised / ".git/hooks/pre-commit").unlink()
    assert at_terminal(initialised, "status")[1].count("pre-commit") == 1


def test_a_rewind_to_before_a_task_is_told_in_words(tasks: Callable[..., Scene]) -> None:
    scene = tasks({"10": {"a.txt": "a\n"}, "11": {"b.txt": "b\n"}})
    router.call("rewind", Workspace.open(scene.top), rewind.Request("11^"))
    assert "Undo would take back: rewind to before task-11" in log_text.status_text(look(scene.top))
