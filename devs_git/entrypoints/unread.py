"""Printing to somebody who may have stopped reading, as `| head` does. Apart, because the plain `--help` needs nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


@contextmanager
def unread() -> Iterator[None]:
    """What was done stands. Nobody reads: so does its exit status, and the rest is not printed.

    A file that takes no more (a full disk behind `>`): its caller has only half of an answer, so the exit status says that.
    """
    try:
        yield
    except BrokenPipeError:
        _silence(sys.stdout, sys.stderr)
    except OSError as error:
        from devs_git.errors import EXIT_CONFLICT

        _silence(sys.stdout)
        try:
            sys.stderr.write(f"The answer could not be printed: {error.strerror}. What was done stands.\n")
            sys.stderr.flush()
        except OSError:
            _silence(sys.stderr)
        raise SystemExit(EXIT_CONFLICT) from error


def _silence(*streams: TextIO) -> None:
    """What they still hold must not fail when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
