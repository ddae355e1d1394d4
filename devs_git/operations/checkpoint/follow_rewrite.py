"""Move checkpoints to the commits that an amend or a rebase made: new numbers, new visible tags, one event.

The old checkpoints keep their refs, so their commits stay reachable; the ledger says which checkpoints replaced them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from devs_git.domain.checkpoints.rewrite_moves import Rewrite, follow, renumber_tag
from devs_git.domain.ledger.clone_view import own_view
from devs_git.domain.ledger.event_rewrites import CheckpointsRewritten, Move
from devs_git.domain.ledger.events import NO_OID, Draft, Event, RefUpdate
from devs_git.domain.ledger.history import Checkpoint
from devs_git.domain.ledger.ids import checkpoint_ref, completed_tag
from devs_git.errors import DevsError
from devs_git.operations.checkpoint.record_checkpoint import commit_facts, taken_numbers
from devs_git.storage.git import refs
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.ledger.store import Tip
from devs_git.values import replace
from devs_git.workspace import Workspace


class _Nothing(Exception):
    """No checkpoint is on a rewritten commit."""


def follow_rewritten_commits(workspace: Workspace, new_of: Mapping[str, str], cause: str) -> Event | None:
    """The event that says which checkpoints moved, or None if none had to. `cause` is amend or rebase. BUSY."""
    git_dir = workspace.places.git_dir
    rebased = refs.rebased_branch(workspace.git, git_dir)
    # After `edit` in a rebase and a new commit, git also reports a commit that is still in HEAD's history.
    gone = _not_in(workspace, new_of, "HEAD")
    new_of = {old: new for old, new in new_of.items() if old in gone}
    kept, branch = _commits_on_branches(workspace, new_of, rebased), refs.branch(git_dir) or rebased
    taken: dict[str, set[int]] = {}
    clone = clone_of(workspace.places.common)

    def build(tip: Tip) -> Draft:
        rewrite = follow(own_view(tip.history, clone), new_of, kept, branch)
        if not rewrite.moves:
            raise _Nothing
        return _draft(workspace, tip, rewrite, cause, taken)

    for _attempt in range(3):
        try:
            return workspace.append(build)
        except _Nothing:
            return None
        except refs.RefMoved:
            tip = workspace.ledger.tip()
            moves = follow(own_view(tip.history, clone), new_of, kept, branch).moves
            taken = {point.task_id: taken_numbers(workspace, point.task_id) for point, _ in moves}
    raise DevsError("BUSY", "Other processes are moving checkpoint refs.", hint="Run: devs-git doctor")


def _commits_on_branches(workspace: Workspace, new_of: Mapping[str, str], rebased: str) -> frozenset[str]:
    """The old commits that a branch still has. Branches of devs-git do not count, nor does the rebased branch, because
    `git rebase --apply` reports the rewritten commits before it moves the branch.
    """
    ours = ("--exclude=devs/*", "--exclude=snapshot/*", *((f"--exclude={rebased}",) if rebased else ()))
    return frozenset(new_of) - _not_in(workspace, new_of, "HEAD", *ours, "--branches")


def _not_in(workspace: Workspace, commits: Iterable[str], *where: str) -> frozenset[str]:
    script = "".join(f"{oid}\n" for oid in commits).encode()
    return frozenset(workspace.git.run("rev-list", "--stdin", "--not", *where, stdin=script).decode().split())


def _draft(
    workspace: Workspace, tip: Tip, rewrite: Rewrite, cause: str, taken: Mapping[str, set[int]]
) -> Draft:
    moves: list[Move] = []
    updates: list[RefUpdate] = []
    numbers: dict[str, int] = {}
    for point, commit in rewrite.moves:
        task = point.task_id
        first = max([tip.history.next_number(task) - 1, *taken.get(task, ())]) + 1
        number = numbers.get(task, first)
        numbers[task] = number + 1
        old = _tag_object(workspace, point)
        move = write_moved_tag(workspace, tip, point, replace(point, number=number, commit=commit), old)
        moves.append(move)
        updates.append(RefUpdate(checkpoint_ref(task, number), move.new, NO_OID))
        updates += _visible(workspace, tip, point, move.new)
    undone = tuple(point.tag for point in rewrite.folded)
    content = CheckpointsRewritten(cause, tuple(moves), undone, tuple(numbers.items()))
    subject = f"{cause}: {len(moves)} checkpoint{'' if len(moves) == 1 else 's'} moved"
    event = workspace.event_of(content, subject, verb_name="checkpoint")
    return Draft(event, (), tuple(updates))


def _tag_object(workspace: Workspace, point: Checkpoint) -> bytes:
    """The bytes of the point's tag object. Where only an archive has them, git may have deleted the object."""
    try:
        return workspace.objects.read(point.tag, "tag")
    except DevsError:
        from devs_git.storage.ledger.archived import archived_points

        if found := archived_points.tag_object(workspace.store_git, point):
            return found
        raise


def write_moved_tag(workspace: Workspace, tip: Tip, old: Checkpoint, new: Checkpoint, text: bytes) -> Move:
    """Write a tag object for `new`, which replaces `old`, with the message of the tag object `text`. Returns the move."""
    data = renumber_tag(text, old, new, ledger=tip.oid, signature=workspace.signature())
    tag = workspace.objects.write("tag", data)
    now = commit_facts(workspace.git, new.commit)
    return Move(old.tag, tag, new.number, new.commit, now.tree, (now.files, now.added, now.removed))


def _visible(workspace: Workspace, tip: Tip, point: Checkpoint, tag: str) -> list[RefUpdate]:
    """The move of a completion's visible tag. A tag of that name that devs-git did not make stays."""
    if own_view(tip.history, clone_of(workspace.places.common)).completion(point.task_id) != point:
        return []
    held = refs.read(workspace.store_git, completed_tag(point.task_id))
    if held not in ("", point.tag):
        return []
    return [RefUpdate(completed_tag(point.task_id), tag, held or NO_OID)]
