"""What is needed to go on with a task or a contract: its bundle, its last session, its worktree."""

from __future__ import annotations

from typing import NamedTuple

from devs_git.domain.ledger.event_contracts import Contract
from devs_git.domain.ledger.history import Checkpoint, Task
from devs_git.domain.resume.bundle import Bundle, BundleDirective, Mode
from devs_git.operations.resume import bundle_facts, code_state, make_bundle
from devs_git.operations.resume.resumable import Named
from devs_git.storage.catalog import conversation_snapshots, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions.newest_messages import Span
from devs_git.storage.git.places import Places
from devs_git.storage.ledger.store import Tip
from devs_git.values import replace
from devs_git.workspace import Workspace


class Wanted(NamedTuple):
    """In which mode somebody goes on, what he adds, and the budget of the bundle in tokens."""

    mode: Mode
    context: str
    tokens: int


class Prepared(NamedTuple):
    """`client` and `session_id` are of the last session, '' if none is known. `places` is None if the worktree is gone."""

    bundle: Bundle
    client: str
    session_id: str
    places: Places | None


def prepare(workspace: Workspace, tip: Tip, catalog: Catalog, named: Named, wanted: Wanted) -> Prepared:
    """The bundle and the session of what was named. `catalog` is caught up, and the ledger is believed."""
    if named.task:
        return _of_task(workspace, tip, catalog, (named.task, named.point), wanted)
    assert named.contract
    return _of_contract(workspace, tip, catalog, named.contract, wanted)


def _of_task(
    workspace: Workspace, tip: Tip, catalog: Catalog, named: tuple[Task, Checkpoint | None], wanted: Wanted
) -> Prepared:
    task, point = named
    places = code_state.places_of(workspace, task.worktree, task.task_id)
    facts = bundle_facts.of_task(workspace, tip, named, places)
    facts = replace(
        facts,
        mode=wanted.mode,
        context=wanted.context,
        directives=_directives(workspace, catalog, task.task_id),
    )
    bundle = make_bundle.make(catalog, facts, _span(catalog, task, point), wanted.tokens)
    last = messages.session_of_task(catalog, task.task_id)
    return Prepared(bundle, last.client if last else "", last.session_id if last else "", places)


def _of_contract(
    workspace: Workspace, tip: Tip, catalog: Catalog, contract: Contract, wanted: Wanted
) -> Prepared:
    known = messages.session(catalog, contract.session)
    places = code_state.places_of(workspace, known.worktree if known else workspace.places.worktree_id)
    facts = bundle_facts.of_contract(workspace, tip, contract, places)
    facts = replace(facts, mode=wanted.mode, context=wanted.context)
    bundle = make_bundle.make(catalog, facts, Span(session_id=contract.session), wanted.tokens)
    return Prepared(bundle, known.client if known else contract.client, contract.session, places)


def _span(catalog: Catalog, task: Task, point: Checkpoint | None) -> Span:
    """The messages of the task, up to the checkpoint that is named."""
    if point is None:
        return Span(task.task_id)
    kept = conversation_snapshots.of_tag(catalog, point.tag) if point.tag else None
    span = Span(task.task_id, until=point.created_at)
    return span._replace(session_id=kept.session_id, upto=kept.message_count) if kept else span


def _directives(workspace: Workspace, catalog: Catalog, task_id: str) -> tuple[BundleDirective, ...]:
    """The directives that wait for the task."""
    if not workspace.ledger.tip().names("directives"):
        return ()
    from devs_git.operations.directives import hand_over

    return tuple(
        BundleDirective(one.standing.directive_id, one.text, one.author, one.standing.written_at)
        for one in hand_over.in_force(workspace, catalog, task_id)
    )
