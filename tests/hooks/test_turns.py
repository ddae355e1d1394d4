"""A turn of a session that runs is known by what its hook noted: nobody moves its files or goes on in it meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import conversation_rewind, resume, rewind, task_complete, task_start
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files, turns
from devs_git.workspace import Workspace
from tests.support.agent_calls import before, call
from tests.support.hook_moments import prompt
from tests.support.resumable_task import transcript

pytestmark = pytest.mark.quick

STOP = {"session_id": "s", "hook_event_name": "Stop"}


class Client:
    """A program that lives on while its hooks run, as a client does."""

    def __init__(self, top: Path) -> None:
        self.top = top
        hooks = json.loads((top / CLIENTS["claude"].hooks_file).read_text())["hooks"]
        self.lines = {event: rows[0]["hooks"][0]["command"] for event, rows in hooks.items()}
        environment = {**os.environ, "CLAUDE_PROJECT_DIR": os.fspath(top)}
        self.process = subprocess.Popen(
            ["sh"], cwd=top, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def hook(self, payload: dict[str, Any]) -> None:
        """Run the hook of an event, and wait for its end."""
        line, said = self.top.parent / "line", self.top.parent / "said"
        line.write_text(self.lines[payload["hook_event_name"]])
        said.write_text(json.dumps(payload))
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"sh '{line}' <'{said}' >/dev/null; echo done\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()
        assert self.process.stdout
        self.process.stdout.close()


@pytest.fixture
def project(initialised: Path) -> Path:
    client_files.install(locate(initialised), initialised, CLIENTS["claude"])
    workspace = Workspace.open(initialised)
    for task in ("1", "2"):
        task_start.run(workspace, task_start.Request(task))
        (initialised / f"{task}.txt").write_text("x\n")
        task_complete.run(workspace, task_complete.Request(task, "done", everything=True))
    task_start.run(workspace, task_start.Request("3"))
    return initialised


@pytest.fixture
def client(project: Path) -> Iterator[Client]:
    one = Client(project)
    yield one
    one.end()


def codes(workspace: Workspace) -> list[str]:
    plan = router.call("rewind", workspace, rewind.Request("task-1", dry_run=True))
    return [str(one["code"]) for one in plan.blocked_by]


@pytest.mark.parametrize("begins", [prompt(), before("Bash", command="ls")])
def test_a_turn_runs_from_a_prompt_or_a_call_until_the_client_stops(
    project: Path, client: Client, begins: dict[str, Any]
) -> None:
    workspace = Workspace.open(project)
    assert list(turns.open_turns(workspace.places)) == []
    client.hook({**begins, "session_id": "s"})
    (turn,) = turns.open_turns(workspace.places)
    assert (turn.session_id, turn.process) == ("s", client.process.pid)
    assert codes(workspace) == ["TASK_RUNNING"]
    client.hook(STOP)
    assert list(turns.open_turns(workspace.places)) == []
    assert codes(workspace) == []


def test_a_rewind_waits_while_another_session_is_at_work_unless_it_is_forced(
    project: Path, client: Client
) -> None:
    client.hook(prompt())
    workspace = Workspace.open(project)
    head = workspace.head
    with pytest.raises(DevsError) as caught:
        router.call("rewind", workspace, rewind.Request("task-1"))
    assert (caught.value.code, caught.value.details["session_id"]) == ("TASK_RUNNING", prompt()["session_id"])
    assert Workspace.open(project).head == head
    assert router.call("rewind", Workspace.open(project), rewind.Request("task-1", force=True)).rewind_id


def test_a_client_that_was_killed_runs_no_turn(project: Path) -> None:
    one = Client(project)
    one.hook(prompt())
    assert len(list(turns.open_turns(Workspace.open(project).places))) == 1
    one.end()
    assert list(turns.open_turns(Workspace.open(project).places)) == []


def test_the_session_that_calls_and_a_client_that_started_the_command_are_not_refused(
    project: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.hook(prompt())
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", prompt()["session_id"])
    assert codes(Workspace.open(project)) == []
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    assert codes(Workspace.open(project)) == ["TASK_RUNNING"]
    client.hook({**STOP, "session_id": prompt()["session_id"]})
    # This process is the client now.
    call(project, {**prompt(), "session_id": "mine"})
    assert [turn.session_id for turn in turns.open_turns(Workspace.open(project).places)] == ["mine"]
    assert codes(Workspace.open(project)) == []


def test_a_session_of_another_machine_counts_for_ten_minutes(project: Path, client: Client) -> None:
    client.hook(prompt())
    places = Workspace.open(project).places
    (note,) = (places.own / "turns").iterdir()
    process, began, _boot, name = note.read_text().split("\n")[:4]
    note.write_text(f"{process}\n{began}\nanother start\n{name}\n")
    assert len(list(turns.open_turns(places))) == 1
    old = note.stat().st_mtime - turns.ELSEWHERE - 1
    os.utime(note, (old, old))
    assert list(turns.open_turns(places)) == []


def test_resume_and_conversation_rewind_wait_too(
    project: Path, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    workspace = Workspace.open(project)
    transcript(workspace, tmp_path / "claude" / "own.jsonl")
    client.hook({**prompt(), "session_id": "own-session"})
    wanted = (
        ("resume", resume.Request("1", mode="continue")),
        ("resume", resume.Request("3")),
        ("resume", resume.Request("1", mode="clean_restart", preserve="branch")),
        ("conversation rewind", conversation_rewind.Request(by_messages=1, session="own-session")),
    )
    for verb, request in wanted:
        with pytest.raises(DevsError) as caught:
            router.call(verb, Workspace.open(project), request)
        assert caught.value.code == "TASK_RUNNING"
    assert router.call("resume", Workspace.open(project), resume.Request("3", force=True)).task_id == "task-3"
    client.hook({**STOP, "session_id": "own-session"})
    assert router.call("resume", Workspace.open(project), resume.Request("1", mode="continue")).session


@pytest.mark.parametrize("planted", ["link", "folder"])
def test_the_hook_writes_through_no_link_and_into_nothing_but_a_file(
    project: Path, client: Client, planted: str
) -> None:
    folder = Workspace.open(project).places.own / "turns"
    folder.mkdir(parents=True)
    victim = project.parent / "victim"
    victim.write_text("mine\n")
    place = folder / prompt()["session_id"]
    place.symlink_to(victim) if planted == "link" else place.mkdir()
    client.hook(prompt())
    assert victim.read_text() == "mine\n"
    assert list(turns.open_turns(Workspace.open(project).places)) == []


STOPPED = "[Request interrupted by user for tool use]"


def tell(transcript: Path, content: str, seconds: float) -> None:
    """A line of a person's in the transcript, so many seconds from now."""
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    line = {"type": "user", "uuid": content, "sessionId": "s", "timestamp": at.isoformat()}
    with transcript.open("a") as stream:
        stream.write(json.dumps({**line, "message": {"role": "user", "content": content}}) + "\n")


