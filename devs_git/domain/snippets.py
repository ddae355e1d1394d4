"""The lines of a text that a search found: one window around the terms, cut here and not by the index.

The index would have to read every text whole; a window needs the text up to the first place where a term stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from devs_git.domain.search import Term

WIDTH: Final = 160  # characters of a window
_LEAD: Final = 40  # of them before the first hit
_OVERLAP: Final = 400  # characters of a piece that are looked at again with the next: a phrase may span both


@dataclass(frozen=True)
class Snippet:
    """One line of text, and where in it (from, to) the terms stand."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


def cut(pieces: Iterable[str], terms: tuple[Term, ...]) -> Snippet:
    """The window of a text, given in pieces, that shows the most of `terms`; its beginning where none is found.

    Pieces are read until a term is found and one further.
    """
    first = ""
    for window in _windows(pieces):
        first = first or window
        places = hits(window, terms)
        if places:
            return _around(window, places, terms)
    return Snippet(_line(first[:WIDTH]))


def _windows(pieces: Iterable[str]) -> Iterator[str]:
    """Each piece with the end of the one before."""
    tail = ""
    for piece in pieces:
        yield tail + piece
        tail = piece[-_OVERLAP:]


def hits(text: str, terms: tuple[Term, ...]) -> list[tuple[int, int, int]]:
    """(from, to, which term): the first places of each term in `text`."""
    low = text.lower()
    if len(low) != len(text):  # one letter in all of Unicode becomes two
        low = text
    return [(*place, which) for which, term in enumerate(terms) for place in _places(low, term)]


def _places(low: str, term: Term) -> Iterator[tuple[int, int]]:
    """At most a few hundred places: what stands in every line need not all be seen."""
    first, pattern = term.tokens[0].lower(), _pattern(term)
    at = low.find(first)
    for _ in range(300):
        if at < 0:
            return
        found = None if at and low[at - 1].isalnum() else pattern.match(low, at)
        if found:
            yield found.span()
        at = low.find(first, at + len(first))


@cache
def _pattern(term: Term) -> re.Pattern[str]:
    inner = r"[\W_]+".join(re.escape(token.lower()) for token in term.tokens)
    return re.compile(inner + ("" if term.prefix else r"(?![^\W_])"))


def _around(text: str, places: list[tuple[int, int, int]], terms: tuple[Term, ...]) -> Snippet:
    """The window that begins at the place after which the most different terms stand."""

    def seen(start: int) -> int:
        return len({which for at, to, which in places if start <= at and to <= start + WIDTH - _LEAD})

    start = min((at for at, _to, _which in places), key=lambda at: (-seen(at), at))
    begin = max(0, start - _LEAD)
    line_start = text.rfind("\n", begin, start) + 1
    line = _line(text[max(begin, line_start) : max(begin, line_start) + WIDTH])
    marks = sorted({(at, to) for at, to, _which in hits(line, terms)})
    return Snippet(line, tuple(marks))


def _line(text: str) -> str:
    return " ".join(text.split())
