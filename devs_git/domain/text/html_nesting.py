"""A page as a browser builds it from the HTML of a Markdown text: what is open at a place, and what counts for all of it.

Read as browsers read, only more strictly: what is open in doubt counts as open.
"""

from __future__ import annotations

import re
from typing import Final

from devs_git.values import field, mutable

# A tag as browsers read it: quotes count behind an equals sign alone.
_BROWSER_TAG: Final = re.compile(
    r"<(/?)([A-Za-z][^\s/>]*+)((?>(?:[\s/]++|[^\s/>][^\s/>=]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+|(?=>))|(?!\s*=)))*+))>"
)
_ENDED: Final = "-"  # behind the name of an element in which Markdown went on
_UNFINISHED: Final = "<"  # the name of a tag without an end
_EMPTY_COMMENT: Final = re.compile(r"<!---?>")
_BOGUS: Final = re.compile(r"<[!?]|</[^A-Za-z]")
_BEGUN: Final = re.compile(r"</?[A-Za-z]")
_COMMENT_END: Final = re.compile(r"--!?>")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOID: Final = _names(
    "area br col embed hr img input keygen param source track wbr p"
)  # `p` ends where a block begins
_TEXT_ONLY: Final = _names("iframe noembed noframes plaintext script style textarea title xmp")
# Of these each one counts for the whole page, closed or not.
_GLOBAL: Final = _names("base body frameset head html link meta script style")
# What stands between an end tag and the element that it would end, as in a table's cell.
_BOUNDS: Final = _names("applet button caption marquee math object select svg table td template th")
_PARTS: Final = _names(
    "caption colgroup tbody td tfoot th thead tr"
)  # of a table; elsewhere they are ignored
_TABLES: Final = _names("select table template")
_FOREIGN: Final = _names("math svg")
# In SVG and MathML these hold HTML again; else an element of HTML ends what is foreign.
_INTEGRATING: Final = _names("annotation-xml desc foreignobject mi mn mo ms mtext title")
# Each of these ends a paragraph where it begins, so that the paragraph's end does not end it.
_BLOCKS: Final = _names(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol pre search section summary table ul"
)
_BREAKING: Final = _BLOCKS | _names(
    "b big body br code em embed head i img meta nobr p ruby s small span strong strike sub sup tt u var"
)
_CONTAINERS: Final = _names("blockquote li ol ul")  # whose own end tags end what is named as they are
# These go on in the next paragraph; they hide nothing, unless an attribute says so.
_PLAIN: Final = _names("a b big code em font i nobr s small strike strong tt u")
_DEEPEST: Final = 500  # elements within each other; browsers take no more either
_HIDING: Final = re.compile(r"(?:^|\s)(?:hidden|style|class|popover)(?:[\s=/]|$)", re.IGNORECASE)


