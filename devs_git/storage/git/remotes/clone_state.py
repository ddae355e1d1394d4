"""All that `sync` decides by in this clone, as bytes: its refs, what its worktrees have checked out, and some files.

The objects below the refs are not among it: they never change.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.values import Final

# In the common git directory: what says something about the refs, the clone and its remotes, apart from the refs themselves.
FILES: Final = ("HEAD", "config", "config.worktree", "shallow",
    *(f"devs/{name}" for name in ("checked-tip", "clone", "ledger.lock", "remote-urls", "remote-copies")))  # fmt: skip


@contextlib.contextmanager
def read_alongside(git: Git, common: Path) -> Iterator[Callable[[], tuple[bytes, ...]]]:
    """Yield a function that waits for the parts. git lists refs and worktrees while the body does something else."""
    worktrees = ("worktree", "list", "--porcelain", "-z")
    with refs.print_refs_alongside(git) as all_refs, git.alongside(*worktrees) as heads:
        yield lambda: (all_refs(), heads(), *(_bytes(common / file) for file in FILES))


def _bytes(file: Path) -> bytes:
    """Its bytes after the letter F; nothing if there is no file."""
    try:
        return b"F" + file.read_bytes()
    except OSError:
        return b""
