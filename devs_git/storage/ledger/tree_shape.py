"""Whether the trees of a ledger have the form that devs-git and every git write.

git stores any tree that somebody pushes. If a name occurs twice, git's lookup finds the first entry and other readers find
the last; git does not find a name that is out of order. So one reader could see an open gate that another does not see.
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
    """LEDGER_MUTATED for the first entry in the tree of an event that devs-git never writes."""
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
