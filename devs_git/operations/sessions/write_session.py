"""Write a session of the catalog, up to a point of it, as a new session of a client. No file is ever written over."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from devs_git.domain.recall import session_entries
from devs_git.domain.recall.conversation import canonical, main_session
from devs_git.domain.recall.session_entries import SessionEntry
from devs_git.domain.sessions import other_client
from devs_git.domain.sessions.native_forms import NATIVE_FORMS, NativeForm
from devs_git.domain.sessions.new_session import ClientSession, NewSession
from devs_git.errors import DevsError, invalid
from devs_git.values import immutable, replace
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

    `installed`: the version of the client there, '' if it is not installed; None: the program on the PATH is asked.
    """

    cwd: Path
    title: str = ""
    branch: str = ""
    installed: str | None = None


@immutable
class WrittenSession:
    """A session that was written. `tokens` is an estimate. `last`: the id of the last message that was kept.

    `left_out` says, one sentence each, what of the conversation up to the point is not in it. `start_command` starts the
    client with it, in the folder of the target.
    """

    client: str
    session_id: str
    file: Path
    messages: int
    tokens: int
    last: str
    left_out: tuple[str, ...] = ()
    start_command: tuple[str, ...] = ()

    @property
    def told(self) -> ClientSession:
        """What a result says of it."""
        return ClientSession(self.client, self.session_id, str(self.file), self.messages, self.tokens)


def write(
    workspace: Workspace, catalog: Catalog, point: Point, target: Target, client: str = ""
) -> WrittenSession:
    """Write the session for its client, or for another one (`claude`, `codex`), into that client's own folder.

    MESSAGE_NOT_FOUND; INVALID_ARGUMENTS {session} if nothing is left of it, {client} if we cannot write for this one;
    CONFLICT if it is for a version of the client that was not tried, and nothing shows that this version reads it.
    """
    from devs_git.operations.sessions import client_version
    from devs_git.storage.catalog.sessions import entries as stored
    from devs_git.storage.catalog.sessions import written_files
    from devs_git.storage.catalog.sessions.written_files import WrittenFile

    known, source = _read(catalog, point.session_id)
    form = _form(client or source)
    kept, left_out = _cut(known, point.entry, source, form)
    whole = [stored.with_whole_result(catalog, entry) for entry in kept]
    shortened = sum(_is_short(entry) for entry in whole)
    is_own = form.client.name == source
    unknown = partial(_unknown_forms, catalog, point.session_id) if is_own else None
    last_version = _written_by(kept) if is_own else ""
    version = client_version.for_writing(workspace, form, last_version, unknown, target.installed)
    new = NewSession(
        workspace.new_trace_id(),
        point.session_id,
        os.fspath(target.cwd),
        version,
        workspace.now(),
        workspace.new_trace_id,
        target.title,
        target.branch,
        _settings(form),
    )
    file = _home(form) / form.place(new)
    written = WrittenFile(file, form.client.name, new.session_id, new.source, new.at)
    # The note comes first, so that a file which an interrupted command leaves is known, too.
    written_files.note(catalog, written)
    _put(file, form.lines(whole, new))
    client_version.check(workspace, form, new, file, whole)
    written_files.note(catalog, replace(written, size=written.bytes))
    return WrittenSession(
        form.client.name,
        new.session_id,
        file,
        len(whole),
        sum(map(_size, whole)) // _CHARACTERS,
        whole[-1].message.id,
        (*left_out, *_sentence(shortened, "Long outputs that are shortened, as the catalog has them: {}.")),
        (*form.resume, new.session_id),
    )


@contextlib.contextmanager
def write_for(
    workspace: Workspace, catalog: Catalog, point: Point, target: Target, client: str = ""
) -> Iterator[WrittenSession]:
    """Write the session for the operation in the body. If that is refused, the session is removed: nobody would know of it."""
    written = write(workspace, catalog, point, target, client)
    try:
        yield written
    except DevsError as error:
        # An interrupted move may still be finished, by a person.
        if error.code != "RECOVERY_NEEDED":
            written.file.unlink(missing_ok=True)
        raise


def _form(client: str) -> NativeForm:
    if client not in NATIVE_FORMS:
        names = " and ".join(NATIVE_FORMS)
        raise invalid("client", f"devs-git writes sessions for {names} only.", hint="Name one of them.")
    return NATIVE_FORMS[client]


def kept_part(catalog: Catalog, point: Point) -> tuple[list[SessionEntry], list[SessionEntry]]:
    """All entries of the session, and those that `write` keeps up to the point for the session's own client. The errors of `write`."""
    known, source = _read(catalog, point.session_id)
    if source not in NATIVE_FORMS:
        text = f"This is a session of {source}. devs-git takes back messages of {' and '.join(NATIVE_FORMS)} only."
        hint = "Go back with the code alone: devs-git rewind. Go on in another client: devs-git fork TASK --name ID --to claude"
        raise invalid("session", text, hint=hint)
    return known, _cut(known, point.entry, source, _form(source))[0]


