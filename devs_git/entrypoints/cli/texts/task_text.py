"""task status, task switch and task abandon as text for people."""

from __future__ import annotations

from devs_git.entrypoints.console import paint
from devs_git.values import TYPE_CHECKING

if TYPE_CHECKING:
    from devs_git.commands import task_abandon, task_status, task_switch


def status_text(result: task_status.Result) -> str:
    here = " (active here)" if result.active_here else ""
    lines = [f"{paint(result.task_id, bold=True)} {result.status}{here}"]
    details = (
        ("Title", result.title),
        ("Contract", result.contract),
        ("Agent", result.agent),
        ("Phase", result.phase),
        ("Parent", result.parent),
        ("Forked", result.forked_from),
        ("Spawned", result.spawned_by),
        ("Worktree", result.worktree),
        ("Started", result.started_at),
        ("Plan", result.plan),
        ("Result", result.result),
    )
    lines += [f"{name + ':':10}{value.rstrip()}" for name, value in details if value]
    for row in result.checkpoints:
        mark = f"{row.task_id}@{row.number}"
        lines.append(f"  {mark:14} {row.commit[:10]} {row.state:9} {row.message}")
    lines += [result.way_back] if result.way_back else []
    lines += [f"not recorded: {line}" for line in result.unrecorded]
    return "\n".join(lines)


def switch_text(result: task_switch.Result) -> str:
    name = paint(result.task_id, bold=True)
    if result.before == result.task_id:
        return f"{name} is the current task of this worktree already."
    stays = f" {result.before} stays active." if result.before else ""
    if result.was_abandoned:
        return f"{name} is active again, and the current task of this worktree.{stays}"
    return f"{name} is the current task of this worktree now.{stays}"


def abandon_plan_text(plan: task_abandon.Result) -> str:
    """The plan of its rewind."""
    from devs_git.entrypoints.cli.texts import move_text
    from devs_git.operations.rewind import go_back

    first = f"Abandon {plan.task_id}; its id stays taken"
    return (
        f"{first}\n{move_text.rewind_plan_text(plan.rewind)}"
        if isinstance(plan.rewind, go_back.Plan)
        else first
    )


def abandon_text(result: task_abandon.Result) -> str:
    from devs_git.entrypoints.cli.texts import move_text
    from devs_git.operations.rewind import go_back

    first = f"{paint(result.task_id, bold=True)} is abandoned. Its id stays taken."
    if isinstance(result.rewind, go_back.Result):
        return f"{first}\n{move_text.rewind_text(result.rewind)}"
    # An undo goes back over operations that moved files, and this one moved none.
    return f"{first} No file was changed.\nTo go on with it: devs-git task switch {result.task_id}"
