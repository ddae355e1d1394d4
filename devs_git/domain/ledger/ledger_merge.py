"""Two ledgers that clones wrote offline become one: what the merge's tree holds and what its event says.

No event is written again, so every oid that a trailer or a signature names stays valid. The remote was first:
- the policy, the decisions and what is open are what the rule of belief says of such a merge;
- any other path that only one side has is in the union; where both have it with other content the remote's stays, and
  ours is kept under `superseded/<oid>`;
- a checkpoint of ours whose number the remote has given too gets the next free one; its tag object stays;
- of a task that both completed the remote's completion stays; ours is reached by its number;
- a task that both worked on is completed if a completion of it lives, else active if another checkpoint does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from devs_git.domain.audit.ledger_shape import Change
from devs_git.domain.belief import Belief, GaveWay, Merge, layout
from devs_git.domain.ledger.event_gates import GateDecided
from devs_git.domain.ledger.event_merges import LedgersMerged
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.values import immutable


def union(changes: Iterable[Change], merge: Merge) -> tuple[tuple[str, str], ...]:
    """What is put on the remote's tree: blobs by path, '' for a file that goes and MARKER for a marker.

    The two trees differ by `changes` (`old` the remote's blob, `new` ours); what governs is in `merge`.
    """
    files: dict[str, str] = {}
    for row in changes:
        if layout.governs(row.path) or not row.new:
            continue
        files[layout.aside(row.new) if row.old else row.path] = row.new
    return (*files.items(), *merge.files)


def collisions(changes: Iterable[Change]) -> Iterator[Superseded]:
    """What the two sides have at one path with other content, but for what governs; ours gave way."""
    for row in changes:
        if row.old and row.new and not layout.governs(row.path):
            yield Superseded(row.path, layout.aside(row.new), why="The other side was first.")


@immutable
class Superseded:
    """Content that gave way: its path, where the ledger keeps it, and why.

    Of a decision also its gate, itself, the one that stands with its reviewer ('' where the gate is open again), and the
    commit that it landed, if what stands does not cover it.
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
    gave_way: Iterable[GaveWay], belief: Belief, at: str, events: Mapping[str, Event]
) -> Iterator[Superseded]:
    """Rows for people of what gave way by the event `at`; `events` by their oids."""
    nothing = Event("", "", ())
    for one in gave_way:
        if one.path.endswith(".sig"):
            # It went along with its decision.
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
class Settled:
    """What the merge says of checkpoints and tasks: new numbers of ours, completions that give way, statuses."""

    renumbered: tuple[tuple[Checkpoint, int], ...] = ()
    undone: tuple[Checkpoint, ...] = ()
    statuses: tuple[tuple[str, str], ...] = ()


def content_of_event(remote: str, gave_way: Iterable[Superseded], settled: Settled) -> LedgersMerged:
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
    theirs: History, ours: History, whole: History, touched: frozenset[str], taken: Mapping[str, int]
) -> Settled:
    """What has to be said so that `whole`, the fold of both sides, is one history.

    `touched` are the tasks that both sides changed, `taken` the highest number of a ref of each task, if any.
    """
    new = [whole.checkpoints[tag] for tag in ours.checkpoints if tag not in theirs.checkpoints]
    numbers = {(point.task_id, point.number) for point in theirs.checkpoints.values()}
    following: dict[str, int] = {}
    renumbered = []
    for point in new:
        if (point.task_id, point.number) in numbers:
            least = max(whole.next_number(point.task_id), taken.get(point.task_id, 0) + 1)
            number = following.get(point.task_id, least)
            following[point.task_id] = number + 1
            renumbered.append((point, number))
    others = [point for tag, point in whole.checkpoints.items() if tag not in ours.checkpoints]
    completed = {point.task_id for point in others if point.live and point.completed}
    undone = tuple(p for p in new if p.live and p.completed and p.task_id in completed)
    statuses = tuple(
        (task, status)
        for task in sorted(touched & whole.tasks.keys())
        if (status := _status(whole, task, undone)) != whole.tasks[task].status
    )
    return Settled(tuple(renumbered), undone, statuses)


def _status(whole: History, task: str, undone: tuple[Checkpoint, ...]) -> str:
    live = [point for point in whole.of_task(task) if point.live and point not in undone]
    if any(point.completed for point in live):
        return "completed"
    return "active" if live else whole.tasks[task].status


def touched_tasks(events: Iterable[Event], history: History) -> frozenset[str]:
    """The tasks that these events change; `history` knows their checkpoints."""
    found: set[str] = set()
    for event in events:
        found |= {event.task} if event.task else set()
        found |= {task for task, _ in event.statuses}
        tags = (*(words[0] for words in event.moves if words), *event.undone, *event.revived)
        found |= {history.checkpoints[tag].task_id for tag in tags if tag in history.checkpoints}
    return frozenset(found)


def subject(remote: str, theirs: int, ours: int, gave_way: tuple[Superseded, ...]) -> str:
    """The merge's first line."""
    decision = next((row for row in gave_way if row.gate_id), None)
    if decision:
        now = f"{decision.stands} stands" if decision.stands else "it is open again"
        return f"sync: gate {decision.gate_id}: {now}, {decision.decision} is superseded"
    return f"sync: join {ours} event{'' if ours == 1 else 's'} of this clone with {theirs} of {remote}"
