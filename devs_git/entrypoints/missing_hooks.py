"""The warning of all entry points that git does not call our hooks any more: then an open gate stops no commit."""

from __future__ import annotations

from typing import Final

from devs_git.domain.verbs import verb
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace

# These repair or examine the hooks, or do not read the ledger.
_WITHOUT_WARNING: Final = ("init", "doctor", "trace get")


def warning_for(name: str, workspace: Workspace) -> str:
    """The warning that verb `name` prints; '' if git calls the hooks, or if this is unknown."""
    if name in _WITHOUT_WARNING or verb(name).records:
        return ""
    from devs_git.storage.hooks import hook_presence

    try:
        return hook_presence.warning(workspace.places, workspace.git)
    except (OSError, DevsError, GitFailed):  # the verb itself reports what cannot be read
        return ""
