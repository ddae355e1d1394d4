"""The text of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.entrypoints.console import paint

if TYPE_CHECKING:
    from devs_git.commands import task_status


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
