"""The session that a person names by the beginning of its id."""

from __future__ import annotations

from devs_git.errors import DevsError
from devs_git.storage.catalog import messages
from devs_git.storage.catalog.database import Catalog


def not_found() -> DevsError:
    """MESSAGE_NOT_FOUND: the catalog has no session of this name, task or worktree."""
    return DevsError(
        "MESSAGE_NOT_FOUND",
        "The catalog has no messages of this conversation.",
        hint="Import a transcript: devs-git conversation import FILE",
    )


def complete(catalog: Catalog, session_id: str) -> str:
    """The whole id of the only session that begins so; '' if none does. INVALID_ARGUMENTS {session} if several do.

    An id that the catalog has stays as it is. At least four characters are needed.
    """
    if messages.session(catalog, session_id) is not None:
        return session_id
    from devs_git.domain.text import beginnings  # most give the whole id
    from devs_git.storage.catalog.sessions import prompts

    known = prompts.sessions_beginning_with(catalog, session_id)
    return beginnings.complete(session_id, known, field="session", what="sessions")
