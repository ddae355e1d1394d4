"""What an event of an operation says is read back as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.ledger.event_fields import malformed_fields
from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.event_operations import Movement, Restored, Rewound, Undone
from devs_git.domain.ledger.event_rewrites import Move
from devs_git.domain.ledger.events import EFFECTS, Event, parse
from devs_git.values import replace

pytestmark = pytest.mark.quick

OIDS = st.text("0123456789abcdef", min_size=40, max_size=40)
WORDS = st.text("abc/@-", max_size=8)
MAYBE_OID = st.one_of(st.just(""), OIDS)
MOVEMENTS = st.builds(
    Movement,
    op_id=st.text("0123456789abcdef", min_size=1, max_size=8),
    branch=WORDS,
    before=MAYBE_OID,
    after=MAYBE_OID,
    backup=MAYBE_OID,
    preserve=WORDS,
    preserved=WORDS,
    undone=st.lists(OIDS, max_size=3).map(tuple),
    revived=st.lists(OIDS, max_size=3).map(tuple),
    statuses=st.lists(st.tuples(st.just("task-1"), st.sampled_from(["rewound", "active"])), max_size=2).map(
        tuple
    ),
)


def written(said: Rewound | Undone | Restored) -> Event:
    """The event as another clone reads it."""
    return parse("0" * 40, (), Event(said.type, "s", said.fields()).message())


@given(MOVEMENTS)
def test_what_is_written_of_a_movement_is_what_is_read(movement: Movement) -> None:
    rewound = written(Rewound("task-1", "task-1@2", "", "clone", movement))
    assert (rewound.get(Key.TARGET), rewound.all(Key.REASON)) == ("task-1@2", ())
    assert Movement.of(rewound) == movement
    assert Movement.of(written(Restored("task-1", movement))) == movement
    assert list(malformed_fields(rewound)) == []


@given(MOVEMENTS)
def test_an_undo_says_how_it_was_asked_and_then_what_it_kept(movement: Movement) -> None:
    undone = written(Undone("op", "none", "clone", movement))
    assert (undone.get(Key.UNDOES), undone.get(Key.PRESERVE)) == ("op", "none")
    assert Movement.of(undone) == replace(movement, preserve=movement.preserve or "none")


def test_the_trailers_of_a_rewind_stand_in_this_order() -> None:
    movement = Movement(
        "op", "refs/heads/main", "a", "b", "c", "branch", "refs/heads/x d", ("e",), ("f",), (("t", "s"),)
    )
    said = Rewound("task-1", "task-1@2", "why", "clone", movement)
    assert said.fields() == (
        ("Devs-Task", "task-1"),
        ("Devs-Target", "task-1@2"),
        ("Devs-Reason", "why"),
        ("Devs-Clone", "clone"),
        ("Devs-Op", "op"),
        ("Devs-Branch", "refs/heads/main"),
        ("Devs-From", "a"),
        ("Devs-To", "b"),
        ("Devs-Backup", "c"),
        ("Devs-Preserve", "branch"),
        ("Devs-Preserved", "refs/heads/x d"),
        ("Devs-Undone", "e"),
        ("Devs-Revived", "f"),
        ("Devs-Status", "t s"),
    )
    assert EFFECTS[Rewound.type].operation


def test_a_status_that_is_no_pair_has_no_status() -> None:
    assert Movement.of(Event(Rewound.type, "s", ((Key.STATUS, "task-1"),))).statuses == (("task-1", ""),)


@pytest.mark.parametrize("stat", ["", " 1 2 3"])
def test_a_move_is_read_as_it_was_written(stat: str) -> None:
    line = f"{'a' * 40} {'b' * 40} 3 {'c' * 40} {'d' * 40}{stat}"
    assert str(Move.of(line)) == line


@pytest.mark.parametrize("line", ["", "a b 3 c", "a b three c d", "a b 3 c d 1 two"])
def test_a_move_that_is_not_as_we_write_it_is_no_move(line: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Move.of(line)
