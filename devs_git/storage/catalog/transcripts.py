"""Read a client's transcript into the catalog. We continue where the last reading ended, if that part did not change.

The catalog has the number of bytes that were read, and a digest of the first and the last of them, so the check takes the
same time however long the file is. If they differ, the client has rewritten the file, and we read it from its beginning.
Messages that were read before are recognized by their ids, and stay.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.clients.transcript_reader import (
    LOOKED_AT,
    Reader,
    client_of,
    is_complete,
    memory_of,
    memory_text,
)
from devs_git.domain.text import limits
from devs_git.errors import invalid
from devs_git.storage.catalog import append_messages, forks, messages, transcript_file
from devs_git.storage.catalog.append_messages import About
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import Session
from devs_git.values import mutable, replace

# Lines in one transaction. Between two transactions, other processes can write.
_BATCH: Final = 2000
# The digest is made of so many of the first and the last bytes that were read.
_HEAD, _TAIL = 1 << 12, 1 << 16


class Source(NamedTuple):
    """A transcript. `client` and `session_id` are '' if the caller does not know them. `kept` is read if the file is gone."""

    path: Path
    client: str = ""
    session_id: str = ""
    kept: Path | None = None

    @property
    def file(self) -> Path:
        """The file that is read."""
        # os.path answers no where it may not look; a path object would raise.
        gone = not os.path.exists(self.path)  # noqa: PTH110
        return self.kept if gone and self.kept and os.path.isfile(self.kept) else self.path  # noqa: PTH113


class ReadContext(NamedTuple):
    """The circumstances of a reading, and what to do with the session.

    `task_id` is the task that was active `at` that time; with `assign_all` every new message belongs to it. A snapshot is
    made after each `every` messages (0: never), and at the end if `snapshot` is set. `on_read` gets the session and the
    number of bytes that were read, inside the last transaction. `hurried`: a git hook reads. It takes no long file of a
    client, and waits with what commands printed in the background.
    """

    now: str
    at: str
    new_id: Callable[[], str]
    worktree: str = ""
    task_id: str = ""
    agent: str = ""
    assign_all: bool = False
    every: int = 0
    snapshot: bool = False
    hurried: bool = False
    on_read: Callable[[Session, int], None] = lambda _session, _read: None


class ReadResult(NamedTuple):
    """The result of a reading: the number of `new` messages, and of `garbage` lines that could not be read.

    `rewritten`: the part that had been read before has changed. `waits`: the last line is not complete yet.
    """

    session: Session
    new: int = 0
    garbage: int = 0
    rewritten: bool = False
    waits: bool = False


class _Batch(NamedTuple):
    """The session after some lines. `more`: there may be more lines. `waits`: the last line is not complete yet."""

    session: Session
    more: bool
    waits: bool


@mutable
class _Position:
    """How far the transcript at `path` was read."""

    path: Path
    read: int
    digest: str
    reader: Reader
    rewritten: bool = False
    new: int = 0  # messages


def take_in(
    catalog: Catalog,
    source: Source,
    context: ReadContext,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> ReadResult:
    """Read the new lines of a transcript, batch by batch. INVALID_ARGUMENTS {file} if it cannot be read."""
    from devs_git.storage.catalog import fulltext

    position: _Position | None = None
    garbage = 0
    rewritten = False
    with transcript_file.open_to_read(source.file) as stream:
        client = source.client or client_of(
            islice(iter(partial(stream.readline, limits.LINE.most), b""), LOOKED_AT)
        )
        if client not in CLIENTS:
            raise invalid(
                "file",
                "This is not a transcript of a known client.",
                hint="Name the client: --client claude",
            )
        size = os.fstat(stream.fileno()).st_size
        while True:
            with fulltext.write_transaction(catalog):
                if position is None or _saved_position(catalog, source.path) != (
                    position.read,
                    position.digest,
                ):
                    new = position.new if position else 0
                    position = _begin(catalog, source._replace(client=client), stream)
                    position.new = new
                    rewritten = rewritten or position.rewritten
                before = position.reader.garbage
                session = _session(catalog, position.reader, client, context)
                batch = _batch(catalog, stream, position, session, context)
                if position.reader.memory.tasks and not context.hurried:
                    from devs_git.storage.catalog.sessions import background_outputs

                    memory, session_id = position.reader.memory, batch.session.session_id
                    background_outputs.take_all(catalog, memory, session_id, source.path)
                if batch.session.message_count:
                    _keep(catalog, batch.session, context, None if batch.more else position.read)
                position.digest = _digest(stream, position.read)
                _note(catalog, source.path, position)
            garbage += position.reader.garbage - before
            progress("reading the conversation", position.read, size)
            if not batch.more:
                return ReadResult(batch.session, position.new, garbage, rewritten, batch.waits)


def _saved_position(catalog: Catalog, path: Path) -> tuple[int, str] | None:
    query = "SELECT read, digest FROM transcripts WHERE path = ?"
    found = catalog.base.execute(query, (os.fsencode(path),)).fetchone()
    return (int(found[0]), str(found[1])) if found else None


def _begin(catalog: Catalog, source: Source, stream: BinaryIO) -> _Position:
    """Where to continue: after the part that was read before, if it did not change, else at the beginning."""
    query = "SELECT read, digest, memory, session_id FROM transcripts WHERE path = ?"
    found = catalog.base.execute(query, (os.fsencode(source.path),)).fetchone()
    client = CLIENTS[source.client]
    name = source.session_id or (found[3] if found else "") or source.path.stem
    same = bool(found) and _digest(stream, found[0]) == found[1]
    # Of a session that was pruned, the whole transcript is read again.
    if same and messages.session(catalog, found[3]):
        return _Position(source.path, found[0], found[1], Reader(client, name, memory_of(found[2])))
    rewritten = bool(found and found[0]) and not same
    return _Position(source.path, 0, _digest(stream, 0), Reader(client, name), rewritten=rewritten)


def _digest(stream: BinaryIO, length: int) -> str:
    """The digest of the first `length` bytes. Afterwards the stream is at their end."""
    stream.seek(0)
    found = hashlib.sha256(b"%d\n" % length + stream.read(min(length, _HEAD)))
    stream.seek(max(min(length, _HEAD), length - _TAIL))
    found.update(stream.read(length - stream.tell()))
    stream.seek(length)
    return found.hexdigest()


def _session(catalog: Catalog, reader: Reader, client: str, context: ReadContext) -> Session:
    """The session as far as it is known. A session without messages is not stored, so a provisional id leaves no row."""
    known = messages.session(catalog, reader.session)
    if known is None:
        made = Session(reader.session)
        known = forks.begin(catalog, made, reader.fork) if reader.fork else made
    return replace(
        known,
        client=client,
        worktree=context.worktree,
        task_id=context.task_id or known.task_id,
        seen_at=context.now,
    )


def _batch(
    catalog: Catalog, stream: BinaryIO, position: _Position, session: Session, context: ReadContext
) -> _Batch:
    """Read the next lines into the session."""
    grown, about = session, None
    for _ in range(_BATCH):
        line = stream.readline(limits.LINE.most)
        # A line that is longer than the limit is skipped, piece by piece.
        if len(line) == limits.LINE.most:
            position.reader.garbage += 1
            position.read += len(line)
            continue
        if not line.endswith(b"\n") and not is_complete(line):
            return _Batch(grown, more=False, waits=bool(line))
        said, ended = position.reader.read(line), position.reader.finished
        # The first lines have the id of the session, and say whether it is a fork.
        if (said or ended) and not forks.is_session_of(grown, position.reader):
            grown = _session(catalog, position.reader, session.client, context)
        for read in said:
            about = about or _about(catalog, grown, context, position.path)
            before = grown.message_count
            grown = append_messages.append(catalog, grown, read, about)
            if grown.message_count > before:
                position.new += 1
                if context.every and grown.message_count % context.every == 0:
                    _snapshot(catalog, grown, context)
        for call in ended:
            about = about or _about(catalog, grown, context, position.path)
            append_messages.keep_call(catalog, grown, call, about)
        position.read += len(line)
    return _Batch(grown, more=True, waits=False)


def _about(catalog: Catalog, session: Session, context: ReadContext, path: Path) -> About:
    now = (context.at, context.task_id)
    known = () if context.assign_all else messages.samples(catalog, session.session_id)
    return About(context.agent, context.now, (*known, now), path, context.hurried)


def _keep(catalog: Catalog, session: Session, context: ReadContext, read: int | None) -> None:
    from devs_git.storage.catalog.sessions import rewound_messages

    messages.save_session(catalog, session)
    forks.extend_forks_of(catalog, session.session_id)
    if read is not None:
        rewound_messages.mark_again(catalog, session.session_id)
        if context.snapshot:
            _snapshot(catalog, session, context)
        context.on_read(session, read)


def _snapshot(catalog: Catalog, session: Session, context: ReadContext) -> None:
    from devs_git.storage.catalog import conversation_snapshots

    conversation_snapshots.put(
        catalog,
        conversation_snapshots.snapshot_of_session(
            session, "auto", context.new_id(), context.now, session.task_id
        ),
    )


def _note(catalog: Catalog, path: Path, position: _Position) -> None:
    reader = position.reader
    catalog.base.execute(
        "INSERT OR REPLACE INTO transcripts (path, client, session_id, read, digest, memory) VALUES (?, ?, ?, ?, ?, ?)",
        (
            os.fsencode(path),
            reader.client.name,
            reader.session,
            position.read,
            position.digest,
            memory_text(reader.memory),
        ),
    )


def unread(catalog: Catalog, path: Path) -> int:
    """The number of bytes of a transcript that were not read yet; all of them if the client has rewritten the file."""
    known = _saved_position(catalog, path)
    size = path.stat().st_size
    return size - known[0] if known and known[0] <= size else size


def of_session(catalog: Catalog, session_id: str) -> tuple[Source, ...]:
    """The transcripts that a session was read from, and that still exist."""
    query = "SELECT path, client FROM transcripts WHERE session_id = ?"
    found = (
        Source(Path(os.fsdecode(path)), client, session_id)
        for path, client in catalog.rows(query, session_id)
    )
    return tuple(source for source in found if source.path.is_file())
