"""One line that every door says where git does not call our hooks any more: an open gate stops no commit then."""

from __future__ import annotations

from typing import Final

from devs_git.domain.verbs import verb
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace

# They mend or examine the hooks, or read nothing of the ledger.
_OTHERS: Final = ("init", "doctor", "trace get")


def warning_for(name: str, workspace: Workspace) -> str:
    """What verb `name` says of it beside its answer; '' where all is well, and where it could not be found out."""
    if name in _OTHERS or verb(name).records:
        return ""
    from devs_git.storage.hooks import hook_presence

    try:
        return hook_presence.warning(workspace.places, workspace.git)
    except (OSError, DevsError, GitFailed):  # the verb itself says what cannot be read
        return ""
