"""`diff`: what a task changed, or what changed between two states that have a name, or up to the working tree."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import Checkpoint, Task
from devs_git.domain.moments import names
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint import compared_states
from devs_git.operations.checkpoint.compared_states import Side
from devs_git.storage.git import filters
from devs_git.storage.git.comparisons.differences import Change, Hunk, changes, hunks
from devs_git.storage.git.filters import UndecidedFile
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.ledger import rewritten_commits
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

MOST_LINES: Final = 1_000_000
MOST_UNTRACKED: Final = 100
# Who wants no patch; a patch for programs; a patch for a person, with the person's own settings.
NO_PATCH, PLAIN_PATCH, OWN_PATCH = "", "plain", "own"


@immutable
class Request(VerbRequest):
    """From `against` (a checkpoint, a moment, a snapshot or whatever git calls a commit) to `target`.

    Without `against` a task is compared with where it began, and a numbered checkpoint with the one before it. A task in
    work goes up to the working tree if it is the task of this worktree, else up to its newest checkpoint. Without a target: from `against` ('' for HEAD) to the working tree, staged or not. Untracked files belong to it only if
    `against` is a moment. If only `target` is given, and is neither a task nor a numbered checkpoint, it is what `against`
    is else. `patch`: whether git's own patch is wanted, and by whose settings. `words`: it marks words, not lines.
    """

    target: str = ""
    against: str = ""
    hunks: bool = False
    hunk_lines: int = 2000
    patch: str = NO_PATCH
    words: bool = False

    def __post_init__(self) -> None:
        if self.target.startswith(names.PREFIX):
            names.parse(self.target)
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
class Untracked:
    """How many untracked files a comparison with the working tree does not show, and the first hundred; a folder is one."""

    count: int = 0
    paths: tuple[str, ...] = ()


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
    untracked: Untracked = Untracked()


@immutable
class PatchResult(Result):
    """With git's own patch, for the command line. `coloured`: the same lines with git's colours, () if nobody wants them."""

    lines: tuple[bytes, ...] = ()
    coloured: tuple[bytes, ...] = ()


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND, CHECKPOINT_NOT_FOUND, NO_CHECKPOINT for either end; CONFLICT if objects are missing."""
    git = workspace.git.with_env(GIT_NO_REPLACE_OBJECTS="1")
    if any(map(names.is_name, (request.target, request.against))):
        from devs_git.storage.moments import moment_store

        git = moment_store.with_objects(git, workspace.places.common)
    point = compared_states.checkpoint(workspace, git, request.target)
    try:
        result = _compare(workspace, git, request, point)
        named = [text for text in (request.target, request.against) if text and not names.is_name(text)]
        return replace(result, not_believed=workspace.why_not_believed()) if named else result
    except GitFailed as error:
        if isinstance(point, Checkpoint):
            rewritten_commits.require(workspace.store_git, point)
        raise DevsError(
            "CONFLICT",
            "git cannot compare these: an object is missing here.",
            hint="See what is missing: git fsck. Fetch it from a remote that has it: git fetch --refetch REMOTE",
        ) from error


def _compare(workspace: Workspace, git: Git, request: Request, point: Checkpoint | Task | None) -> Result:
    against = request.against
    if isinstance(point, Task):
        before, after = compared_states.so_far(workspace, git, point)
        before = compared_states.find(workspace, git, against, "against") if against else before
        return _result(git, request, before, after)
    if point:
        before = (
            compared_states.find(workspace, git, against, "against")
            if against
            else compared_states.before(workspace, git, ids.parse_target(request.target), point)
        )
        return _result(git, request, before, Side(point.name, point.commit))
    if not request.target or not against:
        return _compare_tree(workspace, git, request)
    before = compared_states.find(workspace, git, against, "against")
    return _result(git, request, before, compared_states.find(workspace, git, request.target, "target"))


def _compare_tree(workspace: Workspace, git: Git, request: Request) -> Result:
    """Compare with the working tree; NOT_A_REPOSITORY if there is none."""
    assert workspace.top
    after = Side(compared_states.WORKING_TREE, "")
    text, field = (request.target, "target") if request.target else (request.against, "against")
    if not text:
        return _result(git, request, Side("HEAD", workspace.head or EMPTY_TREE), after)
    before = compared_states.find(workspace, git, text, field, is_turn=True)
    if not before.is_moment:
        return _result(git, request, before, after)
    from devs_git.storage.moments.untracked_index import with_untracked

    with with_untracked(git, before.left_out) as ours:
        return _result(ours, request, before, after)


def _untracked(git: Git) -> Untracked:
    from devs_git.storage.git import worktree_status  # most comparisons are of two commits

    found = worktree_status.list_untracked(git)
    return Untracked(len(found), tuple(found[:MOST_UNTRACKED]))


def _result(git: Git, request: Request, before: Side, after: Side) -> Result:
    from_, to = before.commit, after.commit
    try:
        apart = {} if to else _undecided_files(git)
        found = changes(git, from_, to, renames=not apart)
        most = request.hunk_lines
        parts, cut = hunks(git, from_, to, most, renames=not apart) if request.hunks else ([], False)
        files = tuple(file for file in _files(found, parts) if file.path not in apart)
        stats = Stats(
            len(files), sum(item.additions for item in files), sum(item.deletions for item in files)
        )
        # The comparison with a moment has them.
        untracked = Untracked() if to or before.is_moment else _untracked(git)
        left_open = filters.sort_files(apart)
        result = Result(from_, to, before.name, after.name, files, stats, cut, left_open, untracked=untracked)
        return _with_patch(git, request, result, found, frozenset(apart)) if request.patch else result
    except GitFailed as error:
        raise _left_out(git, from_, to) or error from error


def _with_patch(
    git: Git, request: Request, result: Result, found: tuple[Change, ...], apart: frozenset[str]
) -> PatchResult:
    """The same result with git's patch, without the sections of files that nobody may judge."""
    from devs_git.storage.git.comparisons import patches

    left_out = frozenset(patches.sections(found, apart))
    wanted = patches.Wanted(result.from_, result.to, request.patch == OWN_PATCH, request.words, left_out)
    lines, coloured = patches.read(git, replace(wanted, renames=not apart))
    return PatchResult(**vars(result), lines=lines, coloured=coloured)


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
