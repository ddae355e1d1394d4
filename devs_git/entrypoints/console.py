r"""The only place that writes text for people. No text can command the terminal.

Names of files and branches, messages, and output of tools and of git can have characters that command a terminal (the
table is in `domain.text.plain_text`). They are written as escapes here (`\x9b`, `\u202e`): on standard output and standard
error, on a terminal and in a pipe, because a pipe often ends at a terminal. Two things are exempt and are marked here:
our own colours, and lines of files, which a pipe gets unchanged. JSON has such characters as escapes of JSON.

The reader may be gone, as in `| head`. The module is small, because `--help` imports it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from devs_git.domain.text.plain_text import COMMANDING, printable
from devs_git.values import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import logging
    from typing import TextIO

_COLOURS: Final = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "bright_black": "90",
}
# Each mark of ours begins with random digits, new in each process, so that no text can contain one.
_OURS: Final = f"\x1b{os.urandom(8).hex()}"
_EXACT, _AGAIN = "<m", ">m"  # the marks before and after a line of a file
COLOUR_CHOICES: Final = ("auto", "always", "never")
_chosen = {"colour": "auto"}  # by the option `--color` of this process


def escape_what_the_encoding_lacks() -> None:
    """From now on, standard output gets an escape for each character that its encoding lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def choose_colour(choice: str) -> None:
    """Colours from now on: one of COLOUR_CHOICES."""
    _chosen["colour"] = choice


def on_terminal(stream: TextIO | None = None) -> bool:
    """Whether the stream (default: standard output) ends at a terminal; git's own pager counts, as in `git -c pager.devs devs log`."""
    read = stream or sys.stdout
    return read.isatty() or (read is sys.stdout and os.environ.get("GIT_PAGER_IN_USE") == "true")


def for_person() -> bool:
    """Whether a person reads standard output: it ends at a terminal, and NO_COLOR is not set."""
    return on_terminal() and not os.environ.get("NO_COLOR")


def has_colours(stream: TextIO | None = None) -> bool:
    """Whether colours are written to the stream. `--color` counts before NO_COLOR, and that before FORCE_COLOR."""
    if _chosen["colour"] != "auto":
        return _chosen["colour"] == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return on_terminal(stream) and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """`text`, in colour if standard output gets colours."""
    codes = [_COLOURS[colour]] if colour else []
    codes += ["1"] if bold else []
    return f"{_OURS}{';'.join(codes)}m{text}{_OURS}0m" if codes and has_colours() else text


def exact(text: str) -> str:
    """A line of a file, marked so that a pipe gets it unchanged."""
    return f"{_OURS}{_EXACT}{text}{_OURS}{_AGAIN}"


def with_colours(text: str) -> str:
    """A line of git's, whose codes for colours are marked as ours. Nothing but git may have written such a code into it."""
    import re

    return re.sub(r"\x1b\[([0-9;]*m)", lambda code: f"{_OURS}{code[1]}", text)


def width(text: str) -> int:
    """The columns that `text` takes on a terminal; our marks take none, a wide character takes two."""
    return sum(_columns(printable(part_text, "")) for _mark, part_text in _parts(text))


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    from devs_git.domain.text import display_width  # few texts need the table of wide characters

    return display_width.columns(text)


def cut(text: str, room: int, end: str = "…") -> str:
    """`text` in at most `room` columns; `end` stands where it was cut. Our marks stay."""
    if width(text) <= room:
        return text
    from devs_git.domain.text import display_width

    left, found = max(0, room - _columns(end)), []
    for mark, part_text in _parts(text):
        kept = display_width.first_columns(printable(part_text, ""), left)
        found += [_OURS, mark] if mark else []
        found.append(kept)
        shown, left = _columns(kept), left - _columns(kept)
        if left >= 0 and shown < _columns(printable(part_text, "")):
            found.append(end)
            left = -1
    return "".join(found)


def write(text: str, *, err: bool = False, end: str = "\n") -> None:
    """Write text for people to standard output or standard error."""
    stream = sys.stderr if err else sys.stdout
    stream.write(_harmless(text, terminal=stream.isatty(), colours=has_colours(stream)) + end)
    stream.flush()


def as_on_terminal(text: str) -> str:
    """What a terminal would get of `text` for people, for the program that shows it there."""
    return _harmless(text, terminal=True, colours=has_colours())


def _harmless(text: str, *, terminal: bool, colours: bool) -> str:
    exactly, found = False, []
    for mark, part_text in _parts(text):
        if mark in (_EXACT, _AGAIN):
            exactly = mark == _EXACT and not terminal
        elif mark and colours:
            found.append(f"\x1b[{mark}")
        found.append(part_text if exactly else printable(part_text))
    return "".join(found)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of a mark of ours, which ends in `m`, and the text after it. The first pair has no mark."""
    first, *rest = text.split(_OURS)
    yield "", first
    for part in rest:
        mark, _, part_text = part.partition("m")
        yield f"{mark}m", part_text


def line_again(text: str) -> None:
    """Overwrite the last line of standard error, which is a terminal; '' clears it."""
    sys.stderr.write("\r\x1b[K" + printable(text, ""))
    sys.stderr.flush()


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output unchanged."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def as_json(value: Any) -> str:
    r"""A value as JSON that cannot command a terminal. Bytes that are not UTF-8 become `\udcXX`."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=False)
    # Outside of strings, the line end is the only such character.
    return COMMANDING.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def log(level: int, form: str) -> None:
    """Write a server's log to standard error, with the same escapes."""
    import logging

    class Harmless(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return printable(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Harmless(form))
    logging.basicConfig(handlers=[handler], level=level)


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
            write(f"The answer could not be printed: {error.strerror}. The command itself has run.", err=True)
        except OSError:
            _silence(sys.stderr)
        raise SystemExit(EXIT_CONFLICT) from error


def _silence(*streams: TextIO) -> None:
    """Send the rest of the streams to the null device, so that Python does not fail at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())
