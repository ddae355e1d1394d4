"""Write a session of the catalog, up to a point of it, as a new session of the client. No file is ever written over."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from devs_git.domain.clients import claude_session
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.recall import session_entries
from devs_git.domain.recall.conversation import canonical, main_session
from devs_git.domain.recall.session_entries import SessionEntry
from devs_git.errors import DevsError, invalid
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog

# A token of English text or of code has about so many characters. It is an estimate.
_CHARACTERS: Final = 4


class Point(NamedTuple):
    """A place in a session: `entry` is the id of the last message that is kept, '' for the last of all."""

    session_id: str
    entry: str = ""


class Target(NamedTuple):
    """The worktree that the new session is for: its folder, its branch, and the title that the client shows.

    `installed`: the version of the client there, '' if it is not installed.
    """

    cwd: Path
    title: str = ""
    branch: str = ""
    installed: str = ""


@immutable
class WrittenSession:
    """A session that was written. `tokens` is an estimate. `last`: the id of the last message that was kept.

    `left_out` says, one sentence each, what of the conversation up to the point is not in it.
    """

    client: str
    session_id: str
    file: Path
    messages: int
    tokens: int
    last: str
    left_out: tuple[str, ...] = ()


def write(workspace: Workspace, catalog: Catalog, point: Point, target: Target) -> WrittenSession:
    """Write the session for Claude Code, under CLAUDE_CONFIG_DIR.

    MESSAGE_NOT_FOUND; INVALID_ARGUMENTS {session} if nothing is left of it or it is of another client; CONFLICT if it is for a
    version of the client that was not tried, and has a form that we do not know.
    """
    from devs_git.storage.catalog.sessions import entries as stored

    known = _read(catalog, point.session_id)
    kept, left_out = _cut(known, point.entry)
    whole = [stored.with_whole_result(catalog, entry) for entry in kept]
    shortened = sum(_is_short(entry) for entry in whole)
    new = claude_session.NewSession(
        workspace.new_trace_id(),
        point.session_id,
        os.fspath(target.cwd),
        _version(catalog, point.session_id, kept, target.installed),
        target.title,
        target.branch,
    )
    folder = _home() / "projects" / claude_session.folder_of(new.cwd)
    file = folder / f"{new.session_id}.jsonl"
    _put(file, claude_session.lines(whole, new, workspace.new_trace_id))
    return WrittenSession(
        CLAUDE.name,
        new.session_id,
        file,
        len(whole),
        sum(map(_size, whole)) // _CHARACTERS,
        whole[-1].message.id,
        (*left_out, *_sentence(shortened, "{} long outputs are shortened, as the catalog has them.")),
    )


def _read(catalog: Catalog, session_id: str) -> list[SessionEntry]:
    """The entries of the session. What an older devs-git did not store is read from the transcript, while it is there."""
    from devs_git.storage.catalog import messages, transcripts
    from devs_git.storage.catalog.sessions import entries as stored

    known = messages.session(catalog, session_id)
    # A subagent's session cannot be resumed: it is a part of another one.
    if known is None or known.client != CLAUDE.name or main_session(session_id) != session_id:
        raise invalid("session", "The catalog has no session of Claude Code with this id.")
    if stored.lacks_native(catalog, session_id):
        for source in transcripts.of_session(catalog, session_id):
            stored.complete(catalog, source)
    return stored.read(catalog, session_id)


def _cut(entries: Sequence[SessionEntry], last: str) -> tuple[list[SessionEntry], tuple[str, ...]]:
    """The entries that the new session has, and what is left out."""
    try:
        way = session_entries.way_to(entries, last)
    except ValueError as error:
        raise DevsError("MESSAGE_NOT_FOUND", "The session has no such message.", message_id=last) from error
    told = claude_session.for_model(way)
    kept = session_entries.complete_part(told)
    if not kept:
        raise invalid("session", "Up to this point, the session has no message that could be kept.")
    unanswered = _sentence(len(told) - len(kept), "{} messages from the first call without an answer on.")
    parts = Counter(kind for entry in kept for kind in entry.native.omitted)
    named = ", ".join(f"{count} of the kind {kind}" for kind, count in sorted(parts.items()))
    only_named = (f"Parts of which the catalog has the name only: {named}.",) if named else ()
    notes = _sentence(len(way) - len(told), "{} notes of the client that its model was not told.")
    return kept, (*unanswered, *only_named, *notes)


def _sentence(count: int, words: str) -> tuple[str, ...]:
    return (words.format(count),) if count else ()


def _version(catalog: Catalog, session_id: str, kept: Sequence[SessionEntry], installed: str) -> str:
    """The version of the client to write for: the installed one, else that of the transcript, else the tried one.

    CONFLICT if it was not tried and the transcript has something that we do not know.
    """
    from devs_git.storage.catalog.sessions import entries as stored

    tried = CLAUDE.evidence.version
    version = installed or next(reversed(list(session_entries.versions(kept))), tried)
    unknown = [] if version == tried else stored.unknown_forms(catalog, session_id)
    if unknown or unknown is None:
        raise DevsError(
            "CONFLICT",
            f"No session was tried with Claude Code {version}, and this one has parts that devs-git does not know.",
            hint=f"Use Claude Code {tried}, or start a new session.",
            unknown=unknown or [],
        )
    return version


def _is_short(entry: SessionEntry) -> bool:
    """Whether the result was shortened by us and could not be made whole again."""
    from devs_git.domain.recall.traces import is_shortened

    return bool(entry.message.trace_id) and is_shortened(entry.message.tool_result or "")


def _home() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def _size(entry: SessionEntry) -> int:
    """The characters that the model is told of an entry, about."""
    message = entry.message
    calls = sum(len(canonical(call.input)) for call in message.tool_calls or ())
    return len(message.content or "") + calls + len(message.tool_result or "")


def _put(file: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Write the lines to a new file, which only its owner may read."""
    for folder in reversed((file.parent, *file.parent.parents)):
        folder.mkdir(mode=0o700, exist_ok=True)
    # O_EXCL: a file that is there stays as it is.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
