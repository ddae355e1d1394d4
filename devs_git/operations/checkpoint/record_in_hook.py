"""The work of the post-commit hook: one numbered checkpoint for a commit of the active task.

Before, it notes the commit as unrecorded, and afterwards deletes the note: a hook that is killed leaves the note.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

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
    amended: bool = False,
    listen: Callable[[str], None] = lambda _task: None,
) -> Checkpoint | None:
    """The checkpoint of HEAD, or None if no task is active or the policy (`wanted`) forbids it.

    `listen` is called with the task before the checkpoint is made, so that it names the newest messages.

    Two hooks may both call this function (husky's own folder, and a line in its tracked file): the second finds the
    checkpoint. For a commit that replaced another (amend), only `post-rewrite` records, with `amended`. A fast-forward
    (seen by `post-merge`) brings commits of other people. DevsError: then the commit stays noted, and a task that has
    ended is no longer active here.
    """
    work = work_of(active_task.read(workspace.places))
    if work is None or not wanted():
        return None
    found = commit_facts(workspace.git, "HEAD", refs.branch(workspace.places.git_dir))
    move = refs.last_move(workspace.places.git_dir)
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
    """Record HEAD if a client's command committed it, and git ran no hook of ours. `before`: HEAD before the command.

    Of several commits of one command, only the last becomes a checkpoint.
    """
    move = refs.last_move(workspace.places.git_dir)
    if not before or move.new == before or not move.message.startswith("commit"):
        return
    words = (
        "for-each-ref",
        "--count=1",
        f"--points-at={move.new}",
        "refs/devs/checkpoints",
        "refs/tags/devs",
    )
    if not active_task.read(workspace.places) or workspace.store_git.run(*words):
        return
    workspace.start()
    amended = move.message.startswith("commit (amend)")
    if amended:
        # The hook of each commit does without it.
        from devs_git.operations.checkpoint import follow_rewrite

        if follow_rewrite.follow_rewritten_commits(workspace, {move.old: move.new}, "amend"):
            return
    record_head(workspace, lambda: workspace.checkpoint_on_commit, amended=amended, listen=listen)


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
