"""The command that starts a client: with a new session, or with one that it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from devs_git.errors import invalid

# What a client is called with: a first message, and the session that goes on ('' for a new one).
_COMMANDS: Final[dict[str, Callable[[str, str], Sequence[str]]]] = {
    "claude": lambda said, session: ("claude", *(("--resume", session) if session else ()), *_message(said)),
    "codex": lambda said, session: ("codex", *(("resume", session) if session else ()), *_message(said)),
    "gemini": lambda said, session: (
        "gemini",
        *(("--resume", session) if session else ()),
        *(("-i", said) if said else ()),
    ),
    "opencode": lambda said, session: (
        "opencode",
        *(("--session", session) if session else ()),
        *(("--prompt", said) if said else ()),
    ),
}
CLIENTS: Final = tuple(_COMMANDS)


def _message(said: str) -> tuple[str, ...]:
    """The message as a last argument. One that begins with a dash would be an option."""
    return () if not said else ("--", said) if said.startswith("-") else (said,)


def client_of(wanted: str, last: str) -> str:
    """The client that a person wants, or that of the last session; if there is none, the first that can be started."""
    return wanted or last or CLIENTS[0]


def command(client: str, said: str = "", session: str = "") -> tuple[str, ...]:
    """The words of the command. INVALID_ARGUMENTS{to} for a client of which no command is known."""
    if client not in _COMMANDS:
        raise invalid(
            "to",
            f"devs-git does not know how to start {client or 'this client'}.",
            hint="Use one of: " + ", ".join(CLIENTS),
        )
    return tuple(_COMMANDS[client](said, session))
