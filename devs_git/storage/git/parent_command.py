"""Whether this process was started by a hook of a git that another devs-git command runs."""

from __future__ import annotations

import os

from devs_git.domain.ledger.ids import is_operation
from devs_git.errors import DevsError
from devs_git.storage.git.children import OPERATION
from devs_git.storage.git.places import Places


def operation(places: Places) -> str:
    """The id of the running operation whose git called the hook that started this process; '' if there is none."""
    found = os.environ.get(OPERATION, "")
    if not is_operation(found) or not (places.journals / f"{found}.json").exists():
        return ""
    from devs_git.storage.git import locks

    # If its owner is dead, it was killed, and this process outlived it.
    return found if locks.owner_alive(places.lock) else ""


def refusal(verb: str) -> DevsError:
    """BUSY for a command that writes: each of the two commands would wait for the other."""
    return DevsError(
        "BUSY",
        f"'{verb}' was called by a git hook of another devs-git command, which must end first.",
        hint="In a hook, use commands that only read (devs-git status, log, show, gate list). Write after that command has ended.",
    )
