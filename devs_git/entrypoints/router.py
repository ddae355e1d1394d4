"""The one way from a door to a command: recover, guard, run.

Refusals come in this order: arguments (a Request checks itself when it is made), no policy, not found (a command's
optional `find`), frozen, then the state of task or tree (the command's `run`). A dry run is not refused for a gate: its
result names it in `blocked_by`.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from devs_git.domain.verbs import CHANGES, READS, Verb, VerbRequest, verb
from devs_git.errors import DevsError
from devs_git.storage.git import parent_command
from devs_git.storage.git.program import GitFailed
from devs_git.values import replace
from devs_git.workspace import Workspace

_STATE: Final = "NO_CHECKPOINT"  # the one thing that a `find` says of a state: told once no gate is open
JUDGE_THEMSELVES: Final = (
    "init",
    "history-rewritten",
)  # whether the ledger is to be believed, before they write
GOING_BACK = ("rewind", "undo")  # from what their caller saw: of two at once, one is BUSY


def call(name: str, workspace: Workspace, request: VerbRequest) -> Any:
    """The result of verb `name`; raises DevsError. Under `dry_run` nothing is recovered or written."""
    row = verb(name)
    module = importlib.import_module(row.module)
    acting = replace(workspace, offline=True) if request.dry_run or row.tier == READS else workspace
    _require_init(row, acting)
    if request.dry_run:
        return _dry_run(row, module, acting, request)
    _recover_first(name, workspace.start_now())
    with _time_limit(row) if row.seconds else contextlib.nullcontext():
        return _run(row, module, acting, request)


def _require_init(row: Verb, workspace: Workspace) -> None:
    """NOT_INITIALIZED where the ledger has no policy, for all verbs but those that answer there, too.

    Where this clone has had a policy, git is not asked. What else is wrong with a ledger says the verb that needs it: the
    others still show and record what they can.
    """
    if row.before_init or workspace.places.has_had_policy:
        return
    try:
        workspace.ledger.require()
    except DevsError as error:
        if error.code == "NOT_INITIALIZED":
            raise
    except GitFailed:
        return


@contextlib.contextmanager
def _time_limit(row: Verb) -> Iterator[None]:
    """CHECKOUT_TIMEOUT once the verb's gits have taken the seconds of its row; what had moved is back by then."""
    from devs_git.storage.git import time_limit
    from devs_git.storage.git.children import GitTimedOut

    try:
        with time_limit.within(row.seconds):
            yield
    except GitTimedOut as error:
        raise DevsError(
            "CHECKOUT_TIMEOUT",
            f"'{row.name}' took longer than {row.seconds:g} seconds ({error}); everything is as it was.",
            hint="Try again, or use git switch for very large changes.",
        ) from error


def _run(row: Verb, module: Any, workspace: Workspace, request: VerbRequest) -> Any:
    """The result, unless a gate is open; what the verb changed is shown."""
    if row.name != "init" and workspace.places.lacks_view and workspace.ledger.tip().oid:
        _show(workspace)
    if frozen := _freeze_refusal(row, workspace, request):
        _look_for(module, workspace, request)
        raise frozen
    if row.tier < CHANGES or row.records:
        return module.run(workspace, request)
    if row.name not in JUDGE_THEMSELVES:
        # Also for what goes on while frozen, before it writes: whoever has written here is no fresh clone any more.
        workspace.require_believed(behind=row.name == "sync")
        _mend_tags(row.name, workspace)
    result = module.run(workspace, request)
    if row.name == "undo":
        # A task may be live again by its branch alone: it was pulled after an earlier rewind.
        _mend_tags(row.name, workspace)
    _show(workspace)
    return result


def _dry_run(row: Verb, module: Any, workspace: Workspace, request: VerbRequest) -> Any:
    """What a dry run answers, with the gate that would stop the real one first among `blocked_by`."""
    result = module.run(workspace, request)
    frozen = _freeze_refusal(row, workspace, request)
    return replace(result, blocked_by=(frozen.envelope(), *result.blocked_by)) if frozen else result


