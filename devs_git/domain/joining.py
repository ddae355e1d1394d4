"""Two ledgers that clones wrote offline become one: what the merge's tree holds and what its event says (DESIGN 3).

No event is written again, so every oid that a trailer or a signature names stays valid. The remote was first:
- a path that only one side has is in the union; where both have it with other content the remote's stays, and ours is
  kept under `superseded/<oid>`, a decision's signature beside it;
- `open/<gate>` is there exactly for the requests that neither side has decided;
- a policy that only one side changed is in force; where both did, or where the decision that put ours into force gave
  way, the remote's;
- a checkpoint of ours whose number the remote has given too gets the next free one; its tag object stays;
- of a task that both completed the remote's completion stays; ours is reached by its number;
- a task that both worked on is completed if a completion of it lives, else active if another checkpoint does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from devs_git.domain.audit_ledger import Change
from devs_git.domain.events import Event
from devs_git.domain.gates import RESOLVING
from devs_git.domain.history import Checkpoint, History
from devs_git.domain.policy import IN_FORCE
from devs_git.values import immutable

MERGED, SUPERSEDED = "ledger.merged", "superseded"
_FOLDER: Final = "superseded"


@immutable
class Union:
    """What is put on the remote's tree: blobs of ours by path ('' takes a marker out), and which of ours gave way.

    `kept`: path in our ledger and where its content is now.
    """

    files: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...]


def union(changes: Iterable[Change], base_policy: str, policy_gates: frozenset[str]) -> Union:
    """The union of two trees that differ by `changes` (`old` the remote's blob, `new` ours).

    `base_policy` is the policy's blob where the two parted; our policy came by decisions on `policy_gates`.
    """
    rows = tuple(changes)
    decided = {gate for row in rows if (gate := _gate(row.path, "decision.yaml"))}
    clashing = {
        gate: row for row in rows if row.old and row.new and (gate := _gate(row.path, "decision.yaml"))
    }
    files: dict[str, str] = {}
    kept: dict[str, str] = {}
    for row in rows:
        signed = clashing.get(_gate(row.path, "decision.yaml.sig"))
        if row.path.startswith("open/"):
            if row.path[5:] in decided:
                files |= {row.path: ""} if row.old else {}
            elif not row.old:
                files[row.path] = row.new
        elif not row.new:
            continue
        elif signed:
            kept[row.path] = f"{_FOLDER}/{signed.new}.sig"
        elif row.path == IN_FORCE:
            if row.new != base_policy:
                ours = row.old == base_policy and not policy_gates & clashing.keys()
                (files if ours else kept)[row.path] = row.new if ours else f"{_FOLDER}/{row.new}"
        elif row.old:
            kept[row.path] = f"{_FOLDER}/{row.new}"
        else:
            files[row.path] = row.new
    blobs = {row.path: row.new for row in rows}
    files |= {place: blobs[path] for path, place in kept.items()}
    return Union(tuple(files.items()), tuple(kept.items()))


def _gate(path: str, name: str) -> str:
    """The gate whose file `name` this path is; '' for any other path."""
    folder, _, last = path.rpartition("/")
    return folder[6:] if last == name and folder.startswith("gates/") else ""


@immutable
class Superseded:
    """Content of ours that gave way: its path, and where the ledger keeps it.

    Of a decision also the gate, ours, the one that stands with its reviewer, and the commit that ours landed, if any,
    when what stands does not cover it.
    """

    path: str
    kept: str
    gate_id: str = ""
    decision: str = ""
    stands: str = ""
    reviewer: str = ""
    commit: str = ""


def superseded(
    kept: Iterable[tuple[str, str]], theirs: Iterable[Event], ours: Iterable[Event]
) -> tuple[Superseded, ...]:
    """Rows for people of what gave way; `theirs` and `ours` are the events that only one side has."""
    first, second = _decisions(theirs), _decisions(ours)
    rows = []
    for path, place in kept:
        gate = _gate(path, "decision.yaml")
        if gate in first and gate in second:
            said, stands = second[gate], first[gate].get("Devs-Decision")
            commit = said.get("Devs-Commit") if said.get("Devs-Decision") != stands else ""
            reviewer = first[gate].get("Devs-Reviewer")
            rows.append(Superseded(path, place, gate, said.get("Devs-Decision"), stands, reviewer, commit))
        elif not path.endswith("/decision.yaml.sig"):  # it went along with its decision
            rows.append(Superseded(path, place))
    return tuple(rows)


def _decisions(events: Iterable[Event]) -> dict[str, Event]:
    return {e.get("Devs-Gate"): e for e in events if e.type in RESOLVING and not e.failed}


def policy_gates(ours: Iterable[Event]) -> frozenset[str]:
    """The gates whose decision put a policy into force in one of these events."""
    return frozenset(e.get("Devs-Gate") for e in ours if e.type == "policy.set" and e.get("Devs-Gate"))


@immutable
class Settled:
    """What the merge says of checkpoints and tasks: new numbers of ours, completions that give way, statuses."""

    renumbered: tuple[tuple[Checkpoint, int], ...] = ()
    undone: tuple[Checkpoint, ...] = ()
    statuses: tuple[tuple[str, str], ...] = ()

    def trailers(self) -> tuple[tuple[str, str], ...]:
        return (
            *(("Devs-Renumbered", f"{point.tag} {number}") for point, number in self.renumbered),
            *(("Devs-Undone", point.tag) for point in self.undone),
            *(("Devs-Status", f"{task} {status}") for task, status in self.statuses),
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


def touched(events: Iterable[Event], history: History) -> frozenset[str]:
    """The tasks that these events change; `history` knows their checkpoints."""
    found: set[str] = set()
    for event in events:
        found |= {event.get("Devs-Task")} if event.get("Devs-Task") else set()
        found |= {line.split()[0] for line in event.all("Devs-Status")}
        tags = (
            line.split()[0]
            for key in ("Devs-Moved", "Devs-Undone", "Devs-Revived")
            for line in event.all(key)
        )
        found |= {history.checkpoints[tag].task_id for tag in tags if tag in history.checkpoints}
    return frozenset(found)


def subject(remote: str, theirs: int, ours: int, gave_way: tuple[Superseded, ...]) -> str:
    """The merge's first line."""
    decision = next((row for row in gave_way if row.gate_id), None)
    if decision:
        return f"sync: gate {decision.gate_id}: {decision.stands} stands, {decision.decision} is superseded"
    return f"sync: join {ours} event{'' if ours == 1 else 's'} of this clone with {theirs} of {remote}"
