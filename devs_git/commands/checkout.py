"""`checkout`: switch to another local branch. Local changes come along if the branch does not change the same files."""

from __future__ import annotations

import os
from collections.abc import Mapping

from devs_git.domain.checkpoints import branch_names
from devs_git.domain.ledger.event_operations import CheckedOut
from devs_git.domain.ledger.events import Draft, Event
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, immovable
from devs_git.storage.git import refs, under_way
from devs_git.storage.git.program import GitFailed
from devs_git.storage.git.remotes import remote_names
from devs_git.storage.worktree import active_task, carry_changes, journal, move_tree, survey
from devs_git.storage.worktree.engine_site import Site
from devs_git.storage.worktree.move_tree import Move
from devs_git.storage.worktree.survey import Head
from devs_git.values import immutable
from devs_git.workspace import Workspace

REFUSAL = "CHECKOUT_FAILED"


@immutable
class Request(VerbRequest):
    """`branch_name`: a local branch. `find` first checks the name with `domain/checkpoints/branch_names.py`."""

    branch_name: str


@immutable
class Result:
    """`commit_hash` is git's short form, `commit` the full oid. `edited`: files that somebody saved meanwhile."""

    branch: str
    commit_hash: str
    commit: str
    previous: str
    files: int
    edited: tuple[str, ...]


def find(workspace: Workspace, request: Request) -> None:
    """INVALID_BRANCH for a forbidden name, before git gets it; the message says if there is such a branch."""
    name = request.branch_name
    try:
        branch_names.check(name, remote_names.names(workspace.places))
    except DevsError as error:
        if f"refs/heads/{name}" in _branches(workspace):
            raise branch_names.refusal_to_switch(name, error) from error
        raise


def _branches(workspace: Workspace) -> Mapping[str, str]:
    """All branches; none if git fails."""
    try:
        return refs.list_refs(workspace.store_git, "refs/heads")
    except (DevsError, GitFailed):
        return {}


def run(workspace: Workspace, request: Request) -> Result:
    """CHECKOUT_FAILED{reason, paths}; CHECKOUT_TIMEOUT after ten seconds, with everything as before."""
    find(workspace, request)
    workspace.ledger.require()
    ref = f"refs/heads/{request.branch_name}"
    with move_tree.translate_failures(REFUSAL), move_tree.worktree_lock(workspace.site) as site:
        commit = _commit_of(site, ref, request.branch_name)
        _refuse_under_way(site)
        _refuse_elsewhere(site, ref)
        head = survey.head_of(site.git)
        op_id = workspace.new_id("checkout", request.branch_name)
        with (
            journal.remove_leftovers_on_failure(site.places, op_id),
            carry_changes.prepare(
                site, journal.make_folder(site.places, op_id), head, commit, REFUSAL
            ) as carried,
        ):
            active = active_task.read(site.places)
            event = _event(workspace, op_id, head, ref, commit)
            move = Move(
                op_id=op_id,
                verb="checkout",
                subject=event.subject,
                old=carry_changes.at_position(carried.old, head.commit, head.branch, active),
                new=carry_changes.at_position(carried.new, commit, ref, active),
                trees=carried.trees,
                known=carried.known,
                build=lambda _tip: Draft(event),
                refusal=REFUSAL,
            )
            moved = move_tree.execute(site, move)
    previous = head.branch.removeprefix("refs/heads/") or head.commit
    return Result(request.branch_name, carried.short, commit, previous, moved.files, moved.edited)


def _commit_of(site: Site, ref: str, name: str) -> str:
    commit = refs.loose(site.places.common, ref) or refs.read(site.git, ref)
    if commit:
        return commit
    if task := _task(site, name):
        raise immovable(
            "no_branch",
            f"There is no local branch {name!r}; {task} is a task.",
            hint=f"Go back to it: devs-git rewind {task}. Make a branch there: devs-git branch {task} -b NAME",
            code=REFUSAL,
            branch=name,
        )
    tracking = [found for found in refs.list_refs(site.git, "refs/remotes") if found.endswith(f"/{name}")]
    there = f" It exists on a remote: {tracking[0].removeprefix('refs/remotes/')}." if tracking else ""
    raise immovable(
        "no_branch",
        f"There is no local branch {name!r}.{there}",
        hint=f"Create it: git branch {name} {tracking[0].removeprefix('refs/remotes/')}"
        if tracking
        else "List the branches: git branch --list",
        code=REFUSAL,
        branch=name,
    )


def _task(site: Site, name: str) -> str:
    """The task that is meant by a name that no branch has; "" for none."""
    from devs_git.domain.ledger import ids, resolve  # only a wrong name needs it

    try:
        return resolve.meant_task(site.ledger.require().here.tasks, ids.parse_target(name).task)
    except DevsError:
        return ""


def _refuse_under_way(site: Site) -> None:
    busy = under_way.operation_under_way(site.places)
    if busy and busy.name != "a bisect":
        raise busy.refusal(REFUSAL)


def _refuse_elsewhere(site: Site, ref: str) -> None:
    """CHECKOUT_FAILED{other_worktree}: only one worktree may have a branch checked out."""
    # git keeps a note of each other worktree here. Most repositories have none, and then git need not be asked.
    if not (site.places.common / "worktrees").exists():
        return
    for facts in refs.worktree_heads(site.git):
        if facts.get("branch") == ref and not os.path.samefile(facts["worktree"], site.top):  # noqa: PTH121 - strings
            name = os.path.basename(facts["worktree"])  # noqa: PTH119 - a name for people
            words = f"The branch is checked out in the worktree {name!r}."
            raise immovable("other_worktree", words, code=REFUSAL, hint="Work in that worktree.")


def _event(workspace: Workspace, op_id: str, head: Head, ref: str, commit: str) -> Event:
    before = head.branch.removeprefix("refs/heads/") or head.commit[:12]
    return workspace.event_of(
        CheckedOut(op_id, head.branch, head.commit, ref, commit),
        f"checkout: {ref.removeprefix('refs/heads/')} (from {before})",
        verb_name="checkout",
    )
