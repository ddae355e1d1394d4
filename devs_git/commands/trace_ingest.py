"""`trace ingest`: take what the agent hooks have captured into the catalog. Verbs that need traces do so by themselves."""

from __future__ import annotations

from devs_git.domain.verbs import VerbRequest
from devs_git.operations.recall import open_catalog
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """Nothing to say."""


@immutable
class Result:
    """How many payloads went in, and how many cannot be read and are kept in `spool/rejected` of the common `devs/`."""

    ingested: int
    rejected: int


def run(workspace: Workspace, request: Request) -> Result:
    """Take in everything that waits. NOT_INITIALIZED, BUSY."""
    del request
    from devs_git.storage.catalog.database import Catalog

    workspace.ledger.require()
    with Catalog.open(workspace.places.shared) as catalog:
        return Result(*open_catalog.ingest_spool(workspace, catalog))
