"""A ledger event is a commit: a subject for people, trailers for programs.

Values of trailers are one line without control characters; a key may stand several times. Which fields an
event type carries is listed in `schemas/README.md`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from devs_git.domain.ledger.event_keys import OURS, Key
from devs_git.values import field, immutable, replace

LEDGER: Final = "refs/heads/devs/ledger"
FORMAT: Final = 1  # of the events that this program writes and reads
UNKNOWN: Final = "unknown"  # the type of an event that a newer program wrote
_UNPRINTABLE: Final = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+"
NO_OID: Final = "0" * 40
Fields = tuple[tuple[str, str], ...]  # keys and values of trailers, in their order


@immutable
class Effects:
    """What an event of one type does, for each reader of the log: `history`, `recent`, `task_standing`, the catalog.

    What an event of any type moves, numbers anew, undoes, revives or gives up its own trailers say.
    """

    task: str = ""  # the status of its task from here on, '' where it stays
    starts: bool = False  # the task begins anew
    records: bool = False  # its trailers describe a checkpoint
    answers: bool = False  # it is the newest result of its task
    operation: bool = False  # it moved a branch of one clone; `undo` takes it back
    undoes: bool = False  # it took another operation back
    joins: bool = False  # what it undoes has given way to another completion
    keeps: bool = False  # what it moves stays as live as it was


# A type that is not here changes tasks and checkpoints by its trailers alone.
EFFECTS: Final = {
    "task.started": Effects(task="active", starts=True),
    "task.result": Effects(answers=True),
    # A numbered checkpoint is recorded of an active task only.
    "checkpoint.created": Effects(task="active", records=True),
    "task.completed": Effects(task="completed", records=True),
    "rewound": Effects(operation=True),
    "undone": Effects(operation=True, undoes=True),
    "restored": Effects(operation=True),
    "dropped": Effects(operation=True),
    "history.rewritten": Effects(keeps=True),
    "ledger.merged": Effects(joins=True),
    "superseded": Effects(joins=True),
}
_NO_EFFECTS: Final = Effects()


def _format(text: str) -> int:
    """The number of a format; one that cannot be read is newer than all that are known."""
    if not text:
        return FORMAT
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,5}", text, re.ASCII) else FORMAT + 1


def one_line(text: str) -> str:
    """Text made safe for a subject or trailer: control characters and line ends become one space."""
    # Most text is printable: a start of the program that writes none else compiles no pattern.
    return (text if text.isprintable() else re.sub(_UNPRINTABLE, " ", text)).strip()


def non_empty(*fields: tuple[str, str]) -> Fields:
    """The fields that have a value: an empty one is written nowhere."""
    return tuple(pair for pair in fields if pair[1])


class _Text:
    """A member of `Event`: the first value of a trailer, '' where the event does not have it."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __get__(self, event: Event, _kind: type) -> str:
        return event.get(self.key)


class _Texts(_Text):
    """A member of `Event`: all values of a trailer."""

    def __get__(self, event: Event, _kind: type) -> tuple[str, ...]:  # type: ignore[override]
        return event.all(self.key)


class _Pairs(_Text):
    """A member of `Event`: all values of a trailer, as `Event.pairs` has them."""

    def __get__(self, event: Event, _kind: type) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        return event.pairs(self.key)


