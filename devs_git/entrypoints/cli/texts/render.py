"""Tables, times, paths and colours for people. On a terminal times are relative; in a pipe, or with NO_COLOR, all is exact."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime

from devs_git.domain.text.plain_text import COMMANDING
from devs_git.entrypoints.console import for_person, on_terminal, paint, width
from devs_git.values import TYPE_CHECKING, Final
from devs_git.workspace import system_clock

if TYPE_CHECKING:
    from typing import TextIO

    from devs_git.domain.verbs import VerbResult

COLOURS: Final = {
    "completed": "green",
    "recorded": "green",
    "active": "cyan",
    "rewound": "bright_black",
    "replaced": "bright_black",
    "dropped": "bright_black",
    "abandoned": "bright_black",
    "added": "green",
    "deleted": "red",
    "modified": "yellow",
    "renamed": "magenta",
}
_LABEL: Final = 18  # columns before the text of a line of a plan
_UNITS: Final = (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60))
_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def status_word(text: str) -> str:
    return paint(text, COLOURS.get(text))


def state_words(state: str) -> str:
    """The state of a checkpoint (`rows.Row.state`): its status in colour, then the place of its commit."""
    status, comma, place = state.partition(",")
    word, space, here = status.partition(" ")
    return status_word(word) + space + here + comma + place


def when(stamp: str, clock: Callable[[], datetime] = system_clock) -> str:
    """`3 hours ago` on a terminal; in a pipe the stamp itself, which programs can sort and compare."""
    if not for_person() or not stamp:
        return stamp
    return ago((clock() - datetime.fromisoformat(stamp)).total_seconds())


def ago(seconds: float) -> str:
    for unit, size in _UNITS:
        count = int(seconds // size)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def path(name: str) -> str:
    """A path on one line. If it has control characters, quotes or undecodable bytes, it is quoted as git does it."""
    plain = not COMMANDING.search(name) and '"' not in name and "\\" not in name
    if plain:
        return name
    return '"' + "".join(_escaped(char) for char in name) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(char)) if COMMANDING.match(char) else char


def short(oid: str) -> str:
    return oid[:10]


def unique_beginnings(ids: Sequence[str], least: int = 8) -> list[str]:
    """The ids as a person types them back: on a terminal as many characters as tell these apart, at least `least`; else whole."""
    if not on_terminal():
        return list(ids)
    length = least
    while len({one[:length] for one in ids}) < len(set(ids)):
        length += 1
    return [one[:length] for one in ids]


def table(
    rows: Sequence[Sequence[str]],
    titles: Sequence[str] = (),
    *,
    cuttable: Sequence[str] = (),
    leave: Sequence[str] = (),
    titles_in_pipes: bool = False,
) -> str:
    """Left-aligned columns with two spaces between them; colour codes do not count.

    On a terminal a table is as wide as it at most (`cuttable` and `leave`: see `fitted_table`), and has its titles. In a pipe
    all cells are whole. Without titles, rows are names with values.
    """
    if not rows:
        return ""
    if on_terminal():
        from devs_git.entrypoints.cli.screen import fitted_table, size

        if titles:
            return "\n".join(
                fitted_table.fit_table(rows, titles, size.columns(), cuttable=cuttable, leave=leave)
            )
        if len(rows[0]) == 2:
            return "\n".join(fitted_table.facts(rows, size.columns()))
    lines = [tuple(titles), *rows] if titles and titles_in_pipes else list(rows)
    widths = [max(map(width, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(cell + " " * (wide - width(cell)) for cell, wide in zip(line, widths, strict=True))
        for line in lines
    ]
    return "\n".join(line.rstrip() for line in shown)


def fold(text: str, stream: TextIO | None = None) -> str:
    """Sentences in lines of the terminal's width; in a pipe each stays one line. A line of a plan goes on below its text.

    A command at the end of a line stays whole, to be copied. `stream`: where the text goes, by default standard output.
    """
    if not on_terminal(stream):
        return text
    from devs_git.entrypoints.cli.screen import size

    room = size.columns(stream)
    return "\n".join(_folded(line, room) for line in text.split("\n"))


def _folded(line: str, room: int) -> str:
    label = line[:_LABEL] if line.startswith("  ") and line[:_LABEL].endswith("  ") else ""
    text, room = line.removeprefix(label), room - len(label)
    if not 0 < room < width(text) or text.startswith(" "):
        return line
    from devs_git.entrypoints.cli.screen.fitted_table import fold_words

    said, colon, command = text.rpartition(": ")
    if command.startswith(("devs-git ", "git ")):
        lines = [*fold_words(f"{said}{colon.rstrip()}", room), f"  {command}"]
    else:
        lines = fold_words(text, room)
    return label + f"\n{' ' * len(label)}".join(lines)


def blocked_lines(result: VerbResult) -> list[str]:
    """The refusals that a dry run foresees for the real command."""
    found = []
    for error in result.blocked_by:
        found += [
            f"  BLOCKED         {error['code']}: {error['message']}",
            f"                  {error['hint']}",
        ]
    return found


def next_page_line(command: str, cursor: str, usual: Sequence[str] = ()) -> str:
    """The line after a list that names the command of its next page; '' without a cursor. `usual`: see `next_page`."""
    if not cursor:
        return ""
    from devs_git.entrypoints.cli.texts import next_page  # most lists have one page

    return next_page.line(command, cursor, usual)


def some_names(names: Sequence[str], count: int) -> str:
    """The first ten of `count` paths on one line, and how many more there are. `names` may be cut, too."""
    shown = names[:10]
    more = f" and {count - len(shown)} more" if count > len(shown) else ""
    return ", ".join(map(path, shown)) + more


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
