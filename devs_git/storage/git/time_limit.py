"""A time limit that all gits of one command share, wherever the command starts them.

It is a context variable and not a member of `Git`, because a command starts dozens of gits in many places and any of them
may hang. Undoing a half-done move has no limit; otherwise nothing could be undone after the time is over.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_UNTIL: Final[ContextVar[float | None]] = ContextVar("until", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Limit all gits in the body together to `seconds`, and never to more than an outer limit. None: no limit."""
    before = _UNTIL.set(None if seconds is None else time.monotonic() + (seconds_left(seconds) or 0.0))
    try:
        yield
    finally:
        _UNTIL.reset(before)


def seconds_left(most: float | None = None) -> float | None:
    """The seconds that remain, at most `most` and at least 0.0. None if there is no limit."""
    until = _UNTIL.get()
    if until is None:
        return most
    rest = max(0.0, until - time.monotonic())
    return rest if most is None else min(rest, most)
