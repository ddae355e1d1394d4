"""What the shell hook saw of a worktree before it started Python, so that git need not look at all files a second time.

The hook asks git with the private index of the newest moment. What happens to the files afterwards belongs to the next
moment, as for any other time at which one may look.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.git import bounded
from devs_git.values import immutable

_ENDS = ("new", "files", "sum")


@immutable
class Seen:
    """Paths of untracked files, and of those that differ from the private index, each with NUL after it; the index's sum."""

    new: bytes
    files: bytes
    index_sum: str


def take(begin: Path) -> Seen | None:
    """Read and delete the hook's files, whose names begin so; None if one is missing, because a git was ended."""
    found: list[bytes | None] = []
    for end in _ENDS:
        file = begin.with_name(f"{begin.name}.{end}")
        try:
            # With so many paths git may as well look again.
            found.append(bounded.read_file(file, limits.DOCUMENT, end))
        except (DevsError, OSError):
            found.append(None)
        with contextlib.suppress(OSError):
            file.unlink()
    new, files, index_sum = found
    if new is None or files is None or not index_sum:
        return None
    return Seen(new, files, index_sum.decode("ascii", "replace"))
