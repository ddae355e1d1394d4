"""The name of a prefix of a conversation: session, count and digest. It is a module of its own, because a git hook needs it."""

from __future__ import annotations

from devs_git.values import immutable

# Digits of a number of messages.
_LONGEST = 15


@immutable
class Prefix:
    """The first `count` messages of a session, and their digest."""

    session_id: str
    count: int
    digest: str


def prefix_name(session_id: str, count: int, digest: str) -> str:
    """The value of the trailer `Devs-Conversation`."""
    return f"{session_id} {count} {digest}"


def prefix_of(trailer: str) -> Prefix | None:
    """The prefix in the value of a trailer; None if it has another form."""
    parts = trailer.rsplit(" ", 2)
    if len(parts) != 3 or not parts[1].isdecimal() or len(parts[1]) > _LONGEST:
        return None
    return Prefix(parts[0], int(parts[1]), parts[2])
