"""What the ledger says: tasks, checkpoints and operations, folded from events, oldest first.

Events that failed change nothing. Each event says outright what it changes: `Devs-Status: task-11 rewound`,
`Devs-Undone: <tag>`, `Devs-Revived: <tag>`. What a rewind says, it says of a branch of the clone that made it: here a
checkpoint is live that no clone has rewound; `standpoint` tells how it stands for one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from devs_git.domain.checkpoints.checkpoint_marks import Replaced, Rewound
from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event
from devs_git.errors import DevsError
from devs_git.values import field, immutable, mutable, replace

# Why a checkpoint is replaced: it followed a rewritten commit, a squash folded it away, or another completion stands.
REWRITTEN, FOLDED, OUTDONE = "rewritten", "folded", "outdone"


def unreadable(event: Event) -> DevsError:
    """For an event whose fields are not as we write them: a ledger may come from anybody."""
    text = (
        f"An event of the ledger, {event.oid or event.subject}, does not have the form that devs-git writes."
    )
    return DevsError("LEDGER_MUTATED", text, hint="See who wrote it: git log refs/heads/devs/ledger")


@immutable
class Checkpoint:
    """One state that can be returned to. `tag` is the oid of its annotated tag object, its identity.

    `rewound` has an entry for each clone that rewound it; `lifted` are those that an undo took back, for the undo of
    that undo. `replaced` says why it is, with the tag of its `heir` where it followed a rewritten commit; '' for
    none. `returned`: it was replaced before an operation brought it back. `gone` is the event after which its tag and commit are to be kept nowhere any more, '' for none.
    """

    task_id: str
    number: int
    tag: str
    commit: str
    tree: str
    branch: str
    worktree: str
    message: str
    files_changed: int
    lines_added: int
    lines_removed: int
    created_at: str
    completed: bool
    event: str
    live: bool = True
    rewound: tuple[Rewound, ...] = ()
    replaced: str = ""
    heir: str = ""
    gone: str = ""
    lifted: tuple[Rewound, ...] = ()
    returned: Replaced | None = None

    @property
    def name(self) -> str:
        return f"{self.task_id}@{self.number}"

    @property
    def status(self) -> str:
        """As the checkpoint itself was recorded; a live one's task may have been completed since (see `rows`)."""
        if not self.live:
            return "replaced" if self.replaced else "rewound"
        return "completed" if self.completed else "active"


@immutable
class Task:
    """A task as the ledger knows it; `status` is active, completed, rewound or dropped. `started_on` is HEAD's commit then."""

    task_id: str
    status: str
    title: str = ""
    contract: str = ""
    agent: str = ""
    phase: str = ""
    worktree: str = ""
    started_at: str = ""
    started_on: str = ""
    result: str = ""
    next_number: int = 1
    first_number: int = 1  # of what was recorded since it was last started


@mutable
class History:
    """The folded ledger. Checkpoints keep the order of their events."""

    tip: str = ""
    tasks: dict[str, Task] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    operations: list[Event] = field(default_factory=list)

    def of_task(self, task_id: str) -> list[Checkpoint]:
        return [point for point in self.checkpoints.values() if point.task_id == task_id]

    def live(self) -> list[Checkpoint]:
        return [point for point in self.checkpoints.values() if point.live]

    def completion(self, task_id: str) -> Checkpoint | None:
        """The live completion of a task: the newest one, if any."""
        found = [point for point in self.of_task(task_id) if point.live and point.completed]
        return found[-1] if found else None

    def next_number(self, task_id: str) -> int:
        task = self.tasks.get(task_id)
        return task.next_number if task else 1


def checkpoint_of(event: Event) -> Checkpoint:
    """The checkpoint that an event records."""
    changed, added, removed = (int(part) for part in event.get(Key.STAT, "0 0 0").split())
    return Checkpoint(
        task_id=event.get(Key.TASK),
        number=int(event.get(Key.NUMBER, "0")),
        tag=event.get(Key.TAG),
        commit=event.get(Key.COMMIT),
        tree=event.get(Key.TREE),
        branch=event.get(Key.BRANCH),
        worktree=event.get(Key.WORKTREE),
        message=event.get(Key.MESSAGE),
        files_changed=changed,
        lines_added=added,
        lines_removed=removed,
        created_at=event.get(Key.FINISHED),
        completed=event.effects.task == "completed",
        event=event.oid,
    )


def move_of(line: str, event: Event) -> tuple[str, dict[str, Any]]:
    """Old tag and what is new, of the value of a `Devs-Moved`."""
    from devs_git.domain.ledger.event_rewrites import Move  # not where no checkpoint was moved

    move = Move.of(line)
    changes: dict[str, Any] = {
        "tag": move.new,
        "number": move.number,
        "commit": move.commit,
        "tree": move.tree,
        "created_at": event.get(Key.FINISHED),
        "event": event.oid,
    }
    figures = ("files_changed", "lines_added", "lines_removed")
    return move.old, changes | dict(zip(figures, move.stat, strict=False))


def moved_checkpoints(event: Event, known: dict[str, Checkpoint]) -> Iterator[tuple[str, Checkpoint]]:
    """Old tag and new checkpoint of each `Devs-Moved`."""
    for line in event.all(Key.MOVED):
        old, changes = move_of(line, event)
        if old in known:
            yield old, follow_move(known[old], changes, as_it_was=event.effects.keeps)


