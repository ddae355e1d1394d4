"""The spool: what the agent hooks left in `<common>/devs/spool/`, taken into the catalog when somebody needs it.

A hook writes a file whole, under a name of its own (`<id>.<client>.<event>`), and goes. A file goes from here once what
it holds is committed; a crash in between takes it in again, under the same trace id. What cannot be read is kept in
`rejected/`. Who takes in holds a lock, so that two never work on the same file.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from devs_git.domain.audit.findings import Finding
from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.hook_payload import Captured
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.text import limits
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError
from devs_git.storage.git import bounded, locks
from devs_git.storage.git.places import Places, locate
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git
from devs_git.storage.worktree import active_task
from devs_git.values import field, immutable

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog

_WAIT: Final = 60.0  # seconds behind somebody else who takes in
_BATCH: Final = 1000  # files in one transaction: others may write in between
_ABANDONED: Final = 3600.0  # seconds after which a file that a hook did not finish is nobody's any more
_GLANCE, _SMALL = 5, 1 << 20  # payloads, and bytes of one, that a git hook looks at


@immutable
class Counts:
    """What was taken in: numbers of files. Rejected ones are kept aside."""

    ingested: int = 0
    rejected: int = 0


class _Found(NamedTuple):
    """A file of the spool. `finished` is when its hook wrote the last of it, in nanoseconds: a shell has no clock."""

    finished: int
    path: str
    event: str


@immutable
class Payload:
    """One file, read: what the hook told, when it ended, and what is known of the place."""

    told: Captured
    created_at: str
    commit: str
    task_id: str
    agent: str


Handler = Callable[["Catalog", Payload], None]


def _keep_trace(catalog: Catalog, spooled: Payload) -> None:
    from devs_git.storage.catalog import traces

    _hear(catalog, spooled, snapshot=False)
    if not hook_payload.is_kept(spooled.told):
        return
    known = {"commit": spooled.commit, "task_id": spooled.task_id, "agent": spooled.agent}
    traces.put(catalog, hook_payload.trace(spooled.told, created_at=spooled.created_at, **known))


def _keep_word(catalog: Catalog, spooled: Payload) -> None:
    """The session stopped, or is about to be compacted: what it said is read when the payloads are all in."""
    _hear(catalog, spooled, snapshot=True)


def _hear(catalog: Catalog, spooled: Payload, *, snapshot: bool) -> None:
    from devs_git.storage.catalog import pending_transcripts

    told, path = spooled.told, transcript(spooled.told)
    if path is not None:
        client, session, cwd = told.client.name, told.text(told.client.fields.session), told.text("cwd")
        known = (client, session, cwd, spooled.task_id, spooled.agent, spooled.created_at)
        pending_transcripts.put(catalog, pending_transcripts.PendingTranscript(Path(path), *known, snapshot))


def transcript(told: Captured) -> Path | None:
    """The transcript that a payload names; None where it names none."""
    path = Path(told.text(told.client.fields.transcript))
    with contextlib.suppress(RuntimeError):  # nobody's home
        path = path.expanduser()
    return path if path.is_absolute() else None


def newest_payload(places: Places, task_id: str) -> Captured | None:
    """What a hook told last of a session while a task was active, among the few newest payloads that are small."""
    newest = sorted((found for found in _files(places.spool) if found.event in HANDLERS), reverse=True)
    for found in newest[:_GLANCE]:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            path = Path(found.path)
            told = hook_payload.read(path.read_bytes()) if path.stat().st_size <= _SMALL else None
            if told and active_task.task_of(told.lines) == task_id and transcript(told):
                return told
    return None


# What is done with an event's payload, inside the transaction; a ValueError rejects it. An event that is not here waits.
HANDLERS: Final[dict[str, Handler]] = {
    **{event: _keep_trace for dialect in CLIENTS.values() for event in dialect.after},
    **{event: _keep_word for dialect in CLIENTS.values() for event in dialect.session},
}


def rejected_files(places: Places) -> tuple[str, ...]:
    """Names of the files that could not be read."""
    return tuple(sorted(Path(found.path).name for found in _files(places.spool / "rejected")))


def status(places: Places) -> Iterator[Finding]:
    """A warning where payloads could not be read."""
    if bad := rejected_files(places):
        where = "$(git rev-parse --git-common-dir)/devs/spool/rejected"
        text = (
            f"{len(bad)} payload(s) of agent hooks could not be read; the first is {printable(bad[0], '')}."
        )
        yield Finding("SPOOL_REJECTED", "warning", text, f'look at it, then: rm -r "{where}"')


def waiting_files(places: Places) -> tuple[Path, ...]:
    """The files that can be taken in, in the order in which they were finished."""
    return tuple(Path(found.path) for found in _waiting(places))


def _waiting(places: Places) -> list[_Found]:
    return sorted(found for found in _files(places.spool) if found.event in HANDLERS)


def ingest(
    places: Places,
    git: Git,
    catalog: Catalog,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Counts:
    """Take in what waits. `git` is one that sees the repository's refs. BUSY where somebody else does so for a minute."""
    if not any(found.event in HANDLERS for found in _files(places.spool)):
        return Counts()
    with locks.hold(places.shared / "spool.lock", wait=_WAIT):
        _sweep(places)
        files, ground = _waiting(places), _Ground(git, places.common)
        done, refused = 0, 0
        for batch in _batches(files):
            refused += _take(catalog, batch, ground, places)
            done += len(batch)
            progress("ingesting", done, len(files))
    return Counts(done - refused, refused)


