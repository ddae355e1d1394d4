"""Events of tasks: a task was started, it has a result, it was given up or reopened, and a person wrote a directive for it, or took one back.

The text of a directive is in `directives/<directive_id>.yaml`.
"""

from __future__ import annotations

from typing import ClassVar

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.domain.ledger.event_checkpoints import work_in
from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.values import immutable


@immutable
class TaskStarted:
    """A task was started, or started again. `head` is the commit of HEAD; `next_number` is that of its next checkpoint.

    `work` has the task's own phase, '' if that of its contract counts. `spawned_by` is a client and a session.
    `forked_from`: the state that a fork began in, `task-10@2` or `moment:` and an id; '' for a task that is no fork.
    `forked_session`: the session with whose beginning a fork goes on, '' for none.
    """

    type: ClassVar[str] = "task.started"
    work: Work
    title: str
    contract: str
    branch: str
    head: str
    op_id: str
    next_number: int
    parent: str = ""
    spawned_by: str = ""
    forked_from: str = ""
    forked_session: str = ""

    def fields(self) -> Fields:
        own = non_empty(
            (Key.TITLE, self.title),
            (Key.CONTRACT, self.contract),
            (Key.BRANCH, self.branch),
            (Key.FROM, self.head),
            (Key.OP, self.op_id),
            (Key.NEXT, f"{self.work.task} {self.next_number}"),
            (Key.PARENT, self.parent),
            (Key.SPAWNED_BY, self.spawned_by),
            (Key.FORKED_FROM, self.forked_from),
            (Key.FORKED_SESSION, self.forked_session),
        )
        return (*self.work.pairs(), *own)

    @classmethod
    def of(cls, event: Event) -> TaskStarted:
        """What the event says; the number is 0 in an event of an early version, which has none."""
        return cls(
            work=work_in(event),
            title=event.get(Key.TITLE),
            contract=event.get(Key.CONTRACT),
            branch=event.branch,
            head=event.get(Key.FROM),
            op_id=event.op_id,
            next_number=int(dict(event.next_numbers).get(event.task, "0")),
            parent=event.get(Key.PARENT),
            spawned_by=event.get(Key.SPAWNED_BY),
            forked_from=event.get(Key.FORKED_FROM),
            forked_session=event.get(Key.FORKED_SESSION),
        )


@immutable
class TaskResult:
    """A task has a result. Its text is a file of the ledger."""

    type: ClassVar[str] = "task.result"
    task: str
    op_id: str

    def fields(self) -> Fields:
        return non_empty((Key.TASK, self.task), (Key.OP, self.op_id))

    @classmethod
    def of(cls, event: Event) -> TaskResult:
        return cls(event.task, event.op_id)


@immutable
class TaskAbandoned:
    """An active task was given up. It stays so in each clone, until it is reopened, or an operation goes back to one of its
    checkpoints.
    """

    type: ClassVar[str] = "task.abandoned"
    task: str
    op_id: str

    def fields(self) -> Fields:
        status = (Key.STATUS, f"{self.task} abandoned")
        return (*non_empty((Key.TASK, self.task), (Key.OP, self.op_id)), status)

    @classmethod
    def of(cls, event: Event) -> TaskAbandoned:
        return cls(event.task, event.op_id)


@immutable
class TaskReopened:
    """A task that was given up is active again; no file was moved. Where it began and its next number stay as they were."""

    type: ClassVar[str] = "task.reopened"
    task: str
    op_id: str

    def fields(self) -> Fields:
        status = (Key.STATUS, f"{self.task} active")
        return (*non_empty((Key.TASK, self.task), (Key.OP, self.op_id)), status)

    @classmethod
    def of(cls, event: Event) -> TaskReopened:
        return cls(event.task, event.op_id)


@immutable
class DirectiveAdded:
    """A person wrote a directive for the agent of a task. `directive` is its id."""

    type: ClassVar[str] = "directive.added"
    directive: str
    task: str

    def fields(self) -> Fields:
        return ((Key.DIRECTIVE, self.directive), (Key.TASK, self.task))

    @classmethod
    def of(cls, event: Event) -> DirectiveAdded:
        return cls(event.get(Key.DIRECTIVE), event.task)


@immutable
class DirectiveWithdrawn:
    """A person took a directive back: from now on it is not handed over."""

    type: ClassVar[str] = "directive.withdrawn"
    directive: str
    task: str

    def fields(self) -> Fields:
        return ((Key.DIRECTIVE, self.directive), (Key.TASK, self.task))

    @classmethod
    def of(cls, event: Event) -> DirectiveWithdrawn:
        return cls(event.get(Key.DIRECTIVE), event.task)
