"""The one way from a door to a command: recover, guard, run (DESIGN 5).

Refusals come in this order: arguments (a Request checks itself when it is made), not found (a command's optional
`find`), frozen, then the state of task or tree (the command's `run`).
"""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path
from typing import Any

from devs_git.domain.verbs import CHANGES, READS, Verb, verb
from devs_git.errors import DevsError
from devs_git.values import replace
from devs_git.workspace import Workspace

GOING_BACK = ("rewind", "undo")  # from what their caller saw: of two at once, one is BUSY


def call(name: str, workspace: Workspace, request: Any) -> Any:
    """The result of verb `name`; raises DevsError. Under `dry_run` nothing is recovered or written."""
    row = verb(name)
    module = importlib.import_module(row.module)
    writes = not bool(getattr(request, "dry_run", None))
    if writes:
        _recover_first(name, workspace)
    if not writes or (row.tier == READS and name != "verify"):  # CI verifies partial clones, too
        workspace = replace(workspace, offline=True)
    if not row.goes_on_while_frozen or getattr(request, "releases", False):
        _guard(row, module, workspace, request)
    if not writes or row.tier < CHANGES or row.records:
        result = module.run(workspace, request)
        if writes and workspace.places.is_new_worktree:
            _show(workspace)
        return result
    if name != "init":
        _mend_tags(workspace)
    result = module.run(workspace, request)
    _show(workspace)
    return result


def _mend_tags(workspace: Workspace) -> None:
    """A visible tag that something pruned comes back before a verb decides by it, an undone one goes again."""
    if workspace.ledger.tip().oid:
        from devs_git.storage import visible_tags

        visible_tags.mend(workspace.ledger)


def _show(workspace: Workspace) -> None:
    """Render what the verb changed in the ledger. A view that cannot be written undoes nothing that was done."""
    from devs_git.storage import view, visible_tags
    from devs_git.storage.git_program import GitFailed

    try:
        with visible_tags.leaving(workspace.ledger.git, workspace.places.common):
            view.refresh(workspace.places, workspace.ledger)
    except (OSError, DevsError, GitFailed):
        workspace.say("The view .devs/ could not be written; see: devs-git doctor")


def _recover_first(name: str, workspace: Workspace) -> None:
    try:
        recover(workspace, alone=name in GOING_BACK)
    except DevsError:
        if name != "doctor":  # it is asked for the way out of just this
            raise


def recover(workspace: Workspace, *, alone: bool = False) -> None:
    """Finish or take back what an interrupted command left in this worktree; BUSY where its owner still lives.

    With `alone` BUSY also where it has just ended.
    """
    places = workspace.places
    if not any(places.journals.glob("*.json")) and not _litter(places.own / "op"):
        return
    from devs_git.storage import commit_and_record
    from devs_git.storage.engine import journal, run

    if places.top is None:
        return
    entries = journal.open_ones(places)
    # A folder without a journal may also be a living command's that has not got that far: nobody waits for that.
    with contextlib.suppress(*(() if entries else (DevsError,))):
        wait = run.LIVE_OWNER_SECONDS if entries else 0.0
        with run.worktree_lock(workspace.site, wait=wait, alone=alone):
            pass  # taking the lock recovers the moves and sweeps
    for entry in entries:
        if entry["kind"] == "commit":
            commit_and_record.finish(workspace, entry)


def _litter(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except FileNotFoundError:
        return False


def _guard(row: Verb, module: Any, workspace: Workspace, request: Any) -> None:
    """GATE_BLOCKED while a gate is open, unless a person overrides (rewind alone knows how)."""
    if not workspace.ledger.open_gates():
        return
    if hasattr(module, "find"):
        module.find(workspace, request)
    if getattr(request, "override_reason", None):
        _require_person(workspace, request)
        return
    require_calm(f"{row.name} --uninstall" if row.goes_on_while_frozen else row.name, workspace)


def require_calm(what: str, workspace: Workspace) -> None:
    """GATE_BLOCKED while a gate is open."""
    for gate in workspace.ledger.open_gates()[:1]:
        raise DevsError(
            "GATE_BLOCKED",
            f"'{what}' is frozen: gate {gate} waits for a person's decision.",
            hint=f"See it: devs-git gate show {gate}",
            gate_id=gate,
        )


def _require_person(workspace: Workspace, request: Any) -> None:
    """TERMINAL_REQUIRED unless a person at a terminal overrides a gate; no other door says `at_terminal`."""
    if request.at_terminal and not workspace.agent_variable:
        return
    who = (
        f"An agent runs here ({workspace.agent_variable} is set)"
        if request.at_terminal
        else "Nobody is there"
    )
    raise DevsError(
        "TERMINAL_REQUIRED",
        f"{who}: a gate is overridden by a person at a terminal.",
        hint="Run it in a terminal of your own.",
    )
