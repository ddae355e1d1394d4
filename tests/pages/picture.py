"""docs/demo.svg: a part of the output of `devs-git demo` as a terminal shows it, with its colours.

The picture uses the monospaced font of its reader. Each piece of text is stretched to the same grid.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape

# The parts of the demo that are shown: each is the paragraph that has this command.
SHOWN: Final = (
    "devs-git task start 3 ",
    "devs-git rewind task-1 --dry-run",
    "devs-git rewind task-1",
    "devs-git undo",
)
LEAST_LINES, MOST_LINES, MOST_COLUMNS = 20, 40, 110
# In pixels; a character is as wide as 0.6 of the font size.
_SIZE, _WIDE, _HIGH, _MARGIN, _BAR = 14, 8.4, 20, 20, 36
_BACK, _BAR_BACK, _TEXT, _BOLD = "#0d1117", "#161b22", "#c9d1d9", "#f0f6fc"
_FONT: Final = (
    "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
)
_DOTS: Final = ("#ff5f56", "#ffbd2e", "#27c93f")
# The colours of a terminal by their numbers in an escape sequence.
_COLOURS: Final = {
    "31": "#ff7b72",
    "32": "#7ee787",
    "33": "#e3b341",
    "34": "#79c0ff",
    "35": "#d2a8ff",
    "36": "#56d4dd",
    "90": "#8b949e",
}
_STYLE: Final = re.compile(r"\x1b\[([0-9;]*)m")
_TITLE: Final = "devs-git demo: go back to a finished task, and return"


def terminal_output(command: list[str]) -> str:
    """What a command prints to a terminal, with its colours; CalledProcessError if it fails."""
    reader, terminal = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env=env)
    os.close(terminal)
    text = b""
    while True:
        try:
            part = os.read(reader, 1 << 16)
        except OSError:  # on Linux: no process has the terminal open any more
            break
        if not part:
            break
        text += part
    os.close(reader)
    if child.wait():
        raise subprocess.CalledProcessError(child.returncode, command, text)
    return text.decode().replace("\r\n", "\n")


def choose_lines(text: str) -> list[str]:
    """The lines of the demo for the picture, with their colours; ValueError if they are too many or too few."""
    paragraphs = re.split(r"\n(?:\x1b\[[0-9;]*m)*\n", text)
    found = [next(one for one in paragraphs if _has(one, command)) for command in SHOWN]
    lines = [line for one in found for line in ("", *one.strip("\n").split("\n"))][1:]
    widest = max(len(_STYLE.sub("", line)) for line in lines)
    if not LEAST_LINES <= len(lines) <= MOST_LINES or widest > MOST_COLUMNS:
        raise ValueError(
            f"The picture would have {len(lines)} lines of up to {widest} characters; choose other parts"
        )
    return lines


def _has(paragraph: str, command: str) -> bool:
    lines = _STYLE.sub("", paragraph).split("\n")
    return any(
        line == f"$ {command}" or (command.endswith(" ") and line.startswith(f"$ {command}"))
        for line in lines
    )


def spans(line: str) -> Iterator[tuple[int, str, str]]:
    """The visible parts of a line: the column of each, its text, and the SVG attributes of its colour."""
    style, column = f' fill="{_TEXT}"', 0
    for at, part in enumerate(_STYLE.split(line)):
        if at % 2:
            codes = part.split(";")
            colour = next((_COLOURS[code] for code in codes if code in _COLOURS), "")
            bold = "1" in codes
            style = f' fill="{colour or (_BOLD if bold else _TEXT)}"' + (
                ' font-weight="bold"' if bold else ""
            )
        else:
            if text := part.strip(" "):
                yield column + len(part) - len(part.lstrip(" ")), text, style
            column += len(part)


def _text(column: int, y: int, text: str, style: str) -> str:
    """One piece of text, stretched to the grid, because fonts are not equally wide."""
    return (
        f'<text x="{_MARGIN + column * _WIDE:.1f}" y="{y}"{style} xml:space="preserve" '
        f'textLength="{len(text) * _WIDE:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )


def draw(lines: list[str]) -> str:
    """The picture of these lines."""
    columns = max(len(_STYLE.sub("", line)) for line in lines)
    width = round(columns * _WIDE) + 2 * _MARGIN
    height = len(lines) * _HIGH + 2 * _MARGIN + _BAR
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-labelledby="title" font-family="{_FONT}" font-size="{_SIZE}">'
        ),
        f'<title id="title">{_TITLE}</title>',
        f'<rect width="{width}" height="{height}" rx="8" fill="{_BACK}"/>',
        f'<path d="M0 {_BAR}V8a8 8 0 0 1 8-8h{width - 16}a8 8 0 0 1 8 8v{_BAR - 8}z" fill="{_BAR_BACK}"/>',
    ]
    parts += [
        f'<circle cx="{20 + 20 * at}" cy="18" r="6" fill="{colour}"/>' for at, colour in enumerate(_DOTS)
    ]
    for at, line in enumerate(lines):
        y = _BAR + _MARGIN + at * _HIGH + _SIZE
        parts += [_text(column, y, text, style) for column, text, style in spans(line)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def page() -> str:
    """The picture of the demo's current output."""
    return draw(choose_lines(terminal_output([sys.executable, "-m", "devs_git", "demo"])))
