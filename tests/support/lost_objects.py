"""Delete an object of a repository, also its second name: the newest objects of the ledger have one."""

from __future__ import annotations

import shutil
from pathlib import Path


def lose(top: Path, oid: str) -> Path:
    """Delete the object; the path of its file."""
    forget(top)
    file = top / ".git/objects" / oid[:2] / oid[2:]
    file.unlink()
    return file


def forget(top: Path) -> None:
    """Delete the second names of all objects."""
    shutil.rmtree(top / ".git/devs/newest", ignore_errors=True)
