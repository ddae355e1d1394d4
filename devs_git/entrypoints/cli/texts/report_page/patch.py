"""A patch as HTML: the lines that were added and removed are marked as such, for eyes and for screen readers."""

from __future__ import annotations

from typing import Final

from devs_git.entrypoints.cli.texts.report_page import html

_KINDS: Final = {"+": "ins", "-": "del", "@": "b", "d": "b"}
# A longer line, such as that of a minified file, is cut.
_LONGEST: Final = 2000


def render(patch: str, most: int) -> tuple[str, bool]:
    """The patch in at most `most` bytes, cut at the end of a line; and whether it is whole."""
    parts: list[str] = []
    held, used, whole = "", 0, True
    for line in patch.removesuffix("\n").split("\n") if patch else ():
        kind = _KINDS.get(line[:1], "")
        shown = html.text(line, _LONGEST, "\t") + "\n"
        # A run of lines of one kind is one element.
        switch = "" if kind == held else f"</{held}>" * bool(held) + f"<{kind}>" * bool(kind)
        used += len(shown.encode()) + len(switch)
        if used + len(f"</{kind}>") > most:
            whole = False
            break
        parts += (switch, shown)
        held = kind
    return "".join(parts) + (f"</{held}>" if held else ""), whole