def test_a_turn_that_a_person_stopped_has_ended_until_the_next_prompt(
    project: Path, client: Client, tmp_path: Path
) -> None:
    transcript = tmp_path / "s.jsonl"
    asked = {**prompt(), "session_id": "s", "transcript_path": str(transcript)}
    client.hook(asked)
    workspace = Workspace.open(project)
    assert codes(workspace) == ["TASK_RUNNING"]
    tell(transcript, "Go on.", 0)
    assert codes(workspace) == ["TASK_RUNNING"]
    tell(transcript, STOPPED, 1)
    with transcript.open("a") as stream:
        stream.write(json.dumps({"type": "file-history-snapshot", "messageId": "x"}) + "\n")
    assert codes(workspace) == []
    # The client writes the prompt into its transcript later than it calls the hook.
    (note,) = (workspace.places.own / "turns").iterdir()
    client.hook(asked)
    os.utime(note, (note.stat().st_atime, note.stat().st_mtime + 60))
    assert codes(workspace) == ["TASK_RUNNING"]


@pytest.mark.parametrize("named", ["", "relative", "/nowhere", "/dev/null", "/tmp"])
def test_a_transcript_that_says_nothing_ends_no_turn(project: Path, client: Client, named: str) -> None:
    client.hook({**prompt(), "transcript_path": named})
    assert codes(Workspace.open(project)) == ["TASK_RUNNING"]
