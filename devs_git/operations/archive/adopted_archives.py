"""Check the archives that `init` fetched with a ledger. `sync` fetches the right ones, if the remote gets them."""

from __future__ import annotations

from devs_git.domain.checkpoints.archives import oid_of
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.storage.git import refs
from devs_git.workspace import Workspace


def drop_wrong(workspace: Workspace) -> int:
    """Delete the refs of archives that no event names, or that have a fault; how many these were."""
    git = workspace.ledger.git
    held = refs.list_refs(git, ARCHIVES)
    if not held:
        return 0
    from devs_git.storage.ledger.archived import archives  # few repositories have one

    named = workspace.ledger.tip().history.archives
    wrong = [
        RefUpdate(ref, NO_OID, oid)
        for ref, oid in held.items()
        if oid_of(ref) != oid or oid not in named or archives.examine(git, oid).faults
    ]
    refs.transaction(git, wrong, "devs: init: no archive of the ledger")
    return len(wrong)
