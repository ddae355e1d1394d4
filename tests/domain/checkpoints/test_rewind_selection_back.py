"""What an undo takes away and brings back: `rewind.back` alone, over events that are made up here."""

from __future__ import annotations

import pytest

from devs_git.domain.checkpoints import rewind_selection
from devs_git.domain.checkpoints.rewind_selection import Effect
from devs_git.domain.ledger.event_operations import Movement
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History, fold

pytestmark = pytest.mark.quick


def event(kind: str, *fields: tuple[str, str], oid: str = "e") -> Event:
    return Event(kind, kind, fields, oid=oid)


def completed(task: str, tag: str, number: int = 1) -> Event:
    """The commit of the tag `t` is `c-t`."""
    fields = ("Devs-Task", task), ("Devs-Number", str(number)), ("Devs-Tag", tag), ("Devs-Commit", f"c-{tag}")
    return event("task.completed", *fields)


def moved(old: str, new: str, number: int = 2, kind: str = "checkpoints.rewritten") -> Event:
    return event(kind, ("Devs-Moved", f"{old} {new} {number} c-{new} tree"))


def rewound(op: str, *fields: tuple[str, str]) -> Event:
    return event("rewound", ("Devs-Op", op), *fields, oid=op)


def undone(op: str, of: str, effect: Effect) -> Event:
    return event(
        "undone",
        ("Devs-Op", op),
        ("Devs-Undoes", of),
        *effect.added_to(Movement("", "", "", "")).fields(),
        oid=op,
    )


def names(effect: Effect) -> tuple[list[str], list[str]]:
    return [point.tag for point in effect.revived], [point.tag for point in effect.undone]


def stands(history: History) -> list[tuple[str, str]]:
    return [(tag, point.status) for tag, point in history.checkpoints.items()]


MADE = [completed("task-1", "one"), completed("task-2", "two"), completed("task-3", "three")]
R = rewound("R", ("Devs-Undone", "two"), ("Devs-Status", "task-2 rewound"))


def test_what_another_operation_undid_stays_undone() -> None:
    other = rewound("O", ("Devs-Undone", "three"), ("Devs-Status", "task-3 rewound"))
    now = fold([*MADE, R, other])
    effect = rewind_selection.effect_of_undo(now, fold(MADE), [R], set(), set())
    assert names(effect) == (["two"], [])
    assert effect.statuses == (("task-2", "completed"),)


@pytest.mark.parametrize("kind", ["checkpoints.rewritten", "history.rewritten"])
def test_a_checkpoint_that_was_replaced_on_another_branch_stays_replaced(kind: str) -> None:
    now = fold([*MADE, R, moved("three", "three-new", kind=kind)])
    effect = rewind_selection.effect_of_undo(now, fold(MADE), [R], set(), set())
    assert names(effect) == (["two"], [])
    assert "task-3" not in dict(effect.statuses)


def test_a_checkpoint_that_was_amended_after_the_rewind_comes_back_with_its_commit() -> None:
    now = fold([*MADE, R, moved("one", "one-new")])
    effect = rewind_selection.effect_of_undo(now, fold(MADE), [R], {"c-one-new"}, {"one"})
    assert names(effect) == (["one", "two"], ["one-new"])
    assert effect.visible == (
        ("refs/tags/devs/task-1", "one-new", "one"),
        ("refs/tags/devs/task-2", "", "two"),
    )


def test_where_the_new_checkpoint_stays_live_the_old_one_does_not_come_back_beside_it() -> None:
    now = fold([*MADE, R, moved("one", "one-new"), moved("one-new", "one-newer", 3)])
    assert names(rewind_selection.effect_of_undo(now, fold(MADE), [R], set(), {"one"})) == (["two"], [])


def test_a_completion_that_gave_way_to_another_clones_stays_so() -> None:
    now = fold([*MADE, R, event("ledger.merged", ("Devs-Undone", "one"))])
    assert rewind_selection.replaced_since(now, fold(MADE)) == []
    assert names(rewind_selection.effect_of_undo(now, fold(MADE), [R], set(), {"one"})) == (["two"], [])


