"""Refusals for failures from outside: a full disk, a missing permission, a hook that refuses, a killed git, a damaged
repository.
"""

from __future__ import annotations

import errno
import os
import re
import signal
from typing import Final

from devs_git.domain.ledger.ids import OID_FORM
from devs_git.errors import DevsError
from devs_git.storage.git.program import GitFailed

_NUMBERS: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
_WORDS: Final = re.compile(
    r"No space left on device|Disk quota exceeded|File too large|Read-only file system"
    # git gives no reason for a lock that it could not write.
    r"|couldn't write '[^'/][^']*\.lock'|unable to create directory|Permission denied|Operation not permitted|Input/output error"
)
DAMAGE: Final = re.compile(
    r"object file .* is empty|is corrupt\b|unexpected line in .*packed-refs|bad object"
    rf"|unable to read (tree|{OID_FORM})|index file corrupt|index file smaller|bad index file|bad signature 0x"
    r"|packfile .* cannot be accessed|inflate: |unable to unpack|missing blob"
)
FETCH_ALL: Final = "git fetch --refetch --no-filter"  # what a partial clone left out
_BY_HOOK: Final = "ref updates aborted by hook"
_READ_ONLY: Final = {errno.EROFS, errno.EACCES, errno.EPERM}
_HINT: Final = "Free some space or correct the permissions, then run the command again. Nothing was lost."


def disk_refusal(error: OSError) -> DevsError:
    """CONFLICT with the message of the system, without a path of this machine."""
    return _conflict(error.strerror or "an object could not be written")


def is_read_only(error: OSError) -> bool:
    """Whether the system lets this process write nothing there: other than a full disk, room does not help."""
    return error.errno in _READ_ONLY


def refusal_of(error: Exception) -> DevsError | None:
    """CONFLICT for an error from outside, in this process or in a git that it started. None for any other error."""
    if isinstance(error, GitFailed):
        if error.status < 0:
            return _kill_refusal(-error.status)
        if _BY_HOOK in error.stderr:
            return _hook_refusal(error)
        if error.lacks_objects:
            return partial_refusal(FETCH_ALL)
        if found := _WORDS.search(error.stderr):
            return _conflict(found[0])
        return damage_refusal(error) if DAMAGE.search(error.stderr) else None
    if isinstance(error, IsADirectoryError):
        return _folder_refusal(error)
    # libgit2 gives no error number.
    if type(error) is OSError and error.errno is None:
        return disk_refusal(error)
    return disk_refusal(error) if isinstance(error, OSError) and error.errno in _NUMBERS else None


def partial_refusal(command: str) -> DevsError:
    """CONFLICT with the command by which git fetches what was needed."""
    return DevsError(
        "CONFLICT",
        "This partial clone does not have all objects that this command reads, and devs-git fetches none.",
        hint=f"Fetch them first: {command}",
    )


def _kill_refusal(number: int) -> DevsError:
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return DevsError(
        "CONFLICT",
        f"A git process of this command was killed ({name}).",
        hint="Run the command again. If it happens again, check whether there is enough memory.",
    )


def _hook_refusal(error: GitFailed) -> DevsError:
    reasons = (line for line in error.stderr.splitlines() if not line.startswith("hint:"))
    # Each line once: git calls the hook again when the transaction is aborted.
    lines = dict.fromkeys(line for line in reasons if _BY_HOOK not in line)
    return DevsError(
        "CONFLICT",
        f"A git hook refused to move a ref: {' '.join(lines).strip() or 'it gave no reason'}",
        hint="Check the hook reference-transaction: git rev-parse --git-path hooks/reference-transaction",
    )


def _folder_refusal(error: OSError) -> DevsError:
    """CONFLICT with the end of the path of a folder that is where a file of ours belongs."""
    path = os.fsdecode(error.filename2 or error.filename or "")
    name = "/".join(path.split("/")[-2:])
    return DevsError(
        "CONFLICT",
        f"{name} is a folder, and devs-git needs a file there.",
        hint="Check what it is, then rename or remove it. It may be in the git directory: git rev-parse --git-common-dir",
    )


def damage_refusal(error: GitFailed) -> DevsError:
    """CONFLICT with git's message about a repository that it cannot read."""
    words = "; ".join(line.partition(": ")[2] or line for line in error.stderr.splitlines())
    return DevsError(
        "CONFLICT",
        f"git cannot read this repository: {words}.",
        hint="Find the damage: git fsck --full. Then fetch the missing objects from another clone: git fetch",
    )


def _conflict(words: str) -> DevsError:
    return DevsError("CONFLICT", f"The file system reported: {words}.", hint=_HINT)
