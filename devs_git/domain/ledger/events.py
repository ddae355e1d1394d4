"""A ledger event is a commit: a subject for people, trailers for programs.

Values of trailers are one line without control characters; a key may stand several times. Which fields an
event type carries is listed in `schemas/README.md`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from devs_git.values import field, immutable, replace

LEDGER: Final = "refs/heads/devs/ledger"
OURS: Final = "Devs-"  # how the key of each of our trailers begins
FORMAT: Final = 1  # of the events that this program writes and reads
UNKNOWN: Final = "unknown"  # the type of an event that a newer program wrote
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
NO_OID: Final = "0" * 40


class Key:
    """The keys of our trailers: of events, and of commits, checkpoint tags and backups. No other module writes one out."""

    # Of commits and checkpoint tags. Events have some of them, too.
    TASK: Final = "Devs-Task"
    AGENT: Final = "Devs-Agent"
    CLIENT: Final = "Devs-Client"
    PHASE: Final = "Devs-Phase"
    LEDGER: Final = "Devs-Ledger"  # the ledger's tip at that time
    CHECKPOINT: Final = "Devs-Checkpoint"
    COMPLETED: Final = "Devs-Completed"
    CONVERSATION: Final = "Devs-Conversation"

    # Of every event.
    EVENT: Final = "Devs-Event"  # its type
    FORMAT: Final = "Devs-Format"
    VERB: Final = "Devs-Verb"
    ACTOR: Final = "Devs-Actor"
    TIER: Final = "Devs-Tier"
    WORKTREE: Final = "Devs-Worktree"
    STARTED: Final = "Devs-Started"
    FINISHED: Final = "Devs-Finished"
    OUTCOME: Final = "Devs-Outcome"
    CODE: Final = "Devs-Code"  # why it failed
    TYPE: Final = "Devs-Type"  # the type of an event of a newer format, as it is read

    # What an event changes.
    MOVED: Final = "Devs-Moved"
    RENUMBERED: Final = "Devs-Renumbered"
    UNDONE: Final = "Devs-Undone"
    REVIVED: Final = "Devs-Revived"
    GONE: Final = "Devs-Gone"
    STATUS: Final = "Devs-Status"
    NEXT: Final = "Devs-Next"

    # Of tasks and checkpoints.
    NUMBER: Final = "Devs-Number"
    TAG: Final = "Devs-Tag"
    COMMIT: Final = "Devs-Commit"
    TREE: Final = "Devs-Tree"
    MESSAGE: Final = "Devs-Message"
    STAT: Final = "Devs-Stat"
    TITLE: Final = "Devs-Title"
    CONTRACT: Final = "Devs-Contract"
    CAUSE: Final = "Devs-Cause"

    # Of operations that move the tree.
    OP: Final = "Devs-Op"
    UNDOES: Final = "Devs-Undoes"
    CLONE: Final = "Devs-Clone"
    BRANCH: Final = "Devs-Branch"
    FROM_BRANCH: Final = "Devs-From-Branch"
    FROM: Final = "Devs-From"
    TO: Final = "Devs-To"
    TARGET: Final = "Devs-Target"
    REASON: Final = "Devs-Reason"
    BACKUP: Final = "Devs-Backup"
    PRESERVE: Final = "Devs-Preserve"
    PRESERVED: Final = "Devs-Preserved"
    DECIDED: Final = "Devs-Decided"

    # Of gates.
    GATE: Final = "Devs-Gate"
    GATE_TYPE: Final = "Devs-Gate-Type"
    EVENT_NAME: Final = "Devs-Event-Name"
    DECISION: Final = "Devs-Decision"
    APPROVAL: Final = "Devs-Approval"
    REVIEWER: Final = "Devs-Reviewer"

    # Of init, sync, purge and prune.
    DID: Final = "Devs-Did"
    GENESIS: Final = "Devs-Genesis"
    REMOTE: Final = "Devs-Remote"
    SUPERSEDED: Final = "Devs-Superseded"
    SOUGHT: Final = "Devs-Sought"
    PURGED: Final = "Devs-Purged"
    DROPPED: Final = "Devs-Dropped"
    PRUNED: Final = "Devs-Pruned"
    UPTO: Final = "Devs-Upto"


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
    return _UNPRINTABLE.sub(" ", text).strip()


@immutable
class Move:
    """A checkpoint that followed a rewritten commit, as a `Devs-Moved` says it.

    `old` and `new` are the oids of the tag objects. `stat` is the number of files, of lines added and of lines removed;
    where it is empty, the figures are those of the old checkpoint.
    """

    old: str
    new: str
    number: int
    commit: str
    tree: str
    stat: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, (self.old, self.new, self.number, self.commit, self.tree, *self.stat)))

    @classmethod
    def of(cls, line: str) -> Move:
        """The move that a trailer's value tells of; ValueError where it is not as we write it."""
        old, new, number, commit, tree, *stat = line.split()
        return cls(old, new, int(number), commit, tree, tuple(map(int, stat)))


@immutable
class Event:
    """One commit of the ledger; `oid` and `parents` are empty until it is written."""

    type: str
    subject: str
    fields: tuple[tuple[str, str], ...]
    body: str = ""
    oid: str = ""
    parents: tuple[str, ...] = ()

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

    @property
    def data(self) -> dict[str, str | list[str]]:
        """All trailers; a list where a key stands several times."""
        return {key: values[0] if len(values) == 1 else list(values) for key, values in self._values.items()}

    def saying(self, key: str, value: str) -> Event:
        """The same event with `value` for a trailer that it has."""
        return replace(self, fields=tuple((k, value if k == key else was) for k, was in self.fields))

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
