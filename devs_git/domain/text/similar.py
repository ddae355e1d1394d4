"""Which of some words a person may have meant who typed another one."""

from __future__ import annotations

from collections.abc import Collection

MOST = 3
# Of 1. Two letters in the wrong order (`lgo` for `log`) have 0.66.
_LIKENESS = 0.65


def to(word: str, known: Collection[str]) -> list[str]:
    """The words that look like `word`, the most similar first; those that begin with it come before all others."""
    import difflib  # late: only a wrong word needs it

    begin = sorted(one for one in known if word and one.startswith(word))
    close = difflib.get_close_matches(word, list(known), MOST, _LIKENESS)
    return [*begin, *(one for one in close if one not in begin)][:MOST]
