"""The part of a text around the terms that a search found. It is cut here and not by the index.

The index would read every text whole. Here the text is read only up to the first place with a term.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Final

from devs_git.domain.recall.query import Term
from devs_git.values import immutable

# Characters of a window.
WIDTH: Final = 160
# How many of them are before the first hit.
_LEAD: Final = 40
# Characters of a piece that are searched again with the next one: a phrase may span both.
_OVERLAP: Final = 400


@immutable
class Snippet:
    """One line of text, and the places (from, to) of the terms in it."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


def cut(pieces: Iterable[str], terms: tuple[Term, ...]) -> Snippet:
    """The window of a text, given in pieces, with the most of `terms`; the beginning of the text if none is found.

    Pieces are read until a term is found, and one more.
    """
    first = ""
    for window in _windows(pieces):
        first = first or window
        places = hits(window, terms)
        if places:
            return _around(window, places, terms)
    return Snippet(_line(first[:WIDTH]))


def _windows(pieces: Iterable[str]) -> Iterator[str]:
    """Each piece with the end of the piece before."""
    tail = ""
    for piece in pieces:
        yield tail + piece
        tail = piece[-_OVERLAP:]


def hits(text: str, terms: tuple[Term, ...]) -> list[tuple[int, int, int]]:
    """(from, to, which term): the first places of each term in `text`."""
    low = _folded(text)
    return [(*place, which) for which, term in enumerate(terms) for place in _places(low, term)]


class _Letters(dict[int, str]):
    """Each letter in lower case and without its accent, as the index compares them."""

    def __missing__(self, point: int) -> str:
        self[point] = letter = unicodedata.normalize("NFD", chr(point))[0].lower()[0]
        return letter


_LETTERS: Final = _Letters()
_ACCENTED: Final = re.compile("[\u00c0-\u024f\u0300-\u036f\u1e00-\u1fff]")
# Accents as characters of their own after a letter.
_MARKS: Final = "[\u0300-\u036f]*"


def _folded(text: str) -> str:
    """`text` as the index compares it, of the same length. It goes letter by letter only if there are accents, which is slow."""
    plain = text.isascii() or not _ACCENTED.search(text)
    return text.lower() if plain else text.translate(_LETTERS)


def _places(low: str, term: Term) -> Iterator[tuple[int, int]]:
    """At most 300 places: a term may be in every line."""
    pattern, first = _pattern(term)
    # A plain search does not find words with such accents.
    if not low.isascii() and re.search(_MARKS[:-1], low):
        whole = (one.span() for one in pattern.finditer(low))
        yield from islice((place for place in whole if not _is_inside(low, place[0])), 300)
        return
    at = low.find(first)
    for _ in range(300):
        if at < 0:
            return
        found = None if _is_inside(low, at) else pattern.match(low, at)
        if found:
            yield found.span()
        at = low.find(first, at + len(first))


def _is_inside(low: str, at: int) -> bool:
    return at > 0 and low[at - 1].isalnum()


@cache
def _pattern(term: Term) -> tuple[re.Pattern[str], str]:
    """The pattern of a term in a folded text, and its first token there."""
    tokens = [re.sub(_MARKS, "", _folded(token)) or token for token in term.tokens]
    words = (_MARKS.join(map(re.escape, token)) + _MARKS for token in tokens)
    inner = r"[\W_]+".join(words)
    return re.compile(inner + ("" if term.prefix else r"(?![^\W_])")), tokens[0]


def _around(text: str, places: list[tuple[int, int, int]], terms: tuple[Term, ...]) -> Snippet:
    """The window at the place that is followed by the most different terms."""

    def terms_shown(start: int) -> int:
        return len({which for at, to, which in places if start <= at and to <= start + WIDTH - _LEAD})

    start = min((at for at, _to, _which in places), key=lambda at: (-terms_shown(at), at))
    begin = max(0, start - _LEAD)
    line_start = text.rfind("\n", begin, start) + 1
    line = _line(text[max(begin, line_start) : max(begin, line_start) + WIDTH])
    marks = sorted({(at, to) for at, to, _which in hits(line, terms)})
    return Snippet(line, tuple(marks))


def _line(text: str) -> str:
    """The text on one line. A bar stands between its lines, or several would look like one line of an output."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return " | ".join(filter(None, lines))
