"""Where the commits of checkpoints are: in the history of this worktree's HEAD, or still on a remote's branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from devs_git.domain.checkpoints.rows import Row, row
from devs_git.domain.ledger import clone_view
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger import lines_of_work
from devs_git.storage.ledger.clone_history import Standpoint, clone_of
from devs_git.workspace import Workspace


def rows(
    workspace: Workspace, points: Sequence[Checkpoint], history: History, status: Callable[[Checkpoint], str]
) -> tuple[Row, ...]:
    """The rows of `points`, as this clone sees them. `status` returns the status of a checkpoint's task.

    `history` has a tip unless it is that of the newest checkpoints alone.
    """
    gone = _not_on_head(workspace, [point for point in points if point.live], history.tip)
    still = _still_on(workspace, [point for point in points if not point.live], history)
    return tuple(
        row(point, status(point), on_head=point.tag not in gone, still_on=still.get(point.tag, ""))
        for point in points
    )


def way_back(workspace: Workspace, history: History, point: Checkpoint, row: Row) -> str:
    """How to return to a checkpoint, if HEAD does not have it."""
    from devs_git.domain.checkpoints import return_path

    def same_change(commit: str) -> str:
        from devs_git.operations.timeline import commit_task  # only a squash or a rebase needs it

        try:
            return commit_task.same_change(workspace.git, commit)
        except GitFailed:
            # A partial clone may not have the files that a patch needs.
            return ""

    return return_path.describe(history, point, row, same_change)


def still_on(workspace: Workspace, points: Sequence[Checkpoint]) -> dict[str, str]:
    """Names of checkpoints that a rewind of this clone undoes, each with a remote's branch (`origin/main`) that has it."""
    from devs_git.storage.git.remotes import remote_names

    if not points or not remote_names.names(workspace.places):
        return {}
    from devs_git.storage.ledger.index import listing

    here = Standpoint.here(workspace.store_git, workspace.places.common)
    found = here.still_on(points, listing.with_preserved_refs(workspace.ledger.tip()))
    return {point.name: found[point.tag] for point in points if point.tag in found}


def head(workspace: Workspace) -> tuple[str, str]:
    """The commit of HEAD ('' before the first one), and its branch without `refs/heads/` ('' for a detached HEAD)."""
    places = workspace.places
    oid, branch = refs.head(places.git_dir, places.common)
    if not oid:
        try:
            oid = refs.read(workspace.git, "HEAD^{commit}")
            branch = workspace.git.text("symbolic-ref", "-q", "HEAD", ok=(0, 1))
        except GitFailed:
            return "", ""
    return oid, branch.removeprefix(lines_of_work.HEADS)


def _not_on_head(workspace: Workspace, points: Sequence[Checkpoint], tip: str) -> frozenset[str]:
    """The tags of those that HEAD does not reach; none if there is no commit yet, or git cannot read it."""
    try:
        at, _ = head(workspace)
        has = _reached(workspace, points, at, tip) if at else None
    except GitFailed:
        return frozenset()
    return frozenset() if has is None else frozenset(point.tag for point in points) - has


def _reached(workspace: Workspace, points: Sequence[Checkpoint], at: str, tip: str) -> frozenset[str]:
    """The tags of those that the commit `at` reaches. The index answers for old ones; '' is the tip of new ones."""
    from devs_git.storage.ledger.index import listing
    from devs_git.storage.ledger.store import Tip

    commits = {point.commit for point in points}
    known = listing.reaches(Tip(workspace.ledger, tip), at, commits) if tip and commits else {}
    git = workspace.store_git
    here = lines_of_work.tags_here(git, [point for point in points if known.get(point.commit)])
    return here | lines_of_work.tags_reached(git, [p for p in points if p.commit not in known], [at])


def _still_on(workspace: Workspace, points: Sequence[Checkpoint], history: History) -> Mapping[str, str]:
    clone = clone_of(workspace.places.common)
    mine = [point for point in points if not point.replaced and clone_view.rewind_of(point, clone)]
    if not mine:
        return {}
    return Standpoint.here(workspace.store_git, workspace.places.common).still_on(mine, history)
