"""`conversation import`: read what is new in a client's transcript. Recording: it goes on while a gate is open."""

from __future__ import annotations

from pathlib import Path

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.ledger import ids
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.recall import ingest, open_catalog
from devs_git.storage.catalog.transcripts import Source
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`client` is '' where the file shows whose it is. `task` is whose work the new messages are, '' for the active task's."""

    file: Path
    client: str = ""
    task: str = ""

    def __post_init__(self) -> None:
        if self.client and self.client not in CLIENTS:
            raise invalid(
                "client", f"{self.client!r} is not a known client.", hint="Use one of: " + ", ".join(CLIENTS)
            )
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))


@immutable
class Result:
    """`new` messages came in, of `message_count` that the session has now; `garbage` lines were no JSON.

    `waits`: the last line is not whole yet. `rewritten`: the file does not go on from what was read before.
    """

    session_id: str
    client: str
    new: int
    message_count: int
    garbage: int
    rewritten: bool
    waits: bool


def run(workspace: Workspace, request: Request) -> Result:
    """Read it. INVALID_ARGUMENTS {file} where it cannot be read or nobody knows whose it is."""
    source = Source(request.file.resolve(), request.client)
    how = ingest.current_attribution(workspace)
    if request.task:
        how = replace(how, task_id=request.task, assign_all=True)
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        done = ingest.ingest_transcript(workspace, catalog, source, how)
    session = done.session
    return Result(
        session.session_id,
        session.client,
        done.new,
        session.message_count,
        done.garbage,
        done.rewritten,
        done.waits,
    )
