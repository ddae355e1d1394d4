"""Cursors: where the next page of a list begins, among the rows that existed when the first page was read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from devs_git.errors import invalid
from devs_git.values import TYPE_CHECKING, Final, immutable

if TYPE_CHECKING:
    from typing import TypeVar

    Row = TypeVar("Row")
NO_END: Final = 1 << 62
CURSOR_FORM: Final = "([0-9]{1,15})-([0-9]{1,12})"
_CURSOR = re.compile(CURSOR_FORM, re.ASCII)


@immutable
class Place:
    """`upto` is the newest number when the first page was read, 0 for the first page; `offset` is how many rows came before."""

    upto: int = 0
    offset: int = 0

    def after(self, rows: int, *, more: bool) -> str:
        """The cursor of the next page; '' if this is the last one."""
        return f"{self.upto}-{self.offset + rows}" if more else ""


def place(cursor: str) -> Place:
    """The place that a cursor names; INVALID_ARGUMENTS if it is not a cursor."""
    match = _CURSOR.fullmatch(cursor)
    if cursor and not match:
        raise invalid("cursor", "The cursor must be the next_cursor of an earlier answer.")
    return Place(int(match[1]), int(match[2])) if match else Place()


def cut(
    rows: Sequence[Row], key_of: Callable[[Row], str], limit: int, cursor: str, *, downwards: bool = False
) -> tuple[tuple[Row, ...], str]:
    """At most `limit` of the rows that come after the one with the key `cursor`, and the cursor of the next page.

    The rows are sorted by their keys, `downwards` or upwards. A row that is gone meanwhile, or came, moves no other.
    """
    left = [row for row in rows if not cursor or _comes_after(key_of(row), cursor, downwards=downwards)]
    page = tuple(left[:limit])
    return page, key_of(page[-1]) if len(left) > limit else ""


def _comes_after(key: str, cursor: str, *, downwards: bool) -> bool:
    return key < cursor if downwards else key > cursor


def check_limit(limit: int, most: int) -> None:
    """INVALID_ARGUMENTS if `limit` is not from 1 to `most`."""
    if not 1 <= limit <= most:
        raise invalid("limit", f"The limit must be from 1 to {most}, not {limit}.")
