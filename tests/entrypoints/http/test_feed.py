"""The stream of events: it has the events of all processes, and no listener slows others down."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from devs_git.commands import init
from devs_git.domain.ledger.event_names import name_of
from devs_git.domain.ledger.events import Event
from devs_git.entrypoints import router
from devs_git.entrypoints.http import feed
from devs_git.entrypoints.tools import calling
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.web_client import Web, serve


def _task(top: Path, task: str) -> None:
    for name in ("start_task", "commit_task"):
        more = {"title": "x"} if name == "start_task" else {"message": "m"}
        assert not calling.call(name, {"task_id": task, **more}, top).is_error


@pytest.mark.quick
def test_an_event_of_another_process_arrives_within_a_second(initialised: Path) -> None:
    with serve(initialised) as web, web.events() as events:
        command = [sys.executable, "-m", "devs_git", "task", "start", "1", "--title", "x"]
        subprocess.run(command, cwd=initialised, check=True, capture_output=True)
        written = time.monotonic()
        found = next(events)
        assert time.monotonic() - written < 1
        tip = Workspace.open(initialised).ledger.tip().oid
        assert (found["id"], found["event"]) == (tip, "TASK_STARTED")
        assert found["data"]["task_id"] == "task-1"
        assert found["data"]["event_data"]["Devs-Title"] == "x"


def test_a_listener_that_comes_back_gets_what_it_missed_and_nothing_twice(initialised: Path) -> None:
    ledger = Workspace.open(initialised).ledger
    last = ledger.tip().oid
    _task(initialised, "1")
    _task(initialised, "2")
    missed = [event.oid for event in ledger.events(ledger.tip().oid, since=last, oldest_first=True)]
    with serve(initialised) as web, web.events(Last_Event_ID=last) as events:
        assert [next(events)["id"] for _ in missed] == missed
        with web.events(Last_Event_ID=missed[1]) as later:
            assert [next(later)["id"] for _ in missed[2:]] == missed[2:]
        _task(initialised, "3")
        assert next(events)["data"]["task_id"] == "task-3"


def test_an_event_that_the_ledger_does_not_know_is_refused(initialised: Path) -> None:
    with serve(initialised) as web:
        for last in ("x", "--all", "0" * 40, "HEAD", "main"):
            said = web.send("GET", "/events", Last_Event_ID=last)
            assert (said.status, said.value["field"]) == (422, "Last-Event-ID")


def _deaf(web: Web, last: str) -> socket.socket:
    """A listener that asks for everything and reads nothing."""
    ear = socket.socket()
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    ear.connect(("127.0.0.1", web.port))
    ear.sendall(f"GET /events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: {last}\r\n\r\n".encode())
    return ear


def test_listeners_that_read_nothing_or_are_gone_delay_no_tool(initialised: Path) -> None:
    first = Workspace.open(initialised).ledger.tip().oid
    _task(initialised, "1")
    with serve(initialised) as web:
        deaf = [_deaf(web, first) for _ in range(20)]
        for one in deaf[:10]:
            one.close()
        with web.events() as events:
            begun = time.monotonic()
            assert web.tool("git_status").status == 200
            assert time.monotonic() - begun < 5
            _task(initialised, "2")
            assert next(events)["data"]["task_id"] == "task-2"
        for one in deaf:
            one.close()


def test_there_is_an_end_to_the_number_of_listeners(
    initialised: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MOST_LISTENERS", 1)
    with serve(initialised) as web, web.events():
        said = web.get("/events")
        assert (said.status, said.code, said.value["retryable"]) == (503, "BUSY", True)


def test_a_quiet_stream_says_that_it_is_there(initialised: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert feed.KEEP_ALIVE_SECONDS == 15
    monkeypatch.setattr(feed, "KEEP_ALIVE_SECONDS", 0.05)
    with serve(initialised) as web:
        with socket.create_connection(("127.0.0.1", web.port)) as ear:
            ear.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            said = b""
            while b": still here\n\n" not in said:
                said += ear.recv(4096)
        assert b"content-type: text/event-stream" in said.lower()


def test_who_listens_before_there_is_a_ledger_hears_of_its_first_event(repo: Path) -> None:
    with serve(repo) as web, web.events() as events:
        router.call("init", Workspace.open(repo), init.Request())
        assert [next(events)["event"], next(events)["event"]] == ["LEDGER_CREATED", "POLICY_SET"]


def test_what_freezes_is_told_with_gate_agent_and_task_at_its_top(initialised: Path) -> None:
    with serve(initialised) as web, web.events() as events:
        gate = gate_scene.ask(Workspace.open(initialised))
        found = next(events)
        assert found["event"] == "HITL_GATE_REQUIRED"
        told = {key: found["data"][key] for key in ("gate_type", "gate_id", "agent_id", "task_id")}
        assert told == {
            "gate_type": "TAS_REVISION",
            "gate_id": gate,
            "agent_id": "architect",
            "task_id": "task-10",
        }


@pytest.mark.parametrize(
    ("kind", "fields", "name"),
    [
        ("gate.requested", (), "HITL_GATE_REQUIRED"),
        ("gate.requested", (("Devs-Event-Name", "HITL_GATE_REQUIRED"),), "HITL_GATE_REQUIRED"),
        ("gate.resolved", (), "GATE_RESOLVED"),
        ("checkpoint.created", (), "CHECKPOINT_CREATED"),
        ("task.completed", (), "TASK_COMPLETED"),
        ("rewound", (), "REWOUND"),
        ("checked-out", (), "CHECKED_OUT"),
        ("rewound", (("Devs-Event-Name", "x y"),), "REWOUND"),
        ("", (), "LEDGER_COMMIT"),
        ("a b\u2028c", (), "A_B_C"),
    ],
)
def test_an_event_has_a_name_of_one_word(kind: str, fields: tuple[tuple[str, str], ...], name: str) -> None:
    assert name_of(Event(kind, "s", fields)) == name
