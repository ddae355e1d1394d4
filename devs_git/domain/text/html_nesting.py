"""A page as a browser builds it from the HTML of a Markdown text: which elements are open at a place, and which affect it all.

HTML is read as browsers read it, but in doubt an element counts as open.
"""

from __future__ import annotations

import re
from typing import Final

from devs_git.values import field, immutable, mutable

# A tag as browsers read it: quotes have a meaning only after an equals sign.
_BROWSER_TAG: Final = re.compile(
    r"<(/?)([A-Za-z][^\s/>]*+)((?>(?:[\s/]++|[^\s/>][^\s/>=]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+|(?=>))|(?!\s*=)))*+))>"
)
# After the name of an element that Markdown text interrupted.
_ENDED: Final = "-"
# The name of a tag without an end.
_UNFINISHED: Final = "<"
_EMPTY_COMMENT: Final = re.compile(r"<!---?>")
_BOGUS: Final = re.compile(r"<[!?]|</[^A-Za-z]")
_BEGUN: Final = re.compile(r"</?[A-Za-z]")
_COMMENT_END: Final = re.compile(r"--!?>")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# `p` ends where a block begins.
_VOID: Final = _names("area br col embed hr img input keygen param source track wbr p")
_TEXT_ONLY: Final = _names("iframe noembed noframes plaintext script style textarea title xmp")
# Each of these affects the whole page, closed or not.
_GLOBAL: Final = _names("base body frameset head html link meta script style")
# An end tag does not close an element outside of these, such as a table's cell.
_BOUNDS: Final = _names("applet button caption marquee math object select svg table td template th")
# Of a table; ignored elsewhere.
_PARTS: Final = _names("caption colgroup tbody td tfoot th thead tr")
_TABLES: Final = _names("select table template")
_FOREIGN: Final = _names("math svg")
# In SVG and MathML these contain HTML again. Elsewhere an HTML element ends the SVG or MathML.
_INTEGRATING: Final = _names("annotation-xml desc foreignobject mi mn mo ms mtext title")
# Each of these ends the paragraph in which it begins, so the end of that paragraph does not end it.
_BLOCKS: Final = _names(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol pre search section summary table ul"
)
_BREAKING: Final = _BLOCKS | _names(
    "b big body br code em embed head i img meta nobr p ruby s small span strong strike sub sup tt u var"
)
# Only their own end tags end them.
_CONTAINERS: Final = _names("blockquote li ol ul")
# These continue in the next paragraph. They hide nothing, unless an attribute says so.
_PLAIN: Final = _names("a b big code em font i nobr s small strike strong tt u")
# Nested elements; browsers have a limit near this, too.
_DEEPEST: Final = 500
_HIDING: Final = re.compile(r"(?:^|\s)(?:hidden|style|class|popover)(?:[\s=/]|$)", re.IGNORECASE)


@immutable
class Fence:
    """An open fence in a list or quote: its mark ('' for none), column, and depth of quotes."""

    mark: str = ""
    column: int = 0
    quotes: int = 0


@mutable
class Page:
    """The page as a browser builds it: which elements are open, and which affect all of it."""

    # The name, and how messages show it.
    stack: list[tuple[str, str]] = field(default_factory=list)
    # The element whose plain text is being read, or `<!--`.
    swallowing: str = ""
    everywhere: list[str] = field(default_factory=list)
    # A tag ended the paragraph or list around it.
    stray: bool = False
    fence: Fence = field(default_factory=Fence)

    def feed(self, html: str, floor: int) -> None:
        """Read HTML that is on the page as it is. Its end tags close nothing below `floor` of the stack."""
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
        """A tag without its `>`: what follows it may belong to it."""
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
        """Whether this element leaves nothing open that could hide what comes after it."""
        if name in _PARTS:
            return not any(one in _TABLES for one, _ in self.stack)
        if name in _PLAIN:
            return not _HIDING.search(rest)
        return name in _VOID or (name in _GLOBAL and name not in _TEXT_ONLY)

    def _break_out(self) -> None:
        """A block of HTML inside SVG or MathML ends that, except where HTML is allowed."""
        names = [one for one, _ in self.stack]
        inner = max((at for at, one in enumerate(names) if one in _INTEGRATING), default=-1)
        del self.stack[
            next((at for at in range(inner + 1, len(names)) if names[at] in _FOREIGN), len(names)) :
        ]

    def _is_foreign(self) -> bool:
        """Whether the place is in SVG or MathML, where a slash ends an element at once."""
        at = next((one for one, _ in reversed(self.stack) if one in _FOREIGN or one in _INTEGRATING), "")
        return at in _FOREIGN

    def settle(self) -> None:
        """A block of Markdown begins, which is HTML. SVG and MathML stay in the list, because not every browser ends them here."""
        self.stack = [(one + _ENDED if one in _FOREIGN else one, label) for one, label in self.stack]

    def _close(self, name: str, floor: int) -> None:
        bounds = _TABLES if name in _PARTS or name == "table" else _BOUNDS
        if name in _FOREIGN or name not in _BLOCKS | _BOUNDS | _PARTS | _PLAIN:
            bounds |= _BLOCKS
        for at in range(len(self.stack) - 1, floor - 1, -1):
            if self.stack[at][0] in (name, name + _ENDED):
                # Formatting continues after the element in which it began, and its end tag closes no other element.
                alone = name == "form" or name in _PLAIN
                self.stack[at:] = [one for one in self.stack[at + 1 :] if alone or one[0] in _PLAIN]
                return
            if self.stack[at][0] in bounds:
                return
        self.stray = self.stray or name not in _PLAIN

    def end(self, floor: int, *, paragraph: bool) -> None:
        """A paragraph, list or quote ends, and with it all elements that end with it."""
        outlive = (*_BOUNDS, *_PLAIN, _UNFINISHED, *(_BLOCKS if paragraph else _CONTAINERS))
        keeps = (at for at in range(floor, len(self.stack)) if self.stray or self.stack[at][0] in outlive)
        del self.stack[floor : next(keeps, len(self.stack))]
        self.stray = False

    @property
    def around(self) -> tuple[str, ...]:
        last = (f"<{self.swallowing.strip('<')}",) if self.swallowing else ()
        return tuple(f"inside {one}" for one in (*(label for _, label in self.stack), *last))
