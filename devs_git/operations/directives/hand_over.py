"""Hand directives to an agent: at a prompt by the client's hook, or in a bundle for a session that begins.

A directive is handed over once. If the transcript does not show it by the next prompt, it is handed over again, three times
at most. The hand-over is recorded first: a killed hook leaves a directive that counts as handed, and is handed over again.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

from devs_git.domain.clients.model_input import READERS
from devs_git.domain.directives import handed_text
from devs_git.domain.directives.handed_text import DirectiveText
from devs_git.operations.directives import delivery_proofs, waiting_directives
from devs_git.operations.directives.judge import Judge, JudgedDirective
from devs_git.storage.catalog import directives
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.directives import Receiver
from devs_git.storage.catalog.rewound import ledger_marks
from devs_git.storage.worktree import active_task
from devs_git.values import replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.clients.moment_call import MomentCall
    from devs_git.storage.git.places import Places

# Seconds that a prompt waits for another process that writes to the catalog.
PATIENCE: Final = 1.0


def in_force(workspace: Workspace, catalog: Catalog, task_id: str) -> tuple[JudgedDirective, ...]:
    """The directives of a task that count, oldest first, with their texts: what a new session has to know.

    The catalog is caught up with the ledger, and the ledger is believed. None of them is refused or withdrawn.
    """
    judge = Judge(workspace)
    found = (judge.judge(one) for one in directives.standings(catalog, task_id) if not one.gone_at)
    return tuple(one for one in found if not one.refused)


def for_model(judged: JudgedDirective) -> DirectiveText:
    """A directive in the form that a model is told."""
    known = judged.standing
    return DirectiveText(known.directive_id, known.task_id, judged.author, known.written_at, judged.text)


def at_prompt(call: MomentCall, places: Places, beside: str) -> str:
    """The text of the directives that wait for the active task of this worktree, '' for none; they count as handed over.

    `beside`: what else the model is told. No error here stops a prompt: the directives wait for the next prompt then.
    """
    with contextlib.suppress(Exception):
        task = active_task.task_of(active_task.read(places))
        return _take(Workspace(places), call, task, beside) if task else ""
    return ""


def _take(workspace: Workspace, call: MomentCall, task: str, beside: str) -> str:
    workspace.require_believed()
    with Catalog.open(workspace.places.shared, patience=PATIENCE) as catalog:
        ledger_marks.catch_up(catalog, workspace.ledger)
        delivery_proofs.note(workspace, catalog, task)
        left = [for_model(one) for one in waiting_directives.find(workspace, catalog, task)]
        # The prompt itself may be a bundle, and then the agent gets them with it.
        inside = [one.directive_id for one in left if handed_text.is_in(one.directive_id, call.prompt)]
        text, ids = handed_text.fit((one for one in left if one.directive_id not in inside), beside=beside)
        receiver = receiver_of(workspace, call)
        directives.note_handed(catalog, ids, receiver, workspace.now())
        # The client may have written the prompt before it called the hook.
        bundle = replace(receiver, way="bundle", start=0)
        directives.note_handed(catalog, inside, bundle, workspace.now())
        with contextlib.suppress(Exception):
            waiting_directives.write_note(workspace, catalog)
    return text


def receiver_of(workspace: Workspace, call: MomentCall) -> Receiver:
    """The session that this hook tells something."""
    path, client = os.fsencode(call.transcript), call.client.name
    provable = bool(path) and _is_provable(workspace, client)
    return Receiver("hook", client, call.occasion.session, path, _size(path), provable)


def _is_provable(workspace: Workspace, client: str) -> bool:
    """Whether this client's transcripts show what hooks tell, and the policy lets them be read."""
    return client in READERS and workspace.policy.record_conversations


def _size(transcript: bytes) -> int:
    """How many bytes a transcript has now; 0 if it does not exist yet."""
    with contextlib.suppress(OSError):
        return os.stat(transcript).st_size if transcript else 0  # noqa: PTH116 - a path of any bytes
    return 0
