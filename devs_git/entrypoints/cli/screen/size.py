"""The size of the terminal to which standard output goes, or standard error."""

from __future__ import annotations

import os
import sys

from devs_git.entrypoints.console import on_terminal
from devs_git.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


def columns(stream: TextIO | None = None) -> int:
    """Its columns; 0 in a pipe, or if the terminal does not say it. `COLUMNS` counts first, as for git."""
    return _from_environment() or _asked()[0] if on_terminal(stream) else 0


def lines() -> int:
    """Its lines; 0 in a pipe, or if the terminal does not say it."""
    return _asked()[1] if sys.stdout.isatty() else 0


def _from_environment() -> int:
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def _asked() -> tuple[int, int]:
    # Under a pager of git's, standard output is a pipe, but errors still go to the terminal.
    for stream in (sys.stdout, sys.stderr):
        try:
            size = os.get_terminal_size(stream.fileno())
        except (OSError, ValueError):  # no terminal, or a stream without a descriptor
            continue
        return size.columns, size.lines
    return 0, 0
