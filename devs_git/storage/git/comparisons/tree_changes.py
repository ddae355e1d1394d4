"""Compare many pairs of trees with one git."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from devs_git.storage.git.program import Git
from devs_git.values import immutable

# What git writes of a pair: `:<mode> <mode> <oid> <oid> <letter>`.
_FACTS = 5


@immutable
class TreeEntry:
    """Mode (octal) and oid of a path in a tree; the mode is `000000` if the tree does not have the path."""

    mode: str
    oid: str


@immutable
class Change:
    """A path that differs between two trees."""

    path: str
    old: TreeEntry
    new: TreeEntry


def compare_trees(git: Git, pairs: Sequence[tuple[str, str]]) -> list[tuple[Change, ...]]:
    """The changes from the first tree to the second, for each pair. A renamed file is two changes. GitFailed."""
    words = (
        "diff-tree",
        "--stdin",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--no-abbrev",
        "--ignore-submodules=none",
    )
    out = git.run(*words, stdin="".join(f"{old} {new}\n" for old, new in pairs).encode())
    found: list[list[Change]] = []
    for facts, path in _read(out, found):
        old_mode, new_mode, old, new, _ = facts.removeprefix(":").split(" ", _FACTS - 1)
        found[-1].append(Change(path, TreeEntry(old_mode, old), TreeEntry(new_mode, new)))
    return [tuple(changes) for changes in found]


def _read(out: bytes, found: list[list[Change]]) -> Iterator[tuple[str, str]]:
    r"""Facts and path of each change. The line of a pair ends with `\n`, all else with NUL; each adds a list to `found`."""
    parts = iter(os.fsdecode(out).split("\0"))
    for part in parts:
        *pairs, facts = part.split("\n")
        found.extend([] for _ in pairs)
        if facts:
            yield facts, next(parts)
