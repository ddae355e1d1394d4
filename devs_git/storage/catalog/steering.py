"""What the ledger says of contracts and phases, so that a reader of the newest rows need not read the whole ledger.

`ledger_marks` keeps it up to date. Contracts and phases are those of a time: a task may have been in several phases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devs_git.domain.ledger.events import Event
from devs_git.storage.catalog.database import Catalog

if TYPE_CHECKING:
    from devs_git.domain.timeline.belonging import Belonging, Share

# SQL of the contract and of the phase of a task at a time; both are expressions of the caller's query. What belongs to no task
# and no contract has no phase: a row with an empty task is that of a contract.
CONTRACT: Final = (
    "coalesce((SELECT contract FROM steering WHERE task_id = {task} AND contract <> '' ORDER BY at DESC, number DESC "
    "LIMIT 1), '')"
)
PHASE: Final = (
    "coalesce(nullif((SELECT phase FROM steering WHERE {task} <> '' AND task_id = {task} AND at <= {at} "
    "ORDER BY at DESC, number DESC LIMIT 1), ''), (SELECT phase FROM steering WHERE {contract} <> '' AND task_id = '' "
    "AND contract = {contract} AND at <= {at} ORDER BY at DESC, number DESC LIMIT 1), '')"
)

# Values in one query of the index. Where more tasks belong to a contract, a page is full before many others are read.
_MANY: Final = 900


def apply_event(catalog: Catalog, event: Event) -> None:
    """Note what an event says, inside `fulltext.write_transaction`. An event that was noted already changes nothing."""
    # Late: whoever only reads the rows needs no types of events.
    from devs_git.domain.ledger import event_names
    from devs_git.domain.ledger.event_contracts import PhaseChanged
    from devs_git.domain.ledger.event_tasks import TaskStarted

    if event.failed or event.type not in (TaskStarted.type, PhaseChanged.type):
        return
    catalog.base.execute(
        "INSERT OR IGNORE INTO steering (event, task_id, contract, phase, at) VALUES (?, ?, ?, ?, ?)",
        (event.oid, event.task, event_names.contract_of(event), event.phase, event.finished),
    )


def forget(catalog: Catalog) -> None:
    """Delete all rows: the ledger is another one."""
    catalog.base.execute("DELETE FROM steering")


def contract_of(catalog: Catalog, task_id: str) -> str:
    """The contract of a task, '' if it is not known."""
    return str(catalog.rows(f"SELECT {CONTRACT.format(task='?')}", task_id)[0][0])


def phase_at(catalog: Catalog, task_id: str, contract: str, at: str) -> str:
    """The phase that a task had at a time: its own, else that of its contract, else ''."""
    query = f"SELECT {PHASE.format(task='?1', at='?2', contract='?3')}"
    return str(catalog.rows(query, task_id, at, contract)[0][0])


def phases_of(catalog: Catalog, task_id: str) -> list[tuple[str, str]]:
    """Each phase that a task was in, and since when: its own, else its contract's."""
    contract = contract_of(catalog, task_id)
    rows = catalog.rows(
        "SELECT task_id, phase, at FROM steering WHERE task_id = ? OR (task_id = '' AND contract = ?) ORDER BY at, number",
        task_id,
        contract,
    )
    found: list[tuple[str, str]] = []
    own = shared = ""
    started = False
    for task, phase, at in rows:
        if task:
            own, started = phase, True
        else:
            shared = phase
        now = own or shared
        if started and now and (not found or found[-1][0] != now):
            found.append((now, at))
    return found


def find_belonging(catalog: Catalog, contract: str, phase: str) -> Belonging:
    """What belongs to a contract and to a phase, each '' for none. It may have more than belongs, and has no less."""
    from devs_git.domain.timeline.belonging import Belonging

    return Belonging(_of_contract(catalog, contract), _of_phase(catalog, phase) if phase else None)


def _of_contract(catalog: Catalog, contract: str, begin: str = "", end: str = "") -> tuple[Share, ...] | None:
    from devs_git.domain.timeline.belonging import Share

    query = "SELECT DISTINCT task_id FROM steering WHERE contract = ? AND task_id <> '' LIMIT ?"
    tasks = tuple(str(row[0]) for row in catalog.rows(query, contract, _MANY))
    return (Share(tasks, contract, begin, end),) if contract and len(tasks) < _MANY else None


def _of_phase(catalog: Catalog, phase: str) -> tuple[Share, ...] | None:
    """The tasks that were in the phase, and contracts for the time in which they were."""
    from devs_git.domain.timeline.belonging import Share

    query = "SELECT DISTINCT task_id FROM steering WHERE phase = ? AND task_id <> '' LIMIT ?"
    found = [Share(tuple(str(row[0]) for row in catalog.rows(query, phase, _MANY)))]
    rows = catalog.rows(
        "SELECT contract, phase, at FROM steering WHERE task_id = '' ORDER BY contract, at, number"
    )
    for at, (contract, name, begin) in enumerate(rows):
        if name == phase and contract:
            later = rows[at + 1] if at + 1 < len(rows) else ("", "", "")
            share = _of_contract(catalog, contract, begin, later[2] if later[0] == contract else "")
            if share is None:
                return None
            found += share
    return tuple(found) if sum(1 + len(one.tasks) for one in found) < _MANY else None


def is_task(catalog: Catalog, task_id: str) -> bool:
    """Whether this task was started."""
    return bool(catalog.rows("SELECT 1 FROM steering WHERE task_id = ? LIMIT 1", task_id))


def is_contract(catalog: Catalog, name: str) -> bool:
    """Whether a task belongs to this contract, or its phase was set."""
    return bool(catalog.rows("SELECT 1 FROM steering WHERE contract = ? LIMIT 1", name))