def follow_move(old: Checkpoint, changes: dict[str, Any], *, as_it_was: bool = False) -> Checkpoint:
    """What `old` became by a `Devs-Moved` with these changes: live, but for a completion that had given way.

    `as_it_was`: where it was rewound, it still is.
    """
    replaced = OUTDONE if old.replaced == OUTDONE else ""
    rewound = old.rewound if as_it_was else ()
    live = not (replaced or rewound)
    return replace(
        old, **changes, live=live, rewound=rewound, replaced=replaced, heir="", gone="", returned=None
    )


def apply_mark(point: Checkpoint, key: str, event: Event, heir: str = "") -> Checkpoint:
    """The checkpoint after an event that names it in trailer `key`: MOVED (to `heir`), UNDONE, REVIVED or GONE."""
    rewound, replaced, completed, effects = point.rewound, point.replaced, point.completed, event.effects
    clone, lifted, returned = event.get(Key.CLONE), point.lifted, point.returned
    if key == Key.GONE:
        return replace(point, gone=point.gone or event.oid or event.type)
    if key == Key.MOVED:
        replaced = REWRITTEN
    elif key == Key.REVIVED:
        others = (entry for entry in lifted if entry.clone not in ("", clone))
        lifted = (*others, *(entry for entry in rewound if entry.clone in ("", clone)))
        rewound = tuple(entry for entry in rewound if entry.clone not in ("", clone))
        if replaced:
            ops = returned.ops if returned else ()
            returned = Replaced(replaced, point.heir, (*ops, event.get(Key.OP)))
        replaced = heir = ""
    elif effects.undoes and returned and event.get(Key.UNDOES) in returned.ops:
        return replace(point, live=False, replaced=returned.reason, heir=returned.heir)
    elif effects.operation:
        at = event.get(Key.TO) == point.commit
        before = [entry.at for entry in lifted if entry.clone in ("", clone)]
        if effects.undoes and before:
            # A redo: it stands where the rewind that it repeats stood, whatever was pulled since.
            at = before[-1]
        where = (event.get(Key.BRANCH), event.get(Key.OP), at)
        rewound = (*(entry for entry in rewound if entry.clone != clone), Rewound(clone, *where))
    else:
        replaced, completed = OUTDONE if effects.joins else FOLDED, completed and not effects.joins
    return replace(
        point,
        live=not (rewound or replaced),
        rewound=rewound,
        lifted=lifted,
        returned=returned,
        replaced=replaced,
        heir=heir if key != Key.UNDONE else point.heir,
        completed=completed,
    )


def _start(event: Event, before: Task | None) -> Task:
    return Task(
        task_id=event.get(Key.TASK),
        status=event.effects.task,
        title=event.get(Key.TITLE),
        contract=event.get(Key.CONTRACT),
        agent=event.get(Key.AGENT),
        phase=event.get(Key.PHASE),
        worktree=event.get(Key.WORKTREE),
        started_at=event.get(Key.FINISHED),
        started_on=event.get(Key.FROM),
        next_number=before.next_number if before else 1,
        first_number=before.next_number if before else 1,
    )


def _add(history: History, point: Checkpoint, status: str = "") -> None:
    """`status` is that of the task from here on, '' where it stays."""
    history.checkpoints[point.tag] = point
    task = history.tasks.get(point.task_id) or Task(point.task_id, "active", worktree=point.worktree)
    history.tasks[point.task_id] = replace(
        task, status=status or task.status, next_number=max(task.next_number, point.number + 1)
    )


def _apply(history: History, event: Event) -> None:
    task_id, effects = event.get(Key.TASK), event.effects
    if effects.starts:
        history.tasks[task_id] = _start(event, history.tasks.get(task_id))
    elif effects.answers and task_id in history.tasks:
        history.tasks[task_id] = replace(history.tasks[task_id], result=event.oid)
    elif effects.records:
        point = checkpoint_of(event)
        known = history.checkpoints.get(point.tag)
        _add(history, point, effects.task)
        if known:  # what a tag is, its first event says: no later one takes it to another task or commit
            history.checkpoints[point.tag] = known
    elif effects.operation:
        history.operations.append(event)
    _apply_moves(history, event)
    for line in event.all(Key.STATUS):
        name, status = line.split()
        if name in history.tasks:
            history.tasks[name] = replace(history.tasks[name], status=status)


def _apply_moves(history: History, event: Event) -> None:
    points = history.checkpoints
    for old, point in list(moved_checkpoints(event, points)):
        if point.tag in points:
            continue
        points[old] = apply_mark(points[old], Key.MOVED, event, point.tag)
        _add(history, point)
    for line in event.all(Key.RENUMBERED):
        tag, _, number = line.partition(" ")
        if tag in points:
            _add(history, replace(points[tag], number=int(number)))
    for key in (Key.UNDONE, Key.REVIVED, Key.GONE):
        for tag in event.all(key):
            if tag in points:
                points[tag] = apply_mark(points[tag], key, event)


def fold(events: Iterable[Event], since: History | None = None) -> History:
    """The state after all `events`, given oldest first; `since` is the state before the first (left as it is)."""
    base = since or History()
    history = History(base.tip, dict(base.tasks), dict(base.checkpoints), list(base.operations))
    for event in events:
        history.tip = event.oid
        if not event.failed:
            try:
                _apply(history, event)
            except ValueError as error:
                raise unreadable(event) from error
    return history
