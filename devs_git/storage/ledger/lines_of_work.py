"""The tips that count as lines of work: a person's branches and worktrees, and the branches of remotes.

Refs of devs-git do not count: `devs/*`, `snapshot/*`, a branch that a rewind preserved and that has not moved since, and
the worktrees that `snapshot open` made.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from devs_git.domain.ledger.event_keys import TrailerKey
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ids import ARCHIVES, checkpoint_ref, is_oid
from devs_git.storage.git.program import Git
from devs_git.storage.git.refs import worktree_heads
from devs_git.values import Final, immutable

FOLDER = "refs/devs/checkpoints"
HEADS, SNAPSHOTS = "refs/heads/", "refs/heads/snapshot/"
_OURS: Final = ("refs/heads/devs/", SNAPSHOTS)
_COMMIT: Final = "%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
# Refs and tips in one call of git, because they are arguments.
_AT_ONCE: Final = 1000


def select_branches(history: History, branches: Mapping[str, str], git: Git | None = None) -> dict[str, str]:
    """Those of `branches` (full names and oids) that are lines of work.

    `git` is given for branches of this clone: then events of other clones do not count.
    """
    events = [event for event in history.operations if preserved_ref(event) in set(branches.items())]
    if events and git:
        from devs_git.storage.ledger import own_operations

        events = [event for each in own_operations.select_own(git, events) for event in each]
    left = {preserved_ref(event) for event in events}
    return {name: oid for name, oid in branches.items() if not is_ours(name) and (name, oid) not in left}


def is_ours(branch: str) -> bool:
    """Whether a branch (its full name) has a name that devs-git gives."""
    return branch.startswith(_OURS)


def preserved_ref(event: Event) -> tuple[str, ...]:
    """Name and oid of the branch or stash entry that an operation preserved; empty for none."""
    return tuple(event.preserved.split())


@immutable
class Head:
    """HEAD of one worktree. `branch` is a full name, '' if HEAD is detached.

    `place` is the worktree's folder as git lists it, '' for the main one. `name` is the last part of the folder.
    """

    place: str
    name: str
    oid: str
    branch: str


def heads(git: Git, common: Path, branches: Mapping[str, str]) -> Iterator[Head]:
    """HEADs of all worktrees that a person made, the main one first. Worktrees without a commit are left out.

    Left out are also our own folders, and a detached HEAD that is still at a snapshot, as `snapshot open --at` makes it.
    A commit there begins a line of work.
    """
    looks = {oid for name, oid in branches.items() if name.startswith(SNAPSHOTS)}
    ours = os.fspath(common / "devs" / "open") + os.sep
    for number, facts in enumerate(worktree_heads(git)):
        look = "detached" in facts and facts.get("HEAD") in looks
        if facts.get("HEAD", "").strip("0") and not look and not facts["worktree"].startswith(ours):
            folder = facts["worktree"]
            yield Head(
                folder if number else "", folder.rpartition("/")[2], facts["HEAD"], facts.get("branch", "")
            )


def tags_reached(git: Git, points: Collection[Checkpoint], oids: Iterable[str]) -> frozenset[str]:
    """The tags of those `points` whose commit can be reached from one of the commits `oids`.

    A point that has no ref here and is in no archive is not included. A ref counts by its commit: a program that rewrites
    histories may replace the tag with the commit itself.
    """
    tips = list(dict.fromkeys(oids))
    found = frozenset[str]()
    for start in range(0, len(tips), _AT_ONCE):
        found |= _with_ref(git, points, *(f"--merged={oid}" for oid in tips[start : start + _AT_ONCE]))
    left = [point for point in points if point.tag not in found] if tips else []
    if archived := _without_ref(git, left):
        from devs_git.storage.ledger.archived import archived_points

        found |= archived_points.tags_reached(git, archived, tips)
    return found


def tags_here(git: Git, points: Collection[Checkpoint]) -> frozenset[str]:
    """The tags of those `points` that have a ref here, or are archived here."""
    found = _with_ref(git, points)
    left = [point for point in points if point.tag not in found]
    return found | {point.tag for point in _without_ref(git, left)}


def _without_ref(git: Git, points: Collection[Checkpoint]) -> Collection[Checkpoint]:
    """Those of the points that only an archive has."""
    if not points:
        return ()
    from devs_git.storage.git import ref_files

    if not ref_files.has_below(git, ARCHIVES):
        return ()
    # Few repositories have an archive.
    from devs_git.storage.ledger.archived import archived_points

    return archived_points.without_ref(git, points)


def _with_ref(git: Git, points: Collection[Checkpoint], *merged: str) -> frozenset[str]:
    """The tags of those `points` that have a ref here, as far as the options `merged` of `git for-each-ref` let them."""
    refs = {checkpoint_ref(point.task_id, point.number): point for point in points}
    if not refs:
        return frozenset()
    names = list(refs) if len(refs) <= _AT_ONCE else [FOLDER]
    out = os.fsdecode(git.run("for-each-ref", f"--format={_COMMIT} %(refname)", *merged, *names))
    rows = ((refs.get(ref), oid) for oid, _, ref in (line.partition(" ") for line in out.splitlines()))
    return frozenset(point.tag for point, oid in rows if point and point.commit == oid)


def tips_without(git: Git, tips: Iterable[str], drop: tuple[str, str]) -> list[str]:
    """Those `tips` that do not have the commit of a drop, which is its commit and its operation."""
    return [tip for tip in dict.fromkeys(tips) if not commit_of_drop(git, tip, drop)]


def commit_of_drop(git: Git, tip: str, drop: tuple[str, str]) -> str:
    """The commit of a drop that a tip has: that of its event, or one that an amend or a rebase made of it. '' for none."""
    commit, op_id = drop
    if not is_oid(commit):
        return ""
    # Exit status 128: the commit is not here, because it was rewritten long ago, or in another clone.
    status, _ = git.attempt("merge-base", "--is-ancestor", commit, tip, ok=(0, 1, 128))
    if status == 0:
        return commit
    # A commit that was made of it does not lie before its parent, nor before the day with which the operation's id begins.
    since = f"^{commit}^" if status == 1 else f"--since={op_id[:4]}-{op_id[4:6]}-{op_id[6:8]}T00:00:00Z"
    words = (
        "-F",
        f"--grep={TrailerKey.DROP}: {op_id}",
        # Anybody may have written a trailer. It is one line and has no NUL, so it cannot pose as another commit.
        "-z",
        f"--format=%H%n%(trailers:key={TrailerKey.DROP},valueonly,unfold)",
    )
    out = git.text("log", "--no-show-signature", "--no-color", *words, since, tip, "--")
    rows = (one.split("\n") for one in out.split("\0"))
    return next((oid for oid, *ops in rows if op_id in ops), "")
