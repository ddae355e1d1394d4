"""A checkpoint's tag object and event, and when a task may be started or completed.

Refusals: TASK_NOT_FOUND (the ledger does not have it), TASK_EXISTS (the id is live, or completed with nothing new since),
CONFLICT (rewound or dropped: it has to be started again).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import one_line
from devs_git.domain.ledger.history import History, Task
from devs_git.domain.ledger.ids import completed_tag
from devs_git.domain.ledger.task_standing import LIVE
from devs_git.domain.text.trailers import Work
from devs_git.errors import DevsError
from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.domain.ledger.event_checkpoints import CheckpointRecorded


@immutable
class Facts:
    """The commit that becomes a checkpoint. Files and lines are those of its diff to its first parent."""

    commit: str
    tree: str
    subject: str
    branch: str = ""
    parents: tuple[str, ...] = ()
    files: int = 0
    added: int = 0
    removed: int = 0


@immutable
class Wanted:
    """A checkpoint to record. `op_id` makes recording idempotent. `message` is '' for the commit's subject."""

    op_id: str
    verb: str
    work: Work
    facts: Facts
    message: str = ""
    completed: bool = False
    # Session, count and digest of the conversation up to here.
    conversation: str = ""

    @property
    def headline(self) -> str:
        return one_line(self.message.strip().partition("\n")[0]) or one_line(self.facts.subject)


def name(wanted: Wanted, number: int) -> str:
    return wanted.work.task if wanted.completed else f"{wanted.work.task}@{number}"


def tag_object(wanted: Wanted, number: int, ledger: str, signature: str) -> bytes:
    """The annotated tag: a subject for people, the rest of the message, then trailers."""
    ref = completed_tag(wanted.work.task).removeprefix("refs/tags/")
    own = (
        (TrailerKey.CHECKPOINT, str(number)),
        (TrailerKey.COMPLETED, "true" if wanted.completed else ""),
        (TrailerKey.CONVERSATION, wanted.conversation),
        (TrailerKey.LEDGER, ledger),
    )
    pairs = (wanted.work.pairs()[0], *own[:2], *wanted.work.pairs()[1:], *own[2:])
    trailers = "".join(f"{key}: {value}\n" for key, value in pairs if value)
    body = wanted.message.strip().partition("\n")[2].strip("\n")
    return (
        f"object {wanted.facts.commit}\ntype commit\ntag {ref if wanted.completed else f'{ref}@{number}'}\n"
        f"tagger {signature}\n\n{name(wanted, number)}: {wanted.headline}\n\n"
        f"{body + chr(10) * 2 if body else ''}{trailers}"
    ).encode("utf-8", "replace")


def content_of_event(wanted: Wanted, number: int, tag: str) -> CheckpointRecorded:
    """What the event of the checkpoint says."""
    # Not where nothing is recorded.
    from devs_git.domain.ledger.event_checkpoints import CheckpointRecorded

    facts = wanted.facts
    return CheckpointRecorded(
        completed=wanted.completed,
        work=wanted.work,
        number=number,
        tag=tag,
        commit=facts.commit,
        tree=facts.tree,
        branch=facts.branch,
        message=wanted.headline,
        stat=(facts.files, facts.added, facts.removed),
        op_id=wanted.op_id,
        conversation=wanted.conversation,
    )


def require_known(task_id: str, status: str) -> None:
    """TASK_NOT_FOUND for a task that is not in the ledger."""
    if not status:
        raise DevsError(
            "TASK_NOT_FOUND",
            f"There is no {task_id}.",
            hint=f"Start it: devs-git task start {task_id}",
            task_id=task_id,
        )


def require_live(task_id: str, status: str) -> None:
    """CONFLICT if the task was rewound or dropped."""
    require_known(task_id, status)
    if status not in LIVE:
        raise DevsError(
            "CONFLICT",
            f"{task_id} was {status}; its id is free again.",
            hint=f"Start it again: devs-git task start {task_id}",
            task_id=task_id,
        )


def require_running(task_id: str, status: str) -> None:
    """TASK_EXISTS if the task is completed and has nothing new."""
    require_live(task_id, status)
    if status == "completed":
        raise nothing_new(task_id)


def require_task(history: History, task_id: str) -> Task:
    """The task in the ledger; TASK_NOT_FOUND."""
    task = history.tasks.get(task_id)
    require_known(task_id, task.status if task else "")
    return history.tasks[task_id]


def nothing_new(task_id: str) -> DevsError:
    return DevsError(
        "TASK_EXISTS",
        f"{task_id} is completed, and nothing was done for it since then.",
        hint="Start the next task: devs-git task start <id>",
        task_id=task_id,
    )


def no_active_task() -> DevsError:
    return DevsError(
        "TASK_NOT_FOUND",
        "No task is active in this worktree.",
        hint="Start one: devs-git task start <id>",
    )
