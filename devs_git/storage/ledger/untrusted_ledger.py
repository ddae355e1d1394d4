"""The warning of commands that show a ledger although it cannot be trusted. Other commands refuse such a ledger."""

from __future__ import annotations

from collections.abc import Callable

from devs_git.errors import DevsError
from devs_git.storage.ledger import rewritten_commits


def reason(require_believed: Callable[[], None]) -> str:
    """Why the ledger cannot be trusted; '' if it can. At the checked tip the rule of belief is not applied again."""
    try:
        require_believed()
    except DevsError as error:
        way_out = error.hint if error.code == rewritten_commits.CODE else "See: devs-git verify ledger"
        return f"{error.code}: {error.message} {way_out}"
    return ""
