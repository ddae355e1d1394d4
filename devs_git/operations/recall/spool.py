"""The spool: payloads of agent hooks in `<common>/devs/spool/`, read into the catalog when somebody needs them.

A hook writes each payload to a file (`<id>.<client>.<event>`). A file is deleted once the catalog has committed its
payload; after a crash in between, the payload is read again, with the same trace id. A file that cannot be read moves
to `rejected/`. A lock lets only one process read the spool at a time.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from devs_git.domain.clients import hook_payload
from devs_git.domain.clients.hook_payload import Captured
from devs_git.domain.text import limits
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError
from devs_git.operations.recall import payload_handlers
from devs_git.operations.recall.payload_handlers import SpoolFile, is_kept, transcript_path
from devs_git.storage.git import bounded, locks
from devs_git.storage.git.places import Places, locate
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git
from devs_git.storage.worktree import active_task
from devs_git.values import field, immutable

if TYPE_CHECKING:
    from devs_git.domain.audit.findings import Finding
    from devs_git.storage.catalog.database import Catalog

_WAIT: Final = 60.0  # seconds to wait for another process that reads the spool
_BATCH: Final = 1000  # files in one transaction: others may write in between
_ABANDONED: Final = 3600.0  # seconds after which an unfinished file is taken as abandoned by its hook
_GLANCE, _SMALL = 5, 1 << 20  # payloads, and bytes of each, that a git hook reads


@immutable
class Counts:
    """How many files were read into the catalog, and how many were rejected."""

    ingested: int = 0
    rejected: int = 0


class _Found(NamedTuple):
    """A file of the spool. `finished`: when its hook finished writing, in nanoseconds, from the file: a shell has no clock."""

    finished: int
    path: str
    client: str
    event: str


def newest_payload(places: Places, task_id: str) -> Captured | None:
    """The newest payload of the task that names a transcript. Only a few small payloads are read."""
    newest = sorted(
        (found for found in _files(places.spool) if is_kept(found.client, found.event)), reverse=True
    )
    for found in newest[:_GLANCE]:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            path = Path(found.path)
            payload = hook_payload.read(path.read_bytes()) if path.stat().st_size <= _SMALL else None
            if payload and active_task.task_of(payload.lines) == task_id and transcript_path(payload):
                return payload
    return None


def rejected_files(places: Places) -> tuple[str, ...]:
    """Names of the files that could not be read."""
    return tuple(sorted(Path(found.path).name for found in _files(places.spool / "rejected")))


def rejected_before(places: Places, bound: float) -> tuple[Path, ...]:
    """The files that could not be read and that were finished before `bound` (seconds since 1970)."""
    found = _files(places.spool / "rejected")
    return tuple(sorted(Path(one.path) for one in found if one.finished < bound * 1e9))


def findings(places: Places) -> Iterator[Finding]:
    """A warning where payloads could not be read."""
    from devs_git.domain.audit.findings import Finding

    if bad := rejected_files(places):
        where = "$(git rev-parse --git-common-dir)/devs/spool/rejected"
        text = (
            f"{len(bad)} payload(s) of agent hooks could not be read; the first is {printable(bad[0], '')}."
        )
        yield Finding("SPOOL_REJECTED", "warning", text, f'Look at them, then: rm -r "{where}"')


def waiting_files(places: Places) -> tuple[Path, ...]:
    """The files that can be read, in the order in which they were finished."""
    return tuple(Path(found.path) for found in _find_files(places))


def _find_files(places: Places) -> list[_Found]:
    return sorted(found for found in _files(places.spool) if is_kept(found.client, found.event))


def ingest(
    places: Places,
    git: Git,
    catalog: Catalog,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Counts:
    """Read all files. `git` must see the repository's refs. BUSY if another process reads the spool for more than a minute."""
    if not any(is_kept(found.client, found.event) for found in _files(places.spool)):
        return Counts()
    with locks.hold(places.shared / "spool.lock", wait=_WAIT):
        _sweep(places)
        files, origins = _find_files(places), _Origins(git, places.common)
        done, refused = 0, 0
        for at in range(0, len(files), _BATCH):
            batch = files[at : at + _BATCH]
            refused += _take(catalog, batch, origins, places)
            done += len(batch)
            progress("ingesting", done, len(files))
    return Counts(done - refused, refused)


