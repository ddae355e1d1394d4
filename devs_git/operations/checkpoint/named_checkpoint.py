"""The checkpoint that a text names, for each command that takes one. Where a task began counts as a checkpoint, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ids import Target, checkpoint_ref, parse_target
from devs_git.domain.ledger.resolve import resolve
from devs_git.errors import DevsError
from devs_git.storage.git.program import Git
from devs_git.values import replace

if TYPE_CHECKING:
    from devs_git.storage.ledger.store import Tip


def find(git: Git, history: History, target: Target | str) -> Checkpoint:
    """The checkpoint, or where a task began (`task-10@0`, `task-10^`: without a tag); the codes of `resolve`."""
    wanted = parse_target(target) if isinstance(target, str) else target
    if wanted.number != 0:
        return _recorded(git, history, wanted)
    from devs_git.operations.checkpoint import task_begin  # few commands go there

    return task_begin.find(git, history, wanted.task)


def _recorded(git: Git, history: History, target: Target) -> Checkpoint:
    try:
        return resolve(history, target)
    except DevsError as error:
        if error.code not in ("TASK_NOT_FOUND", "CHECKPOINT_NOT_FOUND"):
            raise
        from devs_git.operations.checkpoint import commit_without_checkpoint  # only a wrong name needs it

        raise commit_without_checkpoint.refusal(git, history, target, error) from error


def canonical(text: str, point: Checkpoint) -> str:
    """The text with the id of the task that was found: `task-10@3` for `task10@3`. An oid stays as it is."""
    target = parse_target(text)
    if target.before or target.oid or not target.task or point.task_id == target.task:
        return text
    # An oid that may be a task's id, too: the checkpoint has it, or its commit.
    if target.beginning and any(oid.startswith(target.beginning) for oid in (point.tag, point.commit)):
        return text
    return str(replace(target, task=point.task_id, short=""))


def look_up(git: Git, tip: Tip, target: Target | str) -> tuple[Checkpoint, History]:
    """The same for a command that only shows it, with the history that has its task: the index says which events are read.

    If that finds none, the whole ledger is asked.
    """
    from devs_git.storage.ledger.index import listing  # a rewind reads the ledger itself

    wanted = parse_target(target) if isinstance(target, str) else target
    history = listing.of_target(tip, wanted)
    try:
        return find(git, history, wanted), history
    except DevsError:
        return find(git, tip.here, wanted), tip.here


def confirm(git: Git, tip: Tip, target: Target | str) -> Checkpoint:
    """The same for a command that acts on it: its own ref names its tag, or the whole ledger is read."""
    from devs_git.storage.git import refs

    point, _ = look_up(git, tip, target)
    ref = checkpoint_ref(point.task_id, point.number)
    return point if point.tag and refs.read(git, ref) == point.tag else find(git, tip.here, target)
