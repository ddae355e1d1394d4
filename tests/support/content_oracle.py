"""An independent account of every content: what was on disk or staged stays there, or is reachable from a ref.

It knows nothing of our code: it walks the folder, asks git for the index and for what refs reach, and hashes itself.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from tests.support.rewind_cases import Case, contents


def blob_oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def on_disk(case: Case) -> dict[str, str]:
    """Oid and one place of every content below the root: ignored files and nested repositories' files included."""
    return {blob_oid(data): repr(path) for path, (_, data) in contents(case.top).items()}


def index_entries(case: Case) -> dict[str, str]:
    """Oid and path of every entry of the index; an intent-to-add entry has no content of its own."""
    lines = case.git_bytes("ls-files", "--stage", "-z").split(b"\0")
    found = {}
    for line in lines:
        head, _, path = line.partition(b"\t")
        if head and not head.startswith(b"160000"):
            found[os.fsdecode(head.split()[1])] = f"staged {path!r}"
    found.pop(blob_oid(b""), None)
    return found


def unchanged_paths(case: Case) -> set[bytes]:
    """Tracked paths that git sees no change of."""
    tracked = set(case.git_bytes("ls-files", "-z").split(b"\0"))
    return tracked - set(case.git_bytes("diff", "--name-only", "-z").split(b"\0"))


def reachable(case: Case) -> set[str]:
    """Every object that some ref reaches; reflogs do not count, so an entry of the stash below the first does not."""
    return {line[:40] for line in case.git("rev-list", "--objects", "--all").splitlines()}


@dataclass(frozen=True)
class Held:
    """What must not be lost while a verb runs."""

    contents: dict[str, str]

    @classmethod
    def now(cls, case: Case, *, index: bool = True, clean: bool = False) -> Held:
        """With `clean` a file that git calls unchanged is held as git has it: what a switch of branches writes again."""
        found = on_disk(case)
        if clean:
            same = unchanged_paths(case)
            found = {
                blob_oid(data): repr(path)
                for path, (_, data) in contents(case.top).items()
                if path not in same
            }
        return cls(found | (index_entries(case) if index else {}))

    def must_still_be_there(self, case: Case) -> None:
        gone = self.contents.keys() - on_disk(case).keys() - index_entries(case).keys()
        lost = gone - reachable(case) if gone else set()
        assert not lost, f"lost: {sorted(self.contents[oid] for oid in lost)}"
