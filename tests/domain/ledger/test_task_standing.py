"""A task's standing from the newest events equals that of the whole fold."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import fold
from devs_git.domain.ledger.task_standing import Standing, Statuses, find_standing, standing_in
from devs_git.values import replace

pytestmark = pytest.mark.quick

COUNT = int(os.environ.get("DEVS_TEST_COUNT_STANDING", "100"))
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["start", "checkpoint", "complete", "rewind", "undo", "rewrite", "result", "failed"]),
        st.sampled_from(["task-1", "task-2"]),
    ),
    max_size=25,
)


def event(kind: str, *fields: tuple[str, str], outcome: str = "ok") -> Event:
    return Event(kind, kind, (*fields, ("Devs-Outcome", outcome)))


def wrote(step: str, task: str, events: list[Event]) -> Event | None:
    """The event that our verb `step` would write, None where it would refuse."""
    history = fold(events)
    known = standing_in(history, task)
    status, number = known.status, known.next_number
    named = (("Devs-Task", task), ("Devs-Number", str(number)), ("Devs-Tag", f"{task}/{number}"))
    newest = max(
        (point.tag for point in history.of_task(task)), key=lambda tag: int(tag.partition("/")[2]), default=""
    )
    moved = f"{newest} {task}/{number} {number} c t"
    live = status in ("active", "completed")
    table = {
        "start": (not live, event("task.started", named[0], ("Devs-Next", f"{task} {number}"))),
        "checkpoint": (status == "active", event("checkpoint.created", *named)),
        "complete": (live, event("task.completed", *named)),
        "rewind": (live, event("rewound", ("Devs-Status", f"{task} rewound"))),
        "undo": (status == "rewound", event("undone", ("Devs-Status", f"{task} completed"))),
        "result": (bool(status), event("task.result", named[0])),
        "failed": (bool(status), event("rewound", ("Devs-Status", f"{task} dropped"), outcome="failed")),
        "rewrite": (
            bool(history.of_task(task)),
            event("checkpoints.rewritten", ("Devs-Moved", moved), ("Devs-Next", f"{task} {number + 1}")),
        ),
    }
    may, made = table[step]
    return replace(made, oid=str(len(events))) if may else None


def ledger(steps: list[tuple[str, str]]) -> list[Event]:
    """Oldest first."""
    events: list[Event] = []
    for step, task in steps:
        events += filter(None, [wrote(step, task, events)])
    return events


@settings(max_examples=COUNT, deadline=None)
@given(STEPS)
def test_the_newest_events_say_what_the_fold_says(steps: list[tuple[str, str]]) -> None:
    events = ledger(steps)
    for task in ("task-1", "task-2", "task-3"):
        assert find_standing(reversed(events), task) == standing_in(fold(events), task)
    noted = Statuses()
    assert list(noted.note_each(reversed(events))) == events[::-1]
    whole = {name: task.status for name, task in fold(events).tasks.items()}
    assert noted.known.keys() == whole.keys()
    assert all(status in ("", whole[name]) for name, status in noted.known.items())


def test_it_reads_no_further_than_the_newest_checkpoint() -> None:
    def newest_first() -> object:
        yield event("checkpoint.created", ("Devs-Task", "task-1"), ("Devs-Number", "7"), ("Devs-Tag", "x"))
        raise AssertionError("read on")

    assert find_standing(newest_first(), "task-1") == Standing("active", 8)  # type: ignore[arg-type]


def test_beyond_a_merge_of_two_ledgers_only_the_fold_knows() -> None:
    merged = replace(event("ledger.merged"), parents=("a", "b"))
    assert find_standing([merged], "task-1") is None
    moved = event("checkpoints.rewritten", ("Devs-Moved", "a b 3 c d"))
    assert find_standing([moved], "task-1") is None
    noted = Statuses()
    own = event("ledger.merged", ("Devs-Status", "task-2 completed"))
    older = event("checkpoint.created", ("Devs-Task", "task-1"))
    list(noted.note_each([replace(own, parents=("a", "b")), older]))
    assert (noted.of("task-1"), noted.of("task-2")) == ("", "completed")


def test_an_event_that_failed_says_nothing_of_its_task() -> None:
    task = ("Devs-Task", "task-1")
    begun, failed = (
        event("task.started", task),
        event("task.completed", task, ("Devs-Number", "7"), outcome="failed"),
    )
    assert (
        find_standing([failed, begun], "task-1") == find_standing([begun], "task-1") == Standing("active", 1)
    )
