"""Failures of the disk, told as refusals: no room or no permission is nothing that is wrong with us."""

from __future__ import annotations

import errno
import re
from typing import Final

from devs_git.errors import DevsError
from devs_git.storage.git_program import GitFailed

_NUMBERS: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
_WORDS: Final = re.compile(
    r"No space left on device|Disk quota exceeded|File too large|Read-only file system"
    r"|unable to create directory|Permission denied|Operation not permitted|Input/output error"
)
_HINT: Final = "Make room or give permission, then run the command again; nothing was lost."


def refusal(code: str, error: OSError) -> DevsError:
    """What the system said, with `code` and without any path of the machine."""
    return _said(code, error.strerror or "an object could not be written")


def told(error: Exception) -> DevsError | None:
    """CONFLICT for an error that is the disk's, met by us or by a git of ours; None for any other."""
    if isinstance(error, GitFailed):
        found = _WORDS.search(error.stderr)
        return _said("CONFLICT", found[0]) if found else None
    # libgit2 tells no number, and `storage/objects.py` makes a plain OSError of its words.
    if type(error) is OSError and error.errno is None:
        return refusal("CONFLICT", error)
    return refusal("CONFLICT", error) if isinstance(error, OSError) and error.errno in _NUMBERS else None


def _said(code: str, words: str) -> DevsError:
    return DevsError(code, f"The disk said: {words}.", hint=_HINT)
