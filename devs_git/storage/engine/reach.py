"""Which commits only this HEAD still has: asked of git with one child, other branches and worktrees counted."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from devs_git.domain.history import History
from devs_git.storage.git_program import Git
from devs_git.storage.places import common_of


def is_ancestor(git: Git, old: str, new: str) -> bool:
    return git.says("merge-base", "--is-ancestor", old, new)


def is_shallow(git: Git) -> bool:
    return git.text("rev-parse", "--is-shallow-repository") == "true"


def passed(git: Git, head: str, target: str) -> tuple[frozenset[str], bool]:
    """Commits reachable from `head` and not from `target`, and whether `target` is among the ancestors of `head`.

    It is one where it stands at the boundary: the last commit on a way from `head` to it has it as its parent.
    """
    lines = git.run("rev-list", "--boundary", head, f"^{target}", "--").decode().split()
    found = frozenset(line for line in lines if not line.startswith("-"))
    return found, head == target or f"-{target}" in lines


def only_here(git: Git, head: str, target: str, others: list[str]) -> frozenset[str]:
    """Those of `passed` that none of `others` (oids) reaches."""
    if not others:
        return passed(git, head, target)[0]
    script = "\n".join((head, f"^{target}", *(f"^{oid}" for oid in others))) + "\n"
    return frozenset(git.run("rev-list", "--stdin", stdin=script.encode()).decode().split())


def others(git: Git, branch: str, history: History, branches: Mapping[str, str]) -> dict[str, str]:
    """Tips that keep commits alive besides this branch: local `branches` and the HEADs of other worktrees.

    Ours (`devs/*`, `snapshot/*`) do not count, nor a branch that a rewind left and that has not moved since, nor another
    name of this very branch (a symbolic ref, such as `master` for `main`), which goes back with it.
    """
    left = {tuple(event.get("Devs-Preserved").split()) for event in history.operations}
    found = {}
    for name, oid in branches.items():
        ours = name.startswith(("refs/heads/devs/", "refs/heads/snapshot/"))
        if name == branch or ours or (name, oid) in left:
            continue
        if oid != branches.get(branch) or not _is_symbolic(common_of(git) / name):
            found[name] = oid
    return found | _other_worktrees(git, branch)


def _is_symbolic(ref: Path) -> bool:
    """Symbolic refs are never packed."""
    return ref.is_symlink() or (ref.is_file() and ref.read_bytes().startswith(b"ref: "))


def _other_worktrees(git: Git, branch: str) -> dict[str, str]:
    """HEADs of the other worktrees that are detached, or that have a branch of their own."""
    found: dict[str, str] = {}
    if not (common_of(git) / "worktrees").is_dir():
        return found
    blocks = git.run("worktree", "list", "--porcelain", "-z").split(b"\0\0")
    here = _place_in_list(Path(git.env["GIT_DIR"]))
    for number, block in enumerate(blocks):
        facts = dict(os.fsdecode(line).partition(" ")[::2] for line in block.split(b"\0") if line)
        ours = number == 0 if not here else facts.get("worktree") == here
        if "HEAD" in facts and not ours and facts.get("branch") != branch:
            found[f"worktree {os.path.basename(facts['worktree'])}"] = facts["HEAD"]  # noqa: PTH119 - a name for people
    return {name: oid for name, oid in found.items() if oid.strip("0")}


def _place_in_list(git_dir: Path) -> str:
    """The folder by which git lists a linked worktree; '' for the main one, which it lists first, whatever its folder."""
    try:
        return os.fsdecode((git_dir / "gitdir").read_bytes()).strip().removesuffix("/.git")
    except FileNotFoundError:
        return ""


def keepers(git: Git, commit: str, others: Mapping[str, str]) -> tuple[str, ...]:
    """Those of `others` that keep a commit: branches by their short names, and worktrees; at most twenty."""
    out = git.run("for-each-ref", "--format=%(refname)", f"--contains={commit}", "refs/heads")
    branches = [name for name in map(os.fsdecode, out.splitlines()) if name in others]
    worktrees = [
        name for name, oid in others.items() if name.startswith("worktree ") and is_ancestor(git, commit, oid)
    ]
    return tuple(name.removeprefix("refs/heads/") for name in (*branches, *worktrees))[:20]
