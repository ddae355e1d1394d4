"""An event of the ledger is a commit: a subject for people, and trailers for programs.

The value of a trailer is one line without control characters. A key may occur several times. `schemas/README.md` lists all.
"""

from __future__ import annotations

import re
from functools import cached_property

from devs_git.domain.ledger.event_keys import KEY_PREFIX, PHASES, Key
from devs_git.errors import DevsError
from devs_git.values import Final, field, immutable, replace

LEDGER: Final = "refs/heads/devs/ledger"
IN_FORCE: Final = "policy.yaml"  # the file of the ledger with the policy in force
FORMAT: Final = 2  # of the events that this program writes; it reads these and all older ones
_READABLE: Final = ("", *map(str, range(1, FORMAT + 1)))
UNKNOWN: Final = "unknown"  # the type of an event that a newer program wrote
NO_OID: Final = "0" * 40
Fields = tuple[tuple[str, str], ...]  # keys and values of trailers, in their order


@immutable
class Effects:
    """What an event of one type does. All readers of the log ask this: `history`, `recent`, `task_standing`, the catalog.

    Trailers that any type may have (moves, new numbers, undone, revived and dropped checkpoints) are not in here.
    """

    task: str = ""  # the new status of its task, '' for no change
    starts: bool = False  # it starts its task, or starts it again
    records: bool = False  # it records a checkpoint
    answers: bool = False  # it has a result of its task
    operation: bool = False  # it moved a branch or rewound a conversation of one clone; `undo` can undo it
    undoes: bool = False  # it undid another operation
    drops: bool = False  # its new commit takes back a task whose commits stay on the branch
    joins: bool = False  # a checkpoint that it undoes was superseded by the completion of another clone
    keeps: bool = False  # a rewound checkpoint that it moves stays rewound
    steers: bool = False  # it starts a contract, or changes the phase of a contract or a task
    archives: bool = False  # it names archives of checkpoints, or takes some back


# A type that is not in this table changes tasks and checkpoints only by its trailers.
EFFECTS: Final = {
    "task.started": Effects(task="active", starts=True),
    "task.result": Effects(answers=True),
    # A numbered checkpoint is recorded of an active task only.
    "checkpoint.created": Effects(task="active", records=True),
    "task.completed": Effects(task="completed", records=True),
    "rewound": Effects(operation=True),
    "undone": Effects(operation=True, undoes=True),
    "restored": Effects(operation=True),
    "dropped": Effects(operation=True, drops=True),
    "conversation.rewound": Effects(operation=True),
    "history.rewritten": Effects(keeps=True),
    **dict.fromkeys(("contract.started", "phase.changed"), Effects(steers=True)),
    **dict.fromkeys(("ledger.merged", "superseded"), Effects(joins=True)),
    **dict.fromkeys(("checkpoints.archived", "checkpoints.unarchived"), Effects(archives=True)),
}
_NO_EFFECTS: Final = Effects()


def one_line(text: str) -> str:
    """The text for a subject or trailer: control characters and line ends are replaced by one space."""
    # Most text is printable. Then no pattern is compiled, which costs a quarter of a millisecond.
    return (text if text.isprintable() else re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)).strip()


def non_empty(*fields: tuple[str, str]) -> Fields:
    """The fields that have a value. A trailer without a value is never written."""
    return tuple(pair for pair in fields if pair[1])


class _Text:
    """A member of `Event`: the first value of a trailer, '' where the event has none, or none `among` those allowed."""

    def __init__(self, key: str, among: tuple[str, ...] = ()) -> None:
        self.key, self.among = key, among

    def __get__(self, event: Event, _kind: type) -> str:
        return event.get(self.key) if not self.among or event.get(self.key) in self.among else ""


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

    The members below are for readers that do not know the type of the event. They are text, and nobody has checked them:
    anybody may have written the ledger. A field that only one type has is in the class of that type.
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
    phase = _Text(Key.PHASE, PHASES)
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

    # What it changes. The first four are oids of tag objects, `renumbered` with new numbers; the others begin with a task.
    undone = _Texts(Key.UNDONE)
    revived = _Texts(Key.REVIVED)
    gone = _Texts(Key.GONE)
    renumbered = _Pairs(Key.RENUMBERED)
    statuses = _Pairs(Key.STATUS)
    next_numbers = _Pairs(Key.NEXT)

    @cached_property
    def first(self) -> dict[str, str]:
        """The first value of each trailer."""
        return dict(reversed(self.fields))

    def get(self, key: str, default: str = "") -> str:
        return self.first.get(key, default)

    def all(self, key: str) -> tuple[str, ...]:
        if len(self.first) == len(self.fields):  # no key occurs twice
            return (self.first[key],) if key in self.first else ()
        return tuple(value for name, value in self.fields if name == key)

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """The first word and the rest of each value of a trailer; the rest may be ''."""
        return tuple((head, rest) for head, _, rest in (value.partition(" ") for value in self.all(key)))

    @property
    def data(self) -> dict[str, str | list[str]]:
        """All trailers; a list if a key occurs several times."""
        found: dict[str, list[str]] = {}
        for key, value in self.fields:
            found.setdefault(key, []).append(value)
        return {key: values[0] if len(values) == 1 else values for key, values in found.items()}

    @property
    def moves(self) -> tuple[list[str], ...]:
        """The words of each `Devs-Moved`, in the order of `event_rewrites.Move`. A damaged one may have any number of words."""
        return tuple(line.split() for line in self.all(Key.MOVED))

    @property
    def tasks(self) -> tuple[str, ...]:
        """All tasks that it names, also those of which it changes the status or the next number."""
        return (*self.all(Key.TASK), *(task for task, _ in (*self.statuses, *self.next_numbers)))

    def finished_at(self, time: str) -> Event:
        """The same event with another time of its end."""
        fields = ((key, time if key == Key.FINISHED else was) for key, was in self.fields)
        return replace(self, fields=tuple(fields))

    @property
    def format(self) -> int:
        """The number of its format, 1 without `Devs-Format`. A text that is not a number counts as newer than all known formats."""
        text = self.get(Key.FORMAT) or "1"
        return int(text) if re.fullmatch(r"[1-9][0-9]{0,5}", text, re.ASCII) else FORMAT + 1

    @property
    def effects(self) -> Effects:
        """What an event of this type does, or would have done if it failed."""
        return EFFECTS.get(self.type, _NO_EFFECTS)

    @property
    def failed(self) -> bool:
        return self.get(Key.OUTCOME) == "failed"

    def message(self) -> str:
        pairs = ((Key.EVENT, self.type), *self.fields)
        trailers = "".join(f"{key}: {one_line(value)}\n" for key, value in pairs)
        body = self.body.strip() + "\n\n" if self.body.strip() else ""
        return f"{one_line(self.subject)}\n\n{body}{trailers}"


