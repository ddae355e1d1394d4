"""Directives with a secret in their text. The ledger keeps it, but a directive that is withdrawn reaches no agent any more."""

from __future__ import annotations

from collections.abc import Iterator

from devs_git.domain.directives.directive import file_of
from devs_git.domain.ledger.event_tasks import DirectiveWithdrawn
from devs_git.domain.ledger.events import Event
from devs_git.domain.recall.purge_terms import Remainder, contains
from devs_git.errors import DevsError
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace


def find(workspace: Workspace, forms: tuple[bytes, ...]) -> list[Remainder]:
    """Those that contain one of the forms and that nobody withdrew, each with the command that does it."""
    tip = workspace.ledger.tip()
    names = [name.removesuffix(".yaml") for name in tip.names("directives")] if forms else []
    found = [name for name in names if any(contains(text, forms) for text in _texts(tip, name))]
    if not found:
        return []
    events = workspace.ledger.events(tip.oid)
    gone = {DirectiveWithdrawn.of(event).directive for event in events if _withdraws(event)}
    return [
        Remainder(f"the directive {name}", f"devs-git directive withdraw {name}")
        for name in found
        if name not in gone
    ]


def _withdraws(event: Event) -> bool:
    return event.type == DirectiveWithdrawn.type and not event.failed


def _texts(tip: Tip, directive_id: str) -> Iterator[bytes]:
    """The file and its text, which YAML may write in several lines."""
    from devs_git.storage.documents import yaml_documents

    path = file_of(directive_id)
    data = tip.read(path) or b""
    yield data
    try:
        record = yaml_documents.load(data, path, "directive", code="LEDGER_MUTATED")
    except DevsError:
        return
    yield str(record["text"]).encode("utf-8", "surrogateescape")
