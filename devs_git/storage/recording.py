"""Record a checkpoint: tag object, event and refs, in one transaction that the ledger ends (DESIGN 3).

Every checkpoint comes through `record`: of the verbs (`perform`, which commits first), of the post-commit hook, and of
the recovery of a command that died between its commit and its record (`finish`).

`perform` goes: journal entry, `git add -A` where asked, `git commit`, record, journal entry gone. A commit that is
refused leaves the index as it was. A crash leaves the journal entry, with which `finish` records the commit that was
made, or puts the index back where none was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

from devs_git.domain.events import NO_OID, Draft, RefUpdate
from devs_git.domain.history import Checkpoint, checkpoint_of
from devs_git.domain.ids import checkpoint_ref, completed_tag
from devs_git.domain.jobs import Job, job_of
from devs_git.domain.recording import (
    Facts,
    Wanted,
    event_fields,
    name,
    require_live,
    require_running,
    tag_object,
)
from devs_git.domain.trailers import work_of
from devs_git.errors import DevsError
from devs_git.storage import active_task, committing, locks, refs, unrecorded
from devs_git.storage.active_task import replace_file
from devs_git.storage.committing import BUSY_SECONDS
from devs_git.storage.context import Context
from devs_git.storage.git_program import Git
from devs_git.storage.ledger import Tip

ORPHAN_SECONDS: Final = 60.0  # a user's hook that still runs may take that long
_STAT: Final = re.compile(r"(\d+) (file|insertion|deletion)")


def perform(
    context: Context, job: Job, *, everything: bool, check: Callable[[str, bool], None]
) -> Checkpoint:
    """The checkpoint of the commit made of what is staged (or of `everything`), or of HEAD with nothing to commit.

    `check(HEAD, whether there is something to commit)` may refuse before the commit. CONFLICT: unmerged entries, no
    commit yet, or git or a hook of the user refused; then HEAD and index are as before. BUSY: see `locks`.
    """
    with locks.held(context.places.lock, wait=BUSY_SECONDS) as lock:
        job = replace(job, head=refs.read(context.git, "HEAD"))
        committing.refuse_unmerged(context.git)
        _begin(context, job)
        try:
            staged = committing.stage(context, everything=everything)
            check(job.head, staged)
            commit = committing.commit(context, job, lock) if staged else job.head
            if not commit:
                _refuse_unborn()
        except BaseException:
            _take_back(context, job)
            raise
        return _record(context, job, commit)


def finish(context: Context, entry: Mapping[str, Any]) -> Checkpoint | None:
    """Finish what an interrupted `perform` left behind: the checkpoint that is now recorded, if one was to be.

    Where no commit had been made, the index is put back. BUSY while its owner, or a git that it left, still runs.
    """
    job = job_of(entry)
    with locks.held(context.places.lock, wait=BUSY_SECONDS, orphan_wait=ORPHAN_SECONDS, waiting=context.say):
        if not _path(context, job).exists():
            return None  # its owner, or another recovery, ended it meanwhile
        return _finish(context, job)


def _finish(context: Context, job: Job) -> Checkpoint | None:
    if recorded(context, job.op_id, job.ledger):
        _end(context, job)
        return None
    commit = committing.made(context.git, job)
    if not commit and refs.read(context.git, "HEAD") == job.head:
        committing.restore_index(context, job)
    if commit:
        return _record(context, job, commit)
    _forget(context, job)
    return None


def _refuse_unborn() -> NoReturn:
    raise DevsError(
        "CONFLICT", "There is no commit yet, and nothing is staged.", hint="Stage something, or add --all."
    )


def _record(context: Context, job: Job, commit: str) -> Checkpoint:
    wanted = Wanted(
        job.op_id,
        job.verb,
        job.work,
        facts(context.git, commit, branch_of(context.git)),
        job.message,
        job.completed,
    )
    point = record(context, wanted)
    _end(context, job)
    return point


def _path(context: Context, job: Job) -> Path:
    return context.places.journals / f"{job.op_id}.json"


def _begin(context: Context, job: Job) -> None:
    committing.copy_index(context, job)
    data = json.dumps(job.entry(), indent=2).encode()
    replace_file(_path(context, job), data, durable=True)


def _end(context: Context, job: Job) -> None:
    """What a recorded checkpoint settles, then the journal entry goes, last of all."""
    now = work_of(active_task.read(context.places))
    if job.completed and now and now.task == job.work.task:
        active_task.write(context.places, "")
    unrecorded.clear(context.places)
    _forget(context, job)


def _forget(context: Context, job: Job) -> None:
    committing.copy_path(context, job).unlink(missing_ok=True)
    _path(context, job).unlink(missing_ok=True)


def _take_back(context: Context, job: Job) -> None:
    if not committing.made(context.git, job):
        committing.restore_index(context, job)
        _forget(context, job)


def record(context: Context, wanted: Wanted) -> Checkpoint:
    """The recorded checkpoint. Refusals as in `domain.recording`; nothing is written then."""
    taken: set[int] = set()

    def build(tip: Tip) -> Draft:
        return _draft(context, wanted, tip, taken)

    for _attempt in range(3):
        try:
            return checkpoint_of(context.append(build))
        except refs.RefMoved:
            # A ref of that number is there though the ledger never gave it, such as from a mirror of another clone.
            taken = taken_numbers(context, wanted.work.task)
    raise DevsError("BUSY", "Checkpoint refs are being moved by others.", hint="Run the command again.")


def _draft(context: Context, wanted: Wanted, tip: Tip, taken: set[int]) -> Draft:
    task = wanted.work.task
    stands = tip.standing(task)
    (require_live if wanted.completed else require_running)(task, stands.status)
    number = max([stands.next_number - 1, *taken]) + 1
    tag = context.objects.write("tag", tag_object(wanted, number, tip.oid, context.signature()))
    updates = [RefUpdate(checkpoint_ref(task, number), tag, NO_OID)]
    if wanted.completed:
        updates.append(RefUpdate(completed_tag(task), tag, visible_tag(context, tip, task)))
    verb_word = "complete" if wanted.completed else "checkpoint"
    event = context.event(
        wanted.kind,
        f"{verb_word}: {name(wanted, number)}: {wanted.headline}",
        *event_fields(wanted, number, tag),
        verb_name=wanted.verb,
    )
    return Draft(event, (), tuple(updates))


def visible_tag(context: Context, tip: Tip, task: str) -> str:
    """What the visible tag holds now; CONFLICT where it is not a checkpoint of the ledger."""
    held = refs.read(context.store_git, completed_tag(task))
    if held and held not in tip.history.checkpoints:
        raise DevsError(
            "CONFLICT",
            f"A tag devs/{task} exists that this ledger knows nothing of.",
            hint=f"If it is not needed: git tag -d devs/{task}",
            task_id=task,
        )
    return held or NO_OID


def taken_numbers(context: Context, task: str) -> set[int]:
    folder = checkpoint_ref(task, 0).removesuffix("0")
    names = refs.matching(context.store_git, folder)
    return {int(ref.removeprefix(folder)) for ref in names if ref.removeprefix(folder).isdigit()}


def facts(git: Git, commit: str, branch: str = "") -> Facts:
    """What git says of `commit` (any rev), asked with one child; no program of the configuration is run."""
    out = git.with_config("diff.renames=false").run(
        "diff-tree",
        "--root",
        "--diff-merges=first-parent",
        "--no-ext-diff",
        "--no-textconv",
        "--encoding=UTF-8",
        "--format=%H%x00%T%x00%P%x00%s%x00",
        "--shortstat",
        "--end-of-options",
        commit,
    )
    oid, tree, parents, subject, stat = out.decode("utf-8", "replace").split("\0", 4)
    counts = {word: int(number) for number, word in _STAT.findall(stat)}
    return Facts(
        commit=oid.strip(),
        tree=tree,
        subject=subject,
        branch=branch,
        parents=tuple(parents.split()),
        files=counts.get("file", 0),
        added=counts.get("insertion", 0),
        removed=counts.get("deletion", 0),
    )


def branch_of(git: Git) -> str:
    """The short name of the branch that HEAD is on, '' where it is detached."""
    status, out = git.attempt("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    return out.decode("utf-8", "replace").strip().removeprefix("refs/heads/") if status == 0 else ""


def recorded(context: Context, op_id: str, since: str) -> bool:
    """Whether the event of an operation that began when the ledger was at `since` was written."""
    return any(event.get("Devs-Op") == op_id for event in context.ledger.events(since=since))
