"""`diff`: what changed up to a checkpoint or a moment, or up to the working tree, with hunks up to a limit."""

from __future__ import annotations

from devs_git.domain.checkpoints.previous import candidates
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.resolve import resolve
from devs_git.domain.moments import names
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.storage.git import filters, refs
from devs_git.storage.git.differences import Change, Hunk, changes, hunks, nearest_ancestor, parents
from devs_git.storage.git.filters import UndecidedFile
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.ledger import rewritten_commits
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

MOST_LINES = 1_000_000


@immutable
class Request(VerbRequest):
    """From `against` (a checkpoint, a moment, HEAD or another commit; '' for the previous checkpoint) to `target`.

    Without a target: from `against` ('' for HEAD) to the working tree, staged or not. Untracked files belong to it only if
    `against` is a moment. If only `target` is given, and is a moment, it is what `against` is else.
    """

    target: str = ""
    against: str = ""
    hunks: bool = False
    hunk_lines: int = 2000

    def __post_init__(self) -> None:
        if self.target:
            (names.parse if names.is_name(self.target) else ids.parse_target)(self.target)
        if names.is_name(self.target) and not self.against:
            object.__setattr__(self, "against", self.target)
            object.__setattr__(self, "target", "")
        if self.against.startswith(names.PREFIX):
            names.parse(self.against, field="against")
        if not 1 <= self.hunk_lines <= MOST_LINES:
            raise invalid("hunk_lines", f"The number must be from 1 to {MOST_LINES}, not {self.hunk_lines}.")


@immutable
class File:
    """One changed file. `old_path`: only of a renamed file. `binary` files have no line counts and no hunks."""

    path: str
    action: str
    additions: int
    deletions: int
    hunks: tuple[Hunk, ...]
    old_path: str
    binary: bool
    old_mode: str
    new_mode: str


@immutable
class Stats:
    """Totals over all files, also those whose hunks were left out."""

    files_changed: int
    insertions: int
    deletions: int


