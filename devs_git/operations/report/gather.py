"""Everything that a report shows, read once: the check of the repository, the history, tasks, gates and the timeline."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import devs_git
from devs_git.domain.audit.findings import Finding, once
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, History, fold
from devs_git.domain.report import room, scope, timeline
from devs_git.domain.report.facts import Gate, Mark, Report, Task
from devs_git.domain.report.scope import Scope
from devs_git.errors import DevsError
from devs_git.operations.audit import check_repository, verify_parts
from devs_git.operations.report import gate_facts, masking, task_facts
from devs_git.storage.documents import secrets
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger import clone_history
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class _Ledger:
    """The events of the ledger, oldest first; the history for this clone; and the gates. All are empty if git cannot read them."""

    events: tuple[Event, ...]
    history: History
    gates: tuple[Gate, ...]


def gather(workspace: Workspace, wanted: Scope, *, raw: bool) -> Report:
    """The report. With `raw` nothing is masked.

    TASK_NOT_FOUND, CONTRACT_NOT_FOUND; INVALID_ARGUMENTS{range, extra}; CONFLICT in a shallow clone.
    """
    if not raw:
        secrets.load_meanwhile()
    parts = tuple(verify_parts.PARTS)
    checked = check_repository.check(workspace, parts, wanted.range, signed=False)
    facts = checked.facts
    if facts is None:
        raise DevsError("CONFLICT", checked.findings[0].message, hint=checked.findings[0].fix)
    ledger = _read(workspace, facts)
    tasks = scope.tasks(wanted, ledger.history, *_of_range(facts, wanted))
    gates = tuple(gate for gate in ledger.gates if _has_gate(facts, wanted, gate, tasks))
    points = task_facts.by_task(ledger.history)
    marks, left_out = _timeline(ledger, wanted, {name: points.get(name, []) for name in tasks}, gates)
    found = once(checked.findings)
    report = Report(
        repository=_name(workspace),
        scope=wanted.words,
        made_at=workspace.started,
        version=devs_git.__version__,
        head=facts.head,
        branch=refs.branch(workspace.places.git_dir),
        ledger=facts.tip,
        ok=all(one.severity != "error" for one in found),
        findings=tuple((f"F{at}", one) for at, one in enumerate(_worst_first(found), 1)),
        counts=checked.counts,
        kinds=checked.kinds,
        tasks=tuple(_tasks(workspace, ledger.history, tasks, points)),
        gates=gates,
        marks=marks,
        rows_left_out=left_out,
        masked=not raw,
    )
    return report if raw else masking.mask(report)


def _worst_first(found: Iterable[Finding]) -> list[Finding]:
    return sorted(found, key=lambda one: one.severity != "error")


def _name(workspace: Workspace) -> str:
    """The name of the repository's folder. Its path is nobody else's business."""
    common: Path = workspace.places.common
    return (common.parent if common.name == ".git" else common).name.removesuffix(".git")


def _read(workspace: Workspace, facts: Facts) -> _Ledger:
    try:
        steps = facts.steps
        # Nobody can tell what the others say of tasks. `verify` names them.
        sound = (step.event for step in steps if not step.odd_field)
        history = clone_history.view_here(workspace.store_git, workspace.places.common, fold(sound))
        return _Ledger(tuple(step.event for step in steps), history, tuple(gate_facts.read(facts)))
    except GitFailed:
        # The check has a finding for what is missing.
        return _Ledger((), History(), ())


def _of_range(facts: Facts, wanted: Scope) -> tuple[frozenset[str], frozenset[str]]:
    """The commits of the range, and the tasks that their trailers name."""
    if not wanted.range or not facts.head:
        return frozenset(), frozenset()
    bounds = (facts.head, *([f"^{facts.base}"] if facts.base else []))
    form = f"%(trailers:key={TrailerKey.TASK},valueonly)"
    named = facts.git.text("log", f"--format={form}", *bounds, "--").split()
    return frozenset(commit.oid for commit in facts.commits), frozenset(named)


def _has_gate(facts: Facts, wanted: Scope, gate: Gate, tasks: Collection[str]) -> bool:
    if wanted.is_all or gate.task_id in tasks:
        return True
    if not wanted.range:
        return False
    request = facts.judgement.gates.get(gate.gate_id)
    head = request.text("git_head") if request else ""
    return any(commit.oid == head or commit.gate == gate.gate_id for commit in facts.commits)


def _timeline(
    ledger: _Ledger, wanted: Scope, points: dict[str, list[Checkpoint]], gates: tuple[Gate, ...]
) -> tuple[tuple[Mark, ...], int]:
    order = {event.oid: at for at, event in enumerate(ledger.events)}
    shown = [point for group in points.values() for point in group if not point.replaced]
    tags = {point.tag for point in shown}
    operations = [
        event
        for event in ledger.history.operations
        if wanted.is_all or timeline.concerns(event, points, tags)
    ]
    return timeline.marks(order, shown, operations, gates)


def _tasks(
    workspace: Workspace, history: History, names: tuple[str, ...], points: dict[str, list[Checkpoint]]
) -> Iterator[Task]:
    """The tasks. Several are read at once, because each takes five children of git."""
    most = room.patch_bytes(len(names))
    _ = workspace.git, workspace.store_git

    def read(name: str) -> Task:
        return task_facts.read(workspace, history, name, points.get(name, []), most)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for done, task in enumerate(pool.map(read, names)):
            workspace.progress("reading tasks", done, len(names))
            yield task
    workspace.progress("", 1, 1)
