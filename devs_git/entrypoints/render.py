"""Text for people: tables, times, paths, colour. On a terminal friendly, in a pipe or with NO_COLOR plain and exact."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

import click

from devs_git.workspace import system_clock

COLOURS: Final = {
    "completed": "green",
    "active": "cyan",
    "rewound": "bright_black",
    "dropped": "bright_black",
    "added": "green",
    "deleted": "red",
    "modified": "yellow",
    "renamed": "magenta",
}
_UNITS: Final = (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60))
# Characters that command a terminal, or turn the direction of text: first and last of each run.
_COMMANDS: Final = ((0, 8), (0x0B, 0x1F), (0x7F, 0x9F), (0x202A, 0x202E), (0x2066, 0x2069))
_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def friendly() -> bool:
    """Whether a person looks at standard output: colour and relative times."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def paint(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    return click.style(text, fg=colour, bold=bold or None) if friendly() and (colour or bold) else text


def status(text: str) -> str:
    return paint(text, COLOURS.get(text))


def when(stamp: str, clock: Callable[[], datetime] = system_clock) -> str:
    """`3 hours ago` on a terminal; the stamp itself in a pipe, where it may be sorted and compared."""
    if not friendly() or not stamp:
        return stamp
    return ago((clock() - datetime.fromisoformat(stamp)).total_seconds())


def ago(seconds: float) -> str:
    for unit, size in _UNITS:
        count = int(seconds // size)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def stamp_of(seconds: int) -> str:
    """A time of git's (seconds) in the form of every time that we write."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def path(name: str) -> str:
    """A path on one line, quoted as git quotes it where it holds control characters, quotes or undecodable bytes."""
    plain = all(char.isprintable() and char not in '"\\' for char in name)
    if plain:
        return name
    return '"' + "".join(_escaped(char) for char in name) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else "".join(f"\\{byte:03o}" for byte in os.fsencode(char))


def line(text: str) -> str:
    """A line of a file: on a terminal without what would command it, in a pipe as it is."""
    if not friendly():
        return text
    return text.translate(
        {code: "\N{REPLACEMENT CHARACTER}" for first, last in _COMMANDS for code in range(first, last + 1)}
    )


def short(oid: str) -> str:
    return oid[:10]


def table(rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> str:
    """Left-aligned columns, two spaces between; colour codes take no room."""
    lines = [tuple(header), *rows] if header else list(rows)
    if not lines:
        return ""
    widths = [max(len(click.unstyle(cell)) for cell in column) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            cell + " " * (width - len(click.unstyle(cell))) for cell, width in zip(line, widths, strict=True)
        )
        for line in lines
    ]
    return "\n".join(line.rstrip() for line in shown)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
