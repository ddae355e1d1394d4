"""A private index file, so that devs-git never stages into the user's index or refreshes it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from devs_git.storage.git import git_settings
from devs_git.storage.git.program import Git, split_z
from devs_git.values import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devs_git.storage.git.objects import Entry

DURABLE: Final = ("core.fsync=all", "core.fsyncMethod=batch")


def private(git: Git, index: Path) -> Git:
    """`git` on the private index file `index`."""
    return git.with_env(GIT_INDEX_FILE=os.fspath(index)).with_config(*git_settings.PRIVATE_INDEX)


def index_path(git: Git) -> Path:
    """The index file that git uses, which GIT_INDEX_FILE may name."""
    environment = git.environment()
    own = environment.get("GIT_INDEX_FILE")
    return git.where / own if own else Path(environment["GIT_DIR"]) / "index"


def find_intended(git: Git, paths: Collection[str]) -> set[str]:
    """Those of the index's `paths` that were added with `git add -N`."""
    if not paths:
        return set()
    from devs_git.storage.git.objects import EMPTY_TREE

    words = ("diff-index", "--cached", "--ita-invisible-in-index", "--name-only", "-z", EMPTY_TREE, "--")
    return set(paths).difference(split_z(git.run(*words)))


def add_entries(own: Git, entries: Mapping[str, Entry]) -> None:
    """Put files, by path, into the index of `own`. What is at, above or below their paths goes. Their blobs must exist."""
    lines = (
        b"%o %s\t%s\0" % (one.mode, one.oid.encode(), os.fsencode(path)) for path, one in entries.items()
    )
    own.run("update-index", "-z", "--index-info", stdin=b"".join(lines))
