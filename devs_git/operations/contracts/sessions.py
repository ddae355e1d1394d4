"""Which session a caller means, and of which client it is."""

from __future__ import annotations

import re

from devs_git.domain.text.field_values import SESSION_FORM
from devs_git.errors import DevsError, invalid
from devs_git.workspace import Workspace


def check(field: str, session: str) -> None:
    """INVALID_ARGUMENTS if this cannot be the id of a session. '' is allowed."""
    if session and not re.fullmatch(SESSION_FORM, session):
        raise invalid(field, "The id of a session has no spaces and at most 200 characters.")


def identify(workspace: Workspace, session: str) -> tuple[str, str]:
    """Client and session: of the named one, else of the session that runs this command. '' for what is not known."""
    running = workspace.named_agent_sessions
    if not session:
        return next(((client, name) for name, client in running.items()), ("", ""))
    return running.get(session) or _client(workspace, session), session


def _client(workspace: Workspace, session: str) -> str:
    """The client as the catalog knows it. A catalog that cannot be read is no reason to refuse the command."""
    from devs_git.operations.recall.open_catalog import catalog_for_reading
    from devs_git.storage.catalog import messages
    from devs_git.storage.catalog.database import TROUBLE

    try:
        with catalog_for_reading(workspace) as catalog:
            known = messages.session(catalog, session)
    except DevsError as error:
        if error.code == "NOT_INITIALIZED":
            raise
        return ""
    except TROUBLE:
        return ""
    return known.client if known else ""
