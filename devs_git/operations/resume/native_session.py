"""The session that goes on: the client's own, or, if the client deleted it, one that is written from the catalog."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from devs_git.domain.resume import start_command
from devs_git.errors import DevsError
from devs_git.operations.sessions import line_of_session
from devs_git.storage.catalog import messages, transcripts
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import written_files
from devs_git.storage.git import refs
from devs_git.storage.git.places import Places
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.domain.recall.message_cuts import Successor
    from devs_git.operations.sessions.write_session import WrittenSession


@immutable
class ResumedSession:
    """A session that goes on. `file`: its transcript. `written`: devs-git wrote it now, because the client's own is gone.

    `tokens` is an estimate. `left_out`: what of the conversation is not in it, one sentence each.
    """

    client: str
    session_id: str
    file: str
    messages: int
    tokens: int
    written: bool
    left_out: tuple[str, ...]


class ReadySession(NamedTuple):
    """A session, and the words that start its client with it."""

    session: ResumedSession
    command: tuple[str, ...]


class Wish(NamedTuple):
    """For which client (its own if ''), in which worktree, under which title; `context` is a first message, '' for none."""

    to: str
    places: Places
    title: str
    context: str = ""


def find(workspace: Workspace, catalog: Catalog, session_id: str, wish: Wish) -> ReadySession:
    """The same session, if its transcript is there; else one that is written from the catalog.

    If messages of it were taken back, it is the one that goes on in its place.

    MESSAGE_NOT_FOUND if there is no session, or if the catalog does not have it; GATE_BLOCKED if it has to be written while
    a gate is open; the codes of `write_session`.
    """
    if not session_id:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            "There is no session that could go on.",
            hint="Begin a new one: devs-git resume TASK --mode with_context",
        )
    newest = line_of_session.newest(workspace, session_id)
    session_id = newest.session_id if newest else session_id
    known = messages.session(catalog, session_id)
    if newest and known is None:
        return _cut(workspace, catalog, newest, wish)
    if known is None:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            "The session that should go on is not known here.",
            hint="Import its transcript: devs-git conversation import FILE",
            session_id=session_id,
        )
    client = wish.to or known.client
    # Anybody may have written a transcript. An id that begins with a dash would be an option of the client.
    own = () if session_id.startswith("-") else transcripts.of_session(catalog, session_id)
    if not own or client != known.client:
        return _written(workspace, catalog, (session_id, ""), wish)
    session = ResumedSession(
        client,
        session_id,
        os.fspath(own[0].path),
        known.message_count,
        known.token_count,
        written=False,
        left_out=(),
    )
    return with_command(session, wish.context)


def _cut(workspace: Workspace, catalog: Catalog, newest: Successor, wish: Wish) -> ReadySession:
    """The session that a rewind of the conversation has written, and with which nobody has gone on yet."""
    point = newest.cut.session_id, newest.cut.kept
    file = written_files.of_session(catalog, newest.session_id)
    if file is None or (wish.to or file.client) != file.client:
        return _written(workspace, catalog, point, wish)
    said, tokens = messages.size_until(catalog, *point)
    session = ResumedSession(
        file.client,
        file.session_id,
        os.fspath(file.path),
        said,
        tokens,
        written=False,
        left_out=(),
    )
    return with_command(session, wish.context)


def _written(workspace: Workspace, catalog: Catalog, point: tuple[str, str], wish: Wish) -> ReadySession:
    """A session that is written now: an earlier one, up to the message with this id, '' for all of it."""
    from devs_git.operations.sessions import write_session

    for gate in workspace.ledger.open_gates()[:1]:
        raise DevsError(
            "GATE_BLOCKED",
            f"No session is written while gate {gate} waits for a person's decision.",
            hint=f"See it: devs-git gate show {gate}",
            gate_id=gate,
        )
    assert wish.places.top
    target = write_session.Target(wish.places.top, wish.title, refs.branch(wish.places.git_dir))
    made = write_session.write(workspace, catalog, write_session.Point(*point), target, wish.to)
    return with_command(session_of(made), wish.context)


def session_of(made: WrittenSession) -> ResumedSession:
    """A session that was written now."""
    return ResumedSession(
        made.client,
        made.session_id,
        os.fspath(made.file),
        made.messages,
        made.tokens,
        written=True,
        left_out=made.left_out,
    )


def with_command(session: ResumedSession, context: str) -> ReadySession:
    """The session, and the words that start its client with it and with a first message ('' for none)."""
    return ReadySession(session, start_command.command(session.client, context, session.session_id))
