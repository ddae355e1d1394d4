"""The gate that a caller names by its id, by the beginning of it, or not at all, if only one is open."""

from __future__ import annotations

from devs_git.domain.gates.gate_model import ONLY_OPEN
from devs_git.domain.text import beginnings
from devs_git.errors import DevsError, invalid
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace


def find(workspace: Workspace, name: str) -> str:
    """The id of the gate. INVALID_ARGUMENTS {gate_id} if several fit, GATE_NOT_FOUND if none is open. An unknown name stays as it is."""
    tip = workspace.ledger.require()
    if name == ONLY_OPEN:
        return _only_open(gate_files.open_ids(tip))
    return beginnings.complete(name, gate_files.all_ids(tip), field="gate_id", what="gates") or name


def _only_open(gates: tuple[str, ...]) -> str:
    if not gates:
        raise DevsError(
            "GATE_NOT_FOUND",
            "No gate is open.",
            hint="See those that were decided: devs-git gate list --status ALL",
        )
    if len(gates) > 1:
        raise invalid(
            "gate_id", "Several gates are open. Name one of them.", hint=f"They are: {', '.join(gates)}"
        )
    return gates[0]
