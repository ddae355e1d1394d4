"""The headings of a Markdown text as CommonMark has them, H1 to H6: `#` lines and underlined paragraphs.

None inside fenced code, indented code, HTML blocks, comments or front matter. Headings inside lists and quotes are part
of those and begin no section.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_CLOSING: Final = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_RULE: Final = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})")
_CONTAINER: Final = re.compile(r" {0,3}(?:>|[-+*](?:[ \t]|$)|[0-9]{1,9}[.)](?:[ \t]|$))")
_INDENTED: Final = re.compile(r"(?: {4}| {0,3}\t)")
_TAG: Final = re.compile(r" {0,3}</?[A-Za-z][A-Za-z0-9-]*(?:[ \t/>]|$)")
# What begins an HTML block that only its own end closes.
_HTML: Final = (
    (re.compile(r" {0,3}<(?:pre|script|style|textarea)(?:[ \t>]|$)", re.IGNORECASE), re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
)  # fmt: skip


@dataclass(frozen=True)
class Heading:
    """`start` is its first line, from 0."""

    start: int
    level: int
    title: str


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


@dataclass
class _Reader:
    """Where a reader of lines is: in which block that hides headings, and in which paragraph."""

    found: list[Heading] = field(default_factory=list)
    fence: str = ""
    until: re.Pattern[str] | None = (
        None  # the end of an HTML block; a blank line where it matches nothing else
    )
    paragraph: list[str] = field(default_factory=list)
    begun: int = 0
    contained: bool = False  # in a list or quote, whose lines no underline makes a heading

    def read(self, at: int, line: str) -> None:
        if self.fence:
            self._in_fence(line)
        elif self.until is not None:
            self.until = None if self.until.search(line) else self.until
        elif not line.strip():
            self._leave()
        elif not (self._opens(line) or self._heading(at, line)):
            self._text(at, line)

    def _leave(self) -> None:
        self.paragraph, self.contained = [], False

    def _in_fence(self, line: str) -> None:
        match = _FENCE.fullmatch(line)
        if match and match[1].startswith(self.fence) and not match[2].strip():
            self.fence = ""

    def _opens(self, line: str) -> bool:
        """Whether a block begins here that hides headings."""
        match = _FENCE.fullmatch(line)
        if match and not (match[1][0] == "`" and "`" in match[2]):
            self._leave()
            self.fence = match[1]
            return True
        for begin, end in _HTML:
            if opened := begin.match(line):
                self._leave()
                self.until = None if end.search(line, opened.end()) else end
                return True
        if _TAG.match(line) and not self.paragraph:
            self._leave()
            self.until = re.compile(r"^[ \t]*$")
            return True
        return False

    def _heading(self, at: int, line: str) -> bool:
        if match := _ATX.fullmatch(line):
            self._leave()
            title = _CLOSING.sub("", match[2] or "").strip()
            self.found.append(Heading(at, len(match[1]), title))
            return True
        under = _UNDERLINE.fullmatch(line)
        if under and self.paragraph:
            title = " ".join(part.strip() for part in self.paragraph)
            self.found.append(Heading(self.begun, 1 if under[1][0] == "=" else 2, title))
            self._leave()
            return True
        return False

    def _text(self, at: int, line: str) -> None:
        if _RULE.fullmatch(line):
            self._leave()
        elif _CONTAINER.match(line):
            self.paragraph, self.contained = [], True
        elif self.paragraph:
            self.paragraph.append(line)
        elif not self.contained and not _INDENTED.match(line):
            self.paragraph, self.begun = [line], at


def headings(lines: Sequence[str]) -> tuple[Heading, ...]:
    """The headings among `lines` (their ends are ignored), in order."""
    bare = [line.rstrip("\r\n") for line in lines]
    reader = _Reader()
    for at in range(_after_front_matter(bare), len(bare)):
        reader.read(at, bare[at])
    return tuple(reader.found)


def _after_front_matter(lines: Sequence[str]) -> int:
    """Where the text begins after YAML or TOML that stands first of all between two lines `---` or `+++`."""
    mark = lines[0].rstrip() if lines else ""
    if mark not in ("---", "+++"):
        return 0
    return next((at + 1 for at, line in enumerate(lines[1:], 1) if line.rstrip() == mark), 0)
