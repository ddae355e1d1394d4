"""The only way from an entry point to a command: recover, guard, run.

Refusals come in this order: arguments (a Request checks itself when it is made), no policy, not found (a command's
optional `find`), frozen, and last the state of task or tree (the command's `run`). An open gate does not refuse a dry
run; its result names the gate in `blocked_by`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from pathlib import Path

from devs_git.domain.verbs import CHANGES, READS, Verb, VerbRequest, verb
from devs_git.errors import DevsError
from devs_git.storage.git.children import OPERATION
from devs_git.storage.git.program import GitFailed, require_own_objects
from devs_git.values import Any, Final, replace
from devs_git.workspace import Workspace

# The only refusal of a `find` that is about a state; an open gate is reported before it.
_STATE: Final = "NO_CHECKPOINT"
# They check by themselves whether the ledger can be believed, before they write.
JUDGE_THEMSELVES: Final = ("init", "history-rewritten")
# They start from the state that their caller saw: if two run at the same time, one is BUSY.
GOING_BACK = ("rewind", "drop", "undo", "conversation rewind")
# These repair or examine the hooks, or do not read the ledger.
_WITHOUT_WARNING: Final = ("init", "doctor", "trace get")


def call(name: str, workspace: Workspace, request: VerbRequest) -> Any:
    """Run the verb `name` and return its Result; raises DevsError. A dry run recovers and writes nothing."""
    row, reading = verb(name), replace(workspace, offline=True)
    module = importlib.import_module(row.module)
    # What the request wants may depend on what the repository has, and what is refused depends on what it wants.
    request = module.settle(reading, request) if hasattr(module, "settle") else request
    row = replace(row, tier=READS) if request.only_reads else row
    acting = reading if request.dry_run or row.tier == READS else workspace
    _require_init(row, acting)
    if request.dry_run:
        return _dry_run(row, module, replace(acting, dry_run=True), request)
    _recover_first(row, workspace.start())
    with _time_limit(row) if row.seconds else contextlib.nullcontext():
        return _run(row, module, acting, request)


def _require_init(row: Verb, workspace: Workspace) -> None:
    """Raise NOT_INITIALIZED if the ledger has no policy, except for verbs that work without one.

    A clone that has had a policy is not asked. The verb that needs the ledger reports its other faults; others still work.
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
    """Raise CHECKOUT_TIMEOUT if the verb's git processes take longer than its row allows. The move is taken back before."""
    from devs_git.storage.git import children
    from devs_git.storage.git.children import GitTimedOut

    try:
        with children.within(row.seconds):
            yield
    except GitTimedOut as error:
        raise DevsError(
            "CHECKOUT_TIMEOUT",
            f"'{row.name}' took longer than {row.seconds:g} seconds ({error}). Everything is as it was.",
            hint="Try again, or use git switch for very large changes. After a large fetch, run first: devs-git status",
        ) from error


def _run(row: Verb, module: Any, workspace: Workspace, request: VerbRequest) -> Any:
    """Run the verb unless a gate is open, then update the view `.devs/`. Returns the Result."""
    if row.name != "init" and workspace.places.lacks_view and workspace.ledger.tip().oid:
        _show(workspace)
    if frozen := _freeze_refusal(row, workspace, request):
        _look_for(module, workspace, request)
        raise frozen
    if row.tier >= CHANGES:
        _require_writable(row, module, workspace, request)
    if row.tier < CHANGES or row.records:
        return module.run(workspace, request)
    if row.name not in JUDGE_THEMSELVES:
        # Verbs that work while frozen need this too: a clone that has written is no fresh clone any more.
        workspace.require_believed(behind=row.name == "sync")
        _mend_tags(row.name, workspace)
    # A task may be live again because its branch was pulled after an earlier rewind, or lacks the commit of a drop now.
    again = row.name == "undo" or (row.name.endswith(("rewind", "resume")) and _may_have_drops(workspace))
    result = module.run(workspace, request)
    try:
        if again:
            _mend_tags(row.name, workspace, again=True)
        _show(workspace)
    except KeyboardInterrupt as stop:
        stop.add_note(f"{row.name} was done. Only the view .devs/ may be as before.")
        raise
    return result


