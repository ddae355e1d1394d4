"""The file of an export of traces and sessions."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Final

from devs_git.storage.catalog import exchange
from devs_git.storage.documents import written_file


def _is_export(path: Path) -> bool:
    """Whether a file is an export. An empty file is none: it may be a file of the work, such as `__init__.py`."""
    try:
        with gzip.open(path, "rb") as stream:
            start = stream.read(len(exchange.START))
    except (OSError, EOFError, zlib.error):
        return False
    return start == exchange.START


KIND: Final = written_file.Kind("an export", _is_export, ".devs-export-")
