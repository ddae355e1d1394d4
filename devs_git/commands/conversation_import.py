"""`conversation import`: read the new messages of a client's transcript. It also runs while a gate is open."""

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
    """`client`: '' if the file shows which client wrote it. `task`: the task of the new messages, '' for the active task."""

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
    """`new` messages were read; the session has `message_count` now. `garbage`: how many lines are not JSON.

    `waits`: the last line is incomplete. `rewritten`: the file does not continue what was read before.
    """

    session_id: str
    client: str
    new: int
    message_count: int
    garbage: int
    rewritten: bool
    waits: bool


def run(workspace: Workspace, request: Request) -> Result:
    """INVALID_ARGUMENTS{file} if the file cannot be read, or does not show which client wrote it."""
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
