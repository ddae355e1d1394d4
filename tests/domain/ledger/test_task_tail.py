"""What the newest events say of one task equals what the whole fold says of it."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings

from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History, fold
from devs_git.domain.ledger.newest_events import NewestEvents
from devs_git.values import replace
from tests.domain.ledger.test_task_standing import STEPS, ledger

pytestmark = pytest.mark.quick

COUNT = int(os.environ.get("DEVS_TEST_COUNT_STANDING", "100"))


def named(events: list[Event]) -> list[Event]:
    """The same events; each has the id of its operation."""
    return [replace(one, fields=(*one.fields, ("Devs-Op", f"op-{one.oid}"))) for one in events]


def operations(events: list[Event], task: str) -> set[str]:
    """Those that wrote a file of the task."""
    return {
        one.op_id
        for one in events
        if one.task == task and not one.failed and one.type in ("task.started", "task.result")
    }


def since_begin(events: list[Event], **wrote: set[str]) -> History | None:
    """The history of tasks since the first of them began: `task_1` is task-1."""
    tasks = {name.replace("_", "-"): ops for name, ops in wrote.items()}
    newest = NewestEvents(events[::-1])
    return newest.history_of(tasks) if newest.reach(tasks) else None


def begun(number: int, *, at: str = "a" * 40, next_number: int = 1) -> Event:
    fields = (
        ("Devs-Task", "task-1"),
        ("Devs-From", at),
        ("Devs-Next", f"task-1 {next_number}"),
        ("Devs-Outcome", "ok"),
        ("Devs-Op", f"op-{number}"),
    )
    return Event("task.started", "start", fields, oid=str(number))


@settings(max_examples=COUNT, deadline=None)
@given(STEPS)
def test_the_events_since_its_start_tell_all_about_a_task(steps: list[tuple[str, str]]) -> None:
    events = named(ledger(steps))
    whole = fold(events)
    for task in ("task-1", "task-2"):
        found = since_begin(events, **{task.replace("-", "_"): operations(events, task)})
        assert (found is None) == (task not in whole.tasks)
        if found:
            assert found.tasks[task] == whole.tasks[task]
            assert found.of_task(task) == whole.of_task(task)
            assert found.tip == whole.tip
    both = since_begin(events, task_1=operations(events, "task-1"), task_2=operations(events, "task-2"))
    if both:
        assert both.tasks == whole.tasks
        assert list(both.checkpoints.items()) == list(whole.checkpoints.items())


def test_an_active_task_that_was_started_again_is_read_from_its_first_start() -> None:
    events = [begun(0), begun(1, at="b" * 40)]
    found = since_begin(events, task_1={"op-0", "op-1"})
    assert found
    assert found.tasks["task-1"] == fold(events).tasks["task-1"]
    assert found.tasks["task-1"].started_on == "a" * 40


def test_nothing_is_told_of_a_task_whose_begin_is_not_found() -> None:
    merge = replace(begun(1), type="ledger.merged", parents=("a", "b"))
    for events, known in (
        ([begun(0)], set[str]()),
        ([begun(0)], {"op-0", "op-9"}),
        ([begun(0, next_number=3)], {"op-0"}),
        ([begun(0), merge], {"op-0"}),
    ):
        assert since_begin(events, task_1=known) is None
