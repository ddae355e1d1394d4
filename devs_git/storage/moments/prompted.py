"""The note of the newest prompt in a worktree: its first line is the session, and the file has the time. A client's hook writes it."""

from __future__ import annotations

from typing import Final

from devs_git.domain.text.times import stamp_of
from devs_git.storage.git.places import Places

_NAME: Final = "prompted"
# Bytes of a session's id.
_MOST: Final = 1000


def read(places: Places) -> tuple[str, str]:
    """When the newest prompt was, and its session; '' twice if there is no note."""
    try:
        with (places.moments / _NAME).open("rb") as stream:
            session = stream.readline(_MOST).decode("utf-8", "replace").strip()
            seconds, rest = divmod((places.moments / _NAME).stat().st_mtime_ns, 10**9)
    except OSError:
        return "", ""
    return stamp_of(seconds, rest), session
