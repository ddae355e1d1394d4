"""The event that records a checkpoint. `history.checkpoint_of` reads it as a checkpoint."""

from __future__ import annotations

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.events import Event, Fields, non_empty
from devs_git.domain.ledger.history import checkpoint_of
from devs_git.values import immutable


def work_in(event: Event) -> Work:
    """Who works on which task, as the event says it."""
    return Work(event.task, event.get(Key.AGENT), event.get(Key.CLIENT), event.phase)


@immutable
class CheckpointRecorded:
    """A checkpoint was recorded. `completed` says whether it completes its task. `tag`, `commit` and `tree` are oids.

    `stat` is the number of changed files, of added lines and of removed lines. `conversation` is the session, the number
    of messages and the digest of the conversation so far, `point` where its client can cut it. `forked_from`: where its
    task began, if that is a fork.
    """

    completed: bool
    work: Work
    number: int
    tag: str
    commit: str
    tree: str
    branch: str
    message: str
    stat: tuple[int, int, int]
    op_id: str
    conversation: str = ""
    point: str = ""
    forked_from: str = ""

    @property
    def type(self) -> str:
        return "task.completed" if self.completed else "checkpoint.created"

    def fields(self) -> Fields:
        own = non_empty(
            (Key.NUMBER, str(self.number)),
            (Key.TAG, self.tag),
            (Key.COMMIT, self.commit),
            (Key.TREE, self.tree),
            (Key.BRANCH, self.branch),
            (Key.MESSAGE, self.message),
            (Key.STAT, " ".join(map(str, self.stat))),
            (Key.OP, self.op_id),
            (Key.CONVERSATION, self.conversation),
            (Key.POINT, self.point),
            (Key.FORKED_FROM, self.forked_from),
        )
        return (*self.work.pairs(), *own)

    @classmethod
    def of(cls, event: Event) -> CheckpointRecorded:
        """What the event says; ValueError as `history.checkpoint_of`."""
        point = checkpoint_of(event)
        return cls(
            completed=point.completed,
            work=work_in(event),
            number=point.number,
            tag=point.tag,
            commit=point.commit,
            tree=point.tree,
            branch=point.branch,
            message=point.message,
            stat=(point.files_changed, point.lines_added, point.lines_removed),
            op_id=event.op_id,
            conversation=event.conversation,
            point=event.get(Key.POINT),
            forked_from=event.get(Key.FORKED_FROM),
        )
