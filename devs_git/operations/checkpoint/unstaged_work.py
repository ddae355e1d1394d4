"""If nothing is staged: whether HEAD is work of the task, and which files a checkpoint would leave out."""

from __future__ import annotations

from typing import Final

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.errors import DevsError
from devs_git.storage.git.program import Git, GitFailed, split_z

_NAMED: Final = 5  # files that the message of a refusal names
_TASKS = f"--format=%x00%(trailers:key={TrailerKey.TASK},valueonly,separator=%x2C)"
_STATUS = (
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=normal",
    "--ignore-submodules=dirty",
)


def checkpoint_on(history: History, task_id: str, commit: str) -> Checkpoint | None:
    """The newest live checkpoint of the task on this commit."""
    found = (point for point in reversed(history.of_task(task_id)) if point.live and point.commit == commit)
    return next(found, None)


def is_new(git: Git, history: History, task_id: str, head: str) -> bool:
    """Whether HEAD has commits of the task since its start, or is a checkpoint of it.

    An event of an older version does not say where the task started: then every commit may be its work.
    """
    if checkpoint_on(history, task_id, head):
        return True
    started = history.tasks[task_id].started_on
    return not started or has_commits(git, task_id, started, head)


def has_commits(git: Git, task_id: str, since: str, head: str) -> bool:
    """Whether there are commits after `since` whose trailers name this task or none."""
    try:
        lines = git.run("log", _TASKS, "--end-of-options", f"{since}..{head}", "--")
    except GitFailed:  # the commit is gone, so nobody knows
        return True
    tasks = [line.strip() for line in lines.decode("utf-8", "replace").split("\0")[1:]]
    return any(said in ("", task_id) for said in tasks)


def _first_names(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(map(repr, paths[:_NAMED])) + (f" and {more} more" if more > 0 else "")


def refuse_left_out(git: Git, task_id: str, *, tracked: bool, untracked: bool) -> None:
    """CONFLICT for changed tracked files (if `tracked`) and for untracked files (if `untracked`)."""
    lines = split_z(git.run(*_STATUS))
    kinds = {"?": untracked}
    left = [line[3:] for line in lines if kinds.get(line[0], tracked)]
    if left:
        raise DevsError(
            "CONFLICT",
            f"Nothing is staged, and {_first_names(left)} would be left out.",
            hint="Add --all to commit everything, or stage what belongs to the task: git add",
            task_id=task_id,
            paths=left[:100],
        )
