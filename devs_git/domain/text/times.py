"""How every time is written."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """`2001-02-03T04:05:06.789Z`, the form of every time that we write."""
    # strftime would write the year 500 with three digits, which sorts after 2001.
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def stamp_of(seconds: int, nanoseconds: int = 0) -> str:
    """The stamp of a time of git or of a file, which counts from 1970."""
    return stamp(datetime.fromtimestamp(seconds, UTC).replace(microsecond=nanoseconds // 1000))
