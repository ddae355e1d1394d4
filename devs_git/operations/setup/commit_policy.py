"""Commit the proposed policy that `init` wrote, and nothing else: what a person staged before stays staged."""

from __future__ import annotations

from devs_git.domain.gates.policy import PROPOSED
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace

MESSAGE = "Set up devs-git"
ADVICE = f"Commit the policy, so that clones find the ledger: git add {PROPOSED} && git commit"


def is_due(workspace: Workspace) -> bool:
    """Whether the file is there and git does not track it."""
    there = workspace.top is not None and (workspace.top / PROPOSED).is_file()
    return there and not workspace.git.run("ls-files", "-z", "--", PROPOSED)


def commit(workspace: Workspace) -> str:
    """Commit it with the person's git and hooks. Returns "", or why git refused; then the index is as before."""
    from devs_git.operations.checkpoint import commit_work  # `init` itself only gives the advice

    git = commit_work.user_git(workspace)
    try:
        git.run("add", "--", PROPOSED)
        try:
            git.run("commit", "--quiet", "-m", MESSAGE, "--only", "--", PROPOSED)
        except GitFailed:
            git.run("rm", "--cached", "--quiet", "--", PROPOSED)
            raise
    except GitFailed as error:
        return str(error)
    return ""
