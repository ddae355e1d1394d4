"""Events of operations, which move a branch or HEAD of one clone.

`undo` undoes a rewind, a restore or another undo. It reads their `Movement`.
"""

from __future__ import annotations

from typing import ClassVar, Final

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable, replace

# The trailers that an operation's event and its backup have in common.
_IN_BACKUPS: Final = (Key.OP, Key.BRANCH, Key.FROM, Key.TO, Key.PRESERVED,
                      Key.UNDONE, Key.REVIVED, Key.STATUS, Key.MESSAGES_UNDONE, Key.MESSAGES_REVIVED)  # fmt: skip


@immutable
class Movement:
    """How a branch moved from one commit to another, what was saved, and what changed for checkpoints and tasks.

    `branch` is its full name, '' for a detached HEAD. `backup` is the oid of the backup's commit. `preserved` is a ref and
    its oid. `undone` and `revived` are oids of tag objects. `statuses` are tasks with their status. `messages_undone` and
    `messages_revived` are cuts of conversations (`domain/recall/message_cuts.py`).
    """

    op_id: str
    branch: str
    before: str
    after: str
    backup: str = ""
    preserve: str = ""
    preserved: str = ""
    undone: tuple[str, ...] = ()
    revived: tuple[str, ...] = ()
    statuses: tuple[tuple[str, str], ...] = ()
    messages_undone: tuple[str, ...] = ()
    messages_revived: tuple[str, ...] = ()

    def fields(self) -> Fields:
        """The trailers, in the order in which they are written."""
        return non_empty(
            (Key.OP, self.op_id),
            (Key.BRANCH, self.branch),
            (Key.FROM, self.before),
            (Key.TO, self.after),
            (Key.BACKUP, self.backup),
            (Key.PRESERVE, self.preserve),
            (Key.PRESERVED, self.preserved),
            *((Key.UNDONE, tag) for tag in self.undone),
            *((Key.REVIVED, tag) for tag in self.revived),
            *((Key.STATUS, f"{task} {status}") for task, status in self.statuses),
            *((Key.MESSAGES_UNDONE, text) for text in self.messages_undone),
            *((Key.MESSAGES_REVIVED, text) for text in self.messages_revived),
        )

    @classmethod
    def of(cls, event: Event) -> Movement:
        """What the event says. The status in a damaged `Devs-Status` may be ''."""
        return cls(
            op_id=event.op_id,
            branch=event.branch,
            before=event.get(Key.FROM),
            after=event.get(Key.TO),
            backup=event.backup,
            # An undo has two: the way that the person chose, then the way in which something was kept.
            preserve=(event.all(Key.PRESERVE) or ("",))[-1],
            preserved=event.preserved,
            undone=event.undone,
            revived=event.revived,
            statuses=event.statuses,
            messages_undone=event.all(Key.MESSAGES_UNDONE),
            messages_revived=event.all(Key.MESSAGES_REVIVED),
        )

    def fields_of_backup(self) -> Fields:
        """The trailers for the message of the backup. By them the event of the operation is recognised later."""
        return tuple(pair for pair in self.fields() if pair[0] in _IN_BACKUPS)


def same_movement(event: Event, backup: Event) -> bool:
    """Whether an operation's event has the same values as its backup."""
    return all(event.all(key) == backup.all(key) for key in _IN_BACKUPS)


def finished_by_doctor(event: Event) -> Event:
    """The event of an interrupted operation, which `doctor` finishes because a person chose it."""
    return replace(event, fields=(*event.fields, (Key.DECIDED, "finished by doctor")))


@immutable
class Rewound:
    """A rewind to `target`, a checkpoint of `task`, by `clone`. `reason` is why a person overrode a gate.

    `session`: what goes on in place of a conversation that was rewound, too, as `<client> <session>`; '' for none.
    """

    type: ClassVar[str] = "rewound"
    task: str
    target: str
    reason: str
    clone: str
    movement: Movement
    session: str = ""

    def fields(self) -> Fields:
        own = non_empty(
            (Key.TASK, self.task),
            (Key.TARGET, self.target),
            (Key.REASON, self.reason),
            (Key.CLONE, self.clone),
        )
        return (*own, *self.movement.fields(), *non_empty((Key.SESSION, self.session)))

    @classmethod
    def of(cls, event: Event) -> Rewound:
        movement, session = Movement.of(event), event.get(Key.SESSION)
        return cls(event.task, event.get(Key.TARGET), event.get(Key.REASON), event.clone, movement, session)


