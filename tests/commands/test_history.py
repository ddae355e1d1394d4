"""`history` is the ledger's events, newest first and page by page, or on from one of them as they happen."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import IO, Any

import pytest

from devs_git.commands import history, rewind, task_start
from devs_git.commands.history import Request
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.gate_scene import ask
from tests.support.scene import Scene

LEDGER_ROWS = ("task", "checkpoint", "phase", "gate", "rewind", "repository")


def ids(workspace: Workspace, **asked: Any) -> list[str]:
    """The ids of the events, without files and messages."""
    return [event.id for event in history.run(workspace, Request(types=LEDGER_ROWS, **asked)).events]


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "b2\n"}})


def document(stream: IO[bytes]) -> Any:
    """The next JSON document that is printed."""
    text = b""
    while not text.endswith(b"\n}\n"):
        text += stream.readline()
    return json.loads(text)


@pytest.mark.quick
def test_who_follows_is_told_of_a_gate_within_a_second_and_ends_when_nobody_reads(
    ledgered: Workspace,
) -> None:
    words = ("history", "--follow", "--json", "--after", ledgered.ledger.tip().oid)
    command = [sys.executable, "-m", "devs_git", *words]
    with subprocess.Popen(command, cwd=ledgered.top, stdout=subprocess.PIPE) as child:
        assert child.stdout
        router.call("task start", ledgered, task_start.Request("1"))
        assert document(child.stdout)["events"][0]["event_data"]["event"] == "task.started"  # it waits now
        begun = time.monotonic()
        gate_id = ask(ledgered)
        told = document(child.stdout)["events"][0]
        assert time.monotonic() - begun < 1.0
        assert (told["event_type"], told["event_subtype"], told["event_data"]["gate_id"]) == (
            "gate",
            "requested",
            gate_id,
        )
        child.stdout.close()  # as `| head` does
        ask(ledgered, kind="MANUAL")
        assert child.wait(10) == 0


def test_pages_lead_back_to_the_first_event_and_miss_none(scene: Scene) -> None:
    workspace = Workspace.open(scene.top)
    every = scene.git("rev-list", LEDGER).split()
    assert ids(workspace, limit=1000) == every
    cursor, found = "", []
    while True:
        page = history.run(workspace, Request(limit=3, cursor=cursor, types=LEDGER_ROWS))
        found += [event.id for event in page.events]
        cursor = page.next_cursor
        if not cursor:
            break
    assert found == every
    assert ids(workspace, after=every[-1], limit=1000) == every[-2::-1]
    end = history.run(workspace, Request(after=every[0]))
    assert end.events == ()
    assert history.run(workspace, Request(after=end.next_cursor)).events == ()


def test_a_task_has_its_own_events_and_what_undid_it(scene: Scene) -> None:
    workspace = Workspace.open(scene.top)
    rewind.run(workspace, rewind.Request("10"))
    rows = history.run(workspace, Request(task_id="11")).events
    kinds = [(row.event_type, row.event_subtype) for row in rows]
    assert kinds[0] == ("rewind", "rewound")
    assert ("task", "completed") in kinds
    assert [row.event_subtype for row in history.run(workspace, Request(limit=1)).events] == ["rewound"]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"task_id": "nope"}, "TASK_NOT_FOUND"),
        ({"contract": "nope"}, "CONTRACT_NOT_FOUND"),
        ({"cursor": "0" * 40}, "INVALID_ARGUMENTS"),
        ({"after": "0" * 40}, "INVALID_ARGUMENTS"),
        ({"after": "HEAD"}, "INVALID_ARGUMENTS"),
        ({"cursor": "0" * 40, "after": "0" * 40}, "INVALID_ARGUMENTS"),
        ({"limit": 0}, "INVALID_ARGUMENTS"),
    ],
)
def test_what_is_not_there_is_refused(ledgered: Workspace, asked: dict[str, Any], code: str) -> None:
    with pytest.raises(DevsError) as refused:
        history.run(ledgered, Request(**asked))
    assert refused.value.code == code


@pytest.mark.quick
def test_an_unknown_type_is_named_as_people_name_one() -> None:
    with pytest.raises(DevsError) as refused:
        Request(types=("tsk",))
    assert refused.value.message == "'tsk' is not a valid type."
    assert "task, chat" in refused.value.hint


def test_a_contract_is_that_of_its_tasks(ledgered: Workspace) -> None:
    router.call("task start", ledgered, task_start.Request("1", contract="dates"))
    found = history.run(ledgered, Request(contract="dates")).events
    assert [(row.task_id, row.contract, row.event_type, row.event_subtype) for row in found] == [
        ("task-1", "dates", "task", "created")
    ]
