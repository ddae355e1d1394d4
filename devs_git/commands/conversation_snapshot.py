"""`conversation snapshot`: record the current state of a session, at the same cost for a short and a long one."""

from __future__ import annotations

from devs_git.domain.checkpoints.commit_trailers import work_of
from devs_git.domain.ledger import ids
from devs_git.domain.recall.conversation_snapshots import Snapshot
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.recall import ingest, named_session, open_catalog
from devs_git.storage.catalog import conversation_snapshots, fulltext, messages, transcripts
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """Of a session, of the last session of a task, or else of the last session in this worktree."""

    session: str = ""
    task: str = ""

    def __post_init__(self) -> None:
        if self.task:
            object.__setattr__(self, "task", ids.task_id(self.task, field="task"))


Result = Snapshot


def run(workspace: Workspace, request: Request) -> Snapshot:
    """The snapshot; MESSAGE_NOT_FOUND if there are no messages."""
    work = work_of(active_task.read(workspace.places))
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        known = _session(workspace, catalog, request)
        for source in transcripts.of_session(catalog, known.session_id):
            ingest.ingest_transcript(workspace, catalog, source, ingest.attribution_of(workspace, known))
        with fulltext.write_transaction(catalog):
            session = _session(workspace, catalog, request)
            task_id = request.task or (work.task if work else session.task_id)
            taken = conversation_snapshots.snapshot_of_session(
                session, "manual", workspace.new_trace_id(), workspace.now(), task_id
            )
            conversation_snapshots.put(catalog, taken)
        return conversation_snapshots.of_id(catalog, taken.snapshot_id) or taken


def _session(workspace: Workspace, catalog: Catalog, request: Request) -> Session:
    if request.session:
        found = messages.session(catalog, named_session.complete(catalog, request.session))
    elif request.task:
        found = messages.session_of_task(catalog, request.task)
    else:
        found = messages.last_session(catalog, workspace.places.worktree_id)
    if found is None:
        raise named_session.not_found()
    return found
