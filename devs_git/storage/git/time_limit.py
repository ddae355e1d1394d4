"""How long the gits of one command may take together: a limit that all of them share, wherever they are started.

It belongs to the flow of control, not to one git: a command starts dozens in many places, and any of them may hang. What
puts a half-done move back is free of it, or nothing would be put back once the time is up.
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
    """In the body all gits together may take so many seconds, and no longer than around it; None: as long as they take."""
    before = _UNTIL.set(None if seconds is None else time.monotonic() + (seconds_left(seconds) or 0.0))
    try:
        yield
    finally:
        _UNTIL.reset(before)


def seconds_left(most: float | None = None) -> float | None:
    """The seconds that are left, 0.0 where none are, and no more than `most`; None where nothing limits them."""
    until = _UNTIL.get()
    if until is None:
        return most
    rest = max(0.0, until - time.monotonic())
    return rest if most is None else min(rest, most)
