"""Text that a caller wrote and a person will read: what it may hold, and how it is shown.

Control and bidirectional characters are refused where text comes in, since a terminal or a reader would show something
else than what was written; text from elsewhere (a file of the repository) is shown with them written out.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from devs_git.errors import invalid

# Left-to-right and right-to-left marks, embeddings, overrides and isolates.
BIDIRECTIONAL: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_REFUSED: Final = {"Cc": "control", "Cs": "surrogate", "Zl": "line separator", "Zp": "paragraph separator"}
_INVISIBLE: Final = "\u115f\u1160\u2800\u3164\uffa0"  # letters and symbols that show nothing


def offence(char: str, allowed: str = "") -> str:
    """What is wrong with a character: 'control', 'bidirectional' …; '' where nothing is."""
    if char in allowed:
        return ""
    return "bidirectional" if char in BIDIRECTIONAL else _REFUSED.get(unicodedata.category(char), "")


def weight(value: str) -> int:
    """How many characters a text has that say something: runs of space count once, invisible ones not at all."""
    seen = "".join(char for char in value if unicodedata.category(char) != "Cf" and char not in _INVISIBLE)
    return len(" ".join(seen.split()))


def checked(field: str, value: Any, *, least: int = 0, most: int = 0, allowed: str = "\n\t") -> str:
    """`value` if it is text that can be shown and has a fitting length; INVALID_ARGUMENTS names `field` otherwise."""
    if value is None:
        raise invalid(field, f"{field} is missing.")
    if not isinstance(value, str):
        raise invalid(field, f"{field} is no text.", hint="Quote it.")
    for at, char in enumerate(value):
        if wrong := offence(char, allowed):
            raise invalid(field, f"{field} has a {wrong} character (U+{ord(char):04X}) at position {at + 1}.")
    if weight(value) < least:
        needed = f"needs at least {least} characters; it has {weight(value)}" if least > 1 else "is empty"
        raise invalid(field, f"{field} {needed}.")
    if most and len(value.strip()) > most:
        raise invalid(field, f"{field} has at most {most} characters; this one has {len(value.strip())}.")
    return value


def shown(text: str, allowed: str = "\n\t") -> str:
    r"""`text` with every character that it should not have written out (`\u202e`), safe for any terminal."""
    return "".join(
        char if not offence(char, allowed) else char.encode("unicode_escape", "backslashreplace").decode()
        for char in text
    )
