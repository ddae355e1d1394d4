"""The checkpoint that a text names, for each command that takes one. Where a task began counts as a checkpoint, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ids import ARCHIVES, Target, checkpoint_ref, completed_tag, parse_target
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
    """The same for a command that acts on it. What the index finds counts if refs say the same; else the events since the
    task began are read, and then the whole ledger.
    """
    from devs_git.storage.ledger.index import listing

    wanted = parse_target(target) if isinstance(target, str) else target
    if listing.has_index(tip):
        from devs_git.storage.ledger import task_files  # a small ledger is read whole

        point, _ = look_up(git, tip, wanted)
        if _refs_agree(git, point, wanted):
            return point
        history = task_files.history_here(tip, wanted.task) if wanted.task else History()
        if wanted.task in history.tasks:
            return find(git, history, wanted)
    return find(git, tip.here, wanted)


def _refs_agree(git: Git, point: Checkpoint, target: Target) -> bool:
    """Whether the numbered ref has the tag and the commit of the checkpoint, and if no number or oid was named, the visible tag, too.

    An archive counts as the refs that it has.
    """
    from devs_git.storage.git import refs

    # Of the beginning of an oid only the whole ledger tells that no other checkpoint has it.
    if not point.tag or (target.beginning and point.task_id != target.task):
        return False
    ref = checkpoint_ref(point.task_id, point.number)
    visible = "" if target.number is not None or target.oid else completed_tag(point.task_id)
    held = refs.read(git, ref)
    if held and (held, refs.read(git, f"{ref}^{{commit}}")) != (point.tag, point.commit):
        return False
    shown = refs.read(git, visible) if visible else point.tag
    if held and shown:
        return shown == point.tag
    return shown in ("", point.tag) and _are_archived(
        git, point, *(name for name, at in ((ref, held), (visible, shown)) if not at)
    )


def _are_archived(git: Git, point: Checkpoint, *names: str) -> bool:
    from devs_git.storage.git import ref_files

    if not ref_files.has_below(git, ARCHIVES):
        return False
    # Few repositories have an archive.
    from devs_git.storage.ledger.archived import archived_points

    have = archived_points.here(git, {point.task_id})
    found = (have.get((name, point.tag)) for name in names)
    return all(one and one.commit == point.commit for one in found)
