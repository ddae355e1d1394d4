"""Commit a task's work and record it exactly once, also after a crash.

The steps of `perform`: write a journal entry, `git add` if requested, `git commit`, record, delete the journal entry.
If the commit is refused, the index stays as it was. After a crash, `finish` reads the journal entry and records the
commit that was made, or restores the index if there is none.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

from devs_git.domain.checkpoints.checkpoint_trailers import Wanted
from devs_git.domain.checkpoints.commit_job import Job, job_of
from devs_git.domain.checkpoints.commit_trailers import work_of
from devs_git.domain.checkpoints.rows import NewFiles, Recorded, row_of_recorded
from devs_git.domain.ledger.history import Checkpoint
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import commit_work, unrecorded_commits, unstaged_work
from devs_git.operations.checkpoint.commit_work import BUSY_SECONDS, Choice
from devs_git.operations.checkpoint.record_checkpoint import commit_facts, record
from devs_git.storage.git import locks, refs
from devs_git.storage.git.files import replace_file
from devs_git.storage.ledger import task_files
from devs_git.storage.worktree import active_task
from devs_git.values import replace
from devs_git.workspace import Workspace

MOST_NEW: Final = 100  # new files that a result names
ORPHAN_SECONDS: Final = 60.0  # how long a user's hook may still run


def perform(
    workspace: Workspace, job: Job, *, choice: Choice, check: Callable[[str, bool], None]
) -> Recorded:
    """Commit what `choice` says and record a checkpoint; of HEAD, if there is nothing to commit.

    `check(HEAD, whether there is something to commit)` may refuse before the commit. CONFLICT, with HEAD and index as
    before: unmerged entries, nothing staged although files have changed, no commit yet, or git or a hook of the user
    refused. BUSY: see `locks`.
    """
    with locks.hold(workspace.places.lock, wait=BUSY_SECONDS) as lock:
        job = replace(job, head=refs.read(workspace.git, "HEAD"))
        commit_work.refuse_unmerged(workspace.git)
        _begin(workspace, job)
        try:
            staged = commit_work.stage(workspace, job, lock, choice)
            check(job.head, staged)
            known, new = (None, True) if staged else _as_it_is(workspace, job, choice)
            commit = commit_work.commit(workspace, job, lock, choice) if staged else job.head
        except BaseException:
            _take_back(workspace, job)
            raise
        if known and not job.completed:
            _forget(workspace, job)
            return row_of_recorded(known, nothing_new=True, made=False)
        done = row_of_recorded(_record(workspace, job, commit, empty=not new), nothing_new=not new)
        return (
            replace(done, new_files=_new_files(workspace, commit)) if staged and choice.everything else done
        )


def _new_files(workspace: Workspace, commit: str) -> NewFiles:
    from devs_git.storage.git import commit_files  # only a commit of everything has files that nobody named

    changed = commit_files.changed_files(workspace.git, (commit,)).get(commit, ())
    new = [one.path for one in changed if one.action == "added"]
    return NewFiles(len(new), tuple(new[:MOST_NEW]))


def _as_it_is(workspace: Workspace, job: Job, choice: Choice) -> tuple[Checkpoint | None, bool]:
    """The checkpoint of the task that HEAD already is, if any, and whether HEAD is work of the task."""
    if not job.head:
        _refuse_unborn()
    task = job.work.task
    history = task_files.history_of(workspace.ledger.tip(), task)
    known = unstaged_work.checkpoint_on(history, task, job.head)
    new = unstaged_work.is_new(workspace.git, history, task, job.head)
    if choice == commit_work.STAGED:
        unrecorded_work = new and not known
        unstaged_work.refuse_left_out(
            workspace.git, task, tracked=job.completed or not unrecorded_work, untracked=not new
        )
    return known, new


def finish(workspace: Workspace, entry: Mapping[str, Any]) -> Checkpoint | None:
    """Finish an interrupted `perform`. Returns the checkpoint that is now recorded, if any.

    If no commit was made, the index is restored. BUSY while the interrupted command, or a git that it started, still runs.
    """
    job = job_of(entry)
    with locks.hold(
        workspace.places.lock, wait=BUSY_SECONDS, orphan_wait=ORPHAN_SECONDS, on_wait=workspace.say
    ):
        if not _path(workspace, job).exists():
            return None  # the command itself or another recovery has finished it
        return _finish(workspace, job)


def _finish(workspace: Workspace, job: Job) -> Checkpoint | None:
    if is_recorded(workspace, job.op_id, job.ledger):
        _end(workspace, job)
        return None
    commit = commit_work.find_commit(workspace.git, job)
    if not commit and refs.read(workspace.git, "HEAD") == job.head:
        commit_work.restore_index(workspace, job)
    if commit:
        with contextlib.suppress(DevsError):  # then it is noted, and status and doctor show it
            return _record(workspace, job, commit)
        return None
    _forget(workspace, job)
    return None


def _refuse_unborn() -> NoReturn:
    raise DevsError(
        "CONFLICT",
        "There is no commit yet, and nothing is staged.",
        hint="Write a file and stage it: git add",
    )


def _record(workspace: Workspace, job: Job, commit: str, *, empty: bool = False) -> Checkpoint:
    """Record the commit. If that fails, the commit is noted as unrecorded, and the journal entry is deleted.

    `empty`: the commit is not work of the task, so the checkpoint does not get its figures and its subject.
    """
    try:
        found = commit_facts(workspace.git, commit, refs.branch(workspace.places.git_dir))
        if empty:
            found = replace(found, files=0, added=0, removed=0, subject=job.title)
        point = record(workspace, Wanted(job.op_id, job.verb, job.work, found, job.message, job.completed))
    except Exception:
        unrecorded_commits.add(workspace.places, f"{commit} {job.work.task}")
        _forget(workspace, job)
        raise
    _end(workspace, job)
    return point


def _path(workspace: Workspace, job: Job) -> Path:
    return workspace.places.journals / f"{job.op_id}.json"


def _begin(workspace: Workspace, job: Job) -> None:
    commit_work.copy_index(workspace, job)
    data = json.dumps(job.entry(), indent=2).encode()
    replace_file(_path(workspace, job), data, durable=True)


def _end(workspace: Workspace, job: Job) -> None:
    """Clear what the checkpoint ends: the active task of a completion, the note of unrecorded commits, and last the journal."""
    now = work_of(active_task.read(workspace.places))
    if job.completed and now and now.task == job.work.task:
        active_task.write(workspace.places, "")
    unrecorded_commits.clear(workspace.places)
    _forget(workspace, job)


def _forget(workspace: Workspace, job: Job) -> None:
    commit_work.copy_path(workspace, job).unlink(missing_ok=True)
    commit_work.paths_file(workspace, job).unlink(missing_ok=True)
    _path(workspace, job).unlink(missing_ok=True)


def _take_back(workspace: Workspace, job: Job) -> None:
    if not commit_work.find_commit(workspace.git, job):
        commit_work.restore_index(workspace, job)
        _forget(workspace, job)


def is_recorded(workspace: Workspace, op_id: str, since: str) -> bool:
    """Whether the ledger has the event of this operation, which began when the ledger was at `since`."""
    return any(event.op_id == op_id for event in workspace.ledger.events(since=since))