@mutable
class Page:
    """The page as a browser builds it: what is open, and what counts for all of it."""

    stack: list[tuple[str, str]] = field(default_factory=list)  # name, and how a message calls it
    swallowing: str = ""  # the element whose text this is, or `<!--`
    everywhere: list[str] = field(default_factory=list)
    stray: bool = False  # something came that ends the paragraph or list around it
    fence: tuple[str, int, int] = ("", 0, 0)  # of a list or quote: its mark, column and depth of quotes

    def feed(self, html: str, floor: int) -> None:
        """HTML that reaches the page as it is. Its end tags end nothing below `floor` of the stack."""
        at = 0
        while at < len(html):
            at = self._swallow(html, at) if self.swallowing else self._next(html, at, floor)

    def _swallow(self, html: str, at: int) -> int:
        name = self.swallowing
        form = _COMMENT_END if name == "<!--" else re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
        found = form.search(html, at) if name != "plaintext" else None
        if name in _GLOBAL:
            self.everywhere.append(html[at : found.start() if found else len(html)].strip())
        if found is None:
            return len(html)
        self.swallowing = ""
        return found.end()

    def _next(self, html: str, at: int, floor: int) -> int:
        at = html.find("<", at)
        if at < 0:
            return len(html)
        if short := _EMPTY_COMMENT.match(html, at):
            return short.end()
        if html.startswith("<!--", at):
            self.swallowing = "<!--"
            return at + 4
        if _BOGUS.match(html, at):
            end = html.find(">", at)
            if end >= 0:
                return end + 1
            return self._unfinished(html, at)
        if tag := _BROWSER_TAG.match(html, at):
            self._tag(tag, floor)
            return tag.end()
        if _BEGUN.match(html, at):
            return self._unfinished(html, at)
        return at + 1

    def _unfinished(self, html: str, at: int) -> int:
        """A tag without its end takes from what follows whatever it finds."""
        self._open(_UNFINISHED, html[at:].partition("\n")[0][:40])
        return len(html)

    def _open(self, name: str, label: str) -> None:
        if len(self.stack) < _DEEPEST:
            self.stack.append((name, label))
        elif self.stack[-1][0] != _UNFINISHED:
            self.stack.append((_UNFINISHED, f"more than {_DEEPEST} elements"))

    def _tag(self, tag: re.Match[str], floor: int) -> None:
        name, rest = tag[2].lower(), tag[3]
        if tag[1]:
            if name in ("br", "p"):
                self.settle()
            self._close(name, floor)
            return
        if name in _GLOBAL:
            self.everywhere.append(tag[0])
        self.stray = self.stray or name in _BLOCKS
        if name in _BREAKING or (name == "font" and rest.strip()):
            self._break_out()
        if self._says_nothing(name, rest):
            return
        if name in _TEXT_ONLY and not self._is_foreign():
            self.swallowing = name
        elif not (rest.endswith("/") and (name in _FOREIGN or self._is_foreign())):
            self._open(name, " ".join(tag[0].split()))

    def _says_nothing(self, name: str, rest: str) -> bool:
        """Whether nothing stays open by this element that could hide what comes after it."""
        if name in _PARTS:
            return not any(one in _TABLES for one, _ in self.stack)
        if name in _PLAIN:
            return not _HIDING.search(rest)
        return name in _VOID or (name in _GLOBAL and name not in _TEXT_ONLY)

    def _break_out(self) -> None:
        """A block of HTML within SVG or MathML ends that, unless it stands where HTML may."""
        names = [one for one, _ in self.stack]
        inner = max((at for at, one in enumerate(names) if one in _INTEGRATING), default=-1)
        del self.stack[
            next((at for at in range(inner + 1, len(names)) if names[at] in _FOREIGN), len(names)) :
        ]

    def _is_foreign(self) -> bool:
        """Whether what begins here is SVG or MathML, where a slash ends an element at once."""
        at = next((one for one, _ in reversed(self.stack) if one in _FOREIGN or one in _INTEGRATING), "")
        return at in _FOREIGN

    def settle(self) -> None:
        """A block of Markdown begins: it is HTML. What was foreign stays in the list, because not every browser ends it here."""
        self.stack = [(one + _ENDED if one in _FOREIGN else one, label) for one, label in self.stack]

    def _close(self, name: str, floor: int) -> None:
        bounds = _TABLES if name in _PARTS or name == "table" else _BOUNDS
        if name in _FOREIGN or name not in _BLOCKS | _BOUNDS | _PARTS | _PLAIN:
            bounds |= _BLOCKS
        for at in range(len(self.stack) - 1, floor - 1, -1):
            if self.stack[at][0] in (name, name + _ENDED):
                # What formats text goes on behind the element in which it began; its own end ends no other.
                alone = name == "form" or name in _PLAIN
                self.stack[at:] = [one for one in self.stack[at + 1 :] if alone or one[0] in _PLAIN]
                return
            if self.stack[at][0] in bounds:
                return
        self.stray = self.stray or name not in _PLAIN

    def end(self, floor: int, *, paragraph: bool) -> None:
        """A paragraph, a list or a quote ends, and with it what was begun in it and cannot outlive it."""
        outlive = (*_BOUNDS, *_PLAIN, _UNFINISHED, *(_BLOCKS if paragraph else _CONTAINERS))
        keeps = (at for at in range(floor, len(self.stack)) if self.stray or self.stack[at][0] in outlive)
        del self.stack[floor : next(keeps, len(self.stack))]
        self.stray = False

    @property
    def around(self) -> tuple[str, ...]:
        last = (f"<{self.swallowing.strip('<')}",) if self.swallowing else ()
        return tuple(f"inside {one}" for one in (*(label for _, label in self.stack), *last))
