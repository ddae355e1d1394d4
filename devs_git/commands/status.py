"""`status`: the working tree, the active task, open gates, and what an interrupted command or a hook left unfinished."""

from __future__ import annotations

from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import unrecorded_commits
from devs_git.operations.upkeep import standing
from devs_git.storage.git import under_way, worktree_status
from devs_git.storage.git.filters import UndecidedFile
from devs_git.storage.git.places import Places
from devs_git.storage.git.worktree_status import Changed, TreeState
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace

# Characters of a directive's text.
_BEGINNING = 80


@immutable
class Request(VerbRequest):
    """It has no arguments."""


@immutable
class Counts:
    """How many of each."""

    staged: int
    unstaged: int
    untracked: int
    unmerged: int


@immutable
class Shared:
    """A file that differs from HEAD, and the live sessions that wrote it."""

    path: str
    sessions: tuple[str, ...]


@immutable
class LastMoment:
    """The last moment of this worktree. `words`: the beginning of the prompt or of the command that came then."""

    id: str
    name: str
    created_at: str
    kind: str
    words: str


@immutable
class Gap:
    """A moment that could not be made: when it was wanted, of which kind, and why."""

    created_at: str
    kind: str
    reason: str


@immutable
class Directive:
    """A directive that the next prompt of its task hands over. `state`: `written`, or `handed` if nobody saw it yet."""

    directive_id: str
    task_id: str
    state: str
    text: str


@immutable
class Result(VerbResult):
    """`journals`: unfinished operations. `unrecorded`: commits that a hook could not record, with the reason.

    A folder of untracked files is one entry, with a slash at the end; changes inside submodules are ignored. `not_told`:
    files of which only a filter can tell whether they changed; it is not started, because the repository names it.
    `not_believed`: why nobody may believe the ledger, and so the list of open gates; '' if it is sound. `shared`: files that
    several live sessions wrote since they were as in HEAD. `last_moment` is None if there is none. `lost`: one line for each
    loss of the last day that is not brought back, with the command that does it. `gaps`: moments of the last day that could
    not be made in this worktree, oldest first. `directives`: those that wait for a prompt, with the beginnings of their texts.
    `under_way`: git's operation in progress, '' for none, and the commands that end it. `gates` and `traces`: how many there
    are; -1 if the catalog cannot be read. `hooks`: what git does not call. `undo`: what undo would take back, None for nothing. `abandoned`: the task that was given up
    here, if nothing was recorded since; '' for none.
    """

    branch: str
    head: str
    detached: bool
    upstream: str
    clean: bool
    counts: Counts
    staged: tuple[Changed, ...]
    unstaged: tuple[Changed, ...]
    untracked: tuple[str, ...]
    unmerged: tuple[str, ...]
    active_task: str
    initialized: bool
    open_gates: tuple[str, ...]
    journals: tuple[str, ...]
    unrecorded: tuple[str, ...]
    not_told: tuple[UndecidedFile, ...]
    not_believed: str = ""
    shared: tuple[Shared, ...] = ()
    last_moment: LastMoment | None = None
    lost: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    directives: tuple[Directive, ...] = ()
    under_way: str = ""
    under_way_end: str = ""
    gates: int = 0
    traces: int = 0
    hooks: tuple[standing.HookGap, ...] = ()
    undo: standing.UndoGoal | None = None
    abandoned: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """The state of this worktree; NOT_A_REPOSITORY where there is no working tree."""
    del request
    assert workspace.top
    with worktree_status.read_alongside(workspace.git) as answer:
        open_gates = workspace.ledger.open_gates()
        state = answer()
    not_believed = workspace.why_not_believed()
    active = active_task.task_of(active_task.read(workspace.places))
    initialized = bool(workspace.ledger.tip().oid)
    counts = Counts(len(state.staged), len(state.unstaged), len(state.untracked), len(state.unmerged))
    return Result(
        branch=state.branch,
        head=state.head,
        detached=not state.branch,
        upstream=state.upstream,
        clean=counts == Counts(0, 0, 0, 0) and not state.not_told,
        counts=counts,
        staged=tuple(state.staged),
        unstaged=tuple(state.unstaged),
        untracked=tuple(state.untracked),
        unmerged=tuple(state.unmerged),
        active_task=active,
        initialized=initialized,
        open_gates=open_gates,
        journals=_open_journals(workspace.places),
        unrecorded=unrecorded_commits.read(workspace.places),
        not_told=state.not_told,
        not_believed=not_believed,
        shared=_shared(workspace, _changed(state)),
        last_moment=_last_moment(workspace),
        lost=_lost(workspace),
        gaps=_gaps(workspace),
        directives=() if not_believed else _directives(workspace),
        **_under_way(workspace.places),
        gates=standing.count_gates(workspace),
        traces=standing.count_traces(workspace.places),
        hooks=standing.hooks(workspace),
        undo=standing.undo(workspace, state.branch),
        abandoned="" if active or not initialized else standing.just_abandoned(workspace),
    )


