"""Tell a model after a compaction which task it works on: plan, gates, the directives that count, and where the bundle is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.directives import handed_text, recalled_text
from devs_git.domain.directives.recalled_text import RecalledGate, RecalledTask
from devs_git.operations.directives import hand_over
from devs_git.operations.resume import bundle_facts
from devs_git.storage.catalog import directives
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.rewound import ledger_marks
from devs_git.storage.ledger import task_files
from devs_git.storage.ledger.index import listing
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.clients.moment_call import MomentCall
    from devs_git.storage.git.places import Places


def tell(call: MomentCall, places: Places) -> str:
    """The text for the model; '' if no task is active in this worktree. Directives that wait count as handed over with it."""
    workspace = Workspace(places)
    workspace.require_believed()
    task = _task(workspace, active_task.task_of(active_task.read(places)))
    if task is None:
        return ""
    opening, ending = recalled_text.first_part(task), recalled_text.last_part(task)
    with Catalog.open(places.shared, patience=hand_over.PATIENCE) as catalog:
        ledger_marks.catch_up(catalog, workspace.ledger)
        known = hand_over.in_force(workspace, catalog, task.task_id)
        # Four more characters: two empty lines.
        text, ids = handed_text.fit(map(hand_over.for_model, known), beside=f"{opening}{ending}    ")
        waits = [one.standing.directive_id for one in known if one.standing.waits]
        receiver = hand_over.receiver_of(workspace, call)
        directives.note_handed(catalog, [one for one in ids if one in waits], receiver, workspace.now())
    return "\n\n".join(part for part in (opening, text, ending) if part)


def _task(workspace: Workspace, task_id: str) -> RecalledTask | None:
    tip = workspace.ledger.tip()
    if not (tip.oid and task_id):
        return None
    history = listing.with_task(tip, task_id)
    task = history.tasks.get(task_id)
    if task is None:
        return None
    gates = bundle_facts.gates_of(tip, frozenset((task_id,)))
    return RecalledTask(
        task_id=task_id,
        title=task.title,
        phase=history.phase_of(task),
        contract=task.contract,
        plan=task_files.newest(tip, task_id).get("plan", ""),
        gates=tuple(
            RecalledGate(one.gate_id, one.status, one.blocker_description, one.reason) for one in gates
        ),
    )
