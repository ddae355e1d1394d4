"""checkout: look around on another local branch; local changes that are not in the way come along."""

from __future__ import annotations

import os

from devs_git.domain import branch_names
from devs_git.domain.events import Draft, Event
from devs_git.errors import DevsError
from devs_git.storage import active_task, refs, remotes
from devs_git.storage.engine import carry, journal
from devs_git.storage.engine import run as engine
from devs_git.storage.engine import survey as surveys
from devs_git.storage.engine.run import Move
from devs_git.storage.engine.site import Site
from devs_git.storage.git_program import split_z
from devs_git.values import immutable
from devs_git.workspace import Workspace

TIMEOUT_SECONDS = 10.0
REFUSAL = "CHECKOUT_FAILED"


@immutable
class Request:
    """`branch_name`: a local branch; the rule is `domain/branch_names.py`, INVALID_BRANCH before git is started."""

    branch_name: str

    def __post_init__(self) -> None:
        branch_names.check(self.branch_name)


@immutable
class Result:
    """`commit_hash` is git's short form, `commit` the full oid."""

    branch: str
    commit_hash: str
    commit: str
    previous: str
    files: int


def run(workspace: Workspace, request: Request) -> Result:
    """Switch; CHECKOUT_FAILED with git's reason, CHECKOUT_TIMEOUT after ten seconds with everything as before."""
    branch_names.check(request.branch_name, remotes.names(workspace.places))
    workspace.ledger.require()
    ref = f"refs/heads/{request.branch_name}"
    with engine.refusing(REFUSAL), engine.worktree_lock(workspace.site) as site:
        commit = _commit_of(site, ref, request.branch_name)
        _refuse_under_way(site)
        _refuse_elsewhere(site, ref)
        head = surveys.head_of(site.git)
        op_id = workspace.new_id("checkout", request.branch_name)
        with journal.litter_removed(site.places, op_id):
            carried = carry.prepare(site, journal.make_folder(site.places, op_id), head, commit, REFUSAL)
            active = active_task.read(site.places)
            event = _event(workspace, op_id, head, ref, commit)
            move = Move(
                op_id=op_id,
                verb="checkout",
                subject=event.subject,
                old=carry.at(carried.old, *head, active),
                new=carry.at(carried.new, commit, ref, active),
                trees=carried.trees,
                build=lambda _tip: Draft(event),
                refusal=REFUSAL,
                timeout=TIMEOUT_SECONDS,
            )
            moved = engine.execute(site, move)
        short = site.git.text("rev-parse", "--short", commit)
    return Result(
        request.branch_name, short, commit, head[1].removeprefix("refs/heads/") or head[0], moved.files
    )


def _commit_of(site: Site, ref: str, name: str) -> str:
    commit = refs.read(site.git, ref)
    if commit:
        return commit
    far = [found for found in refs.matching(site.git, "refs/remotes") if found.endswith(f"/{name}")]
    there = f" It exists on a remote: {far[0].removeprefix('refs/remotes/')}." if far else ""
    raise DevsError(
        REFUSAL,
        f"There is no local branch {name!r}.{there}",
        hint=f"Make it yourself: git branch {name} {far[0].removeprefix('refs/remotes/')}"
        if far
        else "See the branches: git branch --list",
        branch=name,
    )


def _refuse_under_way(site: Site) -> None:
    busy = surveys.operation_under_way(site.places)
    if busy and busy[0] != "a bisect":
        raise DevsError(REFUSAL, f"{busy[0].capitalize()} is under way.", hint=f"End it first: {busy[1]}")
    if site.git.run("ls-files", "-u", "-z"):
        raise DevsError(REFUSAL, "The index has unmerged entries.", hint="Resolve them and run git add.")


def _refuse_elsewhere(site: Site, ref: str) -> None:
    """A branch belongs to one worktree at a time."""
    for block in site.git.run("worktree", "list", "--porcelain", "-z").split(b"\0\0"):
        facts = dict(line.partition(" ")[::2] for line in split_z(block))
        if facts.get("branch") == ref and not os.path.samefile(facts["worktree"], site.top):  # noqa: PTH121 - strings
            name = os.path.basename(facts["worktree"])  # noqa: PTH119 - a name for people
            raise DevsError(
                REFUSAL, f"The branch is checked out in the worktree {name!r}.", hint="Work there."
            )


def _event(workspace: Workspace, op_id: str, head: tuple[str, str], ref: str, commit: str) -> Event:
    before = head[1].removeprefix("refs/heads/") or head[0][:12]
    return workspace.event(
        "checked-out",
        f"checkout: {ref.removeprefix('refs/heads/')} (from {before})",
        ("Devs-Op", op_id),
        ("Devs-From-Branch", head[1]),
        ("Devs-From", head[0]),
        ("Devs-Branch", ref),
        ("Devs-Commit", commit),
        verb_name="checkout",
    )
