"""Snapshots of conversations: when they are made, what they cost, and when they are deleted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.domain.ledger.events import Event
from devs_git.storage.catalog import (
    conversation_snapshots,
    fulltext,
    messages,
)
from devs_git.storage.catalog.database import Catalog
from devs_git.values import replace
from tests.support.conversation_scene import NOW, conversation, ids, take

MANY = int(os.environ.get("DEVS_TEST_COUNT_CONVERSATION", "1500"))


@pytest.mark.quick(1)
def test_every_so_many_messages_a_snapshot_is_made_once(catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(conversation("s", 25))
    for _ in range(2):
        take(catalog, path, every=10, snapshot=True)
    made = conversation_snapshots.list_newest(catalog, "", 10)
    assert [(taken.snapshot_type, taken.message_count) for taken in made] == [
        ("auto", 25),
        ("auto", 20),
        ("auto", 10),
    ]
    at = messages.places(catalog, "s", 20, 1)[0]
    assert made[1].digest == at.digest


def test_the_snapshot_of_a_checkpoint_follows_what_the_ledger_says_of_it(catalog: Catalog) -> None:
    def event(kind: str, *fields: tuple[str, str]) -> Event:
        return Event(kind, "x", (*fields, ("Devs-Finished", NOW)))

    point = (("Devs-Task", "task-10"), ("Devs-Number", "1"), ("Devs-Tag", "a" * 40))
    said_until = ("Devs-Conversation", "s1 3 abc")
    moved = ("Devs-Moved", f"{'a' * 40} {'b' * 40} 2 {'c' * 40} {'d' * 40} 1 1 0")
    with fulltext.write_transaction(catalog):
        for told in (
            event("checkpoint.created", *point),  # a checkpoint without a conversation
            event("checkpoint.created", *point, ("Devs-Conversation", "nonsense")),
            event("checkpoint.created", *point, said_until),
            event("checkpoint.created", *point, said_until),
            event("checkpoints.rewritten", moved),
            event("ledger.merged", ("Devs-Renumbered", f"{'b' * 40} 7")),
        ):
            conversation_snapshots.apply_event(catalog, told)
    found = {one.checkpoint: one for one in conversation_snapshots.list_newest(catalog, "task-10", 10)}
    assert set(found) == {"task-10@1", "task-10@7"}
    assert conversation_snapshots.of_tag(catalog, "b" * 40) == found["task-10@7"]
    assert (found["task-10@7"].session_id, found["task-10@7"].message_count) == ("s1", 3)
    live = dict(catalog.rows("SELECT checkpoint, live FROM snapshots"))
    assert live == {"task-10@1": 0, "task-10@7": 1}
    with fulltext.write_transaction(catalog):
        conversation_snapshots.apply_event(catalog, event("rewound", ("Devs-Undone", "b" * 40)))
        assert dict(catalog.rows("SELECT checkpoint, live FROM snapshots"))["task-10@7"] == 0
        conversation_snapshots.apply_event(catalog, event("undone", ("Devs-Revived", "b" * 40)))
    assert dict(catalog.rows("SELECT checkpoint, live FROM snapshots"))["task-10@7"] == 1


def test_an_event_of_anybodys_stops_no_reader_of_the_catalog(catalog: Catalog) -> None:
    fields = (
        ("Devs-Moved", "x"), ("Devs-Renumbered", "x"), ("Devs-Undone", ""), ("Devs-Number", "9" * 30),
        ("Devs-Tag", "t"), ("Devs-Conversation", f"s {'9' * 30} d"),
    )  # fmt: skip
    with fulltext.write_transaction(catalog):
        assert conversation_snapshots.apply_event(catalog, Event("checkpoint.created", "x", fields)) == set()
    assert conversation_snapshots.list_newest(catalog, "", 10) == ()


def steps(catalog: Catalog, session_id: str) -> int:
    """The number of steps that SQLite's virtual machine needs to make a snapshot of a session, and to read it."""
    done = 0

    def count() -> int:
        nonlocal done
        done += 1
        return 0

    catalog.base.set_progress_handler(count, 1)
    with fulltext.write_transaction(catalog):
        session = messages.session(catalog, session_id)
        assert session is not None
        taken = conversation_snapshots.snapshot_of_session(session, "manual", ids(), NOW, "task-10")
        conversation_snapshots.put(catalog, taken)
    found = conversation_snapshots.of_id(catalog, taken.snapshot_id)
    assert found is not None
    assert found.point is not None
    assert found.point.message_count == session.message_count
    assert replace(found, point=None) == taken
    catalog.base.set_progress_handler(None, 0)
    return done


def test_a_snapshot_costs_the_same_however_long_the_conversation_is(
    catalog: Catalog, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    for session, count in (("short", 10), ("long", MANY)):
        path = tmp_path / f"{session}.jsonl"
        path.write_bytes(conversation(session, count))
        assert take(catalog, path).new == count
    short, long = steps(catalog, "short"), steps(catalog, "long")
    record_property("counted", f"{long} steps for a snapshot of {MANY} messages, {short} for one of 10")
    assert abs(long - short) <= 10
