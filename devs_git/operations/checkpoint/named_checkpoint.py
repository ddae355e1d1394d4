"""The checkpoint that a text names, for each command that takes one. Where a task began counts as a checkpoint, too."""

from __future__ import annotations

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ids import Target, parse_target
from devs_git.domain.ledger.resolve import resolve
from devs_git.storage.git.program import Git


def find(git: Git, history: History, target: Target | str) -> Checkpoint:
    """The checkpoint, or where a task began (`task-10@0`, `task-10^`: without a tag); the codes of `resolve`."""
    wanted = parse_target(target) if isinstance(target, str) else target
    if wanted.number != 0:
        return resolve(history, wanted)
    from devs_git.operations.checkpoint import task_begin  # few commands go there

    return task_begin.find(git, history, wanted.task)
