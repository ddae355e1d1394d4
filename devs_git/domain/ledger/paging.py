"""Cursors: where the next page of a list begins, among what was there when the first page was asked for."""

from __future__ import annotations

import re
from typing import Final

from devs_git.errors import invalid
from devs_git.values import immutable

NO_END: Final = 1 << 62
CURSOR_FORM: Final = "([0-9]{1,15})-([0-9]{1,12})"
_CURSOR = re.compile(CURSOR_FORM, re.ASCII)


@immutable
class Place:
    """`upto`: the newest number there was (0: not asked yet); `offset`: rows that were given already."""

    upto: int = 0
    offset: int = 0

    def after(self, rows: int, *, more: bool) -> str:
        """The cursor of the page after this one; '' where there is none."""
        return f"{self.upto}-{self.offset + rows}" if more else ""


def place(cursor: str) -> Place:
    """The place that a cursor names; INVALID_ARGUMENTS for what is none."""
    match = _CURSOR.fullmatch(cursor)
    if cursor and not match:
        raise invalid("cursor", "A cursor is the next_cursor of an earlier answer.")
    return Place(int(match[1]), int(match[2])) if match else Place()


def check_limit(limit: int, most: int) -> None:
    """INVALID_ARGUMENTS unless `limit` is from 1 to `most`."""
    if not 1 <= limit <= most:
        raise invalid("limit", f"The limit is a number from 1 to {most}; this is {limit}.")
