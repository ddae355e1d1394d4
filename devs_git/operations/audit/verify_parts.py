"""The parts of `verify` that check a repository: each returns the findings of one kind, from the same facts.

A server's hook runs only some of them. `registry` and `guard`, which check devs-git itself, belong to the entry points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from devs_git.domain.audit import (
    checkpoint_tags,
    commit_kinds,
    frozen_commits,
    ledger_shape,
)
from devs_git.domain.audit.findings import Finding
from devs_git.domain.audit.frozen_commits import Bound, Witness
from devs_git.domain.audit.ledger_shape import Step
from devs_git.domain.checkpoints import wanted_refs
from devs_git.domain.ledger.event_setup import RepositoryPrepared
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import fold
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.operations.audit import ledger_documents, tas_commits
from devs_git.storage.ledger import ambiguous_refs, audit_facts, whole_history
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.values import replace

FETCH: Final = (
    "Fetch it: git fetch origin refs/heads/devs/ledger:refs/heads/devs/ledger "
    "'refs/devs/checkpoints/*:refs/devs/checkpoints/*'; or begin one: devs-git init"
)
# git looks up so many names of refs faster than it lists all refs.
_FEW: Final = 100


def ledger(facts: Facts) -> Iterator[Finding]:
    """The ledger has one root, is append-only, merges keep both sides, markers match the open gates, and every decision and
    policy counts.
    """
    yield from ambiguous_refs.findings(facts.git, facts.ledger.common)
    yield from audit_facts.missing_files(facts)
    yield from facts.judgement.findings


def tags(facts: Facts) -> Iterator[Finding]:
    """Every checkpoint has its refs: annotated, unmoved and complete, unless an event explains the difference.

    If events were judged before, only the refs of the tasks that the other events name are judged.
    """
    found = {} if facts.judged else whole_history.typed_refs(facts.git, *wanted_refs.FOLDERS)
    for step in facts.new_steps:
        yield from ledger_shape.odd_fields(step)
    # Nobody can tell what the others say of checkpoints.
    events = [step.event for step in facts.new_steps if not step.odd_field]
    if facts.judged:
        yield from _of_named_tasks(facts, events)
        return
    history = fold(events)
    archived: checkpoint_tags.Archived = ()
    if history.archives or any(ref.startswith(ARCHIVES) for ref in found):
        from devs_git.operations.audit import archived_checkpoints

        archived = yield from archived_checkpoints.judge(facts.git, history, events, found)
    yield from checkpoint_tags.judge_held(history, found, archived)


def _of_named_tasks(facts: Facts, newer: list[Event]) -> Iterator[Finding]:
    """The findings about the refs of the tasks that `newer` events name, and about the archives that they name."""
    from devs_git.domain.ledger.indexing import unread_events

    older = [step.event for step in facts.steps if isinstance(step.event, unread_events.Unread)]
    order = [step.event.oid for step in facts.steps]
    tasks, history = unread_events.fold_named(older, newer, order)
    # A tag that some clones dropped stays if any ref has it.
    gone = any(point.gone for point in history.checkpoints.values())
    names = [folder + task for task in tasks for folder in wanted_refs.FOLDERS]
    patterns = wanted_refs.FOLDERS if gone or len(tasks) > _FEW else names
    refs = whole_history.typed_refs(facts.git, *patterns) if patterns else {}
    archived: checkpoint_tags.Archived = ()
    if history.archives:
        from devs_git.operations.audit import archived_checkpoints

        archived = yield from archived_checkpoints.judge_newer(facts.git, history, newer, tasks)
    yield from checkpoint_tags.judge_tasks(tasks, history, refs, archived)


def commits(facts: Facts) -> Iterator[Finding]:
    """No commit was made while a gate was open. No clock is trusted."""
    witness = _witness(facts)
    found = list(frozen_commits.judge(facts.commits, witness, facts.outer_parents))
    if any(one.code == "UNSEEN_AT_FREEZE" and one.severity == "error" for one in found):
        found = list(
            frozen_commits.judge(
                facts.commits, witness, (*facts.outer_parents, *_commits_of_other_heads(facts))
            )
        )
    facts.kinds.update(commit_kinds.count(facts.commits, witness, found))
    yield from facts.judgement.damaged.values()
    yield from found


def _witness(facts: Facts) -> Witness:
    steps = facts.steps
    # What events say excuses commits. If some of the events are not read, more is found, and then the whole ledger is judged.
    told = [] if facts.judged else steps
    severity = facts.judgement.policy_at(facts.tip).unbound_commit
    witness = Witness(
        freezes=facts.freezes,
        parents={step.event.oid: step.event.parents for step in steps},
        heads=facts.heads,
        damaged=frozenset(facts.judgement.damaged),
        recorded=_checkpoint_commits(told),
        unbound=None if severity == "ignore" else severity,
        landed=facts.landings,
        shared=frozenset(step.event.oid for step in told if _of_several_clones(step.event)),
    )
    if any(not commit.ledger for commit in facts.commits):
        return replace(witness, early=facts.early_in_range)
    return witness


def _of_several_clones(event: Event) -> bool:
    """Whether a clone adopted the ledger with this event, or merged two ledgers."""
    return len(event.parents) > 1 or ("created", "ledger") in RepositoryPrepared.of(event).did


def _checkpoint_commits(steps: list[Step]) -> dict[str, str]:
    """The commits of checkpoints, also after an amend or a rebase, each with the first event that names it."""
    found: dict[str, str] = {}
    for step in steps:
        if not step.event.failed:
            named = [step.event.commit] if step.event.tag else []
            for commit in (*named, *(word for words in step.event.moves for word in words[3:4])):
                found.setdefault(commit, step.event.oid)
    return found


def _commits_of_other_heads(facts: Facts) -> list[Bound]:
    """The commits that other recorded heads reach: a branch deleted since may have had a commit when a gate opened."""
    mine = {commit.oid for commit in facts.commits}
    heads = {oid for tips in facts.heads.values() for oid in tips} - mine
    there = whole_history.existing_commits(facts.git, heads)
    return [one for one in whole_history.commits(facts.git, there, facts.base) if one.oid not in mine]


PARTS: Final[dict[str, Callable[[Facts], Iterator[Finding]]]] = {
    "ledger": ledger,
    "tags": tags,
    "commits": commits,
    "tas": tas_commits.tas,
    "policy": ledger_documents.policy,
    "schemas": ledger_documents.documents,
}
