"""The words of a shell command that every shell splits in the same way, or nothing.

Such a command is one line of words with spaces between them. A word is plain characters, or plain quotes around plain
characters and spaces, or several of these without a space between them (`--format="%h %s"`). The plain characters have
no meaning to a shell inside a word. So no shell expands anything, starts a second command or opens a file, and each
shell passes on exactly the words that stand here.
"""

from __future__ import annotations

import re
from typing import Final

# The plain characters that are no letters and digits.
SIGNS: Final = "_./:@%+=,-"
_PLAIN: Final = rf"A-Za-z0-9{re.escape(SIGNS)}"
_TOKEN: Final = re.compile(rf"( +)|([{_PLAIN}]+)|'([{_PLAIN} ]*)'|\"([{_PLAIN} ]*)\"")
_TEXT: Final = re.compile(rf"[{_PLAIN} ]*")
# In characters. A longer command is no simple one.
_LONGEST: Final = 10_000


def split(command: str) -> tuple[str, ...] | None:
    """The words of `command` without their quotes; None if it is not a simple command."""
    words: list[list[str]] = []
    at, between = 0, True
    while at < len(command) <= _LONGEST:
        token = _TOKEN.match(command, at)
        # At a word's beginning zsh replaces `=ls` by the path of `ls`.
        if token is None or (between and token[0].startswith("=")):
            return None
        if token[1] is None:
            if between:
                words.append([])
            words[-1].append(token[token.lastindex or 0])
        at, between = token.end(), token[1] is not None
    return tuple(map("".join, words)) if at == len(command) else None


def is_plain(word: str) -> bool:
    """Whether a word that no shell has to split consists of plain characters and spaces."""
    return _TEXT.fullmatch(word) is not None
