"""Whether all objects of the ledger exist and their bytes match their names.

git compares the bytes of an object with its name in fetch, push and fsck, but not in each read. So whoever can write to
the object store could replace an event or a tree of gates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.events import LEDGER
from devs_git.storage.git.program import Git, GitFailed

_WAY_OUT: Final = f"Fetch them from another clone: git fetch <remote> {LEDGER}. See: git fsck"


def findings(git: Git) -> Iterator[Finding]:
    """LEDGER_MISSING or LEDGER_MUTATED. At most one finding, because after it no other check is reliable."""
    try:
        names = git.run("rev-list", "--objects", "--no-object-names", LEDGER, "--")
        with closing(git.stream("cat-file", "--batch", stdin=names)) as output:
            wrong = next(_wrong(output), "")
    except GitFailed as error:
        if error.lacks_objects:
            from devs_git.storage.ledger import audit_facts

            yield audit_facts.unreadable(error)
            return
        text = "Parts of the ledger are missing from the object store."
        yield Finding("LEDGER_MISSING", "error", text, _WAY_OUT)
        return
    if wrong:
        text = f"Object {wrong[:12]} of the ledger was overwritten: its bytes do not match its name."
        yield Finding("LEDGER_MUTATED", "error", text, _WAY_OUT, wrong)


def _wrong(pieces: Iterator[bytes]) -> Iterator[str]:
    """The oids whose bytes do not match. No object is held in memory as a whole, because it may have any size."""
    rest = b""
    for piece in pieces:
        rest += piece
        while b"\n" in rest:
            head, _, rest = rest.partition(b"\n")
            oid, kind, *size = head.split(b" ")
            if not size:
                yield oid.decode()
                continue
            left = int(size[0])
            found = hashlib.sha1(kind + b" %d\0" % left, usedforsecurity=False)
            while left:
                found.update(rest[:left])
                left, rest = left - len(rest[:left]), rest[left:]
                rest = rest or next(pieces, b"")
                if left and not rest:
                    return
            if found.hexdigest().encode() != oid:
                yield oid.decode()
            rest = (rest or next(pieces, b"")).removeprefix(b"\n")
