"""The trees of a ledger: what changes between them, and whether they have the form that devs-git and every git write.

git stores any tree that somebody pushes:
- Small trees may contain each other: four trees with 100 entries each have 10^8 names. `git diff-tree -r` opens all of them, and
  holds all changes between two trees in memory before it prints the first. So here git compares only the entries of two trees,
  and is asked again for the folders that differ, as long as there are no more names than the limit.
- If a name occurs twice, git's lookup finds the first entry and other readers find the last; git does not find a name that is
  out of order. So one reader could see an open gate that another does not see.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from typing import Final

from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.audit.ledger_shape import WAY_OUT, Change
from devs_git.domain.ledger.events import NO_OID
from devs_git.domain.text import limits
from devs_git.storage.git import bounded
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import Git, GitFailed
from devs_git.values import mutable

# The oids of two trees; and a folder that differs between them, with its trees.
Pair = tuple[str, str]
_Below = tuple[str, Pair]
# Levels of names in the tree of a ledger: `work/1/2/3/task-10/<operation>.yaml`.
LEVELS: Final = 6
# Names of files and folders that an event may change which is no merge. Our writers change fewer than 20.
MOST: Final = 100
_NO_NAMES: Final = frozenset((b"", b".", b"..", b".git"))
_FILE: Final = "100644"
_FOLDER: Final = "040000"


def most_of_merge(files: int) -> int:
    """How many names a merge may change if the other events changed so many files.

    It brings what the events of the other line changed, and keeps what it replaces below `superseded`.
    """
    return MOST + 2 * LEVELS * files


@mutable
class _Edge:
    """The difference of two trees, as far as it was read. `left`: how many more names it may have."""

    left: int
    parts: list[Change | _Below]
    is_open: bool = True

    def read_level(self, answers: Generator[list[Change | _Below]]) -> None:
        """Put what git says of each folder in its place."""
        parts: list[Change | _Below] = []
        self.is_open = False
        for part in self.parts:
            if isinstance(part, Change):
                parts.append(part)
                continue
            below = next(answers)
            self.left -= len(below)
            if self.left >= 0:
                parts += (_placed(part[0], one) for one in below)
                self.is_open = self.is_open or any(isinstance(one, tuple) for one in below)
        self.parts = parts if self.left >= 0 else []
        self.is_open = self.is_open and self.left >= 0


def _placed(folder: str, one: Change | _Below) -> Change | _Below:
    if isinstance(one, Change):
        return Change(folder + one.path, one.old, one.new) if folder else one
    return folder + one[0], one[1]


def read(
    git: Git, most: Mapping[Pair, int], *how: str, only: Sequence[str] = (), levels: int = LEVELS
) -> dict[Pair, tuple[Change, ...] | None]:
    """The changes between the trees of each pair, in git's order.

    None for a pair with more changed names than `most` says, or with a changed folder below `levels`. `how` are more options
    for git, `only` the names at the top that are compared. GitFailed if a tree is missing.
    """
    edges = {pair: _Edge(left, [("", pair)]) for pair, left in most.items() if pair[0] != pair[1]}
    waiting = [*edges.values()]
    words = (*how, "--", *only) if only else how
    while waiting and levels:
        levels -= 1
        asked = [part[1] for edge in waiting for part in edge.parts if isinstance(part, tuple)]
        with closing(_answers(git, asked, max(most.values(), default=0), words)) as answers:
            for edge in waiting:
                edge.read_level(answers)
            # Only now it is known that git did not fail.
            next(answers, None)
        waiting = [edge for edge in waiting if edge.is_open]
        words = how
    return {pair: _changes(edges[pair]) if pair in edges else () for pair in most}


def _changes(edge: _Edge) -> tuple[Change, ...] | None:
    whole = edge.left >= 0 and not edge.is_open
    return tuple(part for part in edge.parts if isinstance(part, Change)) if whole else None


def _answers(
    git: Git, asked: Sequence[Pair], most: int, words: Sequence[str]
) -> Generator[list[Change | _Below]]:
    """For each pair of trees the entries that differ; of more than `most`, one more than `most`."""
    wanted = iter(asked)
    script = "".join(f"{old} {new}\n" for old, new in asked).encode()
    output = git.stream(
        "diff-tree", "--stdin", "-z", "--raw", "--no-renames", "--no-abbrev", *words, stdin=script
    )
    found: list[Change | _Below] | None = None
    with closing(output):
        # What stands after the last NUL: pairs that are the same.
        parts = bounded.records(chain(output, (b"\0",)), limits.COMMIT)
        for part in parts:
            *heads, row = part.split(b"\n")
            for head in heads:
                if found is not None:
                    yield found
                found = []
                # git says nothing of a pair with a missing tree.
                _require(head == " ".join(next(wanted, ())).encode())
            if row:
                name = next(parts)
                if found is not None and len(found) <= most:
                    found.append(_entry(row, name))
    if found is not None:
        yield found
    _require(next(wanted, None) is None)


def _require(there: bool) -> None:
    if not there:
        raise GitFailed(("diff-tree",), 1, "a tree of the ledger is missing or damaged")


def _entry(row: bytes, name: bytes) -> Change | _Below:
    was, now, old, new, _ = row.decode().split(" ")
    old, new = (oid.replace(NO_OID, "") for oid in (old, new))
    if _FOLDER in (was[1:], now):
        return os.fsdecode(name) + "/", (old or EMPTY_TREE, new or EMPTY_TREE)
    return Change(os.fsdecode(name), old, new)


def find_odd_entry(git: Git, tip: str) -> Iterator[Finding]:
    """LEDGER_MUTATED for the first entry in the tree of an event that devs-git never writes."""
    before, names = b"", set[bytes]()
    for row in git.run("ls-tree", "-r", "-t", "-z", tip).split(b"\0")[:-1]:
        head, _, path = row.partition(b"\t")
        mode, _, oid = head.decode().split(" ")
        # After a folder come its entries, so this order holds for the whole list.
        order = path + b"/" if mode == _FOLDER else path
        if path in names or order <= before:
            what = "occurs twice or out of order"
        elif path.rpartition(b"/")[2].lower() in _NO_NAMES:
            what = "is not a valid file name"
        elif mode not in (_FILE, _FOLDER):
            what = f"is not a plain file: its mode is {mode}"
        elif oid == EMPTY_TREE:
            what = "is an empty folder"
        else:
            before = order
            names.add(path)
            continue
        text = f"In the tree of event {tip[:12]}, {os.fsdecode(path)} {what}."
        yield Finding("LEDGER_MUTATED", "error", text, WAY_OUT, tip, file=IN_LEDGER + os.fsdecode(path))
        return
