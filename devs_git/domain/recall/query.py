"""The query that a person types to find a trace: words, "phrases", prefix*, -not, and filters such as `task:10`.

No input is an error. Text without letters and digits is left out. A filter with an invalid value is read as a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from devs_git.domain.text.quantities import span
from devs_git.values import field, immutable

# The most terms of a query; `left_out` counts the rest.
MOST_TERMS: Final = 64
# `--name` is an option to search for, and not a term to exclude.
_PIECE = re.compile(r'(-(?!-))?(?:([a-z]+):)?("[^"]*"?\*?|\S+)')
FILTERS: Final = ("task", "tool", "session", "agent", "error", "since", "before")
_TRUTH: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@immutable
class Term:
    """A word or phrase, as the tokens of the index. `prefix`: the last token may be longer."""

    tokens: tuple[str, ...]
    prefix: bool = False


@immutable
class Query:
    """A parsed query. `error` is None if it does not matter; `since` and `before` are stamps or ''."""

    wanted: tuple[Term, ...] = ()
    unwanted: tuple[Term, ...] = ()
    equal: dict[str, str] = field(default_factory=dict)
    error: bool | None = None
    since: str = ""
    before: str = ""
    left_out: int = 0


def unknown_filters(text: str) -> tuple[str, ...]:
    """The names before a colon that are no filters: `foo` of `foo:bar`, but none of `src/a.py:12` or of a URL."""
    pieces = (piece for piece in _PIECE.findall(text) if not piece[2].startswith("/"))
    return tuple(dict.fromkeys(key for _, key, value in pieces if key and value and key not in FILTERS))


def tokens(text: str) -> tuple[str, ...]:
    """`src/a.py:12` gives src, a, py, 12: runs of letters and digits of any script, as in the index."""
    plain = "".join(char if _is_part(char) else " " for char in text)
    return tuple(plain.split())


def _is_part(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] in "LNM" or unicodedata.category(char) == "Co"


def parse(text: str, now: datetime, stamp: Callable[[datetime], str]) -> Query:
    """The query in `text`. `since:2h` counts back from `now`; `stamp` writes a time as the rows have it."""
    wanted: list[Term] = []
    unwanted: list[Term] = []
    filters: dict[str, str] = {}
    left_out = 0
    for minus, key, value in _PIECE.findall(text.replace("\0", " ")):
        plain = value.strip('"')
        if key in FILTERS and not minus and _filter(filters, key, plain, now, stamp):
            continue
        term = _term(f"{key}:{value}" if key else value)
        if not term.tokens:
            continue
        if len(wanted) + len(unwanted) >= MOST_TERMS:
            left_out += 1
            continue
        (unwanted if minus else wanted).append(term)
    error = _TRUTH[filters.pop("error")] if "error" in filters else None
    since, before = filters.pop("since", ""), filters.pop("before", "")
    return Query(_once(wanted), _once(unwanted), filters, error, since, before, left_out)


def _once(terms: list[Term]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(terms))


def _term(text: str) -> Term:
    return Term(tokens(text)[:MOST_TERMS], prefix=text.endswith("*"))


def _filter(
    filters: dict[str, str], key: str, value: str, now: datetime, stamp: Callable[[datetime], str]
) -> bool:
    """Add a filter; False if its value is invalid, so that it is read as a word."""
    if key in ("since", "before"):
        moment = _moment(value, now)
        try:
            value = stamp(moment) if moment else ""
        except OverflowError:
            # With its time zone the year is out of range.
            value = ""
    if not value or (key == "error" and value.lower() not in _TRUTH):
        return False
    filters[key] = value.lower() if key == "error" else value
    return True


def _moment(value: str, now: datetime) -> datetime | None:
    """`2026-01-31`, `2026-01-31T09:00`, or a span such as `2h` before now; None for anything else."""
    try:
        return now - timedelta(seconds=span(value))
    except (ValueError, OverflowError):
        pass
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=now.tzinfo)
