"""What a terminal gets and a pipe does not: colour, progress, questions."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from devs_git.domain.text import limits
from devs_git.entrypoints.cli.texts import console
from devs_git.entrypoints.closed_pipe import exit_on_print_error
from devs_git.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from devs_git.errors import DevsError
    from devs_git.workspace import Workspace

PATIENCE: Final = 1.0  # seconds before progress is shown
_BETWEEN: Final = 0.1  # and between two looks at it


def interactive() -> bool:
    """Whether a person can be asked: standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def question() -> Callable[[str], None] | None:
    """How to put one question to the person at this terminal (`ask`); None where there is no terminal."""
    return ask if interactive() else None


class Declined(click.Abort):
    """A person who was asked did not say yes."""


def ask(text: str) -> None:
    """Put one question to the person at this terminal; raises Declined unless they type `y` or `yes`."""
    console.write(f"{text} [y/N] ", end="")
    if sys.stdin.readline(limits.ANSWER.most).strip().lower() not in ("y", "yes"):
        raise Declined


def style(text: str, *, fg: str | None = None, bold: bool = False) -> str:
    return console.paint(text, fg, bold=bold)


class _Progress:
    """A line on standard error that appears when something takes over a second, and goes when it is done."""

    def __init__(self) -> None:
        self.begun = self.last = time.monotonic()
        self.shown = ""  # what the line tells of; '' where there is none

    def __call__(self, what: str, done: int, total: int) -> None:
        if total and done >= total:
            self.clear()
            return
        now = time.monotonic()
        due = now - self.begun >= PATIENCE and (what != self.shown or now - self.last >= _BETWEEN)
        if due and sys.stderr.isatty():
            share = f" {done}/{total}" if total else f" {done}" if done else ""
            console.line_again(f"{what}{share}")
            self.last, self.shown = now, what

    def clear(self) -> None:
        """Take the line away, for what is to stand there."""
        if self.shown:
            console.line_again("")
        self.shown = ""

    def say(self, text: str) -> None:
        self.clear()
        console.write(text, err=True)


def attach(workspace: Workspace) -> Workspace:
    """The workspace with progress and messages on standard error."""
    progress = _Progress()
    return replace(workspace, progress=progress, say=progress.say)


@contextmanager
def progress_line(workspace: Workspace) -> Iterator[None]:
    """Around what tells of progress: whatever is printed then, an error too, begins on a line of its own."""
    try:
        yield
    finally:
        if isinstance(workspace.progress, _Progress):
            workspace.progress.clear()


def report(error: DevsError, *, as_json: bool) -> int:
    """Print a refusal where it belongs and return its exit status."""
    with exit_on_print_error():
        if as_json:
            console.write(console.as_json(error.envelope()))
        else:
            console.write(style(f"{error.code}: ", fg="red", bold=True) + error.message, err=True)
            if error.hint:
                console.write(f"hint: {error.hint}", err=True)
        sys.stdout.flush()
    return error.exit_status
