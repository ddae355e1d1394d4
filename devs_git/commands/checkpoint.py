"""`checkpoint`: commit what is staged and record a numbered checkpoint of the active task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.checkpoints.commit_job import Job
from devs_git.domain.checkpoints.commit_trailers import Work, work_of
from devs_git.domain.checkpoints.rows import Recorded
from devs_git.domain.checkpoints.task_states import no_active_task, require_running
from devs_git.domain.text import field_values
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.checkpoint import complete_task
from devs_git.operations.checkpoint.commit_work import Choice
from devs_git.operations.recall import open_catalog
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.operations.checkpoint.session_work import OwnFiles


@immutable
class Request(VerbRequest):
    """`everything`: first stage all that `git add -A` stages. `message`: of the commit and the checkpoint.

    `mine`: instead, commit the files that only one session wrote: `session`, or by default the one at work here.
    `by_tool`: an agent asks, so it is not certain that it was prompted last.
    """

    message: str = ""
    everything: bool = False
    mine: bool = False
    session: str = ""
    by_tool: bool = False

    def __post_init__(self) -> None:
        field_values.check_body("message", self.message)


Result = Recorded


def find(workspace: Workspace, request: Request) -> Work:
    """The active task and who works on it; TASK_NOT_FOUND if none is active here."""
    del request
    work = work_of(active_task.read(workspace.places))
    if work is None:
        raise no_active_task()
    return work


def _own_work(workspace: Workspace, request: Request) -> OwnFiles | None:
    """What only the session wrote; None if it was not asked for."""
    if not request.mine:
        return None
    from devs_git.operations.checkpoint import session_work

    return session_work.find(workspace, request.session, by_tool=request.by_tool)


def run(workspace: Workspace, request: Request) -> Recorded:
    tip = workspace.ledger.require()
    work = find(workspace, request)
    require_running(work.task, tip.standing_of_task(work.task).status)
    open_catalog.refresh_conversation(workspace, work.task)
    own = _own_work(workspace, request)
    if own:
        own.require()
    job = Job(
        op_id=workspace.new_id("checkpoint", work.task),
        verb="checkpoint",
        worktree=workspace.places.worktree_id,
        head="",
        ledger=tip.oid,
        work=work,
        message=request.message,
        title=f"Checkpoint of {work.task}",
    )
    choice = own.choice if own else Choice(request.everything)
    done = complete_task.perform(workspace, job, choice=choice, check=lambda *_: None)
    return own.add_to(done) if own else done
