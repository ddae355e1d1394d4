"""The index reads only some trailers of each event. What it notes of an event is what all trailers say."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import EFFECTS, Event, parse
from devs_git.domain.ledger.indexing.index_rows import Names
from devs_git.domain.ledger.indexing.notes import Note, note, reader
from devs_git.errors import DevsError
from tests.support.event_examples import EXAMPLES, fields_of

pytestmark = pytest.mark.quick

KEYS = [value for kind in (Key.__base__, Key) for name, value in vars(kind).items() if name.isupper()]
ODD = (
    "Devs-Tasks",
    "Devs-Task ",
    " Devs-Task",
    "devs-task",
    "Devs-",
    "Devs-Task-Tag",
    "XDevs-Task",
    "Devs-Task\x1b",
)
TYPES = (*EFFECTS, "gate.decided", "snapshot.made", "unheard.of", "")
WORDS = (
    "task-1",
    "task-2",
    "",
    " ",
    "  two",
    "a:b",
    ": c",
    "1",
    "7 x",
    "1 2 3",
    "1 2 x",
    "approved",
    "plan",
    "failed",
)
STRANGE = (
    "\x1b[2J",
    "a\tb",
    "a\rb",
    "a\u2028b",
    "a\x85b",
    "a\u202eb",
    "\x00",
    "é",
    "\ufffd",
    "a\x0bb",
    "a\x1cb",
)
FORMATS = ("", "1", "2", "3", "01", "x", "1 ", "99999999999")
SEPARATORS = (": ", ": ", ": ", ": ", ":", ":  ", "", " : ", ":\t")


def line(dice: random.Random) -> str:
    key = dice.choice(KEYS) if dice.random() < 0.9 else dice.choice(ODD)
    values = {Key.EVENT: TYPES, Key.FORMAT: FORMATS}.get(key, WORDS if dice.random() < 0.9 else STRANGE)
    return key + dice.choice(SEPARATORS) + dice.choice(values)


def paragraph(dice: random.Random) -> str:
    lines = [line(dice) for _ in range(dice.randint(0, 12))]
    if dice.random() < 0.9:
        lines.insert(dice.choice((0, len(lines))), f"{Key.EVENT}: {dice.choice(TYPES)}")
    if dice.random() < 0.2:
        lines.insert(0, dice.choice(("a subject", "#", *STRANGE)))
    return "\n".join(lines)


def message(dice: random.Random) -> str:
    """A message as git prints it: several paragraphs, of which only the last one has trailers."""
    parts = [paragraph(dice) for _ in range(dice.randint(1, 3))]
    ends = dice.choice(("", "\n", "\n\n")), dice.choice(("", "\n", "\n\n\n"))
    return ends[0] + dice.choice(("\n\n", "\n\n\n", "\n \n")).join(parts) + ends[1]


def noted(
    read: Callable[[str, tuple[str, ...], str], Event], text: str, parents: int
) -> tuple[Note | str, dict[str, int]]:
    names = Names({})
    try:
        found: Note | str = note(read("a" * 40, ("b" * 40,) * parents, text), names.__getitem__)
    except DevsError as error:
        found = f"{error.code} {error}"
    return found, names


def test_the_index_notes_the_same_of_hostile_messages_as_of_all_their_trailers() -> None:
    dice, read = random.Random(7), reader()
    several = set[str]()
    for _ in range(4000):
        text, parents = message(dice), dice.randint(0, 2)
        found = noted(read, text, parents)
        assert found == noted(parse, text, parents), text
        several.add(str(found[0])[:4])
    assert several == {"Note", "LEDG"}


def test_the_index_notes_the_same_of_each_type_of_event_as_of_all_its_trailers() -> None:
    read = reader()
    for _, kind, lines in EXAMPLES:
        text = Event(kind, "subject", fields_of(lines)).message()
        assert noted(read, text, 1) == noted(parse, text, 1)


def test_a_trailer_in_the_body_of_a_message_says_nothing_to_the_index() -> None:
    text = f"subject\n\n{Key.TASK}: task-9\n\n{Key.EVENT}: task.started\n{Key.TASK}: task-1\n"
    found, _ = noted(reader(), text, 1)
    assert isinstance(found, Note)
    assert found.tasks == ("task-1",)
