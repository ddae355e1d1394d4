"""What a rewind or an undo writes is in the ledger's order: the same facts make the same event, in every process."""

from __future__ import annotations

import pytest

from devs_git.domain.checkpoints import rewind_selection
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import fold

pytestmark = pytest.mark.quick

COUNT = 40  # sets of so many strings come in another order in every process
TAGS = [f"{number:040x}" for number in range(1, COUNT + 1)]


def _completed(number: int) -> Event:
    fields = (
        ("Devs-Task", f"task-{number}"),
        ("Devs-Number", "1"),
        ("Devs-Tag", TAGS[number]),
        ("Devs-Commit", TAGS[number]),
    )
    return Event("task.completed", f"complete: task-{number}", fields, oid=f"{number:x}")


def test_an_undo_brings_checkpoints_and_tasks_back_in_the_order_of_the_ledger() -> None:
    finished = [_completed(number) for number in range(COUNT)]
    before = fold(finished)
    effect = rewind_selection.effect_of_rewind(
        before, before.checkpoints[TAGS[0]], set(TAGS[1:]), set(TAGS[1:]), "."
    )
    undone = Event(
        "rewound", "rewind: to task-0", effect.added_to(Movement("", "", "", "")).fields(), oid="f"
    )
    now = fold([*finished, undone])
    back = rewind_selection.effect_of_undo(now, before, [undone], set(), set())
    assert [point.tag for point in back.revived] == TAGS[1:]
    assert back.statuses == tuple((f"task-{number}", "completed") for number in range(1, COUNT))