def _under_way(places: Places) -> dict[str, str]:
    found = under_way.operation_under_way(places)
    return {"under_way": found.name, "under_way_end": found.commands} if found else {}


def _changed(state: TreeState) -> frozenset[str]:
    """The files that differ from HEAD; a folder of new ones is one entry."""
    return frozenset(
        (*(one.path for one in (*state.staged, *state.unstaged)), *state.untracked, *state.unmerged)
    )


def _shared(workspace: Workspace, changed: frozenset[str]) -> tuple[Shared, ...]:
    """The files that several live sessions wrote; none if no moment was made in this worktree."""
    if not changed or not workspace.places.moments.is_dir():
        return ()
    from devs_git.operations.moments import shared_files

    return tuple(Shared(path, sessions) for path, sessions in shared_files.find(workspace, changed).items())


def _last_moment(workspace: Workspace) -> LastMoment | None:
    if not workspace.places.moments.is_dir():
        return None
    from devs_git.domain.moments.names import short_name
    from devs_git.storage.moments import last_moment, read_moments

    moment_id = last_moment.read(workspace.places).id
    try:
        _state, details = read_moments.look_up(workspace.objects, moment_id)
    except DevsError:
        return None
    occasion = details.occasion
    return LastMoment(moment_id, short_name(moment_id), details.created_at, occasion.kind, occasion.words)


def _lost(workspace: Workspace) -> tuple[str, ...]:
    """What the net found. The modules that look it up are imported only if there may be something."""
    if not workspace.places.moments.is_dir():
        return ()
    from devs_git.storage.moments import loss_note

    if not any((workspace.places.moments / name).exists() for name in loss_note.SAID):
        return ()
    from devs_git.operations.moments import net_loss

    return net_loss.lines(workspace)


def _gaps(workspace: Workspace) -> tuple[Gap, ...]:
    folder = workspace.places.moments
    # The module is imported only if there may be something.
    if not any((folder / name).exists() for name in ("gap", "gaps")):
        return ()
    from devs_git.storage.moments import gaps

    found = gaps.of_last_day(folder, workspace.clock())
    return tuple(Gap(one.created_at, one.kind, one.reason) for one in found)


def _directives(workspace: Workspace) -> tuple[Directive, ...]:
    """What waits, by the note of the client's hook. The modules are imported only if there is one."""
    if not (workspace.places.shared / "directed").exists():
        return ()
    from devs_git.domain.text.plain_text import cut, printable
    from devs_git.operations.directives import waiting_directives

    return tuple(
        Directive(
            one.standing.directive_id,
            one.standing.task_id,
            one.standing.state,
            printable(cut(one.text, _BEGINNING), ""),
        )
        for one in waiting_directives.look(workspace)
    )


def _open_journals(places: Places) -> tuple[str, ...]:
    """The journals of operations, without that of the command that called this one from a hook."""
    names = [entry.name for entry in places.journals.iterdir()] if places.journals.is_dir() else []
    if not names:
        return ()
    from devs_git.storage.git import parent_command

    ours = parent_command.operation(places)
    return tuple(sorted(name for name in names if not ours or name != f"{ours}.json"))
