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
_UNFINISHED: Final = "<"  # the name of a tag without an end
_EMPTY_COMMENT: Final = re.compile(r"<!---?>")
_BOGUS: Final = re.compile(r"<[!?]|</[^A-Za-z]")
_BEGUN: Final = re.compile(r"</?[A-Za-z]")
_COMMENT_END: Final = re.compile(r"--!?>")
_VOID: Final = frozenset(
    ("area", "br", "col", "embed", "hr", "img", "input", "keygen", "param", "source", "track", "wbr", "p")
)  # `p` ends by itself where the next block begins
_TEXT_ONLY: Final = frozenset(
    ("iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp")
)
# Of these each one counts for the whole page, closed or not.
_GLOBAL: Final = frozenset(("base", "body", "frameset", "head", "html", "link", "meta", "script", "style"))
# What stands between an end tag and the element that it would end, as in a table's cell.
_BOUNDS: Final = frozenset(
    (
        "applet",
        "button",
        "caption",
        "marquee",
        "math",
        "object",
        "select",
        "svg",
        "table",
        "td",
        "template",
        "th",
    )
)
_PARTS: Final = frozenset(("caption", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr"))
_TABLES: Final = frozenset(("select", "table", "template"))  # the same for the parts of a table
_FOREIGN: Final = frozenset(("math", "svg"))
# Each of these ends a paragraph where it begins, so that the paragraph's end does not end it.
_BLOCKS: Final = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "center",
            "dd",
            "details",
            "dialog",
            "dir",
            "div",
            "dl",
            "dt",
        ),
        *(
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hgroup",
        ),
        *("li", "listing", "main", "menu", "nav", "ol", "pre", "search", "section", "summary", "ul"),
    )
)
# These go on in the next paragraph; they hide nothing, unless an attribute says so.
_PLAIN: Final = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
_HIDING: Final = re.compile(r"(?:^|\s)(?:hidden|style|class|popover)(?:[\s=/]|$)", re.IGNORECASE)


@mutable
class Page:
    """The page as a browser builds it: what is open, and what counts for all of it."""

    stack: list[tuple[str, str]] = field(default_factory=list)  # name, and how a message calls it
    swallowing: str = ""  # the element whose text this is, or `<!--`
    everywhere: list[str] = field(default_factory=list)
    stray: bool = False  # an end tag came that ended nothing of the block
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
            return end + 1 if end >= 0 else len(html)
        if tag := _BROWSER_TAG.match(html, at):
            self._tag(tag, floor)
            return tag.end()
        if _BEGUN.match(html, at):
            # A tag without its end takes from what follows whatever it finds.
            self.stack.append((_UNFINISHED, html[at:].partition("\n")[0][:40]))
            return len(html)
        return at + 1

    def _tag(self, tag: re.Match[str], floor: int) -> None:
        name, rest = tag[2].lower(), tag[3]
        if tag[1]:
            self._close(name, floor)
            return
        if name in _GLOBAL:
            self.everywhere.append(tag[0])
        if name in _TEXT_ONLY:
            self.swallowing = name
        elif name in _VOID or name in _GLOBAL or (name in _PLAIN and not _HIDING.search(rest)):
            return
        elif not (rest.endswith("/") and self._is_foreign(name)):
            self.stack.append((name, " ".join(tag[0].split())))

    def _is_foreign(self, name: str) -> bool:
        """Whether an element is SVG or MathML, where a slash ends it at once."""
        return name in _FOREIGN or any(opened in _FOREIGN for opened, _ in self.stack)

    def _close(self, name: str, floor: int) -> None:
        bounds = _TABLES if name in _PARTS else _BOUNDS
        for at in range(len(self.stack) - 1, floor - 1, -1):
            if self.stack[at][0] == name:
                del self.stack[at:]
                return
            if self.stack[at][0] in bounds:
                return
        self.stray = self.stray or name not in _PLAIN

    def end(self, floor: int, *, paragraph: bool) -> None:
        """A paragraph, a list or a quote ends, and with it what was begun in it and cannot outlive it."""
        outlive = (*_BOUNDS, *_PLAIN, _UNFINISHED, *(_BLOCKS if paragraph else ()))
        keeps = (at for at in range(floor, len(self.stack)) if self.stray or self.stack[at][0] in outlive)
        del self.stack[floor : next(keeps, len(self.stack))]
        self.stray = False

    @property
    def around(self) -> tuple[str, ...]:
        last = (f"<{self.swallowing.strip('<')}",) if self.swallowing else ()
        return tuple(f"inside {one}" for one in (*(told for _, told in self.stack), *last))
