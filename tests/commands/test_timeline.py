"""The stream of `history`: events, files and messages, each with type, subtype and named fields, filtered and in pages."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import contract_start, history, phase_set, rewind, task_start
from devs_git.commands.history import Request
from devs_git.domain.ledger import event_names
from devs_git.domain.ledger.events import NO_OID
from devs_git.domain.timeline import kinds, spoken_times
from devs_git.domain.timeline.stream_rows import Row
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Run, Tasks
from tests.support.event_examples import EXAMPLES
from tests.support.gate_scene import ask
from tests.support.scene import Scene
from tests.support.timeline_scene import grow, say
from tests.support.web_client import serve

pytestmark = pytest.mark.thorough
EVENTS = int(os.environ.get("DEVS_TEST_COUNT_TIMELINE", "200"))


def rows(workspace: Workspace, **asked: Any) -> tuple[Row, ...]:
    return history.run(workspace, Request(**asked)).events


def kinds_of(found: tuple[Row, ...]) -> list[tuple[str, str]]:
    return [(row.event_type, row.event_subtype) for row in found]


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "b2\n", "c.txt": "c\n"}})


@pytest.mark.quick
def test_each_file_that_a_task_changed_is_one_row_after_its_checkpoint(scene: Scene) -> None:
    workspace = Workspace.open(scene.top)
    found = rows(workspace, task_id="11", types=("task", "checkpoint", "file"))
    assert kinds_of(found)[-1] == ("task", "created")
    files = {row.event_data["path"]: row for row in found if row.event_type == "file"}
    assert {path: row.event_subtype for path, row in files.items()} == {"b.txt": "modified", "c.txt": "added"}
    assert len([row for row in found if row.event_type == "file"]) == 2
    holder = files["b.txt"].event_data["checkpoint"]
    at = [row.id for row in found].index(str(holder))
    assert {row.id for row in found[at + 1 : at + 3]} == {f"{holder}:b.txt", f"{holder}:c.txt"}


def test_a_commit_that_two_checkpoints_name_has_its_files_once(ledgered: Workspace, repo: Path) -> None:
    from devs_git.commands import checkpoint, task_complete

    task_start.run(ledgered, task_start.Request("1"))
    (repo / "new.txt").write_text("1\n")
    checkpoint.run(ledgered, checkpoint.Request("half", everything=True))
    task_complete.run(ledgered, task_complete.Request("1", "done"))
    assert [row.event_data["path"] for row in rows(ledgered, types=("file",))] == ["new.txt"]


@pytest.mark.quick
def test_a_message_stands_where_it_was_recorded_and_keeps_its_own_time(ledgered: Workspace) -> None:
    steered(ledgered)
    say(ledgered, "s1", 1)
    grow(ledgered, 1)
    newest, message, *_ = rows(ledgered)
    assert newest.event_subtype == "result"
    assert (message.event_type, message.event_subtype) == ("chat", "message")
    assert message.created_at == "2001-01-01T00:00:00.000Z"
    assert message.event_data["content"] == "Say 0."
    assert str(message.event_data["recorded_at"]) > message.created_at
    assert (message.task_id, message.contract) == ("task-1", "c")


def steered(workspace: Workspace) -> None:
    contract_start.run(workspace, contract_start.Request("c"))
    task_start.run(workspace, task_start.Request("1", contract="c"))
    phase_set.run(workspace, phase_set.Request("plan"))


def test_event_data_has_named_fields_and_no_trailers(ledgered: Workspace) -> None:
    steered(ledgered)
    (changed,) = rows(ledgered, types=("phase",))
    assert (changed.event_subtype, changed.contract, changed.phase) == ("changed", "c", "plan")
    assert changed.event_data["event"] == "phase.changed"
    assert not [key for row in rows(ledgered) for key in row.event_data if key.startswith("Devs-")]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"types": ("phase",)}, [("phase", "changed")]),
        ({"types": ("task", "gate")}, [("gate", "requested"), ("task", "created")]),
        ({"subtypes": ("requested",)}, [("gate", "requested")]),
        ({"types": ("chat",)}, [("chat", "message")] * 2),
        ({"agent": "reviewer"}, []),
        ({"phase": "plan", "types": ("phase", "gate")}, [("gate", "requested"), ("phase", "changed")]),
        ({"contract": "c", "types": ("task",)}, [("task", "created")]),
        ({"actor": "claude", "types": ("chat",)}, [("chat", "message")] * 2),
        ({"actor": "ADA@EXAMPLE", "types": ("task",)}, [("task", "created")]),
        ({"until": "2001-06-01", "types": ("chat", "task")}, [("chat", "message")] * 2),
        ({"since": "1 hour ago", "types": ("chat",)}, []),
    ],
)
def test_filters_choose_rows(ledgered: Workspace, asked: dict[str, Any], expected: list[Any]) -> None:
    steered(ledgered)
    say(ledgered, "s1", 2)
    ask(ledgered, kind="MANUAL", task_id="task-1")
    assert kinds_of(rows(ledgered, **asked)) == expected


@pytest.mark.parametrize(
    "asked",
    [
        {"types": ("sleep",)},
        {"subtypes": ("slept",)},
        {"phase": "sleep"},
        {"agent": "boss"},
        {"since": "soon"},
        {"until": "a\x1bb"},
        {"cursor": "1.2.3.4"},
        {"after": "x"},
    ],
)
def test_what_no_row_can_have_is_refused(ledgered: Workspace, asked: dict[str, Any]) -> None:
    with pytest.raises(DevsError) as refused:
        rows(ledgered, **asked)
    assert refused.value.code == "INVALID_ARGUMENTS"


def test_a_cursor_that_names_a_commit_of_the_work_is_refused(ledgered: Workspace) -> None:
    for cursor in (f"{ledgered.head}.0.{NO_OID}.1", f"{ledgered.ledger.tip().oid}.0.{ledgered.head}.1"):
        with pytest.raises(DevsError, match="The ledger has no such event"):
            rows(ledgered, cursor=cursor)


@pytest.mark.parametrize("form", ["{tag}", "{tag}.0.{none}.1", "{tip}.0.{tag}.1"])
def test_a_cursor_that_names_a_tag_of_an_event_is_refused(ledgered: Workspace, git: Run, form: str) -> None:
    tip = ledgered.ledger.tip().oid
    git("tag", "-a", "-m", "theirs", "theirs", tip)
    cursor = form.format(tag=git("rev-parse", "theirs"), tip=tip, none=NO_OID)
    with pytest.raises(DevsError, match="The ledger has no such event") as refused:
        rows(ledgered, cursor=cursor)
    assert (refused.value.code, refused.value.hint) == ("INVALID_ARGUMENTS", "Start over without it.")


def test_every_type_of_event_has_a_type_and_a_subtype_of_the_lists(ledgered: Workspace) -> None:
    for content, kind, _lines in EXAMPLES:
        event = ledgered.event_of(content, "x", verb_name="task start")
        of = event_names.kind_of(event)
        assert of[1] in kinds.SUBTYPES[of[0]], kind


def test_a_rewind_and_its_phase_and_task_are_told(scene: Scene) -> None:
    workspace = Workspace.open(scene.top)
    router.call("rewind", workspace, rewind.Request("10"))
    newest = rows(workspace, limit=1)[0]
    assert (newest.event_type, newest.event_subtype, newest.task_id) == ("rewind", "rewound", "task-10")
    assert rows(workspace, task_id="11", limit=1)[0].id == newest.id


def test_a_damaged_catalog_hides_no_event(ledgered: Workspace) -> None:
    task_start.run(ledgered, task_start.Request("1"))
    (ledgered.places.shared / "catalog.db").write_bytes(b"no database" * 1000)
    assert kinds_of(rows(Workspace.open(ledgered.top), limit=1)) == [("task", "created")]


def test_all_doors_give_the_same_page(ledgered: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    steered(ledgered)
    say(ledgered, "s1", 2)
    by_tool = calling.call("get_history", {"event_types": ["chat", "task"], "limit": 2}, ledgered.top).value
    assert [row["event_type"] for row in by_tool["events"]] == ["chat", "chat"]
    with serve(ledgered.top) as web:
        for query in (
            "event_types[]=chat&event_types[]=task",
            "event_types=chat,task",
            "eventTypes=chat,task",
        ):
            assert web.get(f"/api/v1/timeline?{query}&limit=2").value == by_tool
        one = web.get("/api/v1/timeline?task=1&limit=1&from=2%20days%20ago")
        assert [row["task_id"] for row in one.value["events"]] == ["task-1"]
    from devs_git.__main__ import main

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sys.argv",
            ["devs-git", "history", "--type", "chat", "--type", "task", "--limit", "2", "--format", "jsonl"],
        )
        assert main() == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == by_tool["events"]


def told(workspace: Workspace, **asked: Any) -> list[str]:
    """The ids of all rows, page by page, while the ledger and the catalog grow."""
    chance, most = random.Random(20_261_123), max(40, EVENTS // 25)
    found: list[str] = []
    cursor, page = "", 0
    while True:
        result = history.run(workspace, Request(cursor=cursor, limit=chance.randint(1, most), **asked))
        found += [row.id for row in result.events]
        cursor, page = result.next_cursor, page + 1
        if not cursor:
            return found
        if page % 10 == 1:
            grow(workspace, 1)
            say(workspace, f"beside-{page}", 2)


def everything(workspace: Workspace, **asked: Any) -> list[str]:
    """The ids of all rows, without writes meanwhile, in as few pages as there can be."""
    found: list[str] = []
    cursor = ""
    while True:
        result = history.run(workspace, Request(limit=history.MOST, cursor=cursor, **asked))
        found += [row.id for row in result.events]
        cursor = result.next_cursor
        if not cursor:
            return found


@pytest.mark.quick
def test_pages_that_are_read_during_writes_have_each_row_exactly_once(scene: Scene) -> None:
    workspace = Workspace.open(scene.top)
    chance, count, genesis = random.Random(1), 0, workspace.ledger.tip().oid
    while count < EVENTS:
        part = chance.randint(1, max(2, EVENTS // 8))
        count += len(grow(workspace, part, line=genesis if chance.random() < 0.3 else ""))
        say(workspace, f"s{count}", part)
    whole = everything(workspace)
    assert len(set(whole)) == len(whole) >= 2 * EVENTS
    assert told(workspace) == whole
    for asked in ({"types": ("chat", "file")}, {"types": ("task", "file")}):
        expected = everything(workspace, **asked)
        assert told(workspace, **asked) == expected


@pytest.mark.quick
def test_what_is_recorded_after_a_place_is_told_once_in_pages_of_any_size(scene: Scene) -> None:
    workspace = Workspace.open(scene.top)
    chance, genesis = random.Random(2), workspace.ledger.tip().oid
    place = history.run(workspace, Request(after=genesis)).next_cursor
    before, found = everything(workspace), list[str]()
    for step in range(max(12, EVENTS // 20)):
        grow(workspace, chance.randint(1, 6), line=genesis if step % 4 == 3 else "")
        say(workspace, f"s{step}", chance.randint(0, 3) or 1)
        for _ in range(chance.randint(0, 3)):
            result = history.run(workspace, Request(after=place, limit=chance.randint(1, 4)))
            found += [row.id for row in result.events]
            place = result.next_cursor
    while (result := history.run(workspace, Request(after=place, limit=7))).events:
        found += [row.id for row in result.events]
        place = result.next_cursor
    assert len(found) == len(set(found))
    assert set(found) == set(everything(workspace)) - set(before)


def test_files_that_were_not_read_yet_follow_on_the_next_page(scene: Scene) -> None:
    workspace = Workspace.open(scene.top)
    first = scene.git("rev-list", "--max-parents=0", "refs/heads/devs/ledger")
    place, found = first, list[str]()
    while (result := history.run(workspace, Request(after=place, limit=1))).events:
        found += [row.id for row in result.events]
        place = result.next_cursor
    assert set(found) == set(everything(workspace)) - {first}
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 days ago", "2026-11-21T12:00:00.000Z"),
        ("1 hour ago", "2026-11-23T11:00:00.000Z"),
        ("9:05", "2026-11-23T09:05:00.000Z"),
        ("14:32:05", "2026-11-23T14:32:05.000Z"),
        ("yesterday", "2026-11-22T12:00:00.000Z"),
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"),
        ("2026-11-20T10:00:00+02:00", "2026-11-20T08:00:00.000Z"),
        ("2026-11-20", "2026-11-20T00:00:00.000Z"),
    ],
)
def test_times_are_read_as_people_write_them(text: str, expected: str) -> None:
    from datetime import UTC, datetime

    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    local = lambda moment: moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # noqa: E731
    assert spoken_times.time_of("from", text, now, local) == expected