@immutable
class Event:
    """One commit of the ledger; `oid` and `parents` are empty until it is written.

    The members below are what readers of any type ask for, as text: a ledger may come from anybody, and no value is
    checked here. What only one type has is in the class of that type.
    """

    type: str
    subject: str
    fields: tuple[tuple[str, str], ...]
    body: str = ""
    oid: str = ""
    parents: tuple[str, ...] = ()

    verb = _Text(Key.VERB)
    actor = _Text(Key.ACTOR)
    worktree = _Text(Key.WORKTREE)
    started = _Text(Key.STARTED)
    finished = _Text(Key.FINISHED)
    task = _Text(Key.TASK)
    phase = _Text(Key.PHASE)
    op_id = _Text(Key.OP)
    clone = _Text(Key.CLONE)
    branch = _Text(Key.BRANCH)
    backup = _Text(Key.BACKUP)
    preserved = _Text(Key.PRESERVED)

    # Of a checkpoint that it records.
    number = _Text(Key.NUMBER)
    tag = _Text(Key.TAG)
    commit = _Text(Key.COMMIT)
    tree = _Text(Key.TREE)
    conversation = _Text(Key.CONVERSATION)

    # What it changes: oids of tag objects; tags with new numbers, tasks with statuses, tasks with next numbers.
    undone = _Texts(Key.UNDONE)
    revived = _Texts(Key.REVIVED)
    gone = _Texts(Key.GONE)
    renumbered = _Pairs(Key.RENUMBERED)
    statuses = _Pairs(Key.STATUS)
    next_numbers = _Pairs(Key.NEXT)

    @cached_property
    def _values(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for key, value in self.fields:
            found.setdefault(key, []).append(value)
        return found

    def get(self, key: str, default: str = "") -> str:
        values = self._values.get(key)
        return values[0] if values else default

    def all(self, key: str) -> tuple[str, ...]:
        return tuple(self._values.get(key, ()))

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """First word and rest of each value; the rest is '' where there is none."""
        return tuple((head, rest) for head, _, rest in (value.partition(" ") for value in self.all(key)))

    @property
    def data(self) -> dict[str, str | list[str]]:
        """All trailers; a list where a key stands several times."""
        return {key: values[0] if len(values) == 1 else list(values) for key, values in self._values.items()}

    @property
    def moves(self) -> tuple[list[str], ...]:
        """The words of each `Devs-Moved`, as `event_rewrites.Move` writes them; of a damaged one what there is."""
        return tuple(line.split() for line in self.all(Key.MOVED))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it names, also as having another status or next number from then on."""
        return (*self.all(Key.TASK), *(task for task, _ in (*self.statuses, *self.next_numbers)))

    def with_times(self, *, started: str = "", finished: str = "") -> Event:
        """The same event with these times instead of its own; '' leaves one as it is."""
        times = {Key.STARTED: started, Key.FINISHED: finished}
        return replace(self, fields=tuple((key, times.get(key) or was) for key, was in self.fields))

    @property
    def format(self) -> int:
        """The format in which it was written: `Devs-Format`, 1 where it does not say."""
        return _format(self.get(Key.FORMAT))

    @property
    def effects(self) -> Effects:
        """What an event of this type does; what a failed one would have done, too."""
        return EFFECTS.get(self.type, _NO_EFFECTS)

    @property
    def failed(self) -> bool:
        return self.get(Key.OUTCOME) == "failed"

    def message(self) -> str:
        trailers = "".join(
            f"{key}: {one_line(value)}\n" for key, value in ((Key.EVENT, self.type), *self.fields)
        )
        body = self.body.strip() + "\n\n" if self.body.strip() else ""
        return f"{one_line(self.subject)}\n\n{body}{trailers}"


def parse(oid: str, parents: tuple[str, ...], message: str) -> Event:
    """The event of a ledger commit; a commit without our trailers has type ''. Never raises.

    An event of a newer format has the type `unknown`, and of its fields none but its format and its own type.
    """
    if not message.replace("\n", "").isprintable():  # by another hand than ours: no terminal shall obey it
        from devs_git.domain.text.plain_text import printable

        message = printable(message)
    head, _, last = message.rstrip("\n").rpartition("\n\n")
    pairs = [line.partition(":") for line in last.split("\n") if line.startswith(OURS)]
    fields = [(key, value.removeprefix(" ")) for key, colon, value in pairs if colon]
    kind = next((value for key, value in fields if key == Key.EVENT), "")
    rest = tuple(pair for pair in fields if pair[0] != Key.EVENT)
    subject, _, body = (head or last).partition("\n")
    newer = next((value for key, value in rest if key == Key.FORMAT and _format(value) > FORMAT), "")
    if newer:
        kind, rest = UNKNOWN, ((Key.FORMAT, newer), (Key.TYPE, kind))
    return Event(kind, subject, rest, body.strip("\n"), oid, parents)


@immutable
class RefUpdate:
    """One line of a reference transaction. `old` NO_OID: must not exist; `new` NO_OID: delete. Never blind."""

    ref: str
    new: str
    old: str
    no_deref: bool = False


@immutable
class Draft:
    """What one append writes: the event, files of the ledger's tree (None deletes), and refs that move with it.

    `onto` joins another ledger: it becomes the first parent, and the files are laid on its tree instead of the tip's.
    `beside` joins one as the second parent.
    """

    event: Event
    files: tuple[tuple[str, bytes | None], ...] = ()
    updates: tuple[RefUpdate, ...] = field(default=())
    onto: str = ""
    beside: str = ""
