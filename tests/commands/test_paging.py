"""Pages: their limits to the last number, and cursors that lead from one page to the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devs_git.commands import (
    conversation_import,
    conversation_show,
    conversation_snapshot,
    conversation_snapshots,
    gate_list,
    history,
    log,
    snapshot_list,
    trace_list,
    trace_put,
    trace_search,
)
from devs_git.domain.ledger import paging
from devs_git.domain.recall.conversation_snapshots import Snapshot
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support.gate_scene import ask
from tests.support.terminal_person import at_terminal

pytestmark = pytest.mark.quick
MOST = [
    (gate_list.Request, gate_list.MOST),
    (snapshot_list.Request, snapshot_list.MOST),
    (conversation_show.Request, conversation_show.MOST),
    (conversation_snapshots.Request, conversation_snapshots.MOST),
    (history.Request, history.MOST),
    (log.Request, log.MOST),
    (trace_list.Request, trace_list.MOST),
    (trace_search.Request, trace_search.MOST),
]


@pytest.mark.parametrize(("request_of", "most"), MOST)
def test_a_page_has_from_one_row_to_as_many_as_the_verb_gives(
    request_of: Callable[..., Any], most: int
) -> None:
    for limit in (1, most):
        assert request_of(limit=limit).limit == limit
    for limit in (0, -1, most + 1):
        with pytest.raises(DevsError) as refused:
            request_of(limit=limit)
        assert (refused.value.code, refused.value.details["field"]) == ("INVALID_ARGUMENTS", "limit")
        assert f"from 1 to {most}, not {limit}." in refused.value.message


def test_a_cursor_is_the_place_behind_the_rows_that_were_given() -> None:
    first = paging.Place(upto=40)
    cursor = first.after(20, more=True)
    assert paging.place(cursor) == paging.Place(40, 20)
    assert paging.place(paging.place(cursor).after(5, more=True)) == paging.Place(40, 25)
    assert first.after(20, more=False) == ""
    assert paging.place("") == paging.Place()


@pytest.fixture
def three(ledgered: Workspace, mark: Callable[..., str], tmp_path: Path) -> Workspace:
    """Three checkpoints, traces and messages."""
    said = tmp_path / "said.jsonl"
    line = '{{"type":"user","uuid":"u{0}","sessionId":"s1","message":{{"content":"word {0}"}}}}\n'
    said.write_text("".join(map(line.format, range(3))))
    conversation_import.run(ledgered, conversation_import.Request(said))
    for number in range(3):
        mark(number)
        trace_put.run(ledgered, trace_put.Request(b"word", trace_id=f"t-{number}"))
    return Workspace.open(ledgered.top)


@pytest.mark.parametrize(
    ("verb", "rows", "asked"),
    [
        (log, "checkpoints", {}),
        (trace_list, "traces", {}),
        (trace_search, "hits", {"query": "word"}),
        (trace_search, "hits", {"query": "word", "within": "messages"}),
        (conversation_show, "messages", {"session": "s1"}),
        (history, "events", {}),
    ],
)
def test_a_page_that_ends_with_the_last_row_announces_no_other(
    three: Workspace, verb: Any, rows: str, asked: dict[str, Any]
) -> None:
    every = getattr(verb.run(three, verb.Request(limit=50, **asked)), rows)
    assert len(every) >= 3
    whole = verb.run(three, verb.Request(limit=len(every), **asked))
    assert (getattr(whole, rows), whole.next_cursor) == (every, "")
    page = verb.run(three, verb.Request(limit=len(every) - 1, **asked))
    rest = verb.run(three, verb.Request(limit=len(every), cursor=page.next_cursor, **asked))
    assert (len(getattr(page, rows)), len(getattr(rest, rows)), rest.next_cursor) == (len(every) - 1, 1, "")


def test_the_pages_of_gates_have_each_gate_once_also_if_one_is_decided_meanwhile(ledgered: Workspace) -> None:
    made = [ask(ledgered, kind="MANUAL") for _ in range(5)]
    page = gate_list.run(ledgered, gate_list.Request(limit=2))
    found, cursor = [row.gate_id for row in page.gates], page.next_cursor
    assert at_terminal(ledgered.top, "gate", "approve", found[1], "--reason", "fine", typed="y\n")[0] == 0
    while cursor:
        page = gate_list.run(Workspace.open(ledgered.top), gate_list.Request(limit=2, cursor=cursor))
        found += [row.gate_id for row in page.gates]
        cursor = page.next_cursor
    assert sorted(found) == sorted(made)


def test_the_pages_of_snapshots_have_each_snapshot_once(ledgered: Workspace, git: Callable[..., str]) -> None:
    names = [f"snapshot/{number}" for number in range(5)]
    for name in names:
        git("branch", name)
    cursor, found = "", list[str]()
    while True:
        page = snapshot_list.run(ledgered, snapshot_list.Request(limit=2, cursor=cursor))
        found += [one.name for one in page.snapshots]
        cursor = page.next_cursor
        if not cursor:
            break
    assert sorted(found) == names


def test_snapshots_of_conversations_come_once_each_while_new_ones_are_made(three: Workspace) -> None:
    for _ in range(5):
        conversation_snapshot.run(three, conversation_snapshot.Request())
    expected = conversation_snapshots.run(three, conversation_snapshots.Request()).snapshots
    assert len(expected) == 5
    found: list[Snapshot] = []
    cursor = ""
    while cursor or not found:
        page = conversation_snapshots.run(three, conversation_snapshots.Request(limit=2, cursor=cursor))
        found += page.snapshots
        cursor = page.next_cursor
        conversation_snapshot.run(three, conversation_snapshot.Request())
    assert tuple(found) == expected
    with pytest.raises(DevsError) as refused:
        conversation_snapshots.Request(cursor="5-1")
    assert refused.value.details["field"] == "cursor"
