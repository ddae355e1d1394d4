"""What the ledger says: tasks, checkpoints and operations, folded from events, oldest first (DESIGN 3).

Live, rewound or dropped comes from events alone, never from a ref's existence. Events that failed change nothing.
Each event says outright what it changes: `Devs-Status: task-11 rewound`, `Devs-Undone: <tag>`, `Devs-Revived: <tag>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from devs_git.domain.events import Event
from devs_git.errors import DevsError
from devs_git.values import field, immutable, mutable, replace

CHECKPOINT_EVENTS: Final = frozenset({"checkpoint.created", "task.completed"})
OPERATIONS: Final = frozenset({"rewound", "undone", "restored", "dropped"})


def unreadable(event: Event) -> DevsError:
    """For an event whose fields are not as we write them: a ledger may come from anybody."""
    text = f"An event of the ledger, {event.oid or event.subject}, is not as devs-git writes them."
    return DevsError("LEDGER_MUTATED", text, hint="See who wrote it: git log devs/ledger")


@immutable
class Checkpoint:
    """One state that can be returned to. `tag` is the oid of its annotated tag object, its identity."""

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

    @property
    def name(self) -> str:
        return f"{self.task_id}@{self.number}"

    @property
    def status(self) -> str:
        """As the checkpoint itself was recorded; a live one's task may have been completed since (see `rows`)."""
        if not self.live:
            return "rewound"
        return "completed" if self.completed else "active"


@immutable
class Task:
    """A task as the ledger knows it; `status` is active, completed, rewound or dropped."""

    task_id: str
    status: str
    title: str = ""
    contract: str = ""
    agent: str = ""
    phase: str = ""
    worktree: str = ""
    started_at: str = ""
    result: str = ""
    next_number: int = 1


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
    """The checkpoint that a `checkpoint.created` or `task.completed` event records."""
    changed, added, removed = (int(part) for part in event.get("Devs-Stat", "0 0 0").split())
    return Checkpoint(
        task_id=event.get("Devs-Task"),
        number=int(event.get("Devs-Number", "0")),
        tag=event.get("Devs-Tag"),
        commit=event.get("Devs-Commit"),
        tree=event.get("Devs-Tree"),
        branch=event.get("Devs-Branch"),
        worktree=event.get("Devs-Worktree"),
        message=event.get("Devs-Message"),
        files_changed=changed,
        lines_added=added,
        lines_removed=removed,
        created_at=event.get("Devs-Finished"),
        completed=event.type == "task.completed",
        event=event.oid,
    )


def move_of(line: str, event: Event) -> tuple[str, dict[str, Any]]:
    """Old tag and what is new, of a `Devs-Moved: <old tag> <new tag> <number> <commit> <tree> [<stat>]`."""
    old, new, number, commit, tree, *stat = line.split()
    changes: dict[str, Any] = {
        "tag": new,
        "number": int(number),
        "commit": commit,
        "tree": tree,
        "created_at": event.get("Devs-Finished"),
        "event": event.oid,
    }
    figures = ("files_changed", "lines_added", "lines_removed")
    return old, changes | dict(zip(figures, map(int, stat), strict=False))


def moved_checkpoints(event: Event, known: dict[str, Checkpoint]) -> Iterator[tuple[str, Checkpoint]]:
    """Old tag and new checkpoint of each `Devs-Moved`."""
    for line in event.all("Devs-Moved"):
        old, changes = move_of(line, event)
        if old in known:
            yield old, replace(known[old], **changes)


def _start(event: Event, before: Task | None) -> Task:
    return Task(
        task_id=event.get("Devs-Task"),
        status="active",
        title=event.get("Devs-Title"),
        contract=event.get("Devs-Contract"),
        agent=event.get("Devs-Agent"),
        phase=event.get("Devs-Phase"),
        worktree=event.get("Devs-Worktree"),
        started_at=event.get("Devs-Finished"),
        next_number=before.next_number if before else 1,
    )


def _add(history: History, point: Checkpoint, *, completes: bool) -> None:
    history.checkpoints[point.tag] = point
    task = history.tasks.get(point.task_id) or Task(point.task_id, "active", worktree=point.worktree)
    status = "completed" if completes else task.status
    history.tasks[point.task_id] = replace(
        task, status=status, next_number=max(task.next_number, point.number + 1)
    )


def _apply(history: History, event: Event) -> None:
    task_id = event.get("Devs-Task")
    if event.type == "task.started":
        history.tasks[task_id] = _start(event, history.tasks.get(task_id))
    elif event.type == "task.result" and task_id in history.tasks:
        history.tasks[task_id] = replace(history.tasks[task_id], result=event.oid)
    elif event.type in CHECKPOINT_EVENTS:
        point = checkpoint_of(event)
        _add(history, point, completes=point.completed)
    elif event.type in OPERATIONS:
        history.operations.append(event)
    _apply_moves(history, event)
    for line in event.all("Devs-Status"):
        name, status = line.split()
        if name in history.tasks:
            history.tasks[name] = replace(history.tasks[name], status=status)


def _apply_moves(history: History, event: Event) -> None:
    for old, point in list(moved_checkpoints(event, history.checkpoints)):
        history.checkpoints[old] = replace(history.checkpoints[old], live=False)
        _add(history, point, completes=False)
    for line in event.all("Devs-Renumbered"):
        tag, _, number = line.partition(" ")
        if tag in history.checkpoints:
            _add(history, replace(history.checkpoints[tag], number=int(number)), completes=False)
    for key, live in (("Devs-Undone", False), ("Devs-Revived", True)):
        for tag in event.all(key):
            if tag in history.checkpoints:
                history.checkpoints[tag] = replace(history.checkpoints[tag], live=live)


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
