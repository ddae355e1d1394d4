"""How many columns of a terminal a text takes: one for most characters, two for a wide one, none for a combining one.

The widths are those of the Unicode tables of Python. Terminals do not agree about sequences of emoji.
"""

from __future__ import annotations

import unicodedata
from typing import Final

# A mark upon the character before it, a format character such as the zero width joiner.
_NO_COLUMN: Final = ("Mn", "Me", "Cf")
# The vowels and final consonants of Hangul, which the character before them shows.
_JAMO: Final = ("\u1160", "\u11ff")
_SOFT_HYPHEN: Final = "\xad"  # a format character that terminals show


def columns(text: str) -> int:
    """The columns of a text without control characters."""
    return sum(map(_of, text))


def first_columns(text: str, room: int) -> str:
    """As much of the beginning as `room` columns have room for, with the marks upon its last character."""
    for at, char in enumerate(text):
        room -= _of(char)
        if room < 0:
            return text[:at]
    return text


def _of(char: str) -> int:
    if char.isascii():
        return 1
    if _JAMO[0] <= char <= _JAMO[1] or (unicodedata.category(char) in _NO_COLUMN and char != _SOFT_HYPHEN):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
