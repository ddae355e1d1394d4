"""What verbs say that show a ledger whether it is to be believed or not; the others refuse one that is not."""

from __future__ import annotations

from collections.abc import Callable

from devs_git.errors import DevsError
from devs_git.storage.ledger import rewritten_commits


def reason(require_believed: Callable[[], None]) -> str:
    """Why the ledger is not to be believed, '' where it is. At the tip that was noted the rule is not asked again."""
    try:
        require_believed()
    except DevsError as error:
        way_out = error.hint if error.code == rewritten_commits.CODE else "See: devs-git verify ledger"
        return f"{error.code}: {error.message} {way_out}"
    return ""
