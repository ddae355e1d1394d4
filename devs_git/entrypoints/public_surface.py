"""The public surface of devs-git, written by hand: verbs, other commands, tools and routes.

`verify registry` compares this list with the tables, because a row that is missing from a table leaves no gap there. If
you add a verb, a tool or a route, or change what one may do, change this list too.
"""

from __future__ import annotations

from typing import Final

_READS: Final = """
log, history, show, diff, why, status, task status, snapshot list, verify, report, doctor, gate list, gate show, gate wait, trace get,
trace list, trace search, trace export, conversation show, conversation snapshots, du, contract show,
directive list
"""
_CHANGES: Final = """
task start, task complete, task switch, task abandon, task result, contract start, phase set, checkpoint, rewind, drop, fork, undo, checkout, branch,
restore, snapshot open, conversation rewind, archive
"""
_CHANGES_WHILE_FROZEN: Final = """
init, sync, history-rewritten, snapshot create, gate request, gate approve, gate reject, trace put, trace import, trace ingest,
conversation import, conversation snapshot, directive add, directive withdraw, resume
"""
_DESTROY: Final = "snapshot prune, trace prune, prune, purge"


def _of(names: str, kind: str) -> dict[str, str]:
    return dict.fromkeys((name.strip() for name in names.split(",")), kind)


# What each verb may do: its tier, and whether it works while a gate is open.
VERBS: Final[dict[str, str]] = {
    **_of(_READS, "tier 0, works while frozen"),
    **_of(_CHANGES, "tier 1, refused while frozen"),
    **_of(_CHANGES_WHILE_FROZEN, "tier 1, works while frozen"),
    **_of(_DESTROY, "tier 3, refused while frozen"),
}
OTHER_COMMANDS: Final = _of(
    "hook, agent install, agent list, aliases install, aliases uninstall, mcp, serve, demo, completion, help",
    "a command that is no verb",
)
# The verb of each tool, and whether the tool is its dry run.
TOOLS: Final[dict[str, str]] = {
    "list_checkpoints": "log",
    "get_history": "history",
    "show_checkpoint": "show",
    "checkpoint_diff": "diff",
    "task_status": "task status",
    "start_task": "task start",
    "commit_task": "task complete",
    "create_checkpoint": "checkpoint",
    "write_task_result": "task result",
    "show_contract": "contract show",
    "branch_from_checkpoint": "branch",
    "git_status": "status",
    "git_diff": "diff",
    "list_snapshots": "snapshot list",
    "create_snapshot": "snapshot create",
    "git_checkout": "checkout",
    "restore_files": "restore",
    "preview_rewind": "rewind --dry-run",
    "rewind_to_task": "rewind",
    "drop_task": "drop",
    "fork_task": "fork",
    "undo_rewind": "undo",
    "resume_task": "resume",
    "request_tas_revision": "gate request",
    "list_gates": "gate list",
    "get_gate": "gate show",
    "get_task_trace": "trace get",
    "search_traces": "trace search",
    "store_trace": "trace put",
    "get_conversation": "conversation show",
    "create_conversation_snapshot": "conversation snapshot",
    "list_conversation_snapshots": "conversation snapshots",
    "rewind_conversation": "conversation rewind",
}
# The tool of each route.
ROUTES: Final[dict[str, str]] = {
    "GET /timeline": "get_history",
    "GET /contracts/{contract}/history": "get_history",
    "GET /contracts/{contract}/supervisor/conversation": "show_contract",
    "POST /contracts/{contract}/supervisor/conversation/rewind": "rewind_conversation",
    "GET /mesh/tasks/{id}/checkpoints": "list_checkpoints",
    "GET /mesh/tasks/{id}/checkpoints/{point}/diff": "checkpoint_diff",
    "GET /mesh/tasks/{id}/conversation": "get_conversation",
    "GET /mesh/tasks/{id}/conversation/snapshots": "list_conversation_snapshots",
    "POST /mesh/tasks/{id}/conversation/snapshots": "create_conversation_snapshot",
    "POST /mesh/tasks/{id}/rewind": "rewind_to_task",
    "POST /mesh/tasks/{id}/continue": "resume_task",
    "POST /contracts/{contract}/supervisor/resume": "resume_task",
    "POST /mesh/tasks/{id}/checkpoints/{n}/branch": "branch_from_checkpoint",
    "POST /mesh/tasks/{id}/fork": "fork_task",
    "POST /mesh/tasks/{id}/checkpoints/{n}/resume": "fork_task",
}
