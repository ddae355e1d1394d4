"""Helpers for the tests of snapshots."""

from __future__ import annotations

from collections.abc import Callable

from devs_git.commands.snapshot_create import Result

Make = Callable[..., str]
Snap = Callable[[], Result]


def saved_text(git: Make, result: Result, path: str) -> str:
    return git("show", f"{result.commit}:{path}")


def saved_paths(git: Make, tree: str) -> list[str]:
    return git("ls-tree", "-r", "-z", "--name-only", tree).strip("\0").split("\0")