def _may_have_drops(workspace: Workspace) -> bool:
    from devs_git.storage.ledger.index.listing import may_have_drops

    return may_have_drops(workspace.ledger.tip())


def _require_writable(row: Verb, module: Any, workspace: Workspace, request: VerbRequest) -> None:
    """Raise INVALID_ARGUMENTS if the environment names another folder of objects, and READ_ONLY as in a client's sandbox.

    READ_ONLY names the tool of our MCP server that does the same: clients start that server outside of their sandbox.
    """
    places = workspace.places
    if not row.records:
        require_own_objects(workspace.git, places.common)
    if all(os.access(folder, os.W_OK) for folder in (places.common, places.git_dir)):
        return
    from devs_git.entrypoints.public_surface import TOOLS

    _look_for(module, workspace, request)
    tool = next((name for name, verb_name in TOOLS.items() if verb_name == row.name), "")
    hint = "Run the command outside of the sandbox, or make the git directory writable."
    if tool:
        hint = f"An agent in a sandbox calls the MCP tool {tool} of devs-git, which works outside of it."
    raise DevsError(
        "READ_ONLY",
        f"The git directory of this repository is read-only here, so '{row.name}' can write nothing.",
        hint=hint,
        **({"tool": tool} if tool else {}),
    )


def _dry_run(row: Verb, module: Any, workspace: Workspace, request: VerbRequest) -> Any:
    """The result of a dry run. If a gate would refuse the real run, it is the first of `blocked_by`."""
    result = module.run(workspace, request)
    frozen = _freeze_refusal(row, workspace, request)
    return replace(result, blocked_by=(frozen.envelope(), *result.blocked_by)) if frozen else result


def _mend_tags(name: str, workspace: Workspace, *, again: bool = False) -> None:
    """Before a verb decides by visible tags: restore tags that something pruned, and delete tags of undone tasks."""
    if workspace.ledger.tip().oid:
        from devs_git.storage.ledger import visible_tags

        visible_tags.mend(
            workspace.ledger, always=again or name in GOING_BACK, again=again, say=workspace.say
        )


def _show(workspace: Workspace) -> None:
    """Update the view `.devs/` after a change of the ledger. If this fails, the verb has succeeded all the same."""
    from devs_git.storage.git.children import GitTimedOut
    from devs_git.storage.ledger import devs_folder, visible_tags

    try:
        visible_tags.note_tags(workspace.ledger.git, workspace.places.common)
        devs_folder.refresh(workspace.places, workspace.ledger)
        # For which tasks a directive waits is for the clients' hooks to know. The module is loaded only if there may be any.
        if (workspace.places.shared / "directed").exists() or devs_folder.has_files(
            workspace.ledger, "directives"
        ):
            from devs_git.operations.directives import waiting_directives

            waiting_directives.refresh(workspace)
    except (OSError, DevsError, GitFailed, GitTimedOut):
        workspace.say("The view .devs/ could not be written. See: devs-git doctor")


def _recover_first(row: Verb, workspace: Workspace) -> None:
    if OPERATION in os.environ:
        from devs_git.storage.git import parent_command

        if parent_command.operation(workspace.places):
            if row.tier != READS:
                raise parent_command.refusal(row.name)
            return  # the operation is still running, so there is nothing to recover
    try:
        recover(workspace, alone=row.name in GOING_BACK)
    except DevsError:
        # doctor shows the way out of this state.
        if row.name != "doctor":
            raise


