"""What the merge of two ledgers holds: pure rules, path by path and number by number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.audit.ledger_shape import Change
from devs_git.domain.belief import Merge
from devs_git.domain.checkpoints.wanted_refs import strangers, updates
from devs_git.domain.ledger import merge_rules
from devs_git.domain.ledger.events import NO_OID, Event, RefUpdate
from devs_git.domain.ledger.history import fold

pytestmark = pytest.mark.quick

GATE = "gates/g/decision.yaml"


@pytest.mark.parametrize(
    ("changes", "files", "kept"),
    [
        ([("tasks/t/1.yaml", "", "o")], {"tasks/t/1.yaml": "o"}, []),
        ([("tasks/t/1.yaml", "t", "")], {}, []),
        ([("superseded/x", "", "x")], {"superseded/x": "x"}, []),
        ([("rewinds/1.yaml", "t", "o")], {"superseded/o": "o"}, [("rewinds/1.yaml", "superseded/o")]),
        ([(GATE, "t", "o"), ("open/g", "", "m"), ("policy.yaml", "t", "o")], {}, []),
    ],
)  # fmt: skip
def test_the_union_has_all_of_both_and_the_remotes_first_but_for_what_governs(
    changes: list[tuple[str, str, str]], files: dict[str, str], kept: list[tuple[str, str]]
) -> None:
    merge = Merge((("open/h", "here"), (GATE, "d")), (), ())
    for rows in (changes, changes[::-1]):
        told = [Change(*row) for row in rows]
        assert dict(merge_rules.union(told, merge)) == {**files, "open/h": "here", GATE: "d"}
        assert [(row.path, row.kept) for row in merge_rules.collisions(told)] == kept


def made(tag: str, number: int, *, completed: bool = False, task: str = "task-1") -> Event:
    fields = (
        ("Devs-Task", task),
        ("Devs-Number", str(number)),
        ("Devs-Tag", tag),
        ("Devs-Commit", "c" + tag),
    )
    return Event("task.completed" if completed else "checkpoint.created", "s", fields, oid="e" + tag)


def settled(
    base: list[Event], theirs: list[Event], ours: list[Event], taken: int = 0
) -> merge_rules.Settlement:
    whole = fold([*base, *theirs, *ours])
    both = merge_rules.tasks_changed_by(theirs, whole) & merge_rules.tasks_changed_by(ours, whole)
    return merge_rules.settle(
        fold([*base, *theirs]), fold([*base, *ours]), whole, both, {"task-1": taken} if taken else {}
    )


def test_a_number_that_both_gave_becomes_the_next_that_nobody_has() -> None:
    base = [made("b", 1)]
    found = settled(base, [made("t", 2), made("u", 3)], [made("o", 2), made("p", 4), made("q", 3)], taken=6)
    assert [(point.tag, number) for point, number in found.renumbered] == [("o", 7), ("q", 8)]
    assert settled(base, [made("t", 2)], [made("o", 3)]).renumbered == ()
    assert settled(base, [made("t", 2, task="task-2")], [made("o", 2)]).renumbered == ()


def test_of_two_completions_the_remotes_stays_and_an_older_one_is_none() -> None:
    first, theirs, ours = (made(tag, n, completed=True) for n, tag in enumerate("bto", 1))
    assert [point.tag for point in settled([first], [theirs], [ours]).undone] == ["o"]
    assert settled([first], [], [ours]).undone == settled([first], [theirs], []).undone == ()
    undone = Event("rewound", "s", (("Devs-Undone", "t"),))
    assert settled([first], [theirs, undone], [ours]).undone == ()


@pytest.mark.parametrize(
    ("theirs", "ours", "status"),
    [
        ([made("t", 2, completed=True)], [("Devs-Undone", "b"), ("Devs-Status", "task-1 rewound")], "completed"),
        ([made("t", 2)], [("Devs-Undone", "b"), ("Devs-Status", "task-1 rewound")], "active"),
        ([Event("task.result", "s", (("Devs-Task", "task-1"),))], [("Devs-Undone", "b"), ("Devs-Status", "task-1 rewound")], ""),
    ],
)  # fmt: skip
def test_a_task_is_what_its_live_checkpoints_say(
    theirs: list[Event], ours: list[tuple[str, str]], status: str
) -> None:
    found = settled([made("b", 1)], theirs, [Event("rewound", "s", tuple(ours))])
    assert found.statuses == ((("task-1", status),) if status else ())


def test_the_fold_understands_what_the_merge_says() -> None:
    base, theirs, ours = [made("b", 1)], [made("t", 2, completed=True)], [made("o", 2, completed=True)]
    said = settled(base, theirs, ours)
    history = fold(
        [
            *base,
            *theirs,
            *ours,
            Event("ledger.merged", "s", merge_rules.content_of_event("origin", (), said).fields()),
        ]
    )
    assert {point.tag: (point.number, point.live) for point in history.checkpoints.values()} == {
        "b": (1, True),
        "t": (2, True),
        "o": (3, False),
    }
    assert history.next_number("task-1") == 4
    assert history.tasks["task-1"].status == "completed"


def test_refs_follow_the_ledger_and_a_strangers_are_left() -> None:
    history = fold(
        [made("a", 1), made("b", 2, completed=True), Event("rewound", "s", (("Devs-Undone", "b"),))]
    )
    one, two = "refs/devs/checkpoints/task-1/1", "refs/devs/checkpoints/task-1/2"
    tag = "refs/tags/devs/task-1"
    held = {tag: "b", one: "b", "refs/tags/devs/mine": "m"}
    found = updates(history, held, lambda _oid: True)
    assert found == (RefUpdate(two, "b", NO_OID), RefUpdate(one, "a", "b"), RefUpdate(tag, NO_OID, "b"))
    assert updates(history, held, lambda oid: oid == "a") == ()  # no other ref would hold b
    assert updates(history, {one: "foreign", two: "b", tag: "foreign"}, lambda _oid: True) == ()
    assert strangers(history, {one: "foreign", two: "b", tag: "foreign"}) == (one,)


POINTS = st.integers(0, 4)
NUMBERS = st.integers(1, 6)


@given(
    st.lists(st.tuples(POINTS, NUMBERS), max_size=8),
    st.dictionaries(NUMBERS, POINTS, max_size=6),
    st.sets(POINTS),
    st.sets(POINTS),
)
def test_whatever_events_say_a_checkpoint_that_a_ref_holds_keeps_a_numbered_ref(
    said: list[tuple[int, int]], refs: dict[int, int], there: set[int], visible: set[int]
) -> None:
    tags = [f"{number}" * 40 for number in range(5)]
    history = fold(
        [
            *(made(tag, number + 1, completed=number % 2 == 0) for number, tag in enumerate(tags)),
            *(Event("x", "s", (("Devs-Renumbered", f"{tags[which]} {to}"),)) for which, to in said),
            *(Event("x", "s", (("Devs-Undone", tags[which]),)) for which in visible),
        ]
    )
    held = {f"refs/devs/checkpoints/task-1/{number}": tags[which] for number, which in refs.items()}
    named = next((tags[which] for which in sorted(visible) if tags[which] in held.values()), "")
    if named:
        held["refs/tags/devs/task-1"] = named
    now = dict(held)
    for update in updates(history, held, lambda oid: oid in {tags[which] for which in there}):
        assert now.get(update.ref, NO_OID) == update.old
        now[update.ref] = update.new
    numbered = {oid for ref, oid in now.items() if ref.startswith("refs/devs/checkpoints/")}
    assert set(held.values()) <= numbered
