"""`show`: everything about one checkpoint: its row, its message, the trailers of its tag, its parents."""

from __future__ import annotations

from devs_git.domain.checkpoints import return_path
from devs_git.domain.checkpoints.rows import Row
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import parse
from devs_git.domain.ledger.resolve import resolve
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.operations.checkpoint import commit_locations
from devs_git.storage.git import annotated_tags
from devs_git.storage.git.differences import parents
from devs_git.storage.ledger import rewritten_commits, untrusted_ledger
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """`task-10`, `task-10@3`, or the oid of a checkpoint."""

    target: str

    def __post_init__(self) -> None:
        ids.parse_target(self.target)


@immutable
class Trailer:
    """One line `key: value`. A key may occur several times."""

    key: str
    value: str


@immutable
class Result(Row, VerbResult):
    """The row, and more. `worktree`: where the checkpoint was made; `.` is the main worktree. `replaced_by`: the name of the
    checkpoint that replaces it. `way_back`: how to return to it, if HEAD does not have it. `not_believed`: as in `status`.
    """

    completed: bool
    name: str
    ref: str
    parents: tuple[str, ...]
    subject: str
    body: str
    trailers: tuple[Trailer, ...]
    event: str
    worktree: str
    replaced_by: str
    way_back: str
    not_believed: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """The checkpoint, live or not; the codes of `domain/ledger/resolve.py`, and HISTORY_REWRITTEN."""
    history = workspace.ledger.require().here
    point = resolve(history, ids.parse_target(request.target))
    git = workspace.store_git
    rewritten_commits.require(git, point)
    words = parse(point.tag, (), annotated_tags.message(git, point.tag))
    (row,) = commit_locations.rows(
        workspace, [point], history, lambda each: history.tasks[each.task_id].status
    )
    if not row.on_head:
        rewritten_commits.require_followed(workspace.git, workspace.places.common, point)
    heir = return_path.successor(history, point) if point.replaced else None
    return Result(
        **vars(row),
        completed=point.completed,
        name=point.name,
        ref=ids.checkpoint_ref(point.task_id, point.number),
        parents=parents(git, point.commit),
        subject=words.subject,
        body=words.body,
        trailers=tuple(Trailer(key, value) for key, value in words.fields),
        event=point.event,
        worktree=point.worktree,
        replaced_by=heir.name if heir else "",
        way_back=return_path.describe(history, point, row),
        not_believed=untrusted_ledger.reason(workspace.require_believed),
    )