@immutable
class Undone:
    """An undo of the operation `undoes`, by `clone`. `mode` is how the person chose to save the state before, or `none`."""

    type: ClassVar[str] = "undone"
    undoes: str
    mode: str
    clone: str
    movement: Movement

    def fields(self) -> Fields:
        own = non_empty((Key.UNDOES, self.undoes), (Key.PRESERVE, self.mode), (Key.CLONE, self.clone))
        return (*own, *self.movement.fields())

    @classmethod
    def of(cls, event: Event) -> Undone:
        movement, modes = Movement.of(event), event.all(Key.PRESERVE)
        movement = replace(movement, preserve=movement.preserve if len(modes) > 1 else "")
        return cls(event.get(Key.UNDOES), event.get(Key.PRESERVE), event.clone, movement)


@immutable
class Restored:
    """A restore of the files of `target`, in a new commit."""

    type: ClassVar[str] = "restored"
    target: str
    movement: Movement

    def fields(self) -> Fields:
        return (*non_empty((Key.TARGET, self.target)), *self.movement.fields())

    @classmethod
    def of(cls, event: Event) -> Restored:
        return cls(event.get(Key.TARGET), Movement.of(event))


@immutable
class Dropped:
    """A drop of `task` by `clone`: the new commit `Devs-To` takes back its work. `reason` is why a person overrode a gate."""

    type: ClassVar[str] = "dropped"
    task: str
    reason: str
    clone: str
    movement: Movement

    def fields(self) -> Fields:
        own = non_empty((Key.TASK, self.task), (Key.REASON, self.reason), (Key.CLONE, self.clone))
        return (*own, *self.movement.fields())

    @classmethod
    def of(cls, event: Event) -> Dropped:
        return cls(event.task, event.get(Key.REASON), event.clone, Movement.of(event))


@immutable
class ConversationRewound:
    """A rewind of a conversation by `clone`. No file was moved, so the `movement` has neither `before` nor `after`.

    `target`: the session that goes on in place of the one that was cut, as `<client> <session>`.
    """

    type: ClassVar[str] = "conversation.rewound"
    target: str
    clone: str
    movement: Movement

    def fields(self) -> Fields:
        return (*non_empty((Key.TARGET, self.target), (Key.CLONE, self.clone)), *self.movement.fields())

    @classmethod
    def of(cls, event: Event) -> ConversationRewound:
        return cls(event.get(Key.TARGET), event.clone, Movement.of(event))


@immutable
class CheckedOut:
    """A checkout, which carries local changes; `undo` does not undo it. Names of branches are full, '' for a detached HEAD."""

    type: ClassVar[str] = "checked-out"
    op_id: str
    from_branch: str
    before: str
    branch: str
    commit: str

    def fields(self) -> Fields:
        return non_empty(
            (Key.OP, self.op_id),
            (Key.FROM_BRANCH, self.from_branch),
            (Key.FROM, self.before),
            (Key.BRANCH, self.branch),
            (Key.COMMIT, self.commit),
        )

    @classmethod
    def of(cls, event: Event) -> CheckedOut:
        before = event.get(Key.FROM)
        return cls(event.op_id, event.get(Key.FROM_BRANCH), before, event.branch, event.commit)


@immutable
class OperationFailed:
    """An operation that failed and was reverted. `code` is that of the error."""

    type: ClassVar[str] = "operation.failed"
    op_id: str
    code: str

    def fields(self) -> Fields:
        return non_empty((Key.OP, self.op_id), (Key.CODE, self.code))

    @classmethod
    def of(cls, event: Event) -> OperationFailed:
        return cls(event.op_id, event.get(Key.CODE))