def _take(catalog: Catalog, batch: Sequence[_Found], origins: _Origins, places: Places) -> int:
    """Read a batch in one transaction, then delete its files. Returns how many were rejected."""
    from devs_git.storage.catalog import fulltext

    bad: list[_Found] = []
    with fulltext.write_transaction(catalog):
        for found in batch:
            try:
                data = _bytes(found)
                if data is not None:
                    spooled = _parse(found, data, origins)
                    payload_handlers.keep(catalog, spooled)
            except (ValueError, KeyError, RecursionError):
                bad.append(found)
            except DevsError as error:
                if error.code not in ("INVALID_ARGUMENTS", bounded.INVALID):
                    raise
                bad.append(found)  # too long: it would stop every later file
    for found in bad:
        _reject(Path(found.path), places)
    for found in batch:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(found.path)  # noqa: PTH108 - ten thousand paths are objects for nothing
    return len(bad)


def _bytes(found: _Found) -> bytes | None:
    """None if the file is gone; ValueError if this user may not read it."""
    try:
        with open(found.path, "rb") as stream:  # noqa: PTH123 - as above
            return bounded.read(stream, limits.PAYLOAD, "payload")
    except FileNotFoundError:
        return None
    except OSError as error:
        # The file of another user, such as of a hook that ran as root: it would stop every later file.
        raise ValueError(error.strerror) from error


def _parse(found: _Found, data: bytes, origins: _Origins) -> SpoolFile:
    # Imported here, because a hook that only reads a transcript does not need it.
    from devs_git.domain.text.times import stamp_of

    payload = hook_payload.read(data)
    origin = origins.of(payload)
    seconds, rest = divmod(found.finished, 10**9)
    return SpoolFile(payload, stamp_of(seconds, rest), origin.commit, origin.task_id, origin.agent)


def _is_elsewhere(folder: str, pwd: str) -> bool:
    """Whether the client's folder exists and is not the hook's."""
    # os.path answers no where it may not look; a path object would raise.
    return os.path.isdir(folder) and os.path.realpath(folder) != os.path.realpath(pwd)  # noqa: PTH112


@immutable
class _Origin:
    """Where a tool ran: the active task, its agent, and HEAD's commit; '' for none."""

    task_id: str
    agent: str
    commit: str


@immutable
class _Origins:
    """Finds the origin of each payload, and asks git each question only once."""

    git: Git
    common: Path
    refs: dict[str, str] = field(default_factory=dict)
    folders: dict[str, tuple[str, str]] = field(default_factory=dict)

    def of(self, payload: Captured) -> _Origin:
        """The origin as the hook wrote it; if the client names another folder that exists, as it is there now."""
        lines, head = payload.lines, payload.head
        folder = payload.text(payload.client.fields.folder)
        if payload.pwd and folder != payload.pwd and _is_elsewhere(folder, payload.pwd):
            if folder not in self.folders:
                self.folders[folder] = self._elsewhere(Path(folder))
            lines, head = self.folders[folder]
        return _Origin(active_task.task_of(lines), active_task.agent_of(lines), self._oid(head))

    def _oid(self, head: str) -> str:
        """The oid of a HEAD that the hook wrote as `ref: …`, because the branch's ref was packed."""
        name = head.removeprefix("ref: ")
        if name == head:
            return head
        if name not in self.refs:
            asked = ("rev-parse", "-q", "--verify", "--end-of-options", name + "^{commit}")
            self.refs[name] = os.fsdecode(self.git.attempt(*asked, ok=(0, 1, 128))[1]).strip()
        return self.refs[name]

    def _elsewhere(self, folder: Path) -> tuple[str, str]:
        """The active task's lines and HEAD of another worktree; '' twice outside of this repository."""
        try:
            places = locate(folder, unset=REPOSITORY_VARIABLES)
            if not places.common.samefile(self.common):
                return "", ""
            asked = ("rev-parse", "-q", "--verify", "HEAD^{commit}")
            head = Git(folder, unset=REPOSITORY_VARIABLES).attempt(*asked, ok=(0, 1, 128))[1]
            return active_task.read(places), os.fsdecode(head).strip()
        except (DevsError, OSError):  # no repository, or one that this user may not read
            return "", ""


def _files(where: Path) -> Iterator[_Found]:
    """The finished files of a folder; the name of an unfinished file begins with a dot."""
    try:
        with os.scandir(where) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # another process has read it
                    if entry.name[0] != "." and entry.is_file():
                        begin, _, event = entry.name.rpartition(".")
                        client = begin.rpartition(".")[2]
                        yield _Found(entry.stat().st_mtime_ns, entry.path, client, event)
    except FileNotFoundError:
        return


def _reject(path: Path, places: Places) -> None:
    aside = places.spool / "rejected"
    aside.mkdir(mode=0o700, exist_ok=True)
    path.rename(aside / path.name.removeprefix("."))


def _sweep(places: Places) -> None:
    """Move files that a killed hook did not finish to `rejected/`, too."""
    for path in places.spool.glob(".*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _ABANDONED:
                _reject(path, places)
