"""Printing to somebody who may have stopped reading, as `| head` does. Apart, because the plain `--help` needs nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from devs_git.entrypoints.cli.texts import console


class Reader:
    """Who reads what is printed; `gone` once nobody does."""

    gone = False


@contextmanager
def ignore_closed_pipe() -> Iterator[Reader]:
    """What was done stands, and so does its exit status; only the rest is not printed."""
    reader = Reader()
    try:
        yield reader
    except BrokenPipeError:
        reader.gone = True
        _silence(sys.stdout, sys.stderr)


@contextmanager
def exit_on_print_error() -> Iterator[Reader]:
    """The same around nothing but printing, where any other failure is a file that takes no more: a full disk behind `>`.

    What was done stands there too, but its caller has half of an answer, and the exit status says so.
    """
    try:
        with ignore_closed_pipe() as reader:
            yield reader
    except OSError as error:
        from devs_git.errors import EXIT_CONFLICT

        _silence(sys.stdout)
        try:
            console.write(
                f"The answer could not be printed: {error.strerror}. What was done stands.", err=True
            )
        except OSError:
            _silence(sys.stderr)
        raise SystemExit(EXIT_CONFLICT) from error


def _silence(*streams: TextIO) -> None:
    """What they still hold must not fail when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
