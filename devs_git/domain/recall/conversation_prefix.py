"""How a prefix of a conversation is named: session, count and digest. Apart, because a git hook reads it."""

from __future__ import annotations

# Digits of a number of messages.
_LONGEST = 15


def prefix_name(session_id: str, count: int, digest: str) -> str:
    """A prefix as it stands in the trailer `Devs-Conversation`."""
    return f"{session_id} {count} {digest}"


def prefix_of(trailer: str) -> tuple[str, int, str] | None:
    """Session, count and digest of a trailer's value; None for what is none."""
    parts = trailer.rsplit(" ", 2)
    if len(parts) != 3 or not parts[1].isdecimal() or len(parts[1]) > _LONGEST:
        return None
    return parts[0], int(parts[1]), parts[2]
