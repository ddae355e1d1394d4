"""An object of a repository that is lost for good, with the second name that the ledger's newest objects have."""

from __future__ import annotations

import shutil
from pathlib import Path


def lose(top: Path, oid: str) -> Path:
    """The file that is gone."""
    forget(top)
    file = top / ".git/objects" / oid[:2] / oid[2:]
    file.unlink()
    return file


def forget(top: Path) -> None:
    """Only first names are left."""
    shutil.rmtree(top / ".git/devs/newest", ignore_errors=True)
