"""The beginning of an id stands for the id, if no other id begins so."""

from __future__ import annotations

from collections.abc import Iterable

from devs_git.errors import invalid

LEAST = 4
_SHOWN = 5


def complete(text: str, known: Iterable[str], *, field: str, what: str) -> str:
    """The id that is `text` or begins with it; "" if there is none. A beginning has four characters or more.

    INVALID_ARGUMENTS for `field` if several ids begin so; the hint names them. `what`: what they are, in the plural.
    """
    ids = list(dict.fromkeys(known))
    if text in ids:
        return text
    found = [one for one in ids if one.startswith(text)] if len(text) >= LEAST else []
    if len(found) > 1:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise invalid(
            field,
            f"{len(found)} {what} begin with {text}.",
            hint=f"Write more of the id: {', '.join(found[:_SHOWN])}{more}",
        )
    return found[0] if found else ""
