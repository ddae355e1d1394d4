"""One table says what an event of each type does; no reader of the log knows a type by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from devs_git.domain.audit import push_rules
from devs_git.domain.ledger import event_fields
from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import EFFECTS, Effects, Event
from devs_git.domain.ledger.history import fold
from devs_git.domain.ledger.recent import newest
from devs_git.domain.ledger.task_standing import find_standing, standing_in
from tests import house

pytestmark = pytest.mark.quick

TOP = Path(__file__).parent.parent.parent.parent
READERS = (
    "domain/audit/push_rules.py",
    "domain/ledger/clone_view.py",
    "domain/ledger/event_fields.py",
    "domain/ledger/history.py",
    "domain/ledger/recent.py",
    "domain/ledger/task_standing.py",
    "domain/recall/rewound_work.py",
    "storage/catalog/rewound/ledger_marks.py",
    "storage/catalog/rewound/noted_events.py",
    "storage/catalog/conversation_snapshots.py",
)
NEW = "something.new"


def event(*fields: tuple[str, str], parents: tuple[str, ...] = (), kind: str = NEW) -> Event:
    named = ((Key.TASK, "task-1"), (Key.NUMBER, "4"), (Key.TAG, "a" * 40), (Key.COMMIT, "c"), (Key.TREE, "t"))
    return Event(kind, "s", (*named, *fields), oid="e", parents=parents)


def _compares_types(source: str) -> Iterator[int]:
    """The lines on which the type of an event is compared with something."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any(isinstance(side, ast.Attribute) and side.attr == "type" for side in sides):
                yield node.lineno


@pytest.mark.parametrize("path", READERS)
def test_no_reader_of_the_log_compares_types(path: str) -> None:
    assert list(_compares_types((TOP / "devs_git" / path).read_text(encoding="utf-8"))) == []


def test_the_control_arm_a_reader_that_compares_a_type_is_found() -> None:
    assert list(_compares_types('if event.type in ("rewound",):\n    pass\n')) == [1]


def test_no_other_module_writes_the_key_of_a_trailer_out() -> None:
    assert house.keys(house.modules(TOP)).missed == ()


def test_a_new_type_that_records_a_checkpoint_needs_its_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (fold([event()]).checkpoints, list(newest([event()]))) == ({}, [])
    monkeypatch.setitem(EFFECTS, NEW, Effects(task="completed", records=True))
    folded = fold([event()])
    point = folded.checkpoints["a" * 40]
    assert (point.name, point.status, folded.tasks["task-1"].status) == ("task-1@4", "completed", "completed")
    assert list(newest([event()])) == [point]
    assert find_standing([event()], "task-1") == standing_in(folded, "task-1")
    assert [tag for tag, _ in push_rules.checkpoints_of(event())] == ["a" * 40]
    assert set(event_fields.malformed_fields(event((Key.TAG, "b" * 40)))) >= {Key.TAG}


def test_a_new_type_of_operation_needs_its_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made, after = event(kind="task.completed"), event((Key.UNDONE, "a" * 40), (Key.OP, "op"))
    assert [point.status for point in fold([made, after]).checkpoints.values()] == ["replaced"]
    monkeypatch.setitem(EFFECTS, NEW, Effects(operation=True))
    folded = fold([made, after])
    assert [point.status for point in folded.checkpoints.values()] == ["rewound"]
    assert folded.operations == [after]
    assert list(newest([after, made])) == [after, folded.checkpoints["a" * 40]]


def test_each_type_of_the_table_is_described() -> None:
    page = (TOP / "schemas" / "README.md").read_text(encoding="utf-8")
    # No verb writes it yet; a ledger that has one is read.
    assert {name for name in EFFECTS if f"| `{name}` |" not in page} <= {"dropped"}


def test_a_task_that_one_clone_completed_stays_completed_though_another_gave_it_up() -> None:
    made, given_up = (
        event(kind="task.completed"),
        event((Key.STATUS, "task-1 abandoned"), kind="task.abandoned"),
    )
    for events in ([made, given_up], [given_up, made]):
        assert fold(events).tasks["task-1"].status == "completed"
    recorded = event(kind="checkpoint.created")
    assert fold([recorded, given_up]).tasks["task-1"].status == "abandoned"
