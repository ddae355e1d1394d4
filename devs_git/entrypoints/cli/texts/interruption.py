"""What Ctrl-C interrupted: what was done by then, what was not, and what the next command takes back."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.text.plain_text import printable
from devs_git.domain.verbs import DESTROYS, verb
from devs_git.storage.git import refs
from devs_git.workspace import Workspace

# Verbs whose event is written together with the move of branch and files.
_MOVES: Final = frozenset({"rewind", "undo", "drop", "restore", "checkout", "conversation rewind"})


def tell(name: str, workspace: Workspace, before: str) -> str:
    """What the interrupted verb `name` did, given what the ledger's own file had `before` it."""
    from devs_git.storage.worktree import journal

    entries = journal.open_ones(workspace.places)
    if any(entry["kind"] == "commit" for entry in entries):
        return (
            f"{name} was interrupted while git made the commit. If the commit is made, the next command records it; "
            "if not, the index is as before. See: devs-git status"
        )
    if entries:
        return (
            f"{name} was interrupted in the middle of a move. The next command finishes it or takes it back, "
            "for example: devs-git status"
        )
    after = refs.loose(workspace.places.common, LEDGER)
    if after == before:
        rest = " Branch, index and files are as before." if name in _MOVES else ""
        return f"{name} wrote no event.{rest}"
    event = next(iter(workspace.ledger.events(after)))
    if event.failed:
        return f"{name} was taken back. The ledger says so: {printable(event.subject, '')}"
    rest = f". If something is left, the next {name} deletes it." if verb(name).tier == DESTROYS else ""
    return f"The ledger has a new event, so this was done: {printable(event.subject, '')}{rest}"
