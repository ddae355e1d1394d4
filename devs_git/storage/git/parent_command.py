"""Whether a hook of a git that one of our commands started has started this process."""

from __future__ import annotations

import os
from typing import Final

from devs_git.domain.ledger.ids import is_operation
from devs_git.errors import DevsError
from devs_git.storage.git.places import Places

OPERATION: Final = "DEVS_GIT_OP"  # what our gits have in their environment, and all that they start


def operation(places: Places) -> str:
    """The id of the operation under way whose git's hook this process comes from; '' for any other process."""
    found = os.environ.get(OPERATION, "")
    if not is_operation(found) or not (places.journals / f"{found}.json").exists():
        return ""
    from devs_git.storage.git import locks

    return found if locks.owner_alive(places.lock) else ""  # else it was killed, and this process outlived it


def refusal(verb: str) -> DevsError:
    """BUSY for what writes: it would wait for the command that waits for it."""
    return DevsError(
        "BUSY",
        f"'{verb}' was called by a git hook of another devs-git command, which has to end first.",
        hint="In a hook call what reads (devs-git status, log, show, gate list), or write when that command has ended.",
    )
