"""Which session goes on in place of another one: a rewind of a conversation writes a new session, which may be rewound, too."""

from __future__ import annotations

from devs_git.domain.recall import message_cuts
from devs_git.domain.recall.message_cuts import Successor
from devs_git.storage.catalog import messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.workspace import Workspace


def successors(workspace: Workspace, *, shown: bool = False) -> dict[str, Successor]:
    """Each session that goes on in this clone, by the id of the session before it. `shown`: nothing is decided by it."""
    from devs_git.storage.ledger.index import listing  # the list of tools does not need it

    tip = workspace.ledger.require()
    operations = (listing.operations(tip) if shown else tip.here).operations
    return message_cuts.successors(operations, clone_of(workspace.places.common))


def newest(workspace: Workspace, session_id: str, *, shown: bool = False) -> Successor | None:
    """The session that goes on in place of this one; None if it goes on itself."""
    line = message_cuts.line_of(successors(workspace, shown=shown), session_id)
    return line[-1] if line else None


def newest_recorded(workspace: Workspace, catalog: Catalog, session_id: str) -> str:
    """The newest session in place of this one that the catalog has, because somebody has gone on with it; else this one."""
    line = (step.session_id for step in reversed(message_cuts.line_of(successors(workspace), session_id)))
    return next((one for one in line if messages.session(catalog, one)), session_id)
