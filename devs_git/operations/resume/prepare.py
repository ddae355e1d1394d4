"""What is needed to go on with a task or a contract: its bundle, its last session, its worktree."""

from __future__ import annotations

from typing import NamedTuple

from devs_git.domain.ledger.event_contracts import Contract
from devs_git.domain.ledger.history import Checkpoint, Task
from devs_git.domain.resume.assemble_bundle import Facts
from devs_git.domain.resume.bundle import Bundle, BundleDirective, Mode
from devs_git.operations.resume import bundle_facts, code_state, earlier_state, make_bundle
from devs_git.operations.resume.resume_targets import ResumeTarget
from devs_git.operations.sessions import line_of_session
from devs_git.storage.catalog import conversation_snapshots, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions.newest_messages import Span
from devs_git.storage.git.places import Places
from devs_git.storage.ledger.store import Tip
from devs_git.values import replace
from devs_git.workspace import Workspace


class BundleRequest(NamedTuple):
    """`context`: what a person adds. `tokens`: the budget of the bundle.

    `point`: up to where the bundle goes, None for now. `conversation`: whether the bundle has one. `new_task`: the fork that
    goes on, '' for none.
    """

    mode: Mode
    context: str
    tokens: int
    point: Checkpoint | None = None
    conversation: bool = True
    new_task: str = ""


class LastSession(NamedTuple):
    """`client` and `session_id` are '' if no session is known. `places`: its worktree, None if that is gone."""

    client: str
    session_id: str
    places: Places | None


def find_session(workspace: Workspace, catalog: Catalog, named: ResumeTarget) -> LastSession:
    """The last session of what was named, and its worktree. `catalog` is caught up, and the ledger is believed."""
    if task := named.task:
        last = messages.session_of_task(catalog, task.task_id)
        places = code_state.places_of(workspace, task.worktree, task.task_id)
        return LastSession(last.client if last else "", last.session_id if last else "", places)
    assert named.contract
    session = messages.session(catalog, named.contract.session)
    name = session.worktree if session else workspace.places.worktree_id
    client = session.client if session else named.contract.client
    return LastSession(client, named.contract.session, code_state.places_of(workspace, name))


def make_bundle_of(
    workspace: Workspace, catalog: Catalog, named: ResumeTarget, places: Places | None, wanted: BundleRequest
) -> Bundle:
    """The bundle of what was named, whose code is in this worktree. `catalog` is caught up, and the ledger is believed."""
    tip = workspace.ledger.require()
    if named.task:
        facts, span = _of_task(workspace, catalog, tip, (named.task, places), wanted)
    else:
        assert named.contract
        facts, span = _of_contract(workspace, catalog, tip, (named.contract, places), wanted)
    facts = replace(facts, mode=wanted.mode, context=wanted.context)
    return make_bundle.make(catalog, facts, span if wanted.conversation else None, wanted.tokens)


def _of_task(
    workspace: Workspace, catalog: Catalog, tip: Tip, found: tuple[Task, Places | None], wanted: BundleRequest
) -> tuple[Facts, Span]:
    task, places = found
    facts = bundle_facts.of_task(workspace, tip, (task.task_id, wanted.point), places)
    if wanted.new_task:
        facts = replace(facts, task=bundle_facts.task_in(tip, wanted.new_task))
    told = _directives(workspace, catalog, wanted.new_task or task.task_id)
    return replace(facts, directives=told), _span(catalog, task, wanted.point)


def _of_contract(
    workspace: Workspace,
    catalog: Catalog,
    tip: Tip,
    found: tuple[Contract, Places | None],
    wanted: BundleRequest,
) -> tuple[Facts, Span]:
    contract, places = found
    span = Span(session_id=line_of_session.newest_recorded(workspace, catalog, contract.session))
    if wanted.point:
        span = Span(session_id=contract.session)
        cut = earlier_state.cut_of(catalog, wanted.point, contract.session)
        span = span._replace(upto=cut[1] if cut else 0)
    return bundle_facts.of_contract(workspace, tip, contract, places, wanted.point), span


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