def unreadable(event: Event) -> DevsError:
    """The error for an event whose fields do not have our form: anybody may have written the ledger."""
    name = event.oid or event.subject
    text = f"An event of the ledger, {name}, does not have the form that devs-git writes."
    return DevsError("LEDGER_MUTATED", text, hint="See who wrote it: git log refs/heads/devs/ledger")


def parse(oid: str, parents: tuple[str, ...], message: str) -> Event:
    """The event of a commit of the ledger; the type is '' if the commit has no trailers of ours. It never raises."""
    if not message.replace("\n", "").isprintable():  # not written by us: a terminal must not execute it
        from devs_git.domain.text.plain_text import printable

        message = printable(message)
    head, _, last = message.rstrip("\n").rpartition("\n\n")
    pairs = [line.partition(":") for line in last.split("\n") if line.startswith(KEY_PREFIX)]
    fields = [(key, value.removeprefix(" ")) for key, colon, value in pairs if colon]
    subject, _, body = (head or last).partition("\n")
    return of_fields(fields, oid, parents, subject, body.strip("\n"))


def of_fields(fields: list[tuple[str, str]], oid: str, parents: tuple[str, ...], *texts: str) -> Event:
    """The event with the trailers of a commit, in their order. `texts`: subject and body.

    An event of a newer format has the type `unknown`, and only two fields: its format and its own type.
    """
    first = dict(reversed(fields))
    kind = first.pop(Key.EVENT, "")
    rest = tuple([pair for pair in fields if pair[0] != Key.EVENT])
    if newer := [value for key, value in rest if key == Key.FORMAT and value not in _READABLE]:
        kind, first = UNKNOWN, {Key.FORMAT: newer[0], Key.TYPE: kind}
        rest = tuple(first.items())
    event = Event(kind, texts[0], rest, texts[1], oid, parents)
    vars(event)["first"] = first
    return event


@immutable
class RefUpdate:
    """One line of a reference transaction. `old` is what the ref must have now, NO_OID if it must not exist; `new` NO_OID deletes it."""

    ref: str
    new: str
    old: str
    no_deref: bool = False


@immutable
class Draft:
    """What is written to the ledger at once: the event, files of its tree (None deletes one), and updates of other refs.

    `first_parent` and `second_parent` merge another ledger. With the first, the files are added to its tree, not to the tip's.
    """

    event: Event
    files: tuple[tuple[str, bytes | None], ...] = ()
    updates: tuple[RefUpdate, ...] = field(default=())
    first_parent: str = ""
    second_parent: str = ""


@immutable
class Rewound:
    """Operation `op` of `clone` ('' in older events) rewound or dropped a checkpoint on `branch` ('' for a detached HEAD).

    `at`: the branch stopped at the checkpoint's own commit, which is on the branch before and after. `drop`: the commit that
    takes the work back, and the drop's operation; None for a rewind. A branch with both has no such work. `target`: its name.
    """

    clone: str
    branch: str
    op: str
    at: bool
    drop: tuple[str, str] | None = None
    target: str = ""

    @classmethod
    def by(cls, event: Event, commit: str, lifted: Rewound | None) -> Rewound:
        """The entry of an operation that undoes a checkpoint at `commit`. `lifted`: the entry that an undo removed before.

        An undo of an undo repeats the rewind, and so its position, whatever was pulled later.
        """
        to, target = event.get(Key.TO), event.get(Key.TARGET)
        again = lifted if event.effects.undoes else None
        drop = (to, event.op_id) if event.effects.drops else None
        now = cls(event.clone, event.branch, event.op_id, to == commit, drop, target)
        return replace(now, at=again.at, drop=again.drop, target=again.target) if again else now


@immutable
class Replaced:
    """The checkpoint was replaced by `heir`, for `reason`, until one of the operations `ops` restored it. The undo of such an
    operation makes it replaced again, and not rewound.
    """

    reason: str
    heir: str
    ops: tuple[str, ...]
