"""Whether the trees of a ledger have the one shape that our writers and every git give them.

git stores any tree that somebody pushes. Of two entries of one name git's look-up takes the first and other readers the last,
and git finds no name that stands out of order: so one ledger would show an open gate to one reader and none to another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.audit.ledger_shape import WAY_OUT
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, split_z

_NO_NAMES: Final = frozenset(("", ".", "..", ".git"))
_FILE: Final = "100644"
_FOLDER: Final = "040000"


def find_odd_entry(git: Git, tip: str) -> Iterator[Finding]:
    """LEDGER_MUTATED for the first entry of the tree of this event that no writer of ours makes."""
    before: dict[str, str] = {}
    names: set[str] = set()
    for row in split_z(git.run("ls-tree", "-r", "-t", "-z", tip)):
        head, _, path = row.partition("\t")
        mode, _, oid = head.split(" ")
        folder, _, name = path.rpartition("/")
        order = name + "/" if mode == _FOLDER else name
        if path in names or os.fsencode(order) <= os.fsencode(before.get(folder, "")):
            what = "occurs twice or out of order"
        elif not _NO_NAMES.isdisjoint(path.casefold().split("/")):
            what = "is not a valid file name"
        elif mode not in (_FILE, _FOLDER):
            what = f"is not a plain file: its mode is {mode}"
        elif oid == EMPTY_TREE:
            what = "is an empty folder"
        else:
            before[folder] = order
            names.add(path)
            continue
        text = f"In the tree of event {tip[:12]}, {path} {what}."
        yield Finding("LEDGER_MUTATED", "error", text, WAY_OUT, tip, file=IN_LEDGER + path)
        return
