"""Copy a whole repository, so that each test has its own without making it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def folder(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, copy_function=_file)


def _file(source: str, target: str) -> None:
    """Copy a file with its mode and time, twice as fast as shutil: a run of the tests copies ten thousand files."""
    with open(source, "rb", buffering=0) as old, open(target, "wb", buffering=0) as new:  # noqa: PTH123
        known = os.fstat(old.fileno())
        while os.sendfile(new.fileno(), old.fileno(), None, 1 << 30):
            pass
        os.fchmod(new.fileno(), known.st_mode)
        os.utime(new.fileno(), ns=(known.st_atime_ns, known.st_mtime_ns))
