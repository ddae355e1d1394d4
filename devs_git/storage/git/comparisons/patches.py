"""git's own patch of what changed between two trees, or up to the working tree.

A program gets a patch whose form no setting changes. A person gets it as `git diff` shows it, with the settings that the
person chose: colours, moved lines, words, algorithm, context. Neither starts a program: no external diff, no text
conversion, no filter of the repository.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Final

from devs_git.storage.git.comparisons import differences
from devs_git.storage.git.comparisons.differences import Change
from devs_git.storage.git.program import Git
from devs_git.values import immutable

# A code of git for colour and weight of what follows.
COLOUR: Final = re.compile(rb"\x1b\[([0-9;]*)m")
# The order of files must be that of the list of files; the index is not written.
_ALWAYS: Final = ("diff.autoRefreshIndex=false", "diff.orderFile=/dev/null")
_SECTION: Final = b"diff --git "


@immutable
class Wanted:
    """A patch from `before` to `after` ('' for the working tree). `own`: with the settings of the person.

    `words`: with marks at words. `left_out`: numbers of sections that are not wanted. `renames`: as in `differences`.
    """

    before: str
    after: str
    own: bool
    words: bool
    left_out: frozenset[int]
    renames: bool = True


def sections(found: Sequence[Change], apart: Collection[str]) -> Iterator[int]:
    """The numbers of the sections that a patch has for the files `apart`."""
    at = 0
    for item in found:
        if item.path in apart:
            yield from range(at, at + item.sections)
        at += item.sections


def read(git: Git, wanted: Wanted) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The lines of the patch, and for a person the same lines with colours (else none). Each pair has the same text."""
    asked, words = _words(git, wanted)
    if not wanted.own:
        return _kept(asked.run(*words, "--no-color", *_ends(wanted)), wanted), ()
    with asked.alongside(*words, "--color=always", *_ends(wanted)) as coloured:
        plain = asked.run(*words, "--no-color", *_ends(wanted))
        return _kept(plain, wanted), _kept(coloured(), wanted)


def read_beginning(git: Git, before: str, after: str, most: int) -> tuple[bytes, bool]:
    """At most `most` bytes of the patch for programs, and whether more follows. git is ended after them."""
    wanted = Wanted(before, after, own=False, words=False, left_out=frozenset())
    asked, words = _words(git, wanted)
    held = bytearray()
    with closing(asked.stream(*words, "--no-color", *_ends(wanted))) as output:
        for data in output:
            held += data
            if len(held) > most:
                return bytes(held[: held.rfind(b"\n", 0, most) + 1]), True
    return bytes(held), False


def _words(git: Git, wanted: Wanted) -> tuple[Git, tuple[str, ...]]:
    settings = _ALWAYS if wanted.own else (*differences.SETTINGS, *_ALWAYS)
    form = () if wanted.own else ("--src-prefix=a/", "--dst-prefix=b/")
    words = ("--word-diff=plain",) if wanted.words else ()
    renames = ("-M",) if wanted.renames else ("--no-renames",)
    return git.with_config(*settings), ("diff", *renames, *_FIXED, *form, *words)


_FIXED: Final = (
    "-p",
    "--no-ext-diff",
    "--no-textconv",
    # Its git would read its own configuration.
    "--ignore-submodules=dirty",
    "--submodule=short",
    "--no-relative",
    "--ita-visible-in-index",
)


def _ends(wanted: Wanted) -> tuple[str, ...]:
    after = (wanted.after,) if wanted.after else ()
    return ("--end-of-options", wanted.before, *after, "--")


def _kept(out: bytes, wanted: Wanted) -> tuple[bytes, ...]:
    lines = out.split(b"\n")
    # The last one is empty: git ends each line.
    return tuple(_wanted_lines(lines[:-1], wanted.left_out))


def _wanted_lines(lines: Iterable[bytes], left_out: frozenset[int]) -> Iterator[bytes]:
    """Without the sections that are left out, and without those of files of which only the time changed: they have one line."""
    number, head = -1, b""
    for line in lines:
        if COLOUR.sub(b"", line[:64]).startswith(_SECTION):
            head = line
            continue
        if head:
            number += 1
            if number not in left_out:
                yield head
            head = b""
        if number not in left_out:
            yield line
