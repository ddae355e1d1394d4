"""`resume --mode continue`: the session of a task or of a contract goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import contract_start, resume, task_complete, task_start, trace_list
from devs_git.domain.recall.traces import TraceRow
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts.resume_text import resume_text
from devs_git.errors import DevsError
from devs_git.storage.catalog import traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.documents import schemas
from devs_git.values import plain
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.git_calls import git
from tests.support.resumable_task import begin, transcript

pytestmark = pytest.mark.thorough


@pytest.fixture
def story(ledgered: Workspace, repo: Path) -> Workspace:
    return begin(ledgered, repo)


@pytest.fixture
def client_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Claude Code. No client is installed."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path / "claude"


@pytest.mark.quick
def test_a_task_goes_on_in_the_same_session_while_the_client_has_it(
    story: Workspace, client_home: Path
) -> None:
    file = transcript(story, client_home / "own.jsonl")
    before = file.read_bytes()
    found = router.call("resume", story, resume.Request("1", mode="continue", context="Go on."))
    assert found.session
    assert (found.session.session_id, found.session.file, found.session.written) == (
        "own-session",
        str(file),
        False,
    )
    assert found.start_command == ("claude", "--resume", "own-session", "Go on.")
    assert (found.task_id, found.contract, found.worktree, found.bundle.mode) == (
        "task-1",
        None,
        ".",
        "continue",
    )
    assert file.read_bytes() == before
    # "." would be the folder of the person's shell.
    assert "In the main worktree, run:" in resume_text(found)


@pytest.mark.quick
def test_a_session_that_the_client_deleted_is_written_from_the_catalog(
    story: Workspace, client_home: Path
) -> None:
    transcript(story, client_home / "own.jsonl").unlink()
    found = router.call("resume", story, resume.Request("1", mode="continue"))
    assert found.session
    assert found.session.written
    assert found.session.session_id != "own-session"
    assert found.start_command == ("claude", "--resume", found.session.session_id)
    assert "Parse the dates." in Path(found.session.file).read_text()


@pytest.mark.quick
def test_the_id_of_a_session_is_no_option_of_the_client(story: Workspace, client_home: Path) -> None:
    file = transcript(story, client_home / "own.jsonl", "--dangerously-skip-permissions")
    before = file.read_bytes()
    found = router.call("resume", story, resume.Request("1", mode="continue"))
    assert found.session
    assert found.session.written
    assert found.start_command == ("claude", "--resume", found.session.session_id)
    assert not found.session.session_id.startswith("-")
    assert file.read_bytes() == before
    # "." would be the folder of the person's shell.
    assert "In the main worktree, run:" in resume_text(found)


def test_a_session_is_not_written_while_a_gate_is_open(story: Workspace, client_home: Path) -> None:
    file = transcript(story, client_home / "own.jsonl")
    ask(story, kind="MANUAL")
    assert router.call("resume", story, resume.Request("1", mode="continue")).session
    file.unlink()
    with pytest.raises(DevsError) as caught:
        router.call("resume", story, resume.Request("1", mode="continue"))
    assert caught.value.code == "GATE_BLOCKED"
    assert list(client_home.rglob("*.jsonl")) == []


@pytest.mark.quick
def test_a_contract_goes_on_in_the_session_of_its_supervisor(story: Workspace, client_home: Path) -> None:
    file = transcript(story, client_home / "own.jsonl", "steers")
    contract_start.run(story, contract_start.Request("1", "steers"))
    found = router.call("resume", story, resume.Request(contract="1"))
    assert (found.mode, found.contract, found.task_id) == ("continue", "1", None)
    assert found.start_command == ("claude", "--resume", "steers")
    assert found.bundle.task is None
    assert list(schemas.problems("resume-bundle", plain(found.bundle))) == []
    assert [one.content for one in found.bundle.conversation] == ["Parse the dates."]
    assert router.call("resume", story, resume.Request("1")).task_id == "task-1"
    assert file.exists()


def client(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """A program `claude` on the PATH, a shell script."""
    folder.mkdir()
    program = folder / "claude"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def recorded(workspace: Workspace) -> tuple[TraceRow, ...]:
    found: tuple[TraceRow, ...] = router.call("trace list", workspace, trace_list.Request()).traces
    return found


@pytest.mark.quick
def test_exec_starts_the_client_in_the_worktree_and_records_its_exit_code(
    story: Workspace, client_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = transcript(story, client_home / "own.jsonl")
    client(
        tmp_path / "programs", monkeypatch, f'pwd > "{tmp_path}/told"; echo "$@" >> "{tmp_path}/told"; exit 7'
    )
    found = router.call("resume", story, resume.Request("1", mode="continue", execute=True))
    assert (tmp_path / "told").read_text() == f"{story.top}\n--resume own-session\n"
    assert found.exit_code == 7
    (trace,) = [one for one in recorded(story) if one.tool_name == "devs-git resume"]
    assert (trace.task_id, trace.session_id, trace.is_error) == ("task-1", "own-session", True)
    with Catalog.open(story.places.shared) as catalog:
        assert traces.output(catalog, trace.trace_id) == b"claude ended with exit code 7.\n"
    assert file.exists()


@pytest.mark.usefixtures("client_home")
def test_exec_of_a_client_that_is_not_installed_moves_nothing(story: Workspace) -> None:
    tip = story.ledger.tip().oid
    for options in ({}, {"mode": "clean_restart", "preserve": "branch"}):
        with pytest.raises(DevsError) as caught:
            router.call("resume", story, resume.Request("1", execute=True, **options))  # type: ignore[arg-type]
        assert caught.value.details["field"] == "execute"
    assert Workspace.open(story.top).ledger.tip().oid == tip


@pytest.mark.usefixtures("client_home")
def test_the_command_line_exits_as_the_client_does(
    story: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client(tmp_path / "programs", monkeypatch, "kill -TERM $$")
    words = (sys.executable, "-m", "devs_git", "resume", "1", "--exec", "--json")
    done = subprocess.run(words, cwd=story.top, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["exit_code"]) == (128 + 15, 128 + 15)


def test_what_has_no_session_cannot_continue(story: Workspace) -> None:
    task_complete.run(story, task_complete.Request("1", "done", everything=True))
    task_start.run(story, task_start.Request("2"))
    with pytest.raises(DevsError, match="no session that could go on"):
        router.call("resume", story, resume.Request("2", mode="continue"))


@pytest.mark.quick
def test_work_in_another_worktree_is_not_rewound_from_here(story: Workspace, tmp_path: Path) -> None:
    git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), where=story.top)
    there = Workspace.open(tmp_path / "linked")
    with pytest.raises(DevsError) as caught:
        router.call("resume", there, resume.Request("1", mode="clean_restart"))
    assert caught.value.code == "CONFLICT"
    assert str(story.top) in caught.value.message
    found = router.call("resume", there, resume.Request("1", mode="clean_restart", fork=True, name="1b"))
    assert found.task_id == "task-1b"
