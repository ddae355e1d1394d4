"""What a name means for `resume`, and what can be resumed at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

from devs_git.domain.ledger import contracts, ids
from devs_git.domain.ledger.event_contracts import Contract
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.domain.recall import message_cuts
from devs_git.domain.recall.message_cuts import Successor
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.storage.catalog import messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable, replace

_TARGET = re.compile(f"{ids.TARGET_FORM}", re.ASCII)


@immutable
class ResumeTarget:
    """A task, with the checkpoint that was named, or a contract: one of `task` and `contract` is None."""

    task: Task | None = None
    point: Checkpoint | None = None
    contract: Contract | None = None

    @property
    def name(self) -> str:
        """The name of the checkpoint, of the task or of the contract."""
        one = self.point or self.task
        return (
            self.contract.name if self.contract else getattr(one, "name", "") or getattr(one, "task_id", "")
        )


@immutable
class Row:
    """A task or a contract. `session_id` is that of its last session, '' if none is known; `seen_at`: its last sign.

    `contract` is that of a task, too.
    """

    kind: Literal["task", "contract"]
    task_id: str
    contract: str
    title: str
    status: str
    phase: str
    client: str
    session_id: str
    seen_at: str


def find(git: Git, history: History, name: str, *, contract: bool) -> ResumeTarget:
    """What a name means: a task, if there is one, else a contract. `contract`: the contract, in any case.

    TASK_NOT_FOUND, CHECKPOINT_NOT_FOUND, CONTRACT_NOT_FOUND.
    """
    if not contract and _TARGET.fullmatch(name):
        target = ids.parse_target(name)
        if target.task in history.tasks:
            point = named_checkpoint.find(git, history, str(target)) if target.number is not None else None
            return ResumeTarget(history.tasks[target.task], point)
    try:
        return ResumeTarget(contract=contracts.require(history, name))
    except DevsError:
        if contract:
            raise
        raise DevsError(
            "TASK_NOT_FOUND",
            "There is no task and no contract with this name.",
            hint="See what can be resumed: devs-git resume",
            task_id=name,
        ) from None


def look_up(git: Git, tip: Tip, name: str) -> ResumeTarget:
    """The same for a mode that moves no code: the index says which events are read, and where it knows no such task, all are."""
    with suppress(DevsError):
        return find(git, listing.of_tasks(tip, ids.parse_target(name).task), name, contract=False)
    return find(git, tip.here, name, contract=False)


def rows(history: History, catalog: Catalog, steps: Mapping[str, Successor]) -> list[Row]:
    """All tasks, and all contracts that have a supervisor, the newest sign first. `steps`: which sessions go on in others."""
    last = {point.task_id: point.created_at for point in history.checkpoints.values()}
    found = [_task_row(history, catalog, task, last.get(name, "")) for name, task in history.tasks.items()]
    found += [_contract_row(catalog, one) for one in history.contracts.values() if one.session]
    return sorted((_at_its_end(row, steps) for row in found), key=key, reverse=True)


def _at_its_end(row: Row, steps: Mapping[str, Successor]) -> Row:
    line = message_cuts.line_of(steps, row.session_id)
    return replace(row, session_id=line[-1].session_id) if line else row


def key(row: Row) -> str:
    """The key of a row in the list."""
    return f"{row.seen_at} {row.kind} {row.task_id or row.contract}"


def _task_row(history: History, catalog: Catalog, task: Task, last: str) -> Row:
    """`last`: the time of its last checkpoint, '' if it has none."""
    known = messages.session_of_task(catalog, task.task_id)
    signs = (task.started_at, known.seen_at if known else "", last)
    return Row(
        kind="task",
        task_id=task.task_id,
        contract=task.contract,
        title=task.title,
        status=task.status,
        phase=history.phase_of(task),
        client=known.client if known else "",
        session_id=known.session_id if known else "",
        seen_at=max(signs),
    )


def _contract_row(catalog: Catalog, known: Contract) -> Row:
    session = messages.session(catalog, known.session)
    return Row(
        kind="contract",
        task_id="",
        contract=known.name,
        title="",
        status="",
        phase=known.phase,
        client=(session.client if session else "") or known.client,
        session_id=known.session,
        seen_at=max(known.started_at, session.seen_at if session else ""),
    )
