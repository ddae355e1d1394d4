"""Which contracts the ledger has.

A contract does not have to be started: a task that names none belongs to the contract with the name of its branch.
"""

from __future__ import annotations

from devs_git.domain.ledger.event_contracts import Contract
from devs_git.domain.ledger.history import History
from devs_git.errors import DevsError


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
        f"There is no contract {name!r}.",
        hint="List tasks and contracts: devs-git resume. To start one: devs-git contract start NAME",
        contract=name,
    )
