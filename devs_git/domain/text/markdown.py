"""The headings of a Markdown text as CommonMark has them, H1 to H6: `#` lines and underlined paragraphs.

None inside fenced code, indented code, HTML blocks, comments or front matter. Headings inside lists and quotes are part
of those and begin no section.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from devs_git.values import field, immutable, mutable

_ATX: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_CLOSING: Final = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_RULE: Final = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})")
_QUOTE: Final = re.compile(r" {0,3}> ?(.*)")
_ITEM: Final = re.compile(r"( {0,3})([-+*]|[0-9]{1,9}[.)])(?:([ \t]+)(.*))?")
_INDENTED: Final = re.compile(r"(?: {4}| {0,3}\t)")
_BLOCKS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_TAG: Final = re.compile(rf" {{0,3}}</?(?:{_BLOCKS})(?:[ \t]|/?>|$)", re.IGNORECASE)
_VALUE: Final = r"""(?:[^ \t"'=<>`]+|'[^']*'|"[^"]*")"""
_ATTRIBUTE: Final = rf"[ \t]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t]*=[ \t]*{_VALUE})?"
# The same within a paragraph, whose lines it may cross.
ATTRIBUTE: Final = r"""\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
_ANY_TAG: Final = re.compile(
    rf" {{0,3}}(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*"
)
_DEEP: Final = 100  # lists and quotes within each other that are told apart
_BLANK: Final = re.compile(r"^[ \t]*$")
# What begins an HTML block that only its own end closes.
_HTML: Final = (
    (re.compile(r" {0,3}<(?:pre|script|style|textarea)(?:[ \t>]|$)", re.IGNORECASE), re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
)  # fmt: skip


# What a line is: of an HTML block, of code, of a list or quote, of a paragraph or heading, or none of these.
RAW, CODE, IN, TEXT, NONE = "raw", "code", "in", "text", ""
Kind = tuple[str, int]  # which, and the number of its block where it is TEXT


@immutable
class Heading:
    """`start` is its first line, from 0."""

    start: int
    level: int
    title: str


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends: a line feed, a carriage return, or both. No other character ends one."""
    return re.findall(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+", text)


@mutable
class _Reader:
    """Where a reader of lines is: in which block that hides headings, and in which paragraph."""

    found: list[Heading] = field(default_factory=list)
    fence: str = ""
    until: re.Pattern[str] | None = (
        None  # the end of an HTML block; a blank line where it matches nothing else
    )
    paragraph: list[str] = field(default_factory=list)
    begun: int = 0
    contained: bool = (
        False  # a list's or quote's paragraph goes on with lines that no underline makes a heading
    )
    empty: bool = False  # the item has only its marker yet: a blank line ends it
    item: int = 0  # columns from which a line belongs to a list item; 0 outside of lists
    kinds: list[Kind] = field(default_factory=list)

    def read(self, at: int, line: str) -> None:
        kind = self._kind(at, line)
        self.kinds.append((kind, self.begun if kind == TEXT else 0))

    def _kind(self, at: int, line: str) -> str:
        if self.fence:
            self._in_fence(line)
            return CODE
        if self.until is not None:
            self.until = None if self.until.search(line) else self.until
            return RAW
        if not line.strip():
            self._leave()
            self.item = 0 if self.empty else self.item
            return NONE
        if self.item and _indent(line) >= self.item:
            self.empty = False
            return IN
        if self._opens(line):
            return CODE if self.fence else RAW
        return TEXT if self._heading(at, line) else self._text(at, line)

    def _leave(self) -> None:
        self.paragraph, self.contained = [], False

    def _end(self) -> None:
        """Something else begins: what was open is closed, lists too."""
        self._leave()
        self.item, self.empty = 0, False

    def _in_fence(self, line: str) -> None:
        match = _FENCE.fullmatch(line)
        if match and match[1].startswith(self.fence) and not match[2].strip():
            self.fence = ""

    def _opens(self, line: str) -> bool:
        """Whether a block begins here that hides headings."""
        match = _FENCE.fullmatch(line)
        if match and not (match[1][0] == "`" and "`" in match[2]):
            self._end()
            self.fence = match[1]
            return True
        for begin, end in _HTML:
            if opened := begin.match(line):
                self._end()
                self.until = None if end.search(line, opened.end()) else end
                return True
        if _TAG.match(line) or (not self.paragraph and not self.contained and _ANY_TAG.fullmatch(line)):
            self._end()
            self.until = _BLANK
            return True
        return False

    def _heading(self, at: int, line: str) -> bool:
        if match := _ATX.fullmatch(line):
            self._end()
            self.begun = at
            title = _CLOSING.sub("", match[2] or "").strip()
            self.found.append(Heading(at, len(match[1]), title))
            return True
        under = _UNDERLINE.fullmatch(line)
        if under and self.paragraph:
            title = " ".join(part.strip() for part in self.paragraph)
            self.found.append(Heading(self.begun, 1 if under[1][0] == "=" else 2, title))
            self._end()
            return True
        return False

    def _text(self, at: int, line: str) -> str:
        if _RULE.fullmatch(line):
            self._end()
            return NONE
        if match := _QUOTE.fullmatch(line):
            self._end()
            self.contained = _is_text(match[1])
            return IN
        if (match := _ITEM.fullmatch(line)) and self._may_begin(match):
            self._end()
            content = match[4] or ""
            # Four columns or more behind the marker are one, and an indented code block in the item.
            gap = len((match[3] or " ").expandtabs(4)) if content else 1
            self.item = len(match[1]) + len(match[2]) + (gap if gap <= 4 else 1)
            self.contained, self.empty = gap <= 4 and _is_text(content), not content
            return IN
        if self.paragraph:
            self.paragraph.append(line)
            return TEXT
        if self.contained:
            return IN
        self.item = 0
        if _INDENTED.match(line):
            return CODE
        self.paragraph, self.begun = [line], at
        return TEXT

    def _may_begin(self, match: re.Match[str]) -> bool:
        """A list interrupts a paragraph only with a first item that says something."""
        return not self.paragraph or (bool(match[4]) and match[2] in ("-", "+", "*", "1.", "1)"))


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" "))


def _is_text(content: str) -> bool:
    """Whether what stands behind a marker is a paragraph, which lines without the marker continue."""
    for _ in range(_DEEP):
        if not content.strip() or _INDENTED.match(content) or _RULE.fullmatch(content):
            break
        inner = _QUOTE.fullmatch(content) or _ITEM.fullmatch(content)
        if inner is None:
            break
        content = inner[inner.re.groups] or ""
    if not content.strip() or _INDENTED.match(content):
        return False
    return not any(form.fullmatch(content) for form in (_ATX, _RULE, _FENCE)) and not begins_html(content)


def begins_html(content: str) -> bool:
    """Whether an HTML block begins with this line, where no paragraph goes on."""
    return (
        any(begin.match(content) for begin, _ in _HTML)
        or bool(_TAG.match(content))
        or bool(_ANY_TAG.fullmatch(content))
    )


def headings(lines: Sequence[str]) -> tuple[Heading, ...]:
    """The headings among `lines` (their ends are ignored), in order."""
    return read(lines)[0]


def read(lines: Sequence[str]) -> tuple[tuple[Heading, ...], tuple[Kind, ...]]:
    """The headings among `lines` (their ends are ignored), in order, and what each line is."""
    bare = [line.rstrip("\r\n") for line in lines]
    reader = _Reader()
    begin = _after_front_matter(bare)
    for at in range(begin, len(bare)):
        reader.read(at, bare[at])
    return tuple(reader.found), (*((NONE, 0),) * begin, *reader.kinds)


def _after_front_matter(lines: Sequence[str]) -> int:
    """Where the text begins after YAML or TOML that stands first of all between two lines `---` or `+++`."""
    mark = lines[0].rstrip() if lines else ""
    if mark not in ("---", "+++"):
        return 0
    return next((at + 1 for at, line in enumerate(lines[1:], 1) if line.rstrip() == mark), 0)
