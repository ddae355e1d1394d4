"""`why`: from a line to its commit, its task, the message that led to it, and the gate that allowed it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import task_complete, task_start, why
from devs_git.domain.clients.transcript_reader import TranscriptMessage
from devs_git.domain.recall.conversation import Message, ToolCall
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts.why_text import why_text
from devs_git.errors import DevsError
from devs_git.storage.catalog import append_messages, fulltext, messages
from devs_git.storage.catalog.append_messages import About
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.ledger.index import NAME as INDEX
from devs_git.storage.ledger.store import Ledger
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.thorough
Run = Callable[..., str]
LINE = 'print("dates", "2001")'
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def ask_why(workspace: Workspace, target: str) -> why.Result:
    return why.run(workspace, why.Request(target))


def told(workspace: Workspace, task: str) -> None:
    """A session of the task: two prompts, and after the first one a call that writes the line."""
    said = (
        Message("m1", "user", "Print the dates."),
        Message(
            "m2", "assistant", tool_calls=(ToolCall("c1", "Edit", {"file_path": "/x/dates.py", "new": LINE}),)
        ),
        Message("m3", "user", "Thank you."),
    )
    with Catalog.open(workspace.places.shared) as catalog, fulltext.write_transaction(catalog):
        known = messages.Session("s1", "claude", ".", task)
        about = About("", workspace.now(), ((workspace.now(), task),), Path(), hurried=False)
        for message in said:
            known = append_messages.append(catalog, known, TranscriptMessage(message, "", "", 0), about)
        messages.save_session(catalog, known)


@pytest.fixture
def worked(ledgered: Workspace, repo: Path) -> Workspace:
    """task-1 wrote a line of dates.py, and task-2 another file after it."""
    task_start.run(ledgered, task_start.Request("1", title="Dates"))
    told(ledgered, "task-1")
    (repo / "dates.py").write_text(f"import sys\n{LINE}\n")
    task_complete.run(ledgered, task_complete.Request("1", "Print dates", everything=True))
    task_start.run(ledgered, task_start.Request("2", title="Other"))
    (repo / "other.txt").write_text("other\n")
    task_complete.run(ledgered, task_complete.Request("2", "Write other", everything=True))
    return ledgered


@pytest.mark.quick
@pytest.mark.usefixtures("worked")
def test_a_line_of_a_checkpoint_is_explained_without_the_whole_ledger(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask_why(Workspace.open(repo), "dates.py:2")
    assert (before.task_id, before.title, before.found_by) == ("task-1", "Dates", "checkpoint")
    (repo / ".git" / INDEX).touch()
    monkeypatch.setattr(
        Ledger, "history_at", lambda _self, oid: pytest.fail(f"all events of {oid} were read")
    )
    assert ask_why(Workspace.open(repo), "dates.py:2") == before


@pytest.mark.quick
def test_a_line_leads_to_its_commit_its_task_and_the_prompt_before_the_call_that_wrote_it(
    worked: Workspace, git: Run
) -> None:
    found = ask_why(worked, "dates.py:2")
    assert (found.text, found.commit) == (LINE, git("rev-parse", "HEAD~1"))
    assert (found.task_id, found.title, found.checkpoint) == ("task-1", "Dates", "task-1@1")
    assert found.found_by == "checkpoint"
    assert found.message
    assert found.call
    assert (found.message.content, found.call.tools) == ("Print the dates.", ("Edit",))
    text = why_text(found)
    for words in ("Print the dates.", "task-1@1", "the commit is its checkpoint", "written by  Edit ("):
        assert words in text


def test_without_a_call_that_wrote_the_line_the_last_prompt_is_told(worked: Workspace) -> None:
    found = ask_why(worked, "dates.py:1")
    assert found.call is None
    assert found.message
    assert found.message.content == "Thank you."


@pytest.mark.quick
@pytest.mark.parametrize(("target", "task"), [("dates.py:2", "task-1"), ("new.py:1", "")])
def test_a_partial_clone_is_told_the_command_that_fetches_what_the_answer_needs(
    worked: Workspace, git: Run, tmp_path: Path, target: str, task: str
) -> None:
    """git reads the earlier file for a line, and the whole change of a commit that is no checkpoint."""
    for name in ("dates.py", "new.py"):
        (worked.top / name).write_text(f"import os\n{LINE}\n")
    git("add", "-A")
    git(*NO_HOOKS, "commit", "-qm", "in no task")
    git("config", "uploadpack.allowFilter", "true")
    top = tmp_path / "partial"
    git("clone", "-q", "--filter=blob:none", f"file://{worked.top}", str(top), where=tmp_path)
    ledger = "refs/heads/devs/ledger:refs/heads/devs/ledger"
    git("fetch", "-q", "--refetch", "--no-filter", "origin", ledger, where=top)
    clone = Workspace.open(top)
    with pytest.raises(DevsError) as refused:
        router.call("why", clone, why.Request(target))
    assert (refused.value.code, "This partial clone" in refused.value.message) == ("CONFLICT", True)
    command = refused.value.hint.removeprefix("Fetch them first: ")
    subprocess.run(["sh", "-ec", command], cwd=top, check=True)
    assert router.call("why", clone, why.Request(target)).task_id == task


def strip_trailers(git: Run) -> None:
    """Rewrite both commits without their trailers and with other parents, as a forge does; no hook sees it."""
    first, second = git("rev-parse", "HEAD~1"), git("rev-parse", "HEAD")
    git(*NO_HOOKS, "checkout", "-q", "-B", "main", "HEAD~2")
    git(*NO_HOOKS, "commit", "-q", "--allow-empty", "-m", "moved")
    for commit in (first, second):
        git(*NO_HOOKS, "cherry-pick", "-n", commit)
        git(*NO_HOOKS, "commit", "-q", "-m", "without trailers")


def test_a_rebased_commit_without_trailers_is_found_by_its_tree_or_its_patch(
    worked: Workspace, git: Run, repo: Path
) -> None:
    strip_trailers(git)
    assert (ask_why(worked, "dates.py:2").task_id, ask_why(worked, "dates.py:2").found_by) == (
        "task-1",
        "tree",
    )
    git(*NO_HOOKS, "checkout", "-q", "-B", "main", "HEAD~2")
    (repo / "before.txt").write_text("before\n")
    git("add", "before.txt")
    git(*NO_HOOKS, "commit", "-q", "-m", "before")
    git(*NO_HOOKS, "cherry-pick", "-n", "refs/devs/checkpoints/task-1/1")
    git(*NO_HOOKS, "commit", "-q", "-m", "without trailers")
    found = ask_why(worked, "dates.py:2")
    assert (found.task_id, found.found_by, found.checkpoint) == ("task-1", "patch", "task-1@1")


def test_a_trailer_alone_names_the_task(worked: Workspace, git: Run, repo: Path) -> None:
    (repo / "dates.py").write_text(f"import sys\n{LINE}\nlast\n")
    git(*NO_HOOKS, "commit", "-qam", "more\n\nDevs-Task: task-2")
    found = ask_why(worked, "dates.py:3")
    assert (found.task_id, found.found_by) == ("task-2", "trailer")


def test_the_squash_of_a_task_with_two_commits_is_found(ledgered: Workspace, git: Run, repo: Path) -> None:
    task_start.run(ledgered, task_start.Request("1"))
    base = git("rev-parse", "HEAD")
    from devs_git.commands import checkpoint

    (repo / "dates.py").write_text("one\n")
    checkpoint.run(ledgered, checkpoint.Request("half", everything=True))
    (repo / "dates.py").write_text("one\ntwo\n")
    task_complete.run(ledgered, task_complete.Request("1", "done", everything=True))
    git(*NO_HOOKS, "checkout", "-q", "-B", "main", base)
    (repo / "before.txt").write_text("before\n")
    git("add", "before.txt")
    git(*NO_HOOKS, "commit", "-q", "-m", "before")
    git(*NO_HOOKS, "merge", "--squash", "-q", "refs/tags/devs/task-1")
    git(*NO_HOOKS, "commit", "-q", "-m", "squashed by a forge")
    found = ask_why(ledgered, "dates.py:2")
    assert (found.task_id, found.found_by, found.checkpoint) == ("task-1", "squash", "task-1@2")


def test_a_line_of_a_squash_of_several_tasks_belongs_to_the_task_that_wrote_it(
    ledgered: Workspace, git: Run, repo: Path
) -> None:
    base = git("rev-parse", "HEAD")
    for task in ("1", "2"):
        task_start.run(ledgered, task_start.Request(task))
        with (repo / "dates.py").open("a") as file:
            file.write(f"{task}\n")
        task_complete.run(ledgered, task_complete.Request(task, "done", everything=True))
    for message in ("squashed by a person", "squashed by a forge\n\nDevs-Task: task-2"):
        git(*NO_HOOKS, "checkout", "-q", "-B", "main", base)
        git(*NO_HOOKS, "merge", "--squash", "-q", "refs/tags/devs/task-2")
        git(*NO_HOOKS, "commit", "-q", "-m", message)
        for line in (1, 2):
            found = ask_why(ledgered, f"dates.py:{line}")
            assert (found.task_id, found.checkpoint, found.found_by) == (
                f"task-{line}",
                f"task-{line}@1",
                "tree",
            )


def test_a_line_that_a_commit_brought_back_belongs_to_the_task_of_this_commit(
    ledgered: Workspace, git: Run, repo: Path
) -> None:
    for task, text in (("1", "one\n"), ("2", "two\n")):
        task_start.run(ledgered, task_start.Request(task))
        (repo / "dates.py").write_text(text)
        task_complete.run(ledgered, task_complete.Request(task, "done", everything=True))
    (repo / "dates.py").write_text("one\n")
    git(*NO_HOOKS, "commit", "-qam", "back\n\nDevs-Task: task-2")
    found = ask_why(ledgered, "dates.py:1")
    assert (found.task_id, found.found_by) == ("task-2", "trailer")


def test_the_gate_is_the_last_one_that_was_approved_for_the_task_before_its_checkpoint(
    ledgered: Workspace, repo: Path
) -> None:
    task_start.run(ledgered, task_start.Request("1"))
    gate = ask(ledgered, kind="MANUAL", task_id="1")
    assert at_terminal(repo, "gate", "approve", gate, "--reason", "fine", typed="y\n")[0] == 0
    (repo / "dates.py").write_text("one\n")
    task_complete.run(ledgered, task_complete.Request("1", "done", everything=True))
    found = ask_why(Workspace.open(repo), "dates.py:1")
    assert found.gate
    assert (found.gate.gate_id, found.gate.reason) == (gate, "fine")


def test_a_line_of_no_task_and_one_that_is_not_committed_say_so(worked: Workspace, repo: Path) -> None:
    old = ask_why(worked, "a.txt:1")
    assert (old.task_id, old.found_by, old.message, old.gate) == ("", "", None, None)
    (repo / "a.txt").write_text("new\n")
    fresh = ask_why(worked, "a.txt:1")
    assert (fresh.commit, fresh.task_id, fresh.text) == ("", "", "new")
    assert "not committed yet" in why_text(fresh)


@pytest.mark.parametrize(
    "target", ["dates.py", "dates.py:0", "dates.py:99", "nope.py:1", "../x:1", ":1", "a:b"]
)
def test_what_is_no_line_here_is_refused(worked: Workspace, target: str) -> None:
    with pytest.raises(DevsError) as refused:
        ask_why(worked, target)
    assert refused.value.code == "INVALID_ARGUMENTS"


def test_no_program_of_the_repository_is_started(worked: Workspace, git: Run, repo: Path) -> None:
    mark = repo.parent / "started"
    (repo / ".gitattributes").write_text("*.py diff=x filter=x\n")
    for name in ("diff.x.textconv", "filter.x.clean", "filter.x.smudge"):
        git("config", name, f"touch {mark}; cat")
    assert ask_why(Workspace(worked.places, offline=True), "dates.py:2").task_id == "task-1"
    assert not mark.exists()
