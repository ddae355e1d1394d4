"""`contract start`: name a line of work, and the session that steers it. The newest start of a contract counts."""

from __future__ import annotations

from devs_git.domain.ledger.event_contracts import ContractStarted
from devs_git.domain.ledger.events import Draft
from devs_git.domain.text.field_values import check_value
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.contracts import sessions
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`supervisor`: the id of the session that steers the contract; by default the session that runs this command."""

    name: str
    supervisor: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_value("name", self.name))
        if not self.name:
            raise invalid("name", "A contract has a name.")
        sessions.check("supervisor", self.supervisor)


@immutable
class Supervisor:
    """A session and its client, '' if that is not known."""

    client: str
    session_id: str


@immutable
class Result:
    """`supervisor` is None if no session is known."""

    contract: str
    supervisor: Supervisor | None
    phase: str
    event: str


def run(workspace: Workspace, request: Request) -> Result:
    workspace.ledger.require()
    client, session = sessions.identify(workspace, request.supervisor)
    op_id = workspace.new_id("contract start", request.name)
    phase = ""

    def build(tip: Tip) -> Draft:
        nonlocal phase
        known = tip.history.contracts.get(request.name)
        phase = known.phase if known else ""
        content = ContractStarted(request.name, client, session, op_id)
        return Draft(
            workspace.event_of(content, f"contract: start {request.name}", verb_name="contract start")
        )

    event = workspace.append(build)
    supervisor = Supervisor(client, session) if session else None
    return Result(request.name, supervisor, phase, event.oid)
