"""What a checkpoint says of itself: the trailers of its tag object and the fields of its event."""

from __future__ import annotations

from devs_git.domain.checkpoints.commit_trailers import Work
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import one_line
from devs_git.domain.ledger.ids import completed_tag
from devs_git.values import TYPE_CHECKING, immutable

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
    # Session, count and digest of the conversation up to here, and where its client can cut it.
    conversation: str = ""
    point: str = ""
    # Where its task began, if that is a fork.
    forked_from: str = ""

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
        (TrailerKey.POINT, wanted.point),
        (TrailerKey.FORKED_FROM, wanted.forked_from),
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
    # Commands that record nothing do not need it.
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
        point=wanted.point,
        forked_from=wanted.forked_from,
    )
