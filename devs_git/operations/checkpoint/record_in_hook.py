"""The work of the post-commit hook: one numbered checkpoint for a commit of the active task.

Before, it notes the commit as unrecorded, and afterwards deletes the note: a hook that is killed leaves the note.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, takewhile
from pathlib import Path

from devs_git.domain.checkpoints.checkpoint_trailers import Wanted
from devs_git.domain.checkpoints.commit_trailers import work_of
from devs_git.domain.ledger.history import Checkpoint
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import unrecorded_commits
from devs_git.operations.checkpoint.record_checkpoint import commit_facts, record
from devs_git.storage.git import refs
from devs_git.storage.worktree import active_task
from devs_git.values import Final
from devs_git.workspace import Workspace

ENDED = ("TASK_EXISTS", "TASK_NOT_FOUND", "CONFLICT")
_NEWEST: Final = 4  # events to search for that of another call of this hook a moment ago


def record_head(
    workspace: Workspace,
    wanted: Callable[[], bool],
    *,
    move: refs.HeadMove | None = None,
    amended: bool = False,
    listen: Callable[[str], None] = lambda _task: None,
) -> Checkpoint | None:
    """The checkpoint of HEAD, or of the commit that this move of HEAD made; None if no task is active or the policy
    (`wanted`) forbids it.

    `listen` is called with the task before the checkpoint is made, so that it names the newest messages.

    Two hooks may both call this function (husky's own folder, and a line in its tracked file): the second finds the
    checkpoint. For a commit that replaced another (amend), only `post-rewrite` records, with `amended`. A fast-forward
    (seen by `post-merge`) brings commits of other people. DevsError: then the commit stays noted, and a task that has
    ended is no longer active here.
    """
    work = work_of(active_task.read(workspace.places))
    if work is None or not wanted():
        return None
    found = commit_facts(workspace.git, move.new if move else "HEAD", refs.branch(workspace.places.git_dir))
    move = move or refs.last_move(workspace.places.git_dir)
    replaced = move.new == found.commit and move.old.strip("0") and move.old not in found.parents
    if (replaced and not amended) or move.message.endswith(": Fast-forward"):
        return None
    if _is_recorded(workspace, work.task, found.commit):
        return None
    note = f"{found.commit} {work.task}"
    unrecorded_commits.add(workspace.places, note)
    listen(work.task)
    try:
        point = record(
            workspace, Wanted(workspace.new_id("checkpoint", found.commit), "checkpoint", work, found)
        )
    except DevsError as error:
        if error.code in ENDED:
            active_task.write(workspace.places, "")
            unrecorded_commits.remove(workspace.places, note)
        raise
    unrecorded_commits.remove(workspace.places, note)
    return point


def record_unseen(workspace: Workspace, before: str, listen: Callable[[str], None]) -> None:
    """Record what a client's command committed where HEAD is now, if git ran no hook of ours.

    `before`: HEAD before the command. Of commits before a switch of branches, the branch is not known: they are left out.
    """
    if not before or not active_task.read(workspace.places):
        return
    moves = takewhile(
        lambda move: not move.message.startswith("checkout:"), _moves_since(workspace.places.git_dir, before)
    )
    for move in reversed(list(moves)):
        if move.message.startswith("commit"):
            _record_unseen(workspace, move, listen)


def _moves_since(git_dir: Path, before: str) -> list[refs.HeadMove]:
    """The moves of HEAD since it was at `before`, newest first; only the last one if the reflog does not tell where it was."""
    found: list[refs.HeadMove] = []
    for move in refs.last_moves(git_dir):
        if move.new == before:
            return found
        found.append(move)
        if move.old == before:
            return found
    return found[:1]


def _record_unseen(workspace: Workspace, move: refs.HeadMove, listen: Callable[[str], None]) -> None:
    points = (f"--points-at={move.new}", "refs/devs/checkpoints", "refs/tags/devs")
    if workspace.store_git.run("for-each-ref", "--count=1", *points):
        return
    workspace.start()
    amended = move.message.startswith("commit (amend)")
    if amended:
        # The hook of each commit does without it.
        from devs_git.operations.checkpoint import follow_rewrite

        if follow_rewrite.follow_rewritten_commits(workspace, {move.old: move.new}, "amend"):
            return
    record_head(workspace, lambda: workspace.checkpoint_on_commit, move=move, amended=amended, listen=listen)


def _is_recorded(workspace: Workspace, task: str, commit: str) -> bool:
    """Whether one of the newest events made this commit a checkpoint of the task, or moved one to it.

    Only if a second hook may have called devs-git, because the answer needs a git process.
    """
    if not (workspace.places.shared / "hooks/post-commit").exists():
        return False
    for event in islice(workspace.ledger.newest_first(), _NEWEST):
        mine = event.effects.records and event.task == task
        if mine and event.commit == commit:
            return True
        if any(words[3:4] == [commit] for words in event.moves):
            return True
    return False
