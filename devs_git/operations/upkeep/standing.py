"""How a repository stands, for `status`: how much is recorded, which hooks git does not call, and where undo would go.

`status` is called often. So each question is first asked in the cheapest way, and modules are loaded if there is an answer.
"""

from __future__ import annotations

from devs_git.domain.ledger.events import LEDGER
from devs_git.errors import DevsError
from devs_git.storage.git import ref_files
from devs_git.storage.git.places import Places
from devs_git.values import Final, immutable
from devs_git.workspace import Workspace

_HOOK_CODES: Final = frozenset({"HOOK_MISSING", "HOOK_NOT_CALLED"})


@immutable
class HookGap:
    """A hook of ours that git does not call: what is wrong, and the command that repairs it."""

    message: str
    fix: str


@immutable
class UndoGoal:
    """The operation that `undo` would take back, and the commit to which it would go ('' if no file would move)."""

    op_id: str
    subject: str
    created_at: str
    commit: str


def count_gates(workspace: Workspace) -> int:
    """How many gates were ever opened: each has a folder in the ledger."""
    words = ("ls-tree", "--name-only", "-z", LEDGER, "gates/")
    return workspace.store_git.run(*words, ok=(0, 1, 128)).count(b"\0")


def count_traces(places: Places) -> int:
    """How many outputs of tools the catalog has; -1 if it cannot be read."""
    if not (places.shared / "catalog.db").exists():
        return 0
    # Loaded only if there is a catalog. Hooks may have more, which the next command that reads traces takes in.
    from devs_git.storage.catalog import database, traces

    try:
        with database.Catalog.look(places.shared) as catalog:
            return traces.count(catalog)
    except database.TROUBLE:
        return -1


def hooks(workspace: Workspace) -> tuple[HookGap, ...]:
    """The hooks that `init` installs and git does not call. Nothing of it is looked up while all are in their place."""
    from devs_git.storage.git import exclude_file
    from devs_git.storage.hooks import hook_presence

    if not exclude_file.is_present(workspace.places) or hook_presence.in_place(workspace.places):
        return ()
    from devs_git.storage.hooks import installation

    found = installation.status(workspace.places, workspace.git)
    return tuple(HookGap(one.message, one.fix) for one in found if one.code in _HOOK_CODES)


def just_abandoned(workspace: Workspace) -> str:
    """The task that was given up here, if nothing has happened since: only `task switch` takes that back. '' if there is none."""
    newest = next(workspace.ledger.read_events("--max-count=1", LEDGER, "--"), None)
    if not newest or newest.failed or newest.worktree != workspace.places.worktree_id:
        return ""
    # An operation that says so moved files, too, and an undo takes it back.
    given_up = not newest.effects.operation and (newest.task, "abandoned") in newest.statuses
    return newest.task if given_up else ""


def undo(workspace: Workspace, branch: str) -> UndoGoal | None:
    """What undo would take back. Operations are read for it only if one left a backup here."""
    if not ref_files.has_below(workspace.store_git, "refs/devs/backup"):
        return None
    from devs_git.operations.rewind import undoable_operations
    from devs_git.storage.ledger.index import listing

    try:
        history = listing.operations(workspace.ledger.tip())
        event, commit = undoable_operations.last(workspace.site, history, branch)
    except DevsError:
        return None
    return UndoGoal(event.op_id, event.subject, event.finished, commit)
