"""Text that a caller wrote and a person will read: which characters it may have, and how it is shown.

Control and bidirectional characters are refused in a caller's text, because a terminal would show something else than
what was written. In other text (a file of the repository) they are shown as escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from devs_git.errors import invalid
from devs_git.values import Any, Final

# The only table of characters that no caller's text may have and no terminal gets: first and last of a run, and their kind.
_TABLE: Final = (
    ("\x00", "\x1f", "control"),
    ("\x7f", "\x9f", "control"),
    ("\u061c", "\u061c", "bidirectional"),  # marks, embeddings, overrides and isolates
    ("\u200e", "\u200f", "bidirectional"),
    ("\u2028", "\u2028", "line separator"),
    ("\u2029", "\u2029", "paragraph separator"),
    ("\u202a", "\u202e", "bidirectional"),
    ("\u2066", "\u2069", "bidirectional"),
    ("\ud800", "\udfff", "surrogate"),
)
COMMANDING: Final = re.compile("[" + "".join(f"{first}-{last}" for first, last, _ in _TABLE) + "]")
# Letters and symbols that show nothing.
_INVISIBLE: Final = "\u115f\u1160\u2800\u3164\uffa0"


def form(allowed: str = "") -> str:
    """The same as a pattern that every JSON Schema reader knows, for a text that may have the characters in `allowed`.

    Lone surrogates are left out: no message can have them.
    """
    runs = [range(ord(first), ord(last) + 1) for first, last, kind in _TABLE if kind != "surrogate"]
    odd = [code for run in runs for code in run]
    return "[^" + "".join(_runs([code for code in odd if chr(code) not in allowed])) + "]*"


def _runs(codes: list[int]) -> Iterator[str]:
    first = codes[0]
    for at, code in enumerate(codes):
        if codes[at + 1 : at + 2] != [code + 1]:
            between = "-" if code > first + 1 else ""
            yield f"\\u{first:04x}" + (f"{between}\\u{code:04x}" if code > first else "")
            first = codes[at + 1] if at + 1 < len(codes) else 0


def offence(char: str, allowed: str = "") -> str:
    """What is wrong with a character: 'control', 'bidirectional' …; '' if nothing is."""
    if char in allowed:
        return ""
    return next((kind for first, last, kind in _TABLE if first <= char <= last), "")


def weight(value: str) -> int:
    """How many visible characters a text has. A run of spaces counts once."""
    import unicodedata

    seen = "".join(char for char in value if unicodedata.category(char) != "Cf" and char not in _INVISIBLE)
    return len(" ".join(seen.split()))


def check_text(field: str, value: Any, *, least: int = 0, most: int = 0, allowed: str = "\n\t") -> str:
    """`value`, if it is text that can be shown, of an allowed length; else INVALID_ARGUMENTS for `field`."""
    if value is None:
        raise invalid(field, f"{field} is missing.")
    if not isinstance(value, str):
        raise invalid(field, f"{field} is not text.", hint="Quote it.")
    for found in COMMANDING.finditer(value):
        char, at = found[0], found.start() + 1
        if wrong := offence(char, allowed):
            raise invalid(field, f"{field} has a {wrong} character (U+{ord(char):04X}) at position {at}.")
    if weight(value) < least:
        needed = f"needs at least {least} characters; it has {weight(value)}" if least > 1 else "is empty"
        raise invalid(field, f"{field} {needed}.")
    if most and len(value) > most:
        raise invalid(field, f"{field} has at most {most} characters; this one has {len(value)}.")
    return value


def printable(text: str, allowed: str = "\n\t") -> str:
    r"""`text` with an escape (`\u202e`) for each character that is not `allowed`, so that any terminal can show it."""
    return COMMANDING.sub(lambda found: found[0] if found[0] in allowed else _written_out(found[0]), text)


def _written_out(char: str) -> str:
    return char.encode("unicode_escape", "backslashreplace").decode()


def cut(text: str, length: int = 60) -> str:
    """One line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
