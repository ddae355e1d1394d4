"""One pass over the newest events says the same as folding the whole ledger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, fold
from devs_git.domain.ledger.recent import newest
from devs_git.domain.ledger.task_standing import Statuses
from devs_git.errors import DevsError

pytestmark = pytest.mark.quick


def created(number: int, *, kind: str = "checkpoint.created", task: int = 1, at: int = 0) -> Event:
    fields = (
        ("Devs-Task", f"task-{task}"),
        ("Devs-Number", str(number)),
        ("Devs-Tag", f"t{number}"),
        ("Devs-Commit", f"c{number}"),
        ("Devs-Message", f"m{number}"),
        ("Devs-Stat", f"{number} 2 3"),
        ("Devs-Finished", str(at)),
    )
    return Event(kind, "s", fields, oid=f"e{at}")


TAGS = st.integers(1, 12)
KINDS = (
    "checkpoint.created",
    "task.completed",
    "rewound",
    "undone",
    "moved",
    "history.rewritten",
    "ledger.merged",
)


@st.composite
def ledgers(draw: st.DrawFn) -> list[Event]:
    """Ledgers of any order, also ones no verb would write: undone before made, moved from nowhere, failed."""
    events, fresh = [], 1
    for at in range(draw(st.integers(0, 25))):
        fields: list[tuple[str, str]] = []
        kind = draw(st.sampled_from(KINDS))
        if kind in {"checkpoint.created", "task.completed"}:
            made = created(fresh, kind=kind, task=draw(st.integers(1, 3)), at=at)
            fields, fresh = list(made.fields), fresh + 1
        for _ in range(
            draw(st.integers(0, 3)) if kind in {"moved", "history.rewritten"} or draw(st.booleans()) else 0
        ):
            stat = draw(st.sampled_from(["", " 7 8 9"]))
            fields.append(("Devs-Moved", f"t{draw(TAGS)} t{fresh} {fresh} moved{fresh} tree{fresh}{stat}"))
            fresh += 1
        if draw(st.integers(0, 3)) == 0:
            fields.append(("Devs-Renumbered", f"t{draw(TAGS)} {100 + at}"))
        fields += [("Devs-Undone", f"t{tag}") for tag in draw(st.lists(TAGS, max_size=3))]
        fields += [("Devs-Revived", f"t{tag}") for tag in draw(st.lists(TAGS, max_size=2))]
        fields += [("Devs-Gone", f"t{tag}") for tag in draw(st.lists(TAGS, max_size=1))]
        if draw(st.booleans()):
            fields += [("Devs-Clone", draw(st.sampled_from("ab"))), ("Devs-To", f"c{draw(TAGS)}")]
        if draw(st.integers(0, 9)) == 0:
            fields.append(("Devs-Outcome", "failed"))
        events.append(Event(kind, f"s{at}", tuple(fields), oid=f"e{at}"))
    return events


@given(ledgers())
def test_the_newest_first_pass_equals_the_full_fold(events: list[Event]) -> None:
    whole = fold(events)
    found = list(newest(reversed(events)))
    assert [item for item in found if isinstance(item, Checkpoint)] == list(whole.checkpoints.values())[::-1]
    assert [item for item in found if isinstance(item, Event)] == whole.operations[::-1]


def test_reading_stops_at_the_last_checkpoint_that_was_asked_for() -> None:
    taken: list[int] = []

    def events() -> Iterator[Event]:
        for number in range(100, 0, -1):
            taken.append(number)
            yield created(number)

    rows = newest(events())
    points = [item for item in (next(rows), next(rows)) if isinstance(item, Checkpoint)]
    assert ([point.number for point in points], taken) == ([100, 99], [100, 99])


def test_a_checkpoint_that_was_rewound_and_revived_is_live() -> None:
    undo = Event("undone", "s", (("Devs-Revived", "t1"),))
    rewind = Event("rewound", "s", (("Devs-Undone", "t1"),))
    points = [item for item in newest([undo, rewind, created(1)]) if isinstance(item, Checkpoint)]
    assert [(point.number, point.status) for point in points] == [(1, "active")]


@pytest.mark.parametrize(
    "field", [("Devs-Moved", "x"), ("Devs-Renumbered", "t x"), ("Devs-Stat", "1"), ("Devs-Number", "y"), ("Devs-Status", "task-1")]
)  # fmt: skip
def test_an_event_that_is_not_as_we_write_them_is_a_damaged_ledger(field: tuple[str, str]) -> None:
    event = Event(
        "checkpoint.created", "x", (("Devs-Task", "task-1"), ("Devs-Tag", "t"), field), oid="0" * 40
    )
    readers = (lambda: fold([event]), lambda: list(newest(Statuses().note_each([event]))))
    for read in readers:
        with pytest.raises(DevsError) as told:
            read()
        assert (told.value.code, "0" * 40 in told.value.message) == ("LEDGER_MUTATED", True)
