"""Colour, progress and questions on a terminal, and how a refusal is printed."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from contextlib import contextmanager

from devs_git.domain.text import limits
from devs_git.entrypoints import console
from devs_git.entrypoints.console import exit_on_print_error
from devs_git.errors import EXIT_INTERRUPTED, DevsError
from devs_git.values import TYPE_CHECKING, Final, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from devs_git.workspace import Workspace

PATIENCE: Final = 1.0  # seconds before progress is shown
_BETWEEN: Final = 0.1  # seconds between two updates


def interactive() -> bool:
    """Whether a person can be asked: standard input and output are terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def question() -> Callable[[str], None] | None:
    """The function that asks the person at this terminal (`ask`); None without a terminal."""
    return ask if interactive() else None


class Declined(Exception):
    """The person did not answer yes, or, with a text, gave no answer that can be taken."""


def ask(text: str) -> None:
    """Ask the person at this terminal a question. Raises Declined if the answer is not `y` or `yes`."""
    from devs_git.entrypoints.cli.texts.render import fold

    # Below the first line may be a diff, whose lines stay as they are.
    said, end, rest = f"{text} [y/N]".partition("\n")
    console.write(fold(said) + end + rest, end=" ")
    if sys.stdin.readline(limits.ANSWER.most).strip().lower() not in ("y", "yes"):
        raise Declined


def ask_for_secrets(what: str) -> None:
    """Ask whether `what` may have secrets that are masked otherwise.

    INVALID_ARGUMENTS{yes} without a terminal; Declined if the person does not agree.
    """
    if not interactive():
        from devs_git.errors import invalid

        raise invalid("yes", f"With --raw {what} has passwords and keys.", hint="Add --yes.")
    ask(f"{what[0].upper()}{what[1:]} will have passwords and keys. Continue?")


def choose(most: int) -> int:
    """The number that the person at this terminal types. Raises Declined if it is not from 1 to `most`."""
    console.write(f"Which one? [1-{most}] ", end="")
    answer = sys.stdin.readline(limits.ANSWER.most).strip()
    if not re.fullmatch("[1-9][0-9]{0,8}", answer) or int(answer) > most:
        raise Declined(f"{answer!r} is not a number from 1 to {most}. Nothing was done.")
    return int(answer)


def ask_hidden(what: str) -> str:
    """A line that the person types and the terminal does not show. Raises Declined if there is none."""
    import getpass

    try:
        return getpass.getpass(f"{what} (it is not shown): ")
    except EOFError as error:
        raise Declined from error


def style(text: str, *, fg: str | None = None, bold: bool = False) -> str:
    return console.paint(text, fg, bold=bold)


class _Progress:
    """A line on standard error. It appears when a command takes more than a second, and disappears at the end of a step.

    A step may say nothing more for a long time, while git works. So a thread shows it when the second is over.
    """

    def __init__(self) -> None:
        self.started = self.last = time.monotonic()
        self.shown = ""  # the step in the line; '' while there is no line
        self.waiting = ""  # the text of the line that the thread shows
        self.thread: threading.Timer | None = None
        self.lock = threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        if total and done >= total:
            self.clear()
            return
        now = time.monotonic()
        left = PATIENCE - (now - self.started)
        if (left <= 0 and what == self.shown and now - self.last < _BETWEEN) or not sys.stderr.isatty():
            return
        share = f" {done}/{total}" if total else f" {done}" if done else ""
        with self.lock:
            self.waiting = f"{what}{share}"
            if left <= 0:
                self._show(what)
            elif not self.thread:
                self.thread = threading.Timer(left, self._show_waiting)
                self.thread.daemon = True
                self.thread.start()

    def _show_waiting(self) -> None:
        with self.lock:
            if self.waiting and not self.shown:
                self._show(self.waiting)

    def _show(self, step: str) -> None:
        console.line_again(self.waiting)
        self.last, self.shown = time.monotonic(), step

    def clear(self) -> None:
        """Remove the line, so that other text can be written there."""
        with self.lock:
            if self.shown:
                console.line_again("")
            self.shown = self.waiting = ""

    def say(self, text: str) -> None:
        self.clear()
        _tell(text)


def _tell(text: str) -> None:
    """Write sentences to standard error, in lines of the terminal's width."""
    from devs_git.entrypoints.cli.texts.render import fold  # a command that succeeds may need none of it

    console.write(fold(text, sys.stderr), err=True)


def attach(workspace: Workspace, *, quiet: bool = False) -> Workspace:
    """The workspace with messages on standard error, and unless it is `quiet` with progress there."""
    progress = _Progress()
    return replace(workspace, progress=workspace.progress if quiet else progress, say=progress.say)


@contextmanager
def progress_line(workspace: Workspace) -> Iterator[None]:
    """Around work that reports progress. At the end the progress line is removed, also after an error."""
    try:
        yield
    finally:
        if isinstance(workspace.progress, _Progress):
            workspace.progress.clear()


def _callable_here(hint: str) -> str:
    """The hint with `git devs` for `devs-git`, if the caller's shell may not find that: it used our alias."""
    from devs_git.storage.git.aliases import CALLED

    name = os.environ.get(CALLED, "")
    return hint.replace("devs-git ", f"{name} ") if name == "git devs" else hint


def report(error: DevsError, *, as_json: bool) -> int:
    """Print a refusal (as JSON to standard output, as text to standard error) and return its exit status."""
    with exit_on_print_error():
        if as_json:
            console.write(console.as_json(error.envelope()))
        else:
            _tell(style(f"{error.code}: ", fg="red", bold=True) + error.message)
            if error.hint:
                _tell(f"hint: {_callable_here(error.hint)}")
        sys.stdout.flush()
    return error.exit_status


def exit_status(work: Callable[[], int], *, as_json: bool) -> int:
    """The exit status of `work`. A refusal, a question that was not answered with yes, and an interruption are printed."""
    try:
        return work()
    except DevsError as error:
        return report(error, as_json=as_json)
    except Declined as declined:
        _tell(str(declined) or "You did not answer yes. Nothing was done.")
        return EXIT_INTERRUPTED
    except KeyboardInterrupt:
        console.write("The command was interrupted.", err=True)
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - an error that nobody caught becomes one line
        from devs_git.entrypoints.bugs import as_devs_error

        return report(as_devs_error(error), as_json=as_json)