def _batches(files: Sequence[_Found]) -> Iterator[Sequence[_Found]]:
    yield from (files[at : at + _BATCH] for at in range(0, len(files), _BATCH))


def _take(catalog: Catalog, batch: Sequence[_Found], ground: _Ground, places: Places) -> int:
    """One transaction, and only then are its files gone. How many were rejected."""
    from devs_git.storage.catalog import fulltext

    bad: list[_Found] = []
    with fulltext.write_transaction(catalog):
        for found in batch:
            try:
                data = _bytes(found)
                if data is not None:
                    spooled = _spooled(found, data, ground)
                    HANDLERS[spooled.told.event](catalog, spooled)
            except (ValueError, KeyError, RecursionError):
                bad.append(found)
            except DevsError as error:
                if error.code not in ("INVALID_ARGUMENTS", bounded.INVALID):
                    raise
                bad.append(found)  # too long for the catalog, or to be read: it would stop every later one
    for found in bad:
        _reject(Path(found.path), places)
    for found in batch:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(found.path)  # noqa: PTH108 - ten thousand paths are objects for nothing
    return len(bad)


def _bytes(found: _Found) -> bytes | None:
    """None where somebody else has taken it in, or taken it away; ValueError where nobody may read it."""
    try:
        with open(found.path, "rb") as stream:  # noqa: PTH123 - as above
            return bounded.read(stream, limits.PAYLOAD, "payload")
    except FileNotFoundError:
        return None
    except (
        OSError
    ) as error:  # of another user's, such as a hook that ran as root: it would stop every later one
        raise ValueError(error.strerror) from error


def _spooled(found: _Found, data: bytes, ground: _Ground) -> Payload:
    # A hook that only takes in a transcript does without.
    from devs_git.domain.text.times import stamp_of

    told = hook_payload.read(data)
    task, agent, commit = ground.of(told)
    seconds, rest = divmod(found.finished, 10**9)
    return Payload(told, stamp_of(seconds, rest), commit, task, agent)


def _is_elsewhere(folder: str, pwd: str) -> bool:
    """Whether the client's folder is there and another one than the hook's."""
    # os.path answers no where it may not look; a path object would raise.
    return os.path.isdir(folder) and os.path.realpath(folder) != os.path.realpath(pwd)  # noqa: PTH112


@immutable
class _Ground:
    """Whose a call is: task, agent and commit of the worktree in which the tool ran. What git must be asked is asked once."""

    git: Git
    common: Path
    refs: dict[str, str] = field(default_factory=dict)
    folders: dict[str, tuple[str, str]] = field(default_factory=dict)

    def of(self, told: Captured) -> tuple[str, str, str]:
        """As the hook told it when the tool had run; as it is now where the client names another folder that is there."""
        lines, head = told.lines, told.head
        folder = told.text(told.client.fields.folder)
        if told.pwd and folder != told.pwd and _is_elsewhere(folder, told.pwd):
            if folder not in self.folders:
                self.folders[folder] = self._elsewhere(Path(folder))
            lines, head = self.folders[folder]
        return active_task.task_of(lines), active_task.agent_of(lines), self._oid(head)

    def _oid(self, head: str) -> str:
        """What a HEAD meant that the hook could only name by its branch, whose ref was packed."""
        name = head.removeprefix("ref: ")
        if name == head:
            return head
        if name not in self.refs:
            asked = ("rev-parse", "-q", "--verify", "--end-of-options", name + "^{commit}")
            self.refs[name] = os.fsdecode(self.git.attempt(*asked, ok=(0, 1, 128))[1]).strip()
        return self.refs[name]

    def _elsewhere(self, folder: Path) -> tuple[str, str]:
        """The active task's lines and HEAD of another worktree; nothing outside of this repository."""
        try:
            places = locate(folder, unset=REPOSITORY_VARIABLES)
            if not places.common.samefile(self.common):
                return "", ""
            asked = ("rev-parse", "-q", "--verify", "HEAD^{commit}")
            head = Git(folder, unset=REPOSITORY_VARIABLES).attempt(*asked, ok=(0, 1, 128))[1]
            return active_task.read(places), os.fsdecode(head).strip()
        except (DevsError, OSError):  # no repository, or one that we may not look into
            return "", ""


def _files(where: Path) -> Iterator[_Found]:
    """The finished files of a folder; those that a hook still writes begin with a dot."""
    try:
        with os.scandir(where) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # somebody else has taken it in
                    if entry.name[0] != "." and entry.is_file():
                        event = entry.name.rpartition(".")[2]
                        yield _Found(entry.stat().st_mtime_ns, entry.path, event)
    except FileNotFoundError:
        return


def _reject(path: Path, places: Places) -> None:
    aside = places.spool / "rejected"
    aside.mkdir(mode=0o700, exist_ok=True)
    path.rename(aside / path.name.removeprefix("."))


def _sweep(places: Places) -> None:
    """What a hook that was killed left half written is kept as well, and shown."""
    for path in places.spool.glob(".*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _ABANDONED:
                _reject(path, places)
