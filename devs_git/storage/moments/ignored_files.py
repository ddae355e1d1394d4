"""Keeps ignored files that a command would delete, as a tree of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from devs_git.storage.git.program import Git, join_z


def save(ours: Git, paths: Sequence[str]) -> str:
    """The tree of these files; '' for no files. `ours` is git on a private index, which is written anew."""
    if not paths:
        return ""
    index = Path(ours.env["GIT_INDEX_FILE"])
    for name in (index, index.with_name(index.name + ".lock")):
        name.unlink(missing_ok=True)
    ours.run("update-index", "--add", "--replace", "-z", "--stdin", stdin=join_z(paths))
    return ours.text("write-tree")
