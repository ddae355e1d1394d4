"""`directive withdraw`: take a directive back, so that it is not handed over any more."""

from __future__ import annotations

from devs_git.domain.directives.directive import Standing, not_found
from devs_git.domain.ledger.event_tasks import DirectiveWithdrawn
from devs_git.domain.ledger.events import Draft
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.directives import write_directive
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import directives
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Request(VerbRequest):
    """The directive with this id."""

    directive_id: str
    at_terminal: bool = False


@immutable
class Result:
    """`handed_at` and `seen_at`: when a model got it before, '' if none did. `event` is '' if it was withdrawn already."""

    directive_id: str
    task_id: str
    handed_at: str
    seen_at: str
    withdrawn_at: str
    event: str


def run(workspace: Workspace, request: Request) -> Result:
    """DIRECTIVE_NOT_FOUND, TERMINAL_REQUIRED. What was handed over already stays in the conversation."""
    workspace.ledger.require()
    write_directive.require_person(workspace, "take a directive back", at_terminal=request.at_terminal)
    with open_catalog.open_catalog(workspace, caught_up=True) as catalog:
        known = directives.find(catalog, request.directive_id)
    if known is None:
        raise not_found(request.directive_id)
    if known.gone_at:
        return _result(known, known.gone_at, "")
    content = DirectiveWithdrawn(known.directive_id, known.task_id)
    subject = f"directive: withdraw {known.directive_id} of {known.task_id}"
    event = workspace.append(
        lambda _tip: Draft(workspace.event_of(content, subject, verb_name="directive withdraw"))
    )
    return _result(known, event.finished, event.oid)


def _result(known: Standing, withdrawn_at: str, event: str) -> Result:
    return Result(known.directive_id, known.task_id, known.handed_at, known.seen_at, withdrawn_at, event)
