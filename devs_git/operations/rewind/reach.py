"""Which commits only this HEAD still has, and which branches and worktrees keep the others: asked of git with one child each."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.storage.git.places import common_of
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import lines_of_work

_NAMED: Final = 20  # names that are listed of those that keep one commit


def is_ancestor(git: Git, old: str, new: str) -> bool:
    return git.says("merge-base", "--is-ancestor", old, new)


def is_shallow(git: Git) -> bool:
    return git.text("rev-parse", "--is-shallow-repository") == "true"


def commits_since(git: Git, head: str, target: str) -> tuple[frozenset[str], bool]:
    """Commits reachable from `head` and not from `target`, and whether `target` is among the ancestors of `head`.

    It is one where it stands at the boundary: the last commit on a way from `head` to it has it as its parent.
    """
    lines = git.run("rev-list", "--boundary", head, f"^{target}", "--").decode().split()
    found = frozenset(line for line in lines if not line.startswith("-"))
    return found, head == target or f"-{target}" in lines


def commits_only_here(git: Git, head: str, target: str, others: Mapping[str, str]) -> frozenset[str]:
    """Those of `passed` that none of `others` reaches."""
    if not others:
        return commits_since(git, head, target)[0]
    asked = (head, f"^{target}", *(f"^{oid}" for oid in others.values()))
    return frozenset(git.run("rev-list", "--stdin", stdin=_lines(asked)).decode().split())


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()


def other_tips(
    git: Git, branch: str, history: History, branches: Mapping[str, str], left: Collection[str]
) -> dict[str, str]:
    """Tips that keep commits alive besides `branch`, whose HEAD is left with the commits `left`: local `branches` that
    are not merged into it, and the HEADs of the worktrees that a person made.

    Ours (`devs/*`, `snapshot/*`) do not count, nor a branch that a rewind left and that has not moved since. From a
    detached HEAD (`branch` is '') no branch goes back, so merged ones count, too.
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
    """The folder by which git lists a linked worktree; '' for the main one, which it lists first, whatever its folder."""
    try:
        return os.fsdecode((git_dir / "gitdir").read_bytes()).strip().removesuffix("/.git")
    except FileNotFoundError:
        return ""


def keepers(
    git: Git, target: Checkpoint, points: Sequence[Checkpoint], others: Mapping[str, str]
) -> tuple[dict[str, Any], ...]:
    """For each of `points`, after `target`, which of `others` keep it: branches by their short names, and worktrees; at
    most twenty. One walk for all: each commit hands on to its parents who reaches it.
    """
    if not points:
        return ()
    held: dict[str, int] = {}
    for at, oid in enumerate(others.values()):
        held[oid] = held.get(oid, 0) | 1 << at
    script = _lines((f"^{target.commit}", *held))
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
