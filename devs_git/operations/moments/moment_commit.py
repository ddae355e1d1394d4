"""The state of a moment as a commit, for a branch there: HEAD of then, with a commit on it for what was not committed."""

from __future__ import annotations

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.moments import names
from devs_git.domain.moments.moment import Moment
from devs_git.errors import DevsError
from devs_git.storage.moments import read_moments
from devs_git.storage.worktree import backups, capture
from devs_git.workspace import Workspace


def commit_of(workspace: Workspace, moment: Moment) -> str:
    """The oid; MOMENT_NOT_FOUND if the moment or its commit is gone."""
    state, _details = read_moments.load(workspace.objects, moment.id)
    if state.head and not workspace.objects.exists(state.head):
        text = f"The commit {state.head[:12]} of {names.short_name(moment.id)} no longer exists."
        raise DevsError("MOMENT_NOT_FOUND", text, hint="List the moments: devs-git log --moments")
    if state.head and state.worktree == backups.tree_of_head(workspace.objects, state.head):
        return state.head
    message = f"Uncommitted work of {names.short_name(moment.id)}\n\n{TrailerKey.LEDGER}: {workspace.ledger.tip().oid}"
    above = [state.head] if state.head else []
    return capture.commit(workspace.objects, state.worktree, above, workspace.ledger.signature(), message)
