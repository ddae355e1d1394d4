"""`show`: everything about one checkpoint: its row, its message, the trailers of its tag, its parents. Or about one task or moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.checkpoints import return_path
from devs_git.domain.checkpoints.rows import MomentRow, Row, TaskPage
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.events import parse
from devs_git.domain.ledger.resolve import newest
from devs_git.domain.moments import names
from devs_git.domain.recall.session_points import SessionPoint
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.operations.checkpoint import commit_locations
from devs_git.storage.git import refs
from devs_git.storage.git.comparisons.differences import changes, letters, parents
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import rewritten_commits
from devs_git.storage.ledger.index import listing
from devs_git.values import field, immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.ledger.history import Checkpoint, History
    from devs_git.domain.moments.moment import Details
    from devs_git.storage.ledger.store import Tip


# Files that it lists. `files_changed` counts all.
MOST_FILES = 200


@immutable
class Request(VerbRequest):
    """A task (`task-10`), a checkpoint (`task-10@3`, or its oid), or a moment."""

    target: str

    def __post_init__(self) -> None:
        (names.parse if names.is_name(self.target) else ids.parse_target)(self.target)


@immutable
class Trailer:
    """One line `key: value`. A key may occur several times."""

    key: str
    value: str


@immutable
class FileSums:
    """One changed file, with the numbers of lines."""

    path: str
    action: str
    lines_added: int
    lines_removed: int


@immutable
class Result(Row, VerbResult):
    """The row, and more. `worktree`: where the checkpoint was made; `.` is the main worktree. `replaced_by`: the name of the
    checkpoint that replaces it. `way_back`: how to return to it, if HEAD does not have it. `not_believed`: as in `status`.
    `task`: the page of its task, if the target names no number. Then the checkpoint is the task's completion that counts;
    else its newest live one; else its newest one. If the task has none, texts of the checkpoint are '', its figures 0.
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
    author: str = ""
    files: tuple[FileSums, ...] = ()
    task: TaskPage | None = field(default=None, metadata={"optional": True})


@immutable
class KeptRef:
    """A branch, by its full name, or a stash entry (`stash@{0}`), whose commit a moment keeps."""

    name: str
    commit: str


@immutable
class MomentResult(MomentRow, VerbResult):
    """The row of a moment, and more.

    `head`: HEAD's commit, '' before the first one; `branch` is '' on a detached HEAD. `staged`, `unstaged`, `untracked`: how
    many files were so. `unmerged`: the index had conflicts. `under_way`: git's operation that was in progress, '' for none.
    `left_out`: nested repositories (with a slash at the end) and files that were too large: the moment does not have them.
    `ignored`: ignored files that it has, because a command would have taken them. `kept`: branches and stash entries whose
    commits it keeps. `call_id`: the client's id of the tool call. `point`: where the conversation was then; left out if no
    session is known.
    `folder`: of the worktree,
    relative to the folder that has the git directory; it is `gone` if it was removed. `commands`: what one can run now.
    """

    call_id: str
    folder: str
    gone: bool
    head: str
    branch: str
    staged: int
    unstaged: int
    untracked: int
    unmerged: bool
    under_way: str
    left_out: tuple[str, ...]
    ignored: tuple[str, ...]
    kept: tuple[KeptRef, ...]
    commands: tuple[str, ...]
    point: SessionPoint | None = field(default=None, metadata={"optional": True})


def run(workspace: Workspace, request: Request) -> Result | MomentResult:
    """A checkpoint, live or not: the codes of `domain/ledger/resolve.py`, and HISTORY_REWRITTEN. A moment: MOMENT_NOT_FOUND."""
    return (show_moment if names.is_name(request.target) else show_checkpoint)(workspace, request)


def show_checkpoint(workspace: Workspace, request: Request) -> Result:
    """The checkpoint that the request names. With the name of a task: its page, whatever the status of the task is."""
    tip = workspace.ledger.require()
    target = ids.parse_target(request.target)
    history = listing.of_target(tip, target)
    if target.task not in history.tasks or target.number is not None or target.oid:
        from devs_git.operations.checkpoint import named_checkpoint  # the page of a task does not need it

        found, history = named_checkpoint.look_up(workspace.store_git, tip, target)
        return _with_checkpoint(workspace, history, found, None)
    page, point = _page(workspace, tip, history, target.task), newest(history, target.task)
    if point:
        return _with_checkpoint(workspace, history, point, page)
    return _without_checkpoint(workspace, page)


def _archived_tag(git: Git, point: Checkpoint) -> bytes:
    # git deletes the tag object of an archived one.
    from devs_git.storage.ledger.archived import archived_points

    return archived_points.tag_object(git, point)


