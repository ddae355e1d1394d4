"""Uncommitted changes that a state has, too: who goes to that state, or leaves it, does not lose them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from devs_git.storage.git.objects import GITLINK
from devs_git.storage.git.program import split_z
from devs_git.storage.worktree import attributes, file_state
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.storage.worktree.survey import Survey
from devs_git.storage.worktree.tree_difference import mode_of

_CACHED: Final = (
    "diff-index",
    "--cached",
    "--name-only",
    "-z",
    "--no-renames",
    "--ignore-submodules=none",
    "--ita-invisible-in-index",
)


def find(found: Survey, hidden: Collection[str], index: str, worktree: str) -> set[str]:
    """The changed paths whose entry is as in the tree `index` or in HEAD, and whose file is as in the tree `worktree`.

    `hidden` are changed paths that git does not look at, because of their flags. Nothing is written.
    """
    git, asked = found.git, {*found.staged, *found.dirty, *found.intended, *hidden}
    if not asked:
        return set()
    asked -= set(found.staged).intersection(split_z(git.run(*_CACHED, index, "--")))
    wanted = list_files(git, worktree)
    seen = file_state.look(str(git.where), asked).files
    oids = attributes.clean_oids(git, list(seen))
    modes = {path: mode_of(one.mode) for path, one in seen.items()}
    there = {path: (modes[path], oid) for path, oid in oids.items()}
    known = {path: (one.mode, one.oid) for path, one in wanted.items() if one.mode != GITLINK}
    # A file that is not in the index is untracked, so it is no change of a tracked one.
    untracked = asked - found.entries
    return untracked.union(
        path for path in asked if there.get(path) == known.get(path) and (path in there) == (path in seen)
    )
