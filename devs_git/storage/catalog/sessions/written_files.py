"""The files of sessions that devs-git wrote into the folders of clients. A client may go on with one: then it is the person's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from devs_git.storage.catalog import fulltext
from devs_git.storage.catalog.database import Catalog
from devs_git.values import immutable

_COLUMNS: Final = "path, client, session_id, source, at, size"
_UNFINISHED: Final = -1


@immutable
class WrittenFile:
    """A file with the session that is in it, and the session (`source`) that it is the beginning of.

    `at`: when it was written, UTC with milliseconds. `size`: bytes then; -1 if the writing was interrupted.
    """

    path: Path
    client: str
    session_id: str
    source: str
    at: str
    size: int = _UNFINISHED

    @property
    def bytes(self) -> int:
        """What it has now; -1 if it is gone."""
        try:
            return self.path.lstat().st_size
        except OSError:
            return -1

    @property
    def is_ours(self) -> bool:
        """Whether nobody has gone on with it: it has what we wrote, and nothing more."""
        return self.bytes in (self.size, 0) if self.size >= 0 else self.bytes >= 0


def note(catalog: Catalog, file: WrittenFile) -> None:
    """Remember a file before it is written, and again with its size after that."""
    with fulltext.write_transaction(catalog) as base:
        base.execute(
            f"INSERT OR REPLACE INTO written ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            (os.fsencode(file.path), file.client, file.session_id, file.source, file.at, file.size),
        )


def list_files(catalog: Catalog) -> Iterator[WrittenFile]:
    """Every file that is still there, oldest first."""
    for path, *rest in catalog.rows(f"SELECT {_COLUMNS} FROM written ORDER BY at, path"):
        file = WrittenFile(Path(os.fsdecode(path)), *rest)
        if file.bytes >= 0:
            yield file


def of_session(catalog: Catalog, session_id: str) -> WrittenFile | None:
    """The file that was written as this session, if it is still there."""
    return next((file for file in list_files(catalog) if file.session_id == session_id), None)


def forget(catalog: Catalog, paths: Iterable[str]) -> None:
    """Forget files that are deleted, inside `fulltext.write_transaction`."""
    for path in paths:
        catalog.base.execute("DELETE FROM written WHERE path = ?", (os.fsencode(path),))
