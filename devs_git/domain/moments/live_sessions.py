"""Which sessions are live: they have not told their end, and were seen at work in the last hours.

A client that is killed tells no end, and some clients never do. So a session counts as ended after a while; twelve hours
are longer than a working day with its breaks, and shorter than a night and the day after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from devs_git.domain.text.times import stamp

LIVE: Final = timedelta(hours=12)


def live_sessions(signs: Mapping[str, str], ends: Mapping[str, str], now: datetime) -> frozenset[str]:
    """The sessions that are live at `now`. `signs`: when each was seen last, `ends`: when it told its end.

    A session that goes on after its end, such as a resumed one, has a newer sign than its end.
    """
    oldest = stamp(now - LIVE)
    return frozenset(
        session for session, seen in signs.items() if seen >= oldest and seen > ends.get(session, "")
    )
