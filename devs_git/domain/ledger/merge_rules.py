"""Merge two ledgers that clones wrote offline: the tree of the merge, and what its event says.

No event is rewritten, so every oid in a trailer or a signature stays valid. The remote comes first:
- the policy, the decisions and the open gates are what the rule of belief says of such a merge;
- any other path that only one side has is in the merged tree; if both have it with different content, the remote's stays,
  and ours is kept below `superseded/<oid>`;
- if a checkpoint of ours has a number that the remote also gave, it gets the next free one; its tag object stays;
- if both completed a task, the remote's completion counts; ours can be named by its number;
- a task that both worked on is completed if it has a live completion, else active if it has another live checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from devs_git.domain.audit.ledger_shape import Change
from devs_git.domain.belief import Belief, Merge, ReplacedFile, layout
from devs_git.domain.ledger.event_gates import GateDecided
from devs_git.domain.ledger.event_merges import LedgersMerged
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.values import immutable


def union(changes: Iterable[Change], merge: Merge) -> tuple[tuple[str, str], ...]:
    """The files to add to the remote's tree: a path and a blob, '' to delete the file, or MARKER for a marker.

    `changes` is the difference of the two trees (`old` is the remote's blob, `new` ours). `merge` has the files that govern.
    """
    files: dict[str, str] = {}
    for row in changes:
        if layout.governs(row.path) or not row.new:
            continue
        files[layout.aside(row.new) if row.old else row.path] = row.new
    return (*files.items(), *merge.files)


def collisions(changes: Iterable[Change]) -> Iterator[Superseded]:
    """The paths that both sides have with different content, without those that govern. Ours is superseded."""
    for row in changes:
        if row.old and row.new and not layout.governs(row.path):
            yield Superseded(row.path, layout.aside(row.new), why="The other side was first.")


@immutable
class Superseded:
    """Content that was superseded: its path, where the ledger keeps it, and why.

    For a decision there are also its gate, the decision itself, the decision that counts and its reviewer ('' if the gate is
    open again), and the commit that it landed, if the decision that counts differs.
    """

    path: str
    kept: str
    gate_id: str = ""
    decision: str = ""
    stands: str = ""
    reviewer: str = ""
    commit: str = ""
    why: str = ""


def superseded_rows(
    gave_way: Iterable[ReplacedFile], belief: Belief, at: str, events: Mapping[str, Event]
) -> Iterator[Superseded]:
    """What was superseded by the event `at`, for people; `events` are by their oids."""
    nothing = Event("", "", ())
    for one in gave_way:
        if one.path.endswith(".sig"):
            # A signature belongs to the row of its decision.
            continue
        lost = GateDecided.of(events.get(belief.event_of(one.number), nothing))
        stands = GateDecided.of(events.get(belief.event_of(one.stands), nothing))
        landed = lost.landing.commit if lost.landing and lost.decision != stands.decision else ""
        yield Superseded(
            path=one.path,
            kept=one.kept,
            gate_id=one.gate_id,
            decision=lost.decision,
            stands=stands.decision,
            reviewer=stands.reviewer,
            commit=landed,
            why=belief.why(one, at),
        )


@immutable
class Settlement:
    """What the merge changes: new numbers of our checkpoints, our completions that are superseded, statuses of tasks."""

    renumbered: tuple[tuple[Checkpoint, int], ...] = ()
    undone: tuple[Checkpoint, ...] = ()
    statuses: tuple[tuple[str, str], ...] = ()


def content_of_event(remote: str, gave_way: Iterable[Superseded], settled: Settlement) -> LedgersMerged:
    """What the event of the merge says."""
    rows = tuple(gave_way)
    return LedgersMerged(
        remote=remote,
        superseded=tuple((row.path, row.kept) for row in rows),
        gates=tuple(dict.fromkeys(row.gate_id for row in rows if row.gate_id)),
        renumbered=tuple((point.tag, number) for point, number in settled.renumbered),
        undone=tuple(point.tag for point in settled.undone),
        statuses=settled.statuses,
    )


def settle(
    remote: History, local: History, whole: History, both_changed: frozenset[str], highest: Mapping[str, int]
) -> Settlement:
    """What the event must say, so that `whole`, the fold of both sides, is one history.

    `both_changed` are the tasks that both sides changed. `highest` is the highest number in a ref of each task that has one.
    """
    new = [whole.checkpoints[tag] for tag in local.checkpoints if tag not in remote.checkpoints]
    numbers = {(point.task_id, point.number) for point in remote.checkpoints.values()}
    next_numbers: dict[str, int] = {}
    renumbered = []
    for point in new:
        if (point.task_id, point.number) in numbers:
            least = max(whole.next_number(point.task_id), highest.get(point.task_id, 0) + 1)
            number = next_numbers.get(point.task_id, least)
            next_numbers[point.task_id] = number + 1
            renumbered.append((point, number))
    others = [point for tag, point in whole.checkpoints.items() if tag not in local.checkpoints]
    completed = {point.task_id for point in others if point.live and point.completed}
    undone = tuple(p for p in new if p.live and p.completed and p.task_id in completed)
    statuses = tuple(
        (task, status)
        for task in sorted(both_changed & whole.tasks.keys())
        if (status := _status(whole, task, undone)) != whole.tasks[task].status
    )
    return Settlement(tuple(renumbered), undone, statuses)


def _status(whole: History, task: str, undone: tuple[Checkpoint, ...]) -> str:
    live = [point for point in whole.of_task(task) if point.live and point not in undone]
    if any(point.completed for point in live):
        return "completed"
    return "active" if live else whole.tasks[task].status


def tasks_changed_by(events: Iterable[Event], history: History) -> frozenset[str]:
    """The tasks that these events change; `history` must have their checkpoints."""
    found: set[str] = set()
    for event in events:
        found |= {event.task} if event.task else set()
        found |= {task for task, _ in event.statuses}
        tags = (*(words[0] for words in event.moves if words), *event.undone, *event.revived)
        found |= {history.checkpoints[tag].task_id for tag in tags if tag in history.checkpoints}
    return frozenset(found)


def subject(remote: str, remote_count: int, own_count: int, rows: tuple[Superseded, ...]) -> str:
    """The subject of the merge's event; the counts are events that only one side has."""
    decision = next((row for row in rows if row.gate_id), None)
    if decision:
        now = f"{decision.stands} stands" if decision.stands else "it is open again"
        return f"sync: gate {decision.gate_id}: {now}, {decision.decision} is superseded"
    return f"sync: join {own_count} event{'' if own_count == 1 else 's'} of this clone with {remote_count} of {remote}"
