"""Whether the ledger's objects are all here and are what their names say.

git compares an object's bytes with its name when it is fetched, pushed or checked by fsck, but not each time it reads
it: whoever may write to the object store can put another event, or another tree of gates, in the place of one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from devs_git.domain.events import LEDGER
from devs_git.domain.report import Finding
from devs_git.storage.git_program import Git, GitFailed

_WAY_OUT: Final = f"Get them from another clone: git fetch <remote> {LEDGER}; see: git fsck"


def findings(git: Git) -> Iterator[Finding]:
    """LEDGER_MISSING, LEDGER_MUTATED; one of them, for nothing else can be believed then."""
    try:
        names = git.run("rev-list", "--objects", "--no-object-names", LEDGER, "--")
        data = git.run("cat-file", "--batch", stdin=names)
    except GitFailed:
        text = "Parts of the ledger are missing from the object store."
        yield Finding("LEDGER_MISSING", "error", text, _WAY_OUT)
        return
    wrong = next(_wrong(data), "")
    if wrong:
        text = f"Object {wrong[:12]} of the ledger was overwritten: its bytes are not what its name says."
        yield Finding("LEDGER_MUTATED", "error", text, _WAY_OUT, wrong)


def _wrong(data: bytes) -> Iterator[str]:
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        oid, kind, *size = data[at:end].split(b" ")
        length = int(size[0]) if size else 0
        whole = kind + b" %d\0" % length + data[end + 1 : end + 1 + length]
        if hashlib.sha1(whole, usedforsecurity=False).hexdigest().encode() != oid:
            yield oid.decode()
        at = end + 1 + (length + 1 if size else 0)
