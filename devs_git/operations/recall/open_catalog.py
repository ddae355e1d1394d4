"""Open the catalog of traces and conversations, with everything that hooks have captured."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from devs_git.values import TYPE_CHECKING
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog


@contextlib.contextmanager
def open_catalog(workspace: Workspace, *, caught_up: bool = False) -> Iterator[Catalog]:
    """The catalog, after the spool was read into it; NOT_INITIALIZED where nobody ran `init`.

    `caught_up`: also read the ledger's newest events, which say which traces were rewound.
    """
    from devs_git.storage.catalog.database import Catalog

    if not workspace.places.shared.is_dir():
        workspace.ledger.require()
    with Catalog.open(workspace.places.shared, progress=workspace.progress) as catalog:
        with catalog.allow_unwritable(workspace.say):
            # The spool first: so that traces captured before a rewind are marked, too.
            ingest_spool(workspace, catalog)
            if caught_up:
                from devs_git.storage.catalog.rewound import ledger_marks

                ledger_marks.catch_up(catalog, workspace.ledger)
        yield catalog


def catalog_for_reading(workspace: Workspace) -> Catalog:
    """The catalog for a dry run, which writes nothing; NOT_INITIALIZED if nobody ran `init`."""
    from devs_git.storage.catalog.database import Catalog

    workspace.ledger.require()
    return Catalog.look(workspace.places.shared)


@contextlib.contextmanager
def open_or_empty(workspace: Workspace) -> Iterator[Catalog]:
    """The catalog, caught up; if it is damaged, an empty one, so that what the ledger says is shown all the same."""
    from devs_git.errors import DevsError
    from devs_git.storage.catalog.database import Catalog

    with contextlib.ExitStack() as held:
        try:
            catalog = held.enter_context(open_catalog(workspace, caught_up=True))
        except DevsError as error:
            if error.code != "CONFLICT":
                raise
            workspace.say(
                f"{error.message} Messages, outputs, contracts and phases are missing here. See: devs-git doctor"
            )
            # There is no such folder, so this catalog is empty and in memory.
            catalog = held.enter_context(Catalog.look(workspace.places.shared / "none"))
        yield catalog


def ingest_spool(workspace: Workspace, catalog: Catalog) -> tuple[int, int]:
    """Read the payloads of agent hooks into the catalog. Returns how many were read and how many were rejected. BUSY."""
    if not workspace.places.has_spooled:
        return 0, 0
    from devs_git.operations.recall import ingest, spool

    taken = spool.ingest(workspace.places, workspace.store_git, catalog, workspace.progress)
    ingest.ingest_pending(workspace, catalog)
    return taken.ingested, taken.rejected


def refresh_conversation(workspace: Workspace, task_id: str) -> None:
    """Before a checkpoint: read the new messages of the session that it will name. No problem here stops the checkpoint."""
    from devs_git.operations.recall import ingest, worktree_note

    known = worktree_note.read(workspace.places, task_id)
    if (known is None or known.is_all) and not workspace.places.has_spooled:
        return
    from devs_git.storage.catalog import transcripts
    from devs_git.storage.catalog.database import TROUBLE

    with contextlib.suppress(*TROUBLE), open_catalog(workspace) as catalog:
        known = worktree_note.read(workspace.places, task_id)
        if known and not known.is_all:
            source = transcripts.Source(Path(known.path))
            ingest.ingest_transcript(workspace, catalog, source, ingest.current_attribution(workspace))
