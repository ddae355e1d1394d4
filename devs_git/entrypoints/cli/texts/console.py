r"""The one place that writes for people. Whatever a text holds, no terminal obeys it.

Names of files and branches, messages, what tools and git say: all of it can hold characters of the table in
`domain.plain_text`, and they are written out here (`\x9b`, `\u202e`), on standard error, too, and in a pipe, whose reader is
a terminal in the end. Exempt is what is marked here: our own colours, and lines of files, which a pipe gets as they are.
Bytes, and JSON for programs, are not for people; JSON is written so that it does nothing to a terminal either.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, TextIO

from devs_git.domain.text.plain_text import COMMANDING, printable

if TYPE_CHECKING:
    import logging

_COLOURS: Final = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "bright_black": "90",
}
# A mark of ours begins with what no text of others can: digits that are new in each process.
_OURS: Final = f"\x1b{os.urandom(8).hex()}"
_EXACT, _AGAIN = "<m", ">m"  # a line of a file stands between them


def for_person(stream: TextIO | None = None) -> bool:
    """Whether a person looks at a stream (standard output): colour and relative times."""
    return (stream or sys.stdout).isatty() and "NO_COLOR" not in os.environ


def paint(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """`text`, in colour where a person looks at it."""
    how = [_COLOURS[colour]] if colour else []
    how += ["1"] if bold else []
    return f"{_OURS}{';'.join(how)}m{text}{_OURS}0m" if how and for_person() else text


def exact(text: str) -> str:
    """A line of a file: a pipe gets it as it is."""
    return f"{_OURS}{_EXACT}{text}{_OURS}{_AGAIN}"


def width(text: str) -> int:
    """How many characters a terminal shows of `text`; marks of ours take no room."""
    return sum(len(printable(said, "")) for _mark, said in _parts(text))


def write(text: str, *, err: bool = False, end: str = "\n") -> None:
    """Write for people, to standard output or standard error."""
    stream = sys.stderr if err else sys.stdout
    stream.write(_harmless(text, terminal=stream.isatty()) + end)
    stream.flush()


def _harmless(text: str, *, terminal: bool) -> str:
    as_it_is, found = False, []
    for mark, said in _parts(text):
        if mark in (_EXACT, _AGAIN):
            as_it_is = mark == _EXACT and not terminal
        elif mark and terminal:
            found.append(f"\x1b[{mark}")
        found.append(said if as_it_is else printable(said))
    return "".join(found)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Each mark of ours, which ends in an m, and what follows it; first what stands before the first."""
    first, *rest = text.split(_OURS)
    yield "", first
    for part in rest:
        mark, _, said = part.partition("m")
        yield f"{mark}m", said


def line_again(text: str) -> None:
    """Write over the last line of standard error, which is a terminal; '' takes it away."""
    sys.stderr.write("\r\x1b[K" + printable(text, ""))
    sys.stderr.flush()


def write_bytes(data: bytes) -> None:
    """Write what is no text, such as an output that was asked for byte for byte, to standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def as_json(value: Any) -> str:
    r"""A value as JSON: the same to a reader of JSON, and harmless to a terminal. Bytes that are no UTF-8 become `\udcXX`."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=False)
    return COMMANDING.sub(
        lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text
    )  # no other stands outside of a string


def log(level: int, form: str) -> None:
    """Let a server's log go to standard error, harmless too."""
    import logging

    class Harmless(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return printable(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Harmless(form))
    logging.basicConfig(handlers=[handler], level=level)