def _with_checkpoint(
    workspace: Workspace, history: History, point: Checkpoint, page: TaskPage | None
) -> Result:
    git = workspace.store_git
    rewritten_commits.require(git, point)
    words = parse(point.tag, (), refs.tag_message(git, point.tag, lambda: _archived_tag(git, point)))
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
        way_back=commit_locations.way_back(workspace, history, point, row),
        task=page,
        not_believed=workspace.why_not_believed(),
        author=git.text(
            "show", "-s", "--no-show-signature", "--format=%an <%ae>", "--end-of-options", point.commit, "--"
        ),
        files=_files(git, point.commit),
    )


def _files(git: Git, commit: str) -> tuple[FileSums, ...]:
    """The files that a commit changed, compared with its first parent."""
    before = next(iter(parents(git, commit)), EMPTY_TREE)
    found = changes(git, before, commit)[:MOST_FILES]
    return tuple(FileSums(one.path, one.action, one.additions, one.deletions) for one in found)


def _without_checkpoint(workspace: Workspace, page: TaskPage) -> Result:
    """The page of a task that has no checkpoint."""
    return Result(
        task_id=page.task_id,
        number=0,
        tag="",
        commit="",
        tree="",
        branch="",
        message="",
        files_changed=0,
        lines_added=0,
        lines_removed=0,
        created_at="",
        status=page.status,
        state=page.status,
        on_head=False,
        still_on="",
        conversation_snapshot_id="",
        completed=False,
        name="",
        ref="",
        parents=(),
        subject="",
        body="",
        trailers=(),
        event="",
        worktree="",
        replaced_by="",
        way_back="",
        not_believed=workspace.why_not_believed(),
        task=page,
    )


def _page(workspace: Workspace, tip: Tip, history: History, task_id: str) -> TaskPage:
    from devs_git.operations.checkpoint import task_page  # it opens the catalog

    return task_page.read(workspace, tip, history, history.tasks[task_id])


def show_moment(workspace: Workspace, request: Request) -> MomentResult:
    """The moment that the request names."""
    from devs_git.operations.moments import moment_rows, resolve_moment
    from devs_git.storage.moments import moment_store, read_moments
    from devs_git.storage.worktree.raw_bytes import list_files

    named = resolve_moment.resolve(workspace, request.target)
    state, details = read_moments.look_up(workspace.objects, named.id)
    one = moment_rows.ReadMoment(named, state, details)
    (row,) = moment_rows.rows(workspace, [one], moment_rows.ask_catalog(workspace, [one]))
    git = moment_store.with_objects(workspace.store_git, workspace.places.common)
    head = f"{state.head}^{{tree}}" if state.head else EMPTY_TREE
    unstaged = letters(git, state.index, state.worktree)
    gone = not (workspace.places.common.parent / details.top / ".git").exists()
    return MomentResult(
        **vars(row),
        call_id=details.occasion.call_id,
        folder=details.top,
        gone=gone,
        head=state.head,
        branch=state.branch.removeprefix("refs/heads/"),
        staged=len(letters(git, head, state.index)),
        unstaged=sum(letter != "A" for letter in unstaged),
        untracked=unstaged.count("A"),
        unmerged=details.unmerged,
        under_way=details.under_way,
        left_out=details.left_out,
        ignored=tuple(list_files(git, details.ignored)) if details.ignored else (),
        kept=_kept(details),
        commands=_commands(row.name, details, gone=gone),
        point=_point(workspace, request.target),
    )


def _point(workspace: Workspace, target: str) -> SessionPoint | None:
    """The point of the conversation at a moment; None if the catalog cannot be read."""
    from devs_git.operations.recall import open_catalog
    from devs_git.operations.sessions import find_point
    from devs_git.storage.catalog.database import TROUBLE

    try:
        with open_catalog.open_catalog(workspace) as catalog:
            return find_point.point_of(workspace, catalog, target)
    except TROUBLE:
        return None


def _kept(details: Details) -> tuple[KeptRef, ...]:
    branches = (KeptRef(name, commit) for name, commit in details.branches.items())
    stashes = (KeptRef(f"stash@{{{at}}}", commit) for at, commit in enumerate(details.stashes))
    return (*branches, *stashes)


def _commands(name: str, details: Details, *, gone: bool) -> tuple[str, ...]:
    """What one can do with a moment: see what changed since, go back, and take files from it."""
    if gone:
        back = [f"devs-git restore {name} --worktree FOLDER"]
    else:
        # A rewind refuses a moment of an operation that it cannot continue.
        back = [] if details.under_way or details.unmerged else [f"devs-git rewind {name}"]
    return (f"devs-git diff {name}", *back, f"devs-git restore {name} -- PATH")
