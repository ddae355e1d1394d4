"""The state of the ledger: tasks, checkpoints and operations, folded from its events, oldest first.

An event that failed changes nothing. Each other event says what it changes: `Devs-Status: task-11 rewound`, `Devs-Undone: <tag>`.
A rewind is of one clone. Here a checkpoint is live if no clone has rewound it; `clone_view` says what is live for one clone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Replaced, Rewound, unreadable
from devs_git.domain.ledger.ids import oid_or_nothing
from devs_git.values import TYPE_CHECKING, Any, field, immutable, mutable, replace

if TYPE_CHECKING:
    from devs_git.domain.ledger.event_contracts import Contract

# Why a checkpoint is replaced: its commit was rewritten, it was squashed into another, or another clone's completion counts.
REWRITTEN, FOLDED, OUTDONE = "rewritten", "folded", "outdone"


@immutable
class Checkpoint:
    """A state that a rewind can return to. `tag` is the oid of its annotated tag object, by which it is identified.
    `rewound` has an entry for each clone that rewound it, `lifted` has the entries that an undo removed, for an undo of
    that undo. `replaced` is why it is replaced, '' if it is not; `heir` is the tag of the checkpoint with its rewritten
    commit. `returned` is how it was replaced before an operation revived it. `gone` is the event that drops it, after
    which no clone has to keep its tag and commit, '' for none. `conversation`: as in the trailer, '' for none.
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
    conversation: str = ""

    @property
    def name(self) -> str:
        return f"{self.task_id}@{self.number}"

    @property
    def drop(self) -> tuple[str, str] | None:
        """The commit that takes its work back, None if the last operation that undid it was no drop."""
        return self.rewound[-1].drop if self.rewound else None

    @property
    def status(self) -> str:
        """The status of the checkpoint itself; the task of a live one may have been completed later (see `rows`)."""
        if not self.live:
            return "replaced" if self.replaced else "dropped" if self.drop else "rewound"
        return "completed" if self.completed else "active"


@immutable
class Task:
    """A task; `status` is active, completed, abandoned, rewound or dropped. `started_on` is the commit of HEAD when it began.
    `phase` is its own: '' if its contract's counts (`History.phase_of`). `spawned_by` is a client and a session,
    `actor` who started it. Of a fork, `forked_from` is where it began, `forked_session` the session that it goes on with.
    """

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
    first_number: int = 1  # of its first checkpoint since it was last started
    parent: str = ""
    spawned_by: str = ""
    actor: str = ""
    forked_from: str = ""
    forked_session: str = ""


@mutable
class History:
    """The folded ledger. Checkpoints are in the order of their events."""

    tip: str = ""
    tasks: dict[str, Task] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    operations: list[Event] = field(default_factory=list)
    contracts: dict[str, Contract] = field(default_factory=dict)
    archives: dict[str, str] = field(default_factory=dict)  # those that count, with the events that name them

    def of_task(self, task_id: str) -> list[Checkpoint]:
        return [point for point in self.checkpoints.values() if point.task_id == task_id]

    def live(self) -> list[Checkpoint]:
        return [point for point in self.checkpoints.values() if point.live]

    def completion(self, task_id: str) -> Checkpoint | None:
        """The newest live completion of a task, if it has one."""
        return next((one for one in reversed(self.of_task(task_id)) if one.live and one.completed), None)

    def next_number(self, task_id: str) -> int:
        return self.tasks[task_id].next_number if task_id in self.tasks else 1

    def phase_of(self, task: Task) -> str:
        """The phase of a task: its own, else that of its contract, else ''."""
        return task.phase or (self.contracts[task.contract].phase if task.contract in self.contracts else "")


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
        conversation=event.conversation,
    )


def moved_checkpoints(event: Event, known: dict[str, Checkpoint]) -> Iterator[tuple[str, Checkpoint]]:
    """Old tag and new checkpoint of each `Devs-Moved`."""
    for line in event.all(Key.MOVED):
        from devs_git.domain.ledger import event_rewrites  # not where no checkpoint was moved

        old, changes = event_rewrites.move_of(line, event)
        if old in known:
            yield old, follow_move(known[old], changes, as_it_was=event.effects.keeps)


