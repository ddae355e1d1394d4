"""The maker of moments of an open workspace."""

from __future__ import annotations

from devs_git.storage.moments.maker import Maker
from devs_git.storage.moments.seen_changes import Seen
from devs_git.workspace import Workspace


def maker_of(workspace: Workspace, seen: Seen | None = None) -> Maker:
    """The maker for the worktree of the workspace; NOT_A_REPOSITORY if it has none.

    The policy is read only if the files to save are large, because that takes time.
    """
    workspace.top  # noqa: B018 - raises if there is no worktree
    return Maker(
        workspace.git,
        workspace.store_git,
        workspace.places,
        workspace.objects,
        lambda: workspace.policy.backup_limit,
        workspace.clock,
        seen=seen,
    )
