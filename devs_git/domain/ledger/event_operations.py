"""What the events of operations say: each moved a branch of one clone, and `undo` takes it back.

`fields` are the trailers of each. What `undo` reads of them is the `Movement`. Empty values are written nowhere.
"""

from __future__ import annotations

from devs_git.domain.ledger.events import Event, Key
from devs_git.values import immutable

Fields = tuple[tuple[str, str], ...]
REWOUND, UNDONE, RESTORED = "rewound", "undone", "restored"


def _said(pairs: Fields) -> Fields:
    """Those that have a value."""
    return tuple(pair for pair in pairs if pair[1])


@immutable
class Movement:
    """From which commit to which a branch went, what was kept of before, and what that did to checkpoints and tasks.

    `branch` is the full name, '' where HEAD is detached; `backup` is the oid of the backup's commit. `preserved` is
    a ref and its oid. `undone` and `revived` are oids of tag objects, `statuses` pairs of a task and its status.
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

    def fields(self) -> Fields:
        """The trailers, in the order in which they are written."""
        pairs = (
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
        )
        return _said(pairs)

    @classmethod
    def of(cls, event: Event) -> Movement:
        """What an event says; a `Devs-Status` that is not as we write it has no status here."""
        return cls(
            op_id=event.get(Key.OP),
            branch=event.get(Key.BRANCH),
            before=event.get(Key.FROM),
            after=event.get(Key.TO),
            backup=event.get(Key.BACKUP),
            # An undo says first which way it was asked for, then what it kept.
            preserve=(event.all(Key.PRESERVE) or ("",))[-1],
            preserved=event.get(Key.PRESERVED),
            undone=event.all(Key.UNDONE),
            revived=event.all(Key.REVIVED),
            statuses=tuple(line.partition(" ")[::2] for line in event.all(Key.STATUS)),
        )


@immutable
class Rewound:
    """A rewind: to which target, which is a checkpoint of `task`, by which clone. `reason` is why a gate was overridden."""

    task: str
    target: str
    reason: str
    clone: str
    movement: Movement

    def fields(self) -> Fields:
        own = (
            (Key.TASK, self.task),
            (Key.TARGET, self.target),
            (Key.REASON, self.reason),
            (Key.CLONE, self.clone),
        )
        return (*_said(own), *self.movement.fields())


@immutable
class Undone:
    """An undo of the operation `undoes`, by which clone. `mode` is how it was asked to keep what was there, `none` for not."""

    undoes: str
    mode: str
    clone: str
    movement: Movement

    def fields(self) -> Fields:
        own = ((Key.UNDOES, self.undoes), (Key.PRESERVE, self.mode), (Key.CLONE, self.clone))
        return (*_said(own), *self.movement.fields())


@immutable
class Restored:
    """A restore of the files of `target`, as a new commit."""

    target: str
    movement: Movement

    def fields(self) -> Fields:
        return (*_said(((Key.TARGET, self.target),)), *self.movement.fields())
