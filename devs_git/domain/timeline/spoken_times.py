"""Times as people write them: ISO 8601, `14:32` (of today), or `2 days ago`."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from devs_git.domain.text.times import stamp
from devs_git.errors import invalid

_SECONDS: Final = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_592_000,
    "year": 31_536_000,
}
_AGO: Final = re.compile(rf"([0-9]{{1,6}}) ?({'|'.join(_SECONDS)})s? ago", re.ASCII)
# With one digit for the hour, too.
_CLOCK: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?", re.ASCII)
_WORDS: Final = {"now": timedelta(), "yesterday": timedelta(days=1)}


def time_of(field: str, text: str, now: datetime, local: Callable[[datetime], datetime]) -> str:
    """The stamp of a time. `local` gives a time without a zone that of the person. INVALID_ARGUMENTS names `field`."""
    said = text.strip().lower()
    ago = _AGO.fullmatch(said)
    try:
        if ago:
            return stamp(now - timedelta(seconds=int(ago[1]) * _SECONDS[ago[2]]))
        if said in _WORDS:
            return stamp(now - _WORDS[said])
        if _CLOCK.fullmatch(said):
            clock = said if said[1] != ":" else f"0{said}"
            return stamp(local(datetime.fromisoformat(f"{local(now).date()}T{clock}")))
        return stamp(local(datetime.fromisoformat(text.strip())))
    except (ValueError, OverflowError) as error:
        raise invalid(
            field,
            f"{text!r} is not a time.",
            hint="Write 14:30 (of today), 2026-11-23, 2026-11-23T14:30, 2026-11-23T14:30:00Z, or 2 days ago.",
        ) from error
