"""Check the catalog for `doctor`, without writing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from devs_git.domain.audit.findings import Finding
from devs_git.errors import DevsError
from devs_git.storage.catalog import fulltext
from devs_git.storage.catalog.database import NAME, Catalog

_MEND = (
    "sqlite3 .git/devs/catalog.db .recover > saved.sql, then restore the file from a backup or from saved.sql"
)
# The next command that needs the index builds it again.
_BUILD = """sqlite3 .git/devs/catalog.db "DELETE FROM settings WHERE key = 'DEVS_FTS'" && devs-git trace search again"""


def findings(folder: Path) -> Iterator[Finding]:
    """What is wrong with the catalog in `folder`; nothing if there is no catalog."""
    if not (folder / NAME).exists():
        return
    try:
        with Catalog.look(folder) as catalog:
            trouble = catalog.trouble()
            index = "" if trouble else fulltext.trouble(catalog)
    except DevsError as error:
        damaged = "damaged" in error.message
        code = "CATALOG_DAMAGED" if damaged else "CATALOG_UNUSABLE"
        yield Finding(code, "error", error.message, _MEND if damaged else error.hint)
        return
    if trouble:
        yield Finding("CATALOG_DAMAGED", "error", f"The catalog of traces is damaged: {trouble}", _MEND)
    if index:
        yield Finding("INDEX_DAMAGED", "warning", f"A search may miss traces or messages: {index}.", _BUILD)
