"""`trace ingest`: store in the catalog what agent hooks have captured. Commands that need traces do this themselves."""

from __future__ import annotations

from devs_git.domain.verbs import VerbRequest
from devs_git.operations.recall import open_catalog
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """It has no arguments."""


@immutable
class Result:
    """How many payloads were stored, and how many could not be read and are now in `devs/spool/rejected`."""

    ingested: int
    rejected: int


def run(workspace: Workspace, request: Request) -> Result:
    """Store all payloads of the spool. NOT_INITIALIZED, BUSY."""
    del request
    from devs_git.storage.catalog.database import Catalog

    workspace.ledger.require()
    with Catalog.open(workspace.places.shared) as catalog:
        return Result(*open_catalog.ingest_spool(workspace, catalog))
