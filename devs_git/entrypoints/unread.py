"""Printing to somebody who may have stopped reading, as `| head` does. Apart, because the plain `--help` needs nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unread() -> Iterator[None]:
    """What was done stands, and so does its exit status; only the rest is not printed."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):  # what they still hold must not fail when Python ends
            os.dup2(nowhere, stream.fileno())