def _read(catalog: Catalog, session_id: str) -> tuple[list[SessionEntry], str]:
    """The entries of the session, and its client. What an older devs-git did not store is read from the transcript."""
    from devs_git.storage.catalog import messages, transcripts
    from devs_git.storage.catalog.sessions import entries as stored

    known = messages.session(catalog, session_id)
    # A subagent's session cannot be resumed: it is a part of another one.
    if known is None or main_session(session_id) != session_id:
        raise invalid("session", "The catalog has no session of a client with this id.")
    if stored.lacks_native(catalog, session_id):
        for source in transcripts.of_session(catalog, session_id):
            stored.complete(catalog, source)
    return stored.read(catalog, session_id), known.client


def _cut(
    entries: Sequence[SessionEntry], last: str, source: str, form: NativeForm
) -> tuple[list[SessionEntry], tuple[str, ...]]:
    """The entries that the new session has, and what is left out."""
    try:
        way = session_entries.way_to(entries, last)
    except ValueError as error:
        raise DevsError("MESSAGE_NOT_FOUND", "The session has no such message.", message_id=last) from error
    told = NATIVE_FORMS[source].for_model(way) if source in NATIVE_FORMS else way
    is_other = form.client.name != source
    thoughts = other_client.count_thoughts(told) if is_other else 0
    told = other_client.plain(told) if is_other else told
    answered = session_entries.without_lost_calls(told)
    kept = session_entries.complete_part(answered)
    if not kept:
        raise invalid("session", "Up to this point, the session has no message that could be kept.")
    parts = Counter(kind for entry in kept for kind in entry.native.omitted)
    named = ", ".join(f"{count} of the kind {kind}" for kind, count in sorted(parts.items()))
    return kept, (
        *_sentence(
            len(answered) - len(kept), "Messages from the first call without an answer to the end: {}."
        ),
        *_sentence(len(told) - len(answered), "Calls that never had an answer: {}."),
        *_sentence(
            thoughts, "Messages without the thoughts of their model, which only its provider can read: {}."
        ),
        *((f"Parts of which the catalog has only the name: {named}.",) if named else ()),
        *_sentence(
            len(way) - len(told),
            "Notes of the client, which its model did not get, or gets again from the client: {}.",
        ),
    )


def _unknown_forms(catalog: Catalog, session_id: str) -> list[str] | None:
    """See `entries.unknown_forms`. What an older devs-git did not know may be known now, so its transcript is read once more."""
    from devs_git.storage.catalog import transcripts
    from devs_git.storage.catalog.sessions import entries as stored

    found = stored.unknown_forms(catalog, session_id)
    if found == []:
        return found
    for source in transcripts.of_session(catalog, session_id):
        stored.complete(catalog, source)
    return stored.unknown_forms(catalog, session_id)


def _written_by(entries: Sequence[SessionEntry]) -> str:
    """The last version of the client that wrote the entries; '' if none of them says it."""
    return next(reversed(list(session_entries.versions(entries))), "")


def _sentence(count: int, words: str) -> tuple[str, ...]:
    return (words.format(count),) if count else ()


def _is_short(entry: SessionEntry) -> bool:
    """Whether the result was shortened by us and could not be made whole again."""
    from devs_git.domain.recall.whole_results import is_shortened

    return bool(entry.message.trace_id) and is_shortened(entry.message.tool_result or "")


def _home(form: NativeForm) -> Path:
    variable, folder = form.home
    return Path(os.environ.get(variable) or folder).expanduser()


def _settings(form: NativeForm) -> str:
    """The text of the client's settings; '' if it has none, or if they cannot be read."""
    from devs_git.domain.text import limits
    from devs_git.storage.git import bounded

    try:
        data = bounded.read_regular(_home(form) / form.settings, limits.FILE, form.settings or "settings")
    except (OSError, DevsError):
        return ""
    return data.decode("utf-8", "replace")


def _size(entry: SessionEntry) -> int:
    """About how many characters of an entry the model is told."""
    message = entry.message
    calls = sum(len(canonical(call.input)) for call in message.tool_calls or ())
    return len(message.content or "") + calls + len(message.tool_result or "")


def _put(file: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Write the lines to a new file, which only its owner may read. CONFLICT if that fails; then the file is not there."""
    try:
        for folder in reversed((file.parent, *file.parent.parents)):
            folder.mkdir(mode=0o700, exist_ok=True)
        # O_EXCL: a file that is there stays as it is.
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as stream:
                stream.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        except BaseException:
            # The client would show half a session.
            file.unlink()
            raise
    except OSError as error:
        text = f"The session cannot be written: {error.strerror}."
        hint = "In the client's folder, move away what is in the way, free some space or correct the permissions."
        raise DevsError("CONFLICT", text, hint=hint) from error
