"""What the model of a client could not be told before a call: the file `unsaid` of a worktree. It is told after the call."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_NAME: Final = "unsaid"
# Characters.
_LONGEST: Final = 4000


def add(folder: Path, texts: Sequence[str]) -> None:
    """Keep these texts, each of one line. OSError."""
    if texts:
        with (folder / _NAME).open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(f"{text}\n" for text in texts)


def take(folder: Path) -> list[str]:
    """The texts that are kept; from now on they count as told."""
    with contextlib.suppress(OSError):
        # Never what a link leads to: the agent reads it.
        descriptor = os.open(folder / _NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(_LONGEST)
        (folder / _NAME).unlink()
        return data.decode("utf-8", "replace").splitlines()
    return []
