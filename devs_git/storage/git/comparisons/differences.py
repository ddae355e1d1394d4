"""What changed between two trees, from git's plumbing: without textconv or external diff, with any bytes in names and files.

Changes up to the working tree come from `git diff`, with all its settings fixed. It also lists files of which only the
time changed, because it would have to write the index to leave them out. They have no lines, and this module drops them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Final

from devs_git.domain.ledger.ids import OID_FORM
from devs_git.storage.git.program import Git
from devs_git.values import immutable

# Before the names, git writes the two trees of the pair.
_PAIR: Final = re.compile(rb"(%b) (%b)\n" % ((OID_FORM.encode(),) * 2))
ACTIONS: Final = {"A": "added", "D": "deleted", "R": "renamed", "C": "added"}
_COMMON: Final = (
    "-M",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=none",
    "--submodule=short",
    "--full-index",
)
SETTINGS: Final = (
    # A refresh would lock and write the index, and start a hook for that.
    "diff.autoRefreshIndex=false",
    "diff.algorithm=default",
    "diff.colorMoved=no",
    "diff.context=3",
    "diff.interHunkContext=0",
    "diff.orderFile=/dev/null",
    "diff.suppressBlankEmpty=false",
    "diff.wsErrorHighlight=none",
)
# Changes inside a submodule are ignored: its git would read its own configuration.
_TREE_ALONE: Final = (
    "--ignore-submodules=dirty",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--ita-visible-in-index",
)


def _words(
    git: Git, before: str, after: str, *form: str, renames: bool = True
) -> tuple[Git, tuple[str, ...]]:
    """git and its arguments. `after` is '' for the working tree."""
    form = form if renames else (*form, "--no-renames")
    if after:
        return git, ("diff-tree", "-r", *_COMMON, *form, "--end-of-options", before, after, "--")
    return git.with_config(*SETTINGS), (
        "diff",
        *_COMMON,
        *_TREE_ALONE,
        *form,
        "--end-of-options",
        before,
        "--",
    )


@immutable
class Change:
    """One changed file. `old_path` is '' unless it was renamed; a binary file has 0 lines. `sections` counts the parts of its patch."""

    path: str
    action: str
    additions: int
    deletions: int
    old_path: str
    binary: bool
    old_mode: str
    new_mode: str
    sections: int


@immutable
class _Raw:
    """A line of `--raw`. `source` is the path before a rename or copy, '' for any other change."""

    letter: str
    source: str
    old_mode: str
    new_mode: str


@immutable
class Hunk:
    r"""`header` is git's `@@ … @@ …` line; each of `lines` begins with ' ', '+', '-' or '\'."""

    header: str
    lines: tuple[str, ...]


def changes(git: Git, before: str, after: str, *, renames: bool = True) -> tuple[Change, ...]:
    """The changed files between two trees or commits, or up to the working tree, in git's order."""
    asked, words = _words(git, before, after, "--raw", "--numstat", "-z", renames=renames)
    out = asked.run(*words)
    fields = iter(os.fsdecode(part) for part in out.split(b"\0"))
    raw: dict[str, _Raw] = {}
    counts: dict[str, tuple[str, str]] = {}
    for field in fields:
        if field.startswith(":"):
            old_mode, new_mode, _, _, letter = field[1:].split(" ")
            source = next(fields)
            path = next(fields) if letter[0] in "RC" else source
            # An unmerged file has another line, with its real change.
            if letter == "U" and path in raw:
                continue
            raw[path] = _Raw(letter[0], source if path != source else "", old_mode, new_mode)
        elif field:
            added, removed, name = field.split("\t", 2)
            if not name:
                next(fields)
                name = next(fields)
            counts[name] = (added, removed)
    return tuple(
        _change(path, fact, counts.get(path, ("0", "0")))
        for path, fact in raw.items()
        if path in counts or not _is_touched_only(fact)
    )


def count_files(git: Git, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """How many files differ between the trees of each pair, by one git. A pair of which a tree is missing is left out."""
    if not pairs:
        return {}
    lines = "".join(f"{before} {after}\n" for before, after in pairs).encode()
    words = ("diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none")
    # A missing tree is an error, after which git goes on with the next pair.
    out = git.run(*words, stdin=lines, ok=(0, 1, 128))
    counts: dict[tuple[str, str], int] = {}
    pair = ("", "")
    for part in out.split(b"\0"):
        name = part
        while header := _PAIR.match(name):
            pair = (header[1].decode(), header[2].decode())
            counts[pair] = 0
            name = name[header.end() :]
        if name:
            counts[pair] += 1
    return counts


def letters(git: Git, before: str, after: str) -> list[str]:
    """git's letter for each file that differs between two trees: A (only in the second), D, M or T (another type)."""
    words = ("diff-tree", "-r", "-z", "--name-status", "--no-renames", "--ignore-submodules=none")
    out = git.run(*words, "--end-of-options", before, after, "--")
    return [part.decode() for part in out.split(b"\0")[:-1:2]]


def _is_touched_only(raw: _Raw) -> bool:
    """Whether only the file's time changed, given that the change has no count of lines."""
    return raw.letter == "M" and raw.old_mode == raw.new_mode


def _change(path: str, raw: _Raw, count: tuple[str, str]) -> Change:
    binary = count[0] == "-"
    return Change(
        path=path,
        action=ACTIONS.get(raw.letter, "modified"),
        additions=0 if binary else int(count[0]),
        deletions=0 if binary else int(count[1]),
        old_path=raw.source if raw.letter == "R" else "",
        binary=binary,
        old_mode=raw.old_mode,
        new_mode=raw.new_mode,
        sections={"T": 2, "U": 0}.get(raw.letter, 1),
    )


def hunks(
    git: Git, before: str, after: str, most: int, *, renames: bool = True
) -> tuple[list[list[Hunk]], bool]:
    """The hunks of each `diff --git` section in git's order, cut after `most` lines; and whether any were cut."""
    sections: list[list[tuple[str, list[str]]]] = []
    taken, cut, has_body = 0, False, True
    asked, words = _words(git, before, after, "-p", renames=renames)
    for line in _lines(asked, *words):
        if line.startswith("diff --git "):
            # A header without a body belongs to a file of which only the time changed.
            sections += [[]] if has_body else []
            has_body = False
            continue
        has_body = True
        if line.startswith("@@ ") and sections:
            if taken >= most:
                cut = True
                break
            sections[-1].append((line, []))
        elif sections and sections[-1] and line[:1] in (" ", "+", "-", "\\"):
            if taken >= most:
                cut = True
                break
            sections[-1][-1][1].append(line)
            taken += 1
    kept = sections if has_body else sections[:-1]
    return [[Hunk(head, tuple(lines)) for head, lines in section] for section in kept], cut


def _lines(git: Git, *args: str) -> Iterator[str]:
    """Lines of git's output as they come. git is ended when the caller stops reading."""
    rest = b""
    with closing(git.stream(*args)) as output:
        for data in output:
            *whole, rest = (rest + data).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole)
    if rest:
        yield rest.decode("utf-8", "replace")


def ancestors(git: Git, start: str) -> Iterator[list[str]]:
    """The proper ancestors of `start`, the nearest ones first, in parts of which each is larger than the one before."""
    lines, size = _lines(git, "rev-list", f"{start}^@", "--"), 50
    while some := list(islice(lines, size)):
        yield some
        size *= 2


def parents(git: Git, commit: str) -> tuple[str, ...]:
    """The parents of a commit; empty for a root."""
    return tuple(git.text("rev-list", "--parents", "-n1", "--end-of-options", commit, "--").split()[1:])