def recover(workspace: Workspace, *, alone: bool = False) -> None:
    """Finish or take back an interrupted command of this worktree. Raises BUSY if that command is still running.

    With `alone` it raises BUSY also if that command has just ended.
    """
    places = workspace.places
    if any(places.forks.glob("*.json")):
        from devs_git.operations.fork import half_made_fork

        half_made_fork.take_back_all(workspace)
    if not any(places.journals.glob("*.json")) and not _has_leftovers(places.operations):
        return
    from devs_git.operations.checkpoint import complete_task
    from devs_git.storage.worktree import journal, move_tree

    if places.top is None:
        return
    entries = journal.open_ones(places)
    # A folder without a journal may belong to a command that has just started: do not wait for it.
    with contextlib.suppress(*(() if entries else (DevsError,))):
        wait = move_tree.LIVE_OWNER_SECONDS if entries else 0.0
        with move_tree.worktree_lock(workspace.site, wait=wait, alone=alone):
            pass  # taking the lock recovers the moves and sweeps
    for entry in entries:
        if entry["kind"] == "commit":
            complete_task.finish(workspace, entry)
        if entry["kind"] == "worktree":
            from devs_git.operations.moments import half_made_worktree

            half_made_worktree.take_back(workspace, entry)


def _has_leftovers(folder: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return any(folder.iterdir())
    return False


def _look_for(module: Any, workspace: Workspace, request: VerbRequest) -> None:
    """Report names that do not exist before the gate; refusals about a state come after it."""
    try:
        if hasattr(module, "find"):
            module.find(workspace, request)
    except DevsError as error:
        if error.code != _STATE:
            raise


def _freeze_refusal(row: Verb, workspace: Workspace, request: VerbRequest) -> DevsError | None:
    """The refusal of a verb while a gate is open; None if no gate is open, or if a person overrides it (only in rewind)."""
    if row.runs_while_frozen and not request.frozen_option:
        return None
    # Only a ledger that is believed is asked for open gates: otherwise whoever can push one could unfreeze the repository.
    workspace.require_believed()
    gates = workspace.ledger.open_gates()
    if gates and request.override_reason:
        return _override_refusal(workspace, request)
    what = f"{row.name} {request.frozen_option}".rstrip()
    return _blocked_by_gate(what, gates[0]) if gates else None


def require_no_open_gate(what: str, workspace: Workspace) -> None:
    """Raise GATE_BLOCKED if a gate is open, or the fault of a ledger that is not believed, because it may hide a gate."""
    workspace.require_believed()
    for gate in workspace.ledger.open_gates()[:1]:
        raise _blocked_by_gate(what, gate)


def require_no_open_gate_for_agent(what: str, workspace: Workspace) -> None:
    """Like `require_no_open_gate` where an agent runs: it would write files. A person may set up what guards the gate."""
    if workspace.agent_variable:
        require_no_open_gate(what, workspace)


def _blocked_by_gate(what: str, gate: str) -> DevsError:
    return DevsError(
        "GATE_BLOCKED",
        f"'{what}' is refused, because gate {gate} waits for a person's decision.",
        hint=f"See it: devs-git gate show {gate}",
        gate_id=gate,
    )


def _override_refusal(workspace: Workspace, request: VerbRequest) -> DevsError | None:
    """TERMINAL_REQUIRED unless a person at a terminal overrides the gate. Only the command line sets `at_terminal`."""
    if request.at_terminal and not workspace.agent_variable:
        return None
    reason = "there is no terminal here"
    if request.at_terminal:
        reason = f"an agent runs here ({workspace.agent_variable} is set)"
    return DevsError(
        "TERMINAL_REQUIRED",
        f"Only a person at a terminal can override a gate, and {reason}.",
        hint="Run the command in your own terminal.",
    )


def warning_of_hooks(name: str, workspace: Workspace) -> str:
    """The warning that git does not call our hooks any more, so that an open gate stops no commit; '' if unknown or not so."""
    if name in _WITHOUT_WARNING or verb(name).records:
        return ""
    from devs_git.storage.hooks import hook_presence

    try:
        return hook_presence.warning(workspace.places, workspace.git)
    except (OSError, DevsError, GitFailed):  # the verb itself reports what cannot be read
        return ""
