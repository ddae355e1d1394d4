"""The conversation that a worktree's checkpoints name: `<git dir>/devs/conversation`, a line for each of the last tasks.

A line has, separated by tabs: the task, the time of the last message, `<session> <count> <digest>`, how many bytes of
the transcript were read, its path, and where the client can cut the session. It is written whenever messages are read. So the git hook that records a
checkpoint needs no database, and a damaged database never stops it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import Places
from devs_git.values import TYPE_CHECKING, immutable, replace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.messages import Session

_TASKS = 8


@immutable
class Note:
    """`last`: the time of the last message. `prefix`: as in the trailer. `read`: how many bytes of the transcript at `path`
    ('' if unknown) were read. `point`: as in the trailer; earlier versions did not write it.
    """

    last: str
    prefix: str
    read: int
    path: str
    point: str = ""

    @property
    def is_all(self) -> bool:
        """Whether all of the transcript was read."""
        try:
            return bool(self.path) and Path(self.path).stat().st_size == self.read
        except OSError:
            return True  # the file is gone: there is nothing to read


def read(places: Places, task_id: str) -> Note | None:
    """The last session of a task in this worktree; None if there is none."""
    return _lines(places).get(task_id)


def write(places: Places, task_id: str, note: Note) -> None:
    """Write a task's note, unless the present note has a newer message."""
    lines = _lines(places)
    known = lines.pop(task_id, None)
    if not task_id or (known and known.last > note.last):
        return
    lines[task_id] = note if note.path.isprintable() else replace(note, path="")
    kept = list(lines.items())[-_TASKS:]
    text = "".join(
        f"{task}\t{one.last}\t{one.prefix}\t{one.read}\t{one.path}\t{one.point}\n" for task, one in kept
    )
    # The worktree is gone, or the disk is full. The catalog has everything that the note says.
    with contextlib.suppress(OSError):
        replace_file(_path(places), text.encode("utf-8", "replace"))


def write_for_session(places: Places, catalog: Catalog, session: Session, path: Path, read: int) -> None:
    """Make the next checkpoint of the session's task in this worktree name the session, unless it is a subagent's.

    `read` bytes of its transcript at `path` were read.
    """
    from devs_git.domain.recall.conversation import main_session
    from devs_git.domain.recall.conversation_prefix import prefix_name

    if main_session(session.session_id) != session.session_id:
        return
    from devs_git.storage.catalog.messages import last_time
    from devs_git.storage.catalog.sessions import points

    prefix = prefix_name(session.session_id, session.message_count, session.digest)
    point = points.at(catalog, session.session_id, session.message_count)
    name = point.name if point else ""
    write(places, session.task_id, Note(last_time(catalog, session), prefix, read, str(path), name))


def _path(places: Places) -> Path:
    return places.own / "conversation"


def _lines(places: Places) -> dict[str, Note]:
    try:
        found = _path(places).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    from devs_git.domain.recall.conversation_prefix import prefix_of

    rows = (line.split("\t") for line in found.split("\n"))
    return {
        task: Note(rest[0], rest[1], int(rest[2]), *rest[3:])
        for task, *rest in rows
        if len(rest) in (4, 5) and rest[2].isdecimal() and prefix_of(rest[1])
    }
