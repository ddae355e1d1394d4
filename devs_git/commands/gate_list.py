"""`gate list`: the gates that wait for a decision, oldest first, or those with another status. Tier 0."""

from __future__ import annotations

from devs_git.domain.gates import gate_model
from devs_git.domain.ledger import paging
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.storage.ledger import gate_files
from devs_git.storage.ledger.store import Tip
from devs_git.values import Final, immutable
from devs_git.workspace import Workspace

ALL: Final = "ALL"
MOST: Final = 10_000


@immutable
class Request(VerbRequest):
    """`status`: PENDING_APPROVAL (the default), APPROVED, REJECTED or ALL; `gate_type`: '' for every type.

    At most `limit` of them, after those before `cursor`.
    """

    gate_type: str = ""
    status: str = gate_model.PENDING
    limit: int = 200
    cursor: str = ""

    def __post_init__(self) -> None:
        paging.check_limit(self.limit, MOST)
        if self.gate_type and self.gate_type not in gate_model.TYPES:
            hint = "Use one of: " + ", ".join(gate_model.TYPES)
            raise invalid("gate_type", f"{self.gate_type!r} is not a type of gate.", hint=hint)
        if self.status not in (*gate_model.STATUSES, ALL):
            hint = "Use one of: " + ", ".join((*gate_model.STATUSES, ALL))
            raise invalid("status", f"{self.status!r} is not a status.", hint=hint)


@immutable
class Row:
    """One gate. `flaw`: why the decision in the ledger does not count, if it does not.

    `requested_by`: who asks, if the request says so.
    """

    gate_id: str
    gate_type: str
    agent_id: str | None
    task_id: str | None
    blocker_description: str
    status: str
    created_at: str
    flaw: str = ""
    requested_by: str | None = None


@immutable
class Result:
    """Oldest first. `active`: how many gates stop write commands, whatever the request filters.

    `next_cursor` is '' at the end of the list.
    """

    gates: tuple[Row, ...]
    active: int
    next_cursor: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """Reads only the open gates if the request wants no others. NOT_INITIALIZED, and why nobody may believe the ledger."""
    tip = workspace.ledger.require()
    workspace.require_believed()
    waiting = gate_files.open_ids(tip)
    wanted = waiting if request.status == gate_model.PENDING else gate_files.all_ids(tip)
    rows = [_row(tip, gate_id) for gate_id in dict.fromkeys((*wanted, *waiting))]
    found = [
        row
        for row in rows
        if request.status in (ALL, row.status) and request.gate_type in ("", row.gate_type)
    ]
    page, more = paging.cut(sorted(found, key=_key), _key, request.limit, request.cursor)
    return Result(page, len(waiting), more)


def _key(row: Row) -> str:
    return f"{row.created_at} {row.gate_id}"


def _row(tip: Tip, gate_id: str) -> Row:
    try:
        gate = gate_files.find(tip, gate_id)
    except DevsError as error:
        return Row(
            gate_id, "", None, None, f"{error.code}: {error.message}", gate_model.PENDING, "", error.code
        )
    request = gate.request
    return Row(
        gate_id=gate_id,
        gate_type=gate.gate_type,
        agent_id=request.get("agent_id"),
        task_id=request.get("task_id"),
        blocker_description=gate.text("blocker_description"),
        status=gate.status,
        created_at=gate.text("created_at"),
        flaw=gate.flaw,
        requested_by=request.get("requested_by"),
    )
