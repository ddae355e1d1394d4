"""`task result`: record the result of a task as text. The newest result counts; no result is ever edited."""

from __future__ import annotations

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.domain.checkpoints.task_states import require_task
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.event_tasks import TaskResult
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.history import Task
from devs_git.domain.text.field_values import check_body
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    task_id: str
    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        if not self.text.strip():
            raise invalid("text", "The result is empty.", hint="Give it on standard input.")
        check_body("text", self.text)


@immutable
class Result:
    task_id: str
    characters: int
    event: str


def find(workspace: Workspace, request: Request) -> None:
    _task(workspace.ledger.require(), request)


def _task(tip: Tip, request: Request) -> Task:
    return require_task(task_files.history_of(tip, request.task_id), request.task_id)


def run(workspace: Workspace, request: Request) -> Result:
    op_id = workspace.new_id("task result", request.task_id)

    def build(tip: Tip) -> Draft:
        task = _task(tip, request)
        work = Work(task.task_id, task.agent, "", task.phase)
        content = TaskResult(task.task_id, op_id)
        event = workspace.event_of(content, f"task: result of {task.task_id}", verb_name="task result")
        return Draft(event, (task_files.file(op_id, event, work, {"result": request.text}, tip=tip),))

    event = workspace.append(build)
    return Result(request.task_id, len(request.text), event.oid)