@immutable
class Result(VerbResult):
    """`from_` and `to`: oids of commits; of a moment that of the tree of its files. `from_` may be the empty tree's, and
    `to` is '' for a working tree.

    `not_told`: files whose difference only a filter can tell, which is not started because the repository names it.
    `not_believed`: as in `status`, if the request names a checkpoint.
    """

    from_: str
    to: str
    from_name: str
    to_name: str
    files: tuple[File, ...]
    stats: Stats
    truncated: bool
    not_told: tuple[UndecidedFile, ...]
    not_believed: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND, CHECKPOINT_NOT_FOUND, NO_CHECKPOINT for either end; CONFLICT if objects are missing."""
    try:
        result = _compare(workspace, request)
        named = [text for text in (request.target, request.against) if text and not names.is_name(text)]
        return replace(result, not_believed=workspace.why_not_believed()) if named else result
    except GitFailed as error:
        if request.target and not names.is_name(request.target):
            point = resolve(workspace.ledger.tip().here, ids.parse_target(request.target))
            rewritten_commits.require(workspace.store_git, point)
        raise DevsError(
            "CONFLICT",
            "git cannot compare these: an object is missing here.",
            hint="See what is missing: git fsck. Fetch it from a remote that has it: git fetch --refetch REMOTE",
        ) from error


@immutable
class _Side:
    """One side of a comparison: its name for people, and its commit or tree ('' for the working tree).

    `left_out`: the untracked files that a moment does not have.
    """

    name: str
    commit: str
    is_moment: bool = False
    left_out: tuple[str, ...] = ()


def _compare(workspace: Workspace, request: Request) -> Result:
    git = workspace.git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    if any(map(names.is_name, (request.target, request.against))):
        from devs_git.storage.moments import moment_store

        git = moment_store.with_objects(git, workspace.places.common)
    if not request.target:
        return _compare_tree(workspace, git, request)
    if names.is_name(request.target):
        return _result(
            git,
            request,
            _named(workspace, git, request.against, "against"),
            _moment(workspace, request.target),
        )
    history = workspace.ledger.require().here
    point = resolve(history, ids.parse_target(request.target))
    before = (
        _named(workspace, git, request.against, "against")
        if request.against
        else _before(git, history, point)
    )
    return _result(git, request, before, _Side(point.name, point.commit))


def _compare_tree(workspace: Workspace, git: Git, request: Request) -> Result:
    """Compare with the working tree; NOT_A_REPOSITORY if there is none."""
    assert workspace.top
    after = _Side("the working tree", "")
    if not request.against:
        return _result(git, request, _Side("HEAD", workspace.head or EMPTY_TREE), after)
    before = _named(workspace, git, request.against, "against", is_turn=True)
    if not before.is_moment:
        return _result(git, request, before, after)
    from devs_git.storage.moments.untracked_index import with_untracked

    with with_untracked(git, before.left_out) as ours:
        return _result(ours, request, before, after)


def _result(git: Git, request: Request, before: _Side, after: _Side) -> Result:
    from_, to = before.commit, after.commit
    try:
        apart = {} if to else _undecided_files(git)
        found = changes(git, from_, to, renames=not apart)
        most = request.hunk_lines
        parts, cut = hunks(git, from_, to, most, renames=not apart) if request.hunks else ([], False)
    except GitFailed as error:
        raise _left_out(git, from_, to) or error from error
    files = tuple(file for file in _files(found, parts) if file.path not in apart)
    stats = Stats(len(files), sum(item.additions for item in files), sum(item.deletions for item in files))
    return Result(from_, to, before.name, after.name, files, stats, cut, filters.sort_files(apart))


def _undecided_files(git: Git) -> dict[str, str]:
    """The files that a filter of the repository would have to read, each with the name of the filter."""
    found = filters.find_undecided(git, git.skipped_filters)
    return {**found.unsure, **found.changed}


def _left_out(git: Git, from_: str, to: str) -> DevsError | None:
    """CONFLICT with the command that fetches the objects, if this is a partial clone."""
    if not git.says("config", "--get-regexp", r"^remote\..*\.promisor$"):
        return None
    return DevsError(
        "CONFLICT",
        "git cannot compare these, because this partial clone does not have all of their objects.",
        hint=f"Fetch it first: git diff --stat {from_[:12]} {to[:12]}".rstrip(),
    )


def _before(git: Git, history: History, point: Checkpoint) -> _Side:
    """The nearest earlier live checkpoint that this one descends from; else its parent; else the empty tree."""
    earlier = candidates(history, point)
    commit = nearest_ancestor(git, point.commit, frozenset(earlier))
    if commit:
        return _Side(earlier[commit].name, commit)
    above = parents(git, point.commit)
    return _Side(f"{point.name}^", above[0]) if above else _Side("the empty tree", EMPTY_TREE)


def _named(workspace: Workspace, git: Git, text: str, field: str, *, is_turn: bool = False) -> _Side:
    """The moment or checkpoint with this name, else the commit with this name. `is_turn`: see `_moment`."""
    if text.startswith(names.PREFIX):
        return _moment(workspace, text, field, is_turn=is_turn)
    try:
        if names.is_name(text):
            return _moment(workspace, text, field)
        point = _point(workspace, ids.parse_target(text, field=field))
    except DevsError:
        commit = refs.commit_of(git, text)
        if not commit:
            raise
        return _Side(text, commit)
    return _Side(point.name, point.commit)


def _point(workspace: Workspace, target: ids.Target) -> Checkpoint:
    return named_checkpoint.find(workspace.store_git, workspace.ledger.tip().here, target)


def _moment(workspace: Workspace, text: str, field: str = "target", *, is_turn: bool = False) -> _Side:
    """The files of a moment. `is_turn`: `moment:-1` is the state before the last turn, and not one from within it."""
    from devs_git.operations.moments import resolve_moment
    from devs_git.storage.moments import read_moments

    find = resolve_moment.begin_of_turn if is_turn else resolve_moment.resolve
    found = find(workspace, text, field=field)
    state, details = read_moments.look_up(workspace.objects, found.id)
    return _Side(names.short_name(found.id), state.worktree, is_moment=True, left_out=details.left_out)


def _files(found: tuple[Change, ...], parts: list[list[Hunk]]) -> tuple[File, ...]:
    files, at = [], 0
    for item in found:
        own = [hunk for section in parts[at : at + item.sections] for hunk in section]
        at += item.sections
        files.append(
            File(
                path=item.path,
                action=item.action,
                additions=item.additions,
                deletions=item.deletions,
                hunks=tuple(own),
                old_path=item.old_path,
                binary=item.binary,
                old_mode=item.old_mode,
                new_mode=item.new_mode,
            )
        )
    return tuple(files)
