"""Writes the screens of `tests/examples/screens/` again: `make screens` runs it."""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.screens import recording

FOLDER: Final = Path(__file__).parents[1] / "examples" / "screens"


def write(folder: Path, names: list[str]) -> None:
    """Record these screens, or all, and write them into `folder`."""

    def one(name: str) -> None:
        with tempfile.TemporaryDirectory() as room:
            (folder / f"{name}.txt").write_text(recording.record(name, Path(room)), encoding="utf-8")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, names or recording.NAMES))


if __name__ == "__main__":
    write(FOLDER, sys.argv[1:])
