"""How other sections change what a reader of the rendered page sees of a section.

Markdown passes HTML on. A `<div hidden>` or `<!--` that one section opens and does not close hides what comes after it. A
`<style>` affects the whole page. Another section may define a link's target. `around` says for each section which
elements of other sections affect it, so that a comparison of two texts finds such a change.

HTML is read as browsers read it, but in doubt an element counts as open. Where styles move text on the page is not read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.domain.text.html_blocks import ATTRIBUTE, begins_html
from devs_git.domain.text.html_nesting import Fence, Page
from devs_git.domain.text.markdown import CODE, IN, NONE, RAW, TEXT, Kind

_NAME: Final = r"[A-Za-z][A-Za-z0-9-]*"
_TAG: Final = re.compile(rf"<{_NAME}(?:{ATTRIBUTE})*\s*/?>|</{_NAME}\s*>")
# What else begins with `<` and is passed on as HTML, and how it ends.
_OTHERS: Final = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_SPECIAL: Final = re.compile(r"`+|[\\<]")
_TICKS: Final = re.compile(r"`+")
_PREFIX: Final = re.compile(r"(?:[ \t]|>|[-+*](?=[ \t])|[0-9]{1,9}[.)](?=[ \t]))*")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})(.*)")
_DELIMITERS: Final = re.compile(r"[ \t>]*+\|?+[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")
_DEFINITION: Final = re.compile(r"[ \t>]{0,12}\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*(.*)", re.DOTALL)
_LABEL: Final = re.compile(r"\[((?:[^\[\]\\]|\\.)+)\]")


def around(lines: Sequence[str], kinds: Sequence[Kind], starts: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """For each section what affects it from outside, () if nothing does. Sections begin at the lines `starts`, in order."""
    whole = "".join(lines)
    defined = _defined(lines, kinds) if "]:" in whole else {}
    inside = _inside(lines, kinds, starts) if "<" in whole else [()] * len(starts)
    ends = [*starts[1:], len(lines)][: len(starts)]
    used = (_used("".join(lines[start:end]), defined) for start, end in zip(starts, ends, strict=True))
    return tuple((*one, *labels) for one, labels in zip(inside, used, strict=True))


def _inside(lines: Sequence[str], kinds: Sequence[Kind], starts: Sequence[int]) -> list[tuple[str, ...]]:
    page, found = Page(), dict[int, tuple[str, ...]]()
    wanted = set(starts)
    for first, kind, block in _blocks(lines, kinds, wanted):
        if first in wanted:
            found[first] = page.around
        _feed(page, kind, block)
    everywhere = tuple(f"under {one}" for one in page.everywhere)
    return [(*found.get(start, ()), *everywhere) for start in starts]


def _blocks(
    lines: Sequence[str], kinds: Sequence[Kind], wanted: set[int]
) -> Iterator[tuple[int, str, list[str]]]:
    """Blocks of lines, with the number of the first line and their kind. A block begins at each line of `wanted`."""
    first = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or kinds[at] != kinds[first] or at in wanted:
            yield first, kinds[first][0], list(lines[first:at])
            first = at


def _feed(page: Page, kind: str, block: list[str]) -> None:
    if kind not in (IN, NONE):
        page.fence = Fence()
    if kind == RAW:
        page.feed("".join(block), 0)
    if kind not in (TEXT, IN):
        return
    page.settle()
    begun = len(page.stack)
    table = any(_DELIMITERS.fullmatch(line.rstrip("\r\n")) and re.search(r"[|:]", line) for line in block[1:])
    pieces = list(_inline("".join(block))) if kind == TEXT else list(_contained(page, block))
    # A code span in a cell ends with the cell.
    if table:
        known = frozenset(pieces)
        cells = (cell for line in block for cell in re.split(r"(?<!\\)\|", line))
        pieces += [piece for cell in cells for piece in _inline(cell) if piece not in known]
    for piece in pieces:
        page.feed(piece, begun if table else 0)
    page.end(min(begun, len(page.stack)), paragraph=kind == TEXT)


def _inline(text: str) -> Iterator[str]:
    """The HTML in the text of one paragraph: complete tags and comments that are not escaped and in no code span."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        runs.setdefault(len(run[0]), []).append(run.start())
    at, gone = 0, set[str]()
    while found := _SPECIAL.search(text, at):
        at = found.end()
        if found[0][0] == "\\":
            at += 1
        elif found[0][0] == "`":
            same = runs.get(len(found[0]), [])
            place = bisect_left(same, at)
            at = same[place] + len(found[0]) if place < len(same) else at
        elif whole := _handed_on(text, found.start(), gone):
            yield whole
            at = found.start() + len(whole)


def _handed_on(text: str, at: int, gone: set[str]) -> str:
    """The tag or comment that begins here, '' if none does. `gone` are the ends that the rest of the text does not have."""
    if tag := _TAG.match(text, at):
        return tag[0]
    for begin, end in _OTHERS:
        if (
            end not in gone
            and text.startswith(begin, at)
            and (begin != "<!" or text[at + 2 : at + 3].isalpha())
        ):
            place = text.find(end, at + len(begin))
            if place >= 0:
                return text[at : place + len(end)]
            gone.add(end)
    return ""


def _contained(page: Page, block: list[str]) -> Iterator[str]:
    """The HTML in lists and quotes. Their blocks are not distinguished, but fenced code and code spans of one line are left out.

    After a line that begins with a tag everything is taken as it is, as in an HTML block.
    """
    text, raw = list[str](), ""
    for line in block:
        prefix = _PREFIX.match(line)
        assert prefix
        bare = line[prefix.end() :].rstrip("\r\n")
        # A fence begins after markers of lists and quotes. Its other lines begin with spaces and markers of quotes.
        column, quotes = len(prefix[0].expandtabs(4)), prefix[0].count(">")
        depth = len(line) - len(line.lstrip(" \t>"))
        mark, fence = _FENCE.fullmatch(bare), page.fence
        if raw:
            raw += bare + "\n"
        elif fence.mark and depth >= fence.column and quotes >= fence.quotes:
            if mark and mark[1].startswith(fence.mark) and not mark[2].strip():
                page.fence = Fence()
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            page.fence = Fence(mark[1], column, quotes)
        else:
            page.fence = Fence()
            if begins_html(bare):
                raw = bare + "\n"
            else:
                text.append(_without_code(bare))
    yield from _inline("\n".join(text))
    if raw:
        yield raw


def _without_code(line: str) -> str:
    """A line without its code spans and escapes."""
    return re.sub(r"\\.|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", " ", line)


def _defined(lines: Sequence[str], kinds: Sequence[Kind]) -> dict[str, str]:
    """The labels of links and footnotes, and what they mean. Of two definitions the first counts."""
    found: dict[str, str] = {}
    for at, line in enumerate(lines):
        match = _DEFINITION.match(line) if kinds[at][0] not in (CODE, RAW) else None
        if match:
            follows = lines[at + 1] if at + 1 < len(lines) else ""
            found.setdefault(_key(match[1]), " ".join((match[2] or follows).split()))
    return found


def _used(text: str, defined: dict[str, str]) -> tuple[str, ...]:
    """The labels in a section's text, with their meaning."""
    labels = dict.fromkeys(_key(one) for one in _LABEL.findall(text)) if defined else ()
    return tuple(f"with [{label}] as {defined[label]}" for label in labels if label in defined)


def _key(label: str) -> str:
    return " ".join(label.split()).casefold()
