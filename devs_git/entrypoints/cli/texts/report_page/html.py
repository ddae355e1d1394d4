"""Texts of others in HTML: they stay text, whatever they contain."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from devs_git.domain.text.plain_text import printable

# Code points that no HTML document may have, beside the control characters, which `printable` writes out.
_NONCHARACTERS: Final = re.compile(
    "[\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
    + "]"
)
# The times of events are to the millisecond; a reader needs the minute.
_MINUTE: Final = 16
_SHORT: Final = 12
# Bytes of HTML: a longer text of others is cut, because one title shall not fill the page.
LONG: Final = 240
_SHORT_TEXT: Final = 60


def text(value: str, most: int = LONG, allowed: str = "") -> str:
    """A text for an element or a quoted attribute, in at most `most` bytes, without the mark of a cut.

    Characters that command a terminal, or the direction of text, are written out.
    """
    length = min(len(value), most)
    shown = _escaped(value[:length], allowed)
    # An escape is longer than its character. A cut through the finished HTML could divide an escape.
    while (size := len(shown.encode())) > most:
        length = length * most // size
        shown = _escaped(value[:length], allowed)
    return shown if length == len(value) else f"{shown}…"


def _escaped(value: str, allowed: str) -> str:
    shown = _NONCHARACTERS.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(value, allowed))
    return html.escape(shown)


def name(value: str, most: int = LONG) -> str:
    """A text of others within a line. Its direction does not change that of what stands around it."""
    return f"<bdi>{text(value, most)}</bdi>"


def link(name_: str, anchors: Mapping[str, str]) -> str:
    """The name of a task or gate, with a link to its part of the page if it has one; '' for no name."""
    if not name_:
        return ""
    return f'<a href="#{anchors[name_]}">{name(name_)}</a>' if name_ in anchors else name(name_)


def word(value: str) -> str:
    """A short text: a status, a role, a name of ours."""
    return text(value, _SHORT_TEXT)


def paragraph(value: str, most: int) -> str:
    """A text of several lines, as it was written."""
    return f'<p class="said" dir="auto">{text(value, most, chr(10))}</p>'


def code(value: str, most: int = LONG) -> str:
    return f"<code>{text(value, most)}</code>"


def oid(value: str) -> str:
    return code(value[:_SHORT]) if value else "none"


def when(stamp: str) -> str:
    """A time of an event: `2001-02-03 04:05` in UTC."""
    return word(stamp[:_MINUTE].replace("T", " "))


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """A list of names and values, which are HTML already. Rows without a value are left out."""
    shown = "".join(f"<dt>{name_}</dt><dd>{value}</dd>" for name_, value in rows if value)
    return f"<dl>{shown}</dl>"


def table(caption: str, titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first cell of each row is its header. Cells are HTML already."""
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    return (
        f'<div class="wide"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
