"""Contracts: named lines of work, each with the session that steers it, and the phase of the work.

A contract does not have to be started: a task that names none belongs to the contract with the name of its branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.ledger.event_contracts import ContractStarted, PhaseChanged
from devs_git.errors import DevsError
from devs_git.values import immutable, replace

if TYPE_CHECKING:
    from devs_git.domain.ledger.events import Event
    from devs_git.domain.ledger.history import History


@immutable
class Contract:
    """A contract that was started, or whose phase was set. The newest start counts; `client` and `session` are its supervisor's."""

    name: str
    phase: str = ""
    client: str = ""
    session: str = ""
    actor: str = ""
    started_at: str = ""


def apply(history: History, event: Event) -> None:
    """Change the contracts, or the phase of a task, as an event of these types says."""
    if event.type == ContractStarted.type:
        said = ContractStarted.of(event)
        known = history.contracts.get(said.contract) or Contract(said.contract)
        history.contracts[said.contract] = replace(
            known, client=said.client, session=said.session, actor=event.actor, started_at=event.finished
        )
        return
    changed = PhaseChanged.of(event)
    if changed.contract:
        known = history.contracts.get(changed.contract) or Contract(changed.contract)
        history.contracts[changed.contract] = replace(known, phase=changed.phase)
    elif changed.task in history.tasks:
        history.tasks[changed.task] = replace(history.tasks[changed.task], phase=changed.phase)


def require(history: History, name: str) -> Contract:
    """The contract with this name, also one that only tasks name; CONTRACT_NOT_FOUND."""
    if name in history.contracts:
        return history.contracts[name]
    if any(task.contract == name for task in history.tasks.values()):
        return Contract(name)
    raise not_found(name)


def not_found(name: str) -> DevsError:
    """The refusal of a contract that the ledger does not have."""
    return DevsError(
        "CONTRACT_NOT_FOUND",
        "There is no such contract.",
        hint="Start it: devs-git contract start NAME",
        contract=name,
    )