def follow_move(old: Checkpoint, changes: dict[str, Any], *, as_it_was: bool = False) -> Checkpoint:
    """The checkpoint that `old` became by a `Devs-Moved`. It is live, unless another clone's completion replaced `old`;
    with `as_it_was`, also unless `old` was rewound.
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
            returned = Replaced(
                replaced, point.heir, (*(returned.ops if returned else ()), event.get(Key.OP))
            )
        replaced = heir = ""
    elif effects.undoes and returned and event.get(Key.UNDOES) in returned.ops:
        return replace(point, live=False, replaced=returned.reason, heir=returned.heir)
    elif effects.operation:
        before = [entry for entry in lifted if entry.clone in ("", clone)]
        mark = Rewound.by(event, point.commit, before[-1] if before else None)
        rewound = (*(entry for entry in rewound if entry.clone != clone), mark)
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


def _start(event: Event, number: int, before: Task | None) -> Task:
    # An active task that lost its worktree's note is started again: it began where it began first.
    again = before.started_on if before and before.status == "active" else None
    return Task(
        task_id=event.get(Key.TASK),
        status=event.effects.task,
        title=event.get(Key.TITLE),
        contract=event.get(Key.CONTRACT),
        agent=event.get(Key.AGENT),
        phase=event.phase,
        worktree=event.get(Key.WORKTREE),
        started_at=event.get(Key.FINISHED),
        started_on=oid_or_nothing(event.get(Key.FROM)) if again is None else again,
        next_number=number,
        first_number=number,
        parent=event.get(Key.PARENT),
        spawned_by=event.get(Key.SPAWNED_BY),
        actor=event.actor,
        forked_from=event.get(Key.FORKED_FROM),
        forked_session=event.get(Key.FORKED_SESSION),
    )


def _add(history: History, point: Checkpoint, status: str = "") -> None:
    """Add a checkpoint; `status` is the new status of its task, '' for no change."""
    history.checkpoints[point.tag] = point
    task = history.tasks.get(point.task_id) or Task(point.task_id, "active", worktree=point.worktree)
    number = max(task.next_number, point.number + 1)
    history.tasks[point.task_id] = replace(task, status=status or task.status, next_number=number)


def _apply(history: History, event: Event) -> None:
    task_id, effects = event.get(Key.TASK), event.effects
    if effects.starts:
        history.tasks[task_id] = _start(event, history.next_number(task_id), history.tasks.get(task_id))
    elif effects.answers and task_id in history.tasks:
        history.tasks[task_id] = replace(history.tasks[task_id], result=event.oid)
    elif effects.records:
        point = checkpoint_of(event)
        known = history.checkpoints.get(point.tag, point)  # the first event of a tag says its task and commit
        _add(history, point, effects.task)
        history.checkpoints[point.tag] = known
    elif effects.operation:
        history.operations.append(event)
    elif effects.steers and task_id in history.tasks:
        history.tasks[task_id] = replace(history.tasks[task_id], phase=event.phase)
    elif effects.steers:
        from devs_git.domain.ledger import event_contracts

        event_contracts.steer(history.contracts, event)
    _apply_moves(history, event)
    for line in event.all(Key.STATUS):
        name, status = line.split()
        task = history.tasks.get(name)
        # If one clone gave a task up and another completed it, it is completed, whichever came first.
        if task and (task.status, status) != ("completed", "abandoned"):
            history.tasks[name] = replace(task, status=status)


def _apply_moves(history: History, event: Event) -> None:
    points = history.checkpoints
    if event.effects.archives:
        from devs_git.domain.ledger import event_upkeep

        event_upkeep.name_archives(history.archives, event)
    for old, point in list(moved_checkpoints(event, points)):
        if point.tag not in points:
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
    """The state after all `events`, oldest first. `since` is the state before the first one; it is not changed."""
    base = since or History()
    known = dict(base.tasks), dict(base.checkpoints), list(base.operations), dict(base.contracts)
    history = History(base.tip, *known, dict(base.archives))
    for event in events:
        history.tip = event.oid
        if not event.failed:
            try:
                _apply(history, event)
            except ValueError as error:
                raise unreadable(event) from error
    return history