def _mend_tags(name: str, workspace: Workspace) -> None:
    """A visible tag that something pruned comes back before a verb decides by it, an undone one goes again."""
    if workspace.ledger.tip().oid:
        from devs_git.storage.ledger import visible_tags

        visible_tags.mend(workspace.ledger, always=name in GOING_BACK, say=workspace.say)


def _show(workspace: Workspace) -> None:
    """Render what the verb changed in the ledger. A view that cannot be written undoes nothing that was done."""
    from devs_git.storage.git.children import GitTimedOut
    from devs_git.storage.ledger import devs_folder, visible_tags

    try:
        with visible_tags.note_tags_after(workspace.ledger.git, workspace.places.common):
            devs_folder.refresh(workspace.places, workspace.ledger)
    except (OSError, DevsError, GitFailed, GitTimedOut):
        workspace.say("The view .devs/ could not be written; see: devs-git doctor")


def _recover_first(name: str, workspace: Workspace) -> None:
    if parent_command.operation(workspace.places):
        if verb(name).tier != READS:
            raise parent_command.refusal(name)
        return  # what is under way is no leftover
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
    if not any(places.journals.glob("*.json")) and not _has_leftovers(places.operations):
        return
    from devs_git.operations.checkpoint import complete_task
    from devs_git.storage.worktree import journal, move_tree

    if places.top is None:
        return
    entries = journal.open_ones(places)
    # A folder without a journal may also be a living command's that has not got that far: nobody waits for that.
    with contextlib.suppress(*(() if entries else (DevsError,))):
        wait = move_tree.LIVE_OWNER_SECONDS if entries else 0.0
        with move_tree.worktree_lock(workspace.site, wait=wait, alone=alone):
            pass  # taking the lock recovers the moves and sweeps
    for entry in entries:
        if entry["kind"] == "commit":
            complete_task.finish(workspace, entry)


def _has_leftovers(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except FileNotFoundError:
        return False


def _look_for(module: Any, workspace: Workspace, request: VerbRequest) -> None:
    """Say what does not exist before a gate is spoken of; how things stand is said after it."""
    try:
        if hasattr(module, "find"):
            module.find(workspace, request)
    except DevsError as error:
        if error.code != _STATE:
            raise


def _freeze_refusal(row: Verb, workspace: Workspace, request: VerbRequest) -> DevsError | None:
    """Why a verb waits while a gate is open; None with none open, and for a person who overrides (rewind alone knows how)."""
    if row.runs_while_frozen and not request.releases:
        return None
    # What is open is asked of a ledger that is believed: else whoever can push one could open a way.
    workspace.require_believed()
    gates = workspace.ledger.open_gates()
    if gates and request.override_reason:
        return _override_refusal(workspace, request)
    what = f"{row.name} --uninstall" if row.runs_while_frozen else row.name
    return _blocked_by_gate(what, gates[0]) if gates else None


def require_no_open_gate(what: str, workspace: Workspace) -> None:
    """GATE_BLOCKED while a gate is open; what is wrong with a ledger that is not to be believed, which may hide one."""
    workspace.require_believed()
    for gate in workspace.ledger.open_gates()[:1]:
        raise _blocked_by_gate(what, gate)


def _blocked_by_gate(what: str, gate: str) -> DevsError:
    return DevsError(
        "GATE_BLOCKED",
        f"'{what}' is frozen: gate {gate} waits for a person's decision.",
        hint=f"See it: devs-git gate show {gate}",
        gate_id=gate,
    )


def _override_refusal(workspace: Workspace, request: VerbRequest) -> DevsError | None:
    """TERMINAL_REQUIRED unless a person at a terminal overrides a gate; no other door says `at_terminal`."""
    if request.at_terminal and not workspace.agent_variable:
        return None
    who = (
        f"An agent runs here ({workspace.agent_variable} is set)"
        if request.at_terminal
        else "Nobody is there"
    )
    return DevsError(
        "TERMINAL_REQUIRED",
        f"{who}: a gate is overridden by a person at a terminal.",
        hint="Run it in a terminal of your own.",
    )
