"""Which commits only this HEAD reaches, and which branches and worktrees keep the others. Each question starts one git."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.storage.git.places import common_of
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import lines_of_work
from devs_git.values import immutable

_NAMED: Final = 20  # branches and worktrees that are named for one commit


def is_ancestor(git: Git, old: str, new: str) -> bool:
    return git.says("merge-base", "--is-ancestor", old, new)


def is_shallow(git: Git) -> bool:
    return git.text("rev-parse", "--is-shallow-repository") == "true"


@immutable
class CommitsSince:
    """The `commits` that HEAD reaches and a target does not; `is_ancestor`: the target is HEAD or one of its ancestors."""

    commits: frozenset[str]
    is_ancestor: bool


def commits_since(git: Git, head: str, target: str) -> CommitsSince:
    """Ask git for both. It lists an ancestor as a boundary: one of the commits has it as its parent.

    Before the first commit `head` is ''.
    """
    if not head:
        return CommitsSince(frozenset(), not target)
    lines = git.run("rev-list", "--boundary", head, f"^{target}", "--").decode().split()
    found = frozenset(line for line in lines if not line.startswith("-"))
    return CommitsSince(found, head == target or f"-{target}" in lines)


def commits_only_here(git: Git, head: str, target: str, others: Mapping[str, str]) -> frozenset[str]:
    """Those of `passed` that none of `others` reaches."""
    if not others:
        return commits_since(git, head, target).commits
    asked = (head, f"^{target}", *(f"^{oid}" for oid in others.values()))
    return frozenset(git.run("rev-list", "--stdin", stdin=_lines(asked)).decode().split())


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()


def other_tips(
    git: Git, branch: str, history: History, branches: Mapping[str, str], left: Collection[str]
) -> dict[str, str]:
    """Tips that keep commits when `branch` loses the commits `left`: local `branches` that are not merged into it, and
    the HEADs of worktrees that a person made.

    Branches of devs-git (`devs/*`, `snapshot/*`) do not count, nor does a branch that a rewind made and nobody moved.
    With a detached HEAD (`branch` is '') no branch moves, so branches that are merged into it count, too.
    """
    found = {
        name: oid
        for name, oid in lines_of_work.select_branches(history, branches, git).items()
        if name != branch and not (branch and oid in left)
    }
    common = common_of(git)
    if (common / "worktrees").is_dir():
        here = _place_in_list(Path(git.env["GIT_DIR"]))
        for head in lines_of_work.heads(git, common, branches):
            if head.place != here and not (branch and head.branch == branch):
                found[f"worktree {head.name}"] = head.oid
    return found


def _place_in_list(git_dir: Path) -> str:
    """The folder under which git lists a linked worktree; '' for the main worktree."""
    try:
        return os.fsdecode((git_dir / "gitdir").read_bytes()).strip().removesuffix("/.git")
    except FileNotFoundError:
        return ""


def keepers(
    git: Git, target: str, points: Sequence[Checkpoint], others: Mapping[str, str]
) -> tuple[dict[str, Any], ...]:
    """For each of `points`, which come after the commit `target`: the names of `others` that keep it, at most twenty.

    One walk for all: each commit passes the set of tips that reach it on to its parents.
    """
    if not points:
        return ()
    held: dict[str, int] = {}
    for at, oid in enumerate(others.values()):
        held[oid] = held.get(oid, 0) | 1 << at
    script = _lines((f"^{target}", *held))
    for line in (
        git.run("rev-list", "--topo-order", "--parents", "--stdin", stdin=script).decode().splitlines()
    ):
        commit, *parents = line.split()
        for parent in parents:
            held[parent] = held.get(parent, 0) | held[commit]
    names = [name.removeprefix("refs/heads/") for name in others]
    keepers = ((point, held.get(point.commit, 0)) for point in points)
    return tuple(
        {
            "checkpoint": point.name,
            "branches": tuple(n for at, n in enumerate(names) if bits >> at & 1)[:_NAMED],
        }
        for point, bits in keepers
    )
