"""What `doctor` says about things that are older than the policy keeps them. Nothing deletes them by itself."""

from __future__ import annotations

from collections.abc import Iterator

from devs_git.operations.upkeep import outdated
from devs_git.workspace import Workspace


def notes(workspace: Workspace) -> Iterator[str]:
    """A sentence if `prune` would delete something."""
    if not workspace.ledger.tip().oid:
        return
    amounts = [kind.amount for kind in outdated.look(workspace) if kind.count]
    if amounts:
        yield f"Older than the policy keeps it: {', '.join(amounts)}. To delete: devs-git prune"
