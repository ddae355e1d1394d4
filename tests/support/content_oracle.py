"""Check that no content is lost: each content that was on disk or staged still is, or a ref reaches it.

It uses none of our code. It reads the folder, asks git for the index and for the objects that refs reach, and computes oids.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from tests.support.rewind_cases import Case, contents


def blob_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def on_disk(case: Case) -> dict[str, str]:
    """The oid of each file below the root with one of its paths. Ignored files and files of nested repositories count."""
    return {blob_oid(data): repr(path) for path, (_, data) in contents(case.top).items()}


def index_entries(case: Case) -> dict[str, str]:
    """The oid of each entry of the index with its path, without entries of `git add -N`, which have no content."""
    lines = case.git_bytes("ls-files", "--stage", "-z").split(b"\0")
    found = {}
    for line in lines:
        head, _, path = line.partition(b"\t")
        if head and not head.startswith(b"160000"):
            found[os.fsdecode(head.split()[1])] = f"staged {path!r}"
    found.pop(blob_oid(b""), None)
    return found


def unchanged_paths(case: Case) -> set[bytes]:
    """Tracked paths for which git shows no change."""
    tracked = set(case.git_bytes("ls-files", "-z").split(b"\0"))
    return tracked - set(case.git_bytes("diff", "--name-only", "-z").split(b"\0"))


def reachable(case: Case) -> set[str]:
    """Each object that a ref reaches. Reflogs do not count, and so only the newest entry of the stash does."""
    return {line[:40] for line in case.git("rev-list", "--objects", "--all").splitlines()}


@dataclass(frozen=True)
class ProtectedContents:
    """The contents that a verb must not lose."""

    contents: dict[str, str]

    @classmethod
    def now(cls, case: Case, *, index: bool = True, clean: bool = False) -> ProtectedContents:
        """The contents of the repository now. With `clean`, files without a change do not count: a switch may replace them."""
        found = on_disk(case)
        if clean:
            same = unchanged_paths(case)
            found = {
                blob_oid(data): repr(path)
                for path, (_, data) in contents(case.top).items()
                if path not in same
            }
        return cls(found | (index_entries(case) if index else {}))

    def assert_nothing_lost(self, case: Case) -> None:
        gone = self.contents.keys() - on_disk(case).keys() - index_entries(case).keys()
        lost = gone - reachable(case) if gone else set()
        assert not lost, f"lost: {sorted(self.contents[oid] for oid in lost)}"
