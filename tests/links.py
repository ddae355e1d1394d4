"""Links of the pages in Markdown: where each leads, and whether something is there.

A link to another site is not followed: a test does not depend on a network.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote

_CODE: Final = re.compile(r"^(`{3,}|~{3,}).*?^\1[^\n]*$|(`+)(?!`).+?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
_LINK: Final = re.compile(
    r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|<(?:a|img)\s[^>]*?(?:href|src)=\"([^\"]+)\""
)
_REFERENCE: Final = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)", re.MULTILINE)
_ELSEWHERE: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_ANCHOR: Final = re.compile(r"<a\s[^>]*?(?:id|name)=\"([^\"]+)\"")
_FENCED: Final = re.compile(r"^(`{3,}|~{3,}).*?^\1[^\n]*$", re.DOTALL | re.MULTILINE)


def pages(top: Path) -> list[Path]:
    """Every page in Markdown that git knows below `top`, with those that are new and not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    listed = subprocess.run(command, cwd=top, capture_output=True, text=True, check=True).stdout
    return [top / name for name in sorted(set(listed.split("\0"))) if name and (top / name).is_file()]


def targets(text: str) -> list[str]:
    """Where the links of a page lead, in the page's order. Links in code do not count."""
    plain = _CODE.sub("", text)
    found = [inline or tag for inline, tag in _LINK.findall(plain)]
    return [*found, *_REFERENCE.findall(plain)]


def anchors(text: str) -> set[str]:
    """The names that a forge gives to the headings of a page, and those that the page gives itself."""
    plain = _FENCED.sub("", text)
    names: dict[str, int] = {}
    found = set(_ANCHOR.findall(plain))
    for heading in _HEADING.findall(plain):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        count = names.get(name, 0)
        names[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def broken(top: Path) -> Iterator[str]:
    """`page: target` of each link that leads nowhere: no such file, or no such heading."""
    for page in pages(top):
        for target in targets(page.read_text(encoding="utf-8")):
            if not _ELSEWHERE.match(target) and not _there(top, page, target):
                yield f"{page.relative_to(top)}: {target}"


def _there(top: Path, page: Path, target: str) -> bool:
    path, _, anchor = unquote(target).partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists() or not file.is_relative_to(top.resolve()):
        return False
    return not anchor or (file.suffix == ".md" and anchor in anchors(file.read_text(encoding="utf-8")))
