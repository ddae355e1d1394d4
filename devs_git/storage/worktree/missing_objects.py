"""Refuse a move whose objects are missing or damaged: we look before the move, and read git's error after a failure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from devs_git.domain.ledger.ids import OID_FORM
from devs_git.errors import DevsError, immovable
from devs_git.storage.git.program import Git, GitFailed

_OID: Final = rf"({OID_FORM})"
# Compiled when git has failed.
_OF_PATH: Final = rf"unable to read sha1 file of (.+) \({_OID}\)"
_BARE: Final = rf"(?:unable to read(?: tree| sha1 file)?|bad object|[Cc]ould not read|missing (?:blob|tree)|bad tree object) \(?{_OID}"
_HINT: Final = (
    "See what is missing: git fsck. Fetch it from a remote that has it: git fetch --refetch REMOTE."
    " Then run the command again."
)


def refusal(wanted: Mapping[str, str], code: str = "GIT_RESET_FAILED", word: str = "path") -> DevsError:
    """The `missing_objects` refusal. `wanted` maps each path to its object, or, if git named no path, an oid to itself."""
    first, count = next(iter(wanted)), len(wanted)
    if word == "path":
        text = f"git cannot read the object of {first!r} ({count} in all): {wanted[first]} is missing or damaged."
        return immovable("missing_objects", text, code=code, hint=_HINT, paths=list(wanted)[:100])
    text = f"git cannot read the object {first}: it is missing or damaged."
    return immovable("missing_objects", text, code=code, hint=_HINT, oid=first)


def refusal_from_git(error: GitFailed, code: str) -> DevsError | None:
    """The refusal if git's error says that it could not read an object, else None."""
    files: dict[str, str] = dict(re.findall(_OF_PATH, error.stderr))
    if files:
        return refusal(files, code)
    named = re.search(_BARE, error.stderr)
    return refusal({named[1]: named[1]}, code, "oid") if named else None


def find_missing(git: Git, blobs: Mapping[str, str]) -> dict[str, str]:
    """Those of `blobs` (by path) that the repository does not have."""
    if not blobs:
        return {}
    script = "".join(f"{oid}\n" for oid in dict.fromkeys(blobs.values())).encode()
    out = git.run("cat-file", "--batch-check=", "--buffer", stdin=script)
    gone = {line[:40].decode() for line in out.splitlines() if line.endswith(b" missing")}
    return {path: oid for path, oid in blobs.items() if oid in gone} if gone else {}
