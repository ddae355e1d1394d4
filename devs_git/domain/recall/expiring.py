"""When a client deletes its transcripts, and what `doctor` says about it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from devs_git.domain.text.plain_text import printable
from devs_git.values import immutable

# Claude Code deletes a transcript at its start so many days after the last change of the file, if no setting says more.
# https://code.claude.com/docs/en/settings (`cleanupPeriodDays`)
DEFAULT_DAYS: Final = 30
SETTING: Final = "cleanupPeriodDays"
# From so many days before on, each session is named.
_SOON: Final = 7
_MOST: Final = 10
_DAY: Final = 86400


@immutable
class Expiring:
    """A transcript that Claude Code will delete. `days`: how many are left, 0 at its next start. `unread`: bytes that the
    catalog does not have.
    """

    session_id: str
    file: str
    days: int
    unread: int


def days_kept(settings: Sequence[Any]) -> int | None:
    """For how many days the client keeps a transcript, by its settings; the last one counts. None for ever."""
    said = [found[SETTING] for found in settings if isinstance(found, dict) and SETTING in found]
    days = said[-1] if said else DEFAULT_DAYS
    return days if isinstance(days, int) and not isinstance(days, bool) and 0 < days < 1 << 20 else None


def days_left(kept: int, changed: float, now: float) -> int:
    """Whole days until the file is so old; `changed` and `now` in seconds since 1970."""
    return max(0, math.ceil(kept - (now - changed) / _DAY))


def sentences(found: Sequence[Expiring], kept: int) -> Iterator[str]:
    """One for each session that goes soon, else one for the next; none without a transcript."""
    order = sorted(found, key=lambda one: (one.days, one.session_id))
    soon = [one for one in order if one.days <= _SOON]
    for one in soon[:_MOST] or order[:1]:
        when = "at its next start" if not one.days else f"in {one.days} {'day' if one.days == 1 else 'days'}"
        yield f"Claude Code deletes the session {printable(one.session_id, '')} {when}. {_what_is_kept(one)}"
    if len(soon) > _MOST:
        yield f"Claude Code deletes {len(soon) - _MOST} more sessions within {_SOON} days."
    if order and not soon:
        yield f"Claude Code deletes a session {kept} days after its last message ({SETTING} in its settings)."


def _what_is_kept(one: Expiring) -> str:
    if one.unread:
        return f"{one.unread:,} bytes of it are not in the catalog yet. To read them: devs-git trace ingest"
    return "The catalog has all of it."
