"""Printing to a reader that may be gone, such as `| head`. The module is small, because `--help` imports it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from devs_git.entrypoints.cli.texts import console


class Reader:
    """The reader of the output; `gone` is true once nobody reads it any more."""

    gone = False


@contextmanager
def ignore_closed_pipe() -> Iterator[Reader]:
    """If the reader goes away, print nothing more. What the command did, and its exit status, do not change."""
    reader = Reader()
    try:
        yield reader
    except BrokenPipeError:
        reader.gone = True
        _silence(sys.stdout, sys.stderr)


@contextmanager
def exit_on_print_error() -> Iterator[Reader]:
    """The same around code that only prints. Any other error of writing, such as a full disk, ends the process.

    The caller then has half of an answer, so the exit status is EXIT_CONFLICT.
    """
    try:
        with ignore_closed_pipe() as reader:
            yield reader
    except OSError as error:
        from devs_git.errors import EXIT_CONFLICT

        _silence(sys.stdout)
        try:
            console.write(
                f"The answer could not be printed: {error.strerror}. The command itself has run.", err=True
            )
        except OSError:
            _silence(sys.stderr)
        raise SystemExit(EXIT_CONFLICT) from error


def _silence(*streams: TextIO) -> None:
    """Send the rest of the streams to the null device, so that Python does not fail at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