def test_a_checkpoint_that_was_purged_does_not_come_back() -> None:
    now = fold([*MADE, R, event("purged", ("Devs-Gone", "one"), ("Devs-Undone", "one"))])
    assert rewind_selection.replaced_since(now, fold(MADE)) == []


def test_what_was_made_since_goes_only_where_no_other_branch_has_it() -> None:
    made = [completed("task-4", "four"), completed("task-5", "five")]
    now = fold([*MADE, R, *made])
    effect = rewind_selection.effect_of_undo(now, fold(MADE), [R], {"c-four"}, set())
    assert names(effect) == (["two"], ["four"])
    assert effect.statuses == (("task-4", "rewound"), ("task-2", "completed"))
    assert effect.affected == ("task-4",)


def test_a_task_made_since_keeps_its_status_where_one_of_its_checkpoints_is_left() -> None:
    now = fold([*MADE, R, completed("task-4", "four"), completed("task-4", "more", 2)])
    effect = rewind_selection.effect_of_undo(now, fold(MADE), [R], {"c-more"}, set())
    assert names(effect) == (["two"], ["more"])
    assert "task-4" not in dict(effect.statuses)


def test_a_task_that_was_started_again_since_has_the_status_of_what_is_left_of_it() -> None:
    again = event("task.started", ("Devs-Task", "task-2"), ("Devs-Finished", "later"))
    now = fold([*MADE, R, again, completed("task-2", "anew", 2)])
    effect = rewind_selection.effect_of_undo(now, fold(MADE), [R], {"c-anew"}, set())
    assert names(effect) == (["two"], ["anew"])
    assert "task-2" not in dict(effect.statuses), "the revived checkpoint is left: completed, as now"
    gone = rewind_selection.effect_of_undo(now, fold(MADE), [rewound("R")], {"c-anew"}, set())
    assert gone.statuses == (("task-2", "rewound"),)


def test_a_checkpoint_that_was_replaced_before_it_was_brought_back_is_replaced_again() -> None:
    made = [*MADE[:1], moved("one", "one-new")]
    before = fold(made)
    effect = rewind_selection.effect_of_rewind(
        before, before.checkpoints["one"], {"c-one-new"}, {"c-one-new"}, ""
    )
    go = rewound("R", *effect.added_to(Movement("", "", "", "")).fields())
    there = fold([*made, go])
    assert stands(there) == [("one", "completed"), ("one-new", "rewound")]
    back = undone("U1", "R", rewind_selection.effect_of_undo(there, before, [go], set(), set()))
    returned = fold([*made, go, back])
    assert stands(returned) == stands(before)
    redo = undone("U2", "U1", rewind_selection.effect_of_undo(returned, there, [back], set(), set()))
    assert stands(fold([*made, go, back, redo])) == stands(there)
    for since in ([redo], [go, back, redo]):
        now = fold([*made, go, back, redo])
        earlier = returned if len(since) == 1 else before
        again = undone(
            "U3", since[0].get("Devs-Op"), rewind_selection.effect_of_undo(now, earlier, since, set(), set())
        )
        assert stands(fold([*made, go, back, redo, again])) == stands(before)


def test_a_rewind_past_it_and_the_redo_of_that_say_rewound() -> None:
    made = [*MADE[:1], moved("one", "one-new")]
    go, past = rewound("R", ("Devs-Revived", "one")), rewound("P", ("Devs-Undone", "one"))
    back = undone("U1", "P", Effect(revived=(fold(made).checkpoints["one"],)))
    redo = undone("U2", "U1", Effect(undone=(fold(made).checkpoints["one"],)))
    assert fold([*made, go, past]).checkpoints["one"].status == "rewound"
    assert fold([*made, go, past, back]).checkpoints["one"].status == "completed"
    assert fold([*made, go, past, back, redo]).checkpoints["one"].status == "rewound"
