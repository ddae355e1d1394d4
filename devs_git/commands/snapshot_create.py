"""`snapshot create`: save the working tree, with its untracked files, as a commit on a new branch.

HEAD, index and files do not change. Ignored files and nested repositories are left out; the latter are reported.
"""

from __future__ import annotations

from collections.abc import Iterable

from devs_git.domain.ledger.event_branches import SnapshotCreated
from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import NO_OID, Draft, RefUpdate, one_line
from devs_git.domain.moments.moment import WORDS, Occasion
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import snapshots
from devs_git.operations.moments.moment_maker import maker_of
from devs_git.storage.git import refs
from devs_git.storage.ledger.store import Tip
from devs_git.storage.moments import file_tree, make_moment
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

ATTEMPTS = 20


@immutable
class Request(VerbRequest):
    """`message`: one line about this state; for '' it says the time."""

    message: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", one_line(self.message))


@immutable
class Result:
    """The branch. `files_changed`: how many paths differ from HEAD. `left_out`: nested repositories.

    `moment`: the id of the moment that has the same state, with the index apart from the files.
    """

    branch: str
    commit: str
    tree: str
    parent: str
    message: str
    files_changed: int
    left_out: tuple[str, ...]
    event: str
    moment: str


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED, BUSY, GIT_RESET_FAILED (more bytes than the policy allows), CONFLICT."""
    assert workspace.top
    workspace.ledger.require()
    head = refs.head(workspace.places.git_dir, workspace.places.common)[0] or refs.read(workspace.git, "HEAD")
    shot = file_tree.take(
        workspace.git,
        workspace.places,
        head,
        lambda: workspace.policy.backup_limit,
        say=workspace.say,
    )
    message = request.message or f"Snapshot at {workspace.started}"
    parent = f"parent {head}\n" if head else ""
    sign = workspace.signature()
    bound = f"{TrailerKey.LEDGER}: {workspace.ledger.tip().oid}"
    text = f"tree {shot.tree}\n{parent}author {sign}\ncommitter {sign}\n\n{message}\n\n{bound}\n"
    commit = workspace.objects.write("commit", text.encode("utf-8", "replace"))
    occasion = Occasion("snapshot", words=message[:WORDS])
    moment = make_moment.make(maker_of(workspace), occasion).moment_id
    branch, event = _record(workspace, SnapshotCreated("", commit, shot.tree, moment), message)
    return Result(
        branch,
        commit,
        shot.tree,
        head,
        message,
        shot.files_changed,
        tuple(path.rstrip("/") for path in shot.left_out),
        event,
        moment,
    )


def _record(workspace: Workspace, snapshot: SnapshotCreated, message: str) -> tuple[str, str]:
    """The name of the branch and the oid of the event; both appear in one transaction."""
    chosen: list[str] = []

    def build(_tip: Tip) -> Draft:
        taken = refs.list_refs(workspace.store_git, snapshots.BRANCHES + snapshots.PREFIX.rstrip("/"))
        _refuse_in_the_way(taken)
        chosen[:] = [snapshots.free_name(workspace.clock(), taken)]
        content = replace(snapshot, branch=chosen[0])
        event = workspace.event_of(content, f"snapshot: {message}", verb_name="snapshot create")
        return Draft(event, updates=(RefUpdate(snapshots.BRANCHES + chosen[0], snapshot.commit, NO_OID),))

    for _ in range(ATTEMPTS):
        try:
            event = workspace.append(build)
        except refs.RefMoved:  # somebody else made a branch of that name meanwhile
            continue
        return chosen[0], event.oid
    raise DevsError("BUSY", "Other processes are making snapshots here.", hint="Run the command again.")


def _refuse_in_the_way(taken: Iterable[str]) -> None:
    """CONFLICT if there is a branch `snapshot`: then git cannot make a branch below that name."""
    if snapshots.BRANCHES + snapshots.PREFIX.rstrip("/") in taken:
        raise DevsError(
            "CONFLICT",
            "A branch is named 'snapshot', so git cannot make branches named snapshot/…",
            hint="Rename it: git branch -m snapshot <another name>",
        )
