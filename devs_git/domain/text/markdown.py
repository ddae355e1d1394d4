"""The headings and blocks of a Markdown text, as CommonMark has them: read by markdown-it-py, which is imported late.

Fenced code, indented code, HTML blocks, comments and front matter have no headings. Headings inside lists and
quotes are part of those and begin no section.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from devs_git.values import immutable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# Levels of lists, items and quotes within each other. Python's own stack ends at about three times as many.
DEEPEST: Final = 100
# What a line is: of an HTML block, of code, of a list or quote, of a paragraph or heading, or none of these.
RAW, CODE, IN, TEXT, NONE = "raw", "code", "in", "text", ""
_KINDS: Final = {
    "html_block": RAW,
    "fence": CODE,
    "code_block": CODE,
    "bullet_list_open": IN,
    "ordered_list_open": IN,
    "blockquote_open": IN,
    "heading_open": TEXT,
    "paragraph_open": TEXT,
    "hr": NONE,
}
# The kind of a line, and for TEXT the number of the first line of its paragraph or heading, else 0.
Kind = tuple[str, int]


@immutable
class Heading:
    """`start` is its first line, from 0."""

    start: int
    level: int
    title: str


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends: a line feed, a carriage return, or both. No other character ends one."""
    return re.findall(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+", text)


def read(lines: Sequence[str]) -> tuple[tuple[Heading, ...], tuple[Kind, ...]]:
    """The headings among `lines` (their ends are ignored), in order, and what each line is.

    A text with DEEPEST lists, items and quotes within each other has no headings: it is one section.
    """
    bare = [line.rstrip("\r\n") for line in lines]
    begin = _after_front_matter(bare)
    tokens = _parser().parse("\n".join(bare[begin:]))
    # At the deepest level the parser leaves out the rest, which may be the rest of the text.
    if any(token.level + 1 >= DEEPEST for token in tokens):
        return (), ((IN, 0),) * len(bare)
    found: list[Heading] = []
    # The lines of link definitions have no token.
    kinds: list[Kind] = [(TEXT, begin) if line.strip(" \t") else (NONE, 0) for line in bare]
    kinds[:begin] = [(NONE, 0)] * begin
    for at, token in enumerate(tokens):
        if token.level or token.map is None or token.type not in _KINDS:
            continue
        first, end = (begin + line for line in token.map)
        kind = _KINDS[token.type]
        for line in range(first, end):
            # Blank lines of code and HTML belong to it; those of a list may be behind it.
            if kind in (RAW, CODE) or bare[line].strip(" \t"):
                kinds[line] = (kind, first if kind == TEXT else 0)
        if token.type == "heading_open":
            title = " ".join(part.strip() for part in tokens[at + 1].content.split("\n"))
            found.append(Heading(first, int(token.tag[1]), title))
    return tuple(found), tuple(kinds)


@cache
def _parser() -> MarkdownIt:
    """A parser of blocks alone, as CommonMark has them."""
    # It takes 70 ms, and most commands never read a TAS.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST})
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _after_front_matter(lines: Sequence[str]) -> int:
    """The line after front matter: YAML or TOML at the beginning, between two lines `---` or `+++`."""
    mark = lines[0].rstrip(" \t") if lines else ""
    if mark not in ("---", "+++"):
        return 0
    return next((at + 1 for at, line in enumerate(lines[1:], 1) if line.rstrip(" \t") == mark), 0)
