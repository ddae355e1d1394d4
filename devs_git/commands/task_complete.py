"""`task complete`: commit what is staged, and give the task its visible tag `devs/task-10`.

To complete a task again, there must be new work: something to commit, or commits since the completion that do not belong
to another task. A task that is active in another worktree must be completed there: what is staged here is not its work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.checkpoints.commit_job import Job
from devs_git.domain.checkpoints.commit_trailers import Work, work_of
from devs_git.domain.checkpoints.rows import Recorded
from devs_git.domain.checkpoints.task_states import no_active_task, nothing_new, require_live, require_task
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import Checkpoint, Task
from devs_git.domain.text import field_values
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.checkpoint import complete_task, other_worktrees, record_checkpoint, unstaged_work
from devs_git.operations.checkpoint.commit_work import Choice
from devs_git.operations.recall import open_catalog
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Tip
from devs_git.storage.worktree import active_task
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.operations.checkpoint.session_work import OwnFiles


@immutable
class Request(VerbRequest):
    """`task_id`: None for the active task. `everything`: first stage all that `git add -A` stages.

    `mine`: instead, commit the files that only one session wrote: `session`, or by default the one at work here.
    `by_tool`: an agent asks, so it is not certain that it was prompted last.
    """

    task_id: str | None = None
    message: str = ""
    everything: bool = False
    mine: bool = False
    session: str = ""
    by_tool: bool = False

    def __post_init__(self) -> None:
        if self.task_id is not None:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        field_values.check_body("message", self.message)


Result = Recorded


def find(workspace: Workspace, request: Request) -> Work:
    """The task and who works on it; TASK_NOT_FOUND if there is none."""
    tip = workspace.ledger.require()
    active = work_of(active_task.read(workspace.places))
    if not request.task_id or (active and active.task == request.task_id):
        if active is None:
            raise no_active_task()
        require_task(task_files.history_here(tip, active.task), active.task)
        return active
    task = require_task(tip.here, request.task_id)
    return Work(task.task_id, task.agent, "", tip.here.phase_of(task))


def _own_work(workspace: Workspace, request: Request) -> OwnFiles | None:
    """What only the session wrote; None if it was not asked for."""
    if not request.mine:
        return None
    from devs_git.operations.checkpoint import session_work

    return session_work.find(workspace, request.session, by_tool=request.by_tool)


def run(workspace: Workspace, request: Request) -> Recorded:
    work = find(workspace, request)
    tip = workspace.ledger.require()
    task = require_task(task_files.history_here(tip, work.task), work.task)
    require_live(work.task, task.status)
    other_worktrees.require_not_active(
        workspace, work.task, "Complete it there. The changes staged here belong to another worktree."
    )
    # What would refuse the record has to refuse the commit.
    record_checkpoint.visible_tag(workspace, tip, work.task)
    open_catalog.refresh_conversation(workspace, work.task)
    own = _own_work(workspace, request)
    job = Job(
        op_id=workspace.new_id("task complete", work.task),
        verb="task complete",
        worktree=workspace.places.worktree_id,
        head="",
        ledger=tip.oid,
        work=work,
        message=request.message,
        title=task.title or f"Complete {task.task_id}",
        completed=True,
    )

    def check(head: str, staged: bool) -> None:
        if not staged and not _new_work(workspace, tip, task, head):
            raise nothing_new(task.task_id)
        # The session may have committed all of its files before.
        if own and not unstaged_work.is_new(
            workspace.git, task_files.history_of(tip, task.task_id), task.task_id, head
        ):
            own.require()

    choice = own.choice if own else Choice(request.everything)
    was = _completion(tip, task)
    done = complete_task.perform(workspace, job, choice=choice, check=check)
    done = replace(done, before=was.name) if was else done
    return own.add_to(done) if own else done


def _completion(tip: Tip, task: Task) -> Checkpoint | None:
    """The completion that the task has already."""
    if task.status != "completed":
        return None
    return task_files.history_here(tip, task.task_id).completion(task.task_id)


def _new_work(workspace: Workspace, tip: Tip, task: Task, head: str) -> bool:
    done = _completion(tip, task)
    if done is None:
        return True
    return unstaged_work.has_commits(workspace.git, task.task_id, done.commit, head)
