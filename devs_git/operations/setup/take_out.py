"""What `init --uninstall` leaves, and the commands that delete it: only a person runs them, because nothing brings it back."""

from __future__ import annotations

from typing import Final

from devs_git.domain.gates.policy import PROPOSED
from devs_git.workspace import Workspace

STAYS: Final = (
    "What stays: the branch devs/ledger, the tags devs/task-*, the refs below refs/devs and refs/zdevs, branches "
    f"devs/preserved/*, {PROPOSED}, and .git/devs with stored outputs, conversations and moments. devs-git init installs "
    "the rest again."
)
# git's own patterns: our refs, and no branch or tag that somebody else may have made.
_REFS: Final = (
    "refs/devs refs/zdevs refs/heads/devs/ledger refs/heads/devs/preserved 'refs/tags/devs/task-*' "
    "'refs/remotes/*/devs/ledger'"
)
DELETE_REFS: Final = (
    f"git for-each-ref --format='delete %(refname)' {_REFS} | git update-ref --no-deref --stdin"
)
# In sh, because zsh refuses a pattern that fits nothing. A linked worktree has a folder of its own.
DELETE_FOLDERS: Final = """sh -c 'cd "$(git rev-parse --git-common-dir)" && rm -rf devs worktrees/*/devs'"""
DELETE_POLICY: Final = f'git rm -q {PROPOSED} && git commit -m "Remove devs-git"'


def commands(workspace: Workspace) -> tuple[str, ...]:
    """The commands that delete what stays here, in their order."""
    tracked = workspace.git.run("ls-files", "-z", "--", PROPOSED)
    return (DELETE_REFS, DELETE_FOLDERS, DELETE_POLICY if tracked else f"rm -f {PROPOSED}")
