"""What a purge looks for, in each form in which it can stand somewhere, and what it found.

A text is found as it is, and as JSON writes it, once or twice, since payloads of clients hold JSON inside of JSON. A
file is looked for by all of its versions: as a whole, and by each of their lines that says enough.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Final

from devs_git.values import immutable

# Characters of a text that is asked for.
SHORTEST: Final = 4
# Characters of a whole file, and of one of its lines, that are looked for.
_WHOLE, _LINE = 6, 12
# Of a file whose lines are looked for one by one.
_LINES: Final = 1000


@immutable
class Dropped:
    """A ref of ours that goes, and what it holds; `kind` is backup, snapshot, preserved, checkpoint or branch."""

    ref: str
    oid: str
    kind: str


@immutable
class Left:
    """What still holds it and is not ours to take, and the command that does."""

    what: str
    command: str


def of_file(contents: Iterable[bytes]) -> tuple[bytes, ...]:
    """What to look for of a file's versions."""
    found: dict[bytes, None] = {}
    for content in contents:
        whole = content.strip()
        if len(whole) >= _WHOLE:
            found[whole] = None
        lines = content.splitlines()
        if b"\0" not in content and len(lines) <= _LINES:
            found |= dict.fromkeys(line.strip() for line in lines if len(line.strip()) >= _LINE)
    return tuple(found)


def tells(content: bytes) -> bool:
    """Whether a file with this content is known by it, wherever it stands."""
    return len(content.strip()) >= _WHOLE


def forms(texts: Iterable[bytes]) -> tuple[bytes, ...]:
    """Every form of the texts; the shortest ones stand for the longer ones that hold them."""
    found: set[bytes] = set()
    for text in texts:
        found.add(text)
        readable = text.decode("utf-8", "surrogateescape")
        for ascii_only in (True, False):
            once = json.dumps(readable, ensure_ascii=ascii_only)[1:-1]
            twice = json.dumps(once, ensure_ascii=ascii_only)[1:-1]
            found |= {each.encode("utf-8", "surrogateescape") for each in (once, twice)}
    kept: list[bytes] = []
    for form in sorted(found, key=lambda each: (len(each), each)):
        if not any(short in form for short in kept):
            kept.append(form)
    return tuple(kept)


def holds(data: bytes, forms: Iterable[bytes]) -> bool:
    """Whether one of the forms stands in the data."""
    return any(form in data for form in forms)


def hold(pieces: Iterable[bytes], forms: tuple[bytes, ...]) -> bool:
    """The same of data that comes in pieces."""
    longest = max(map(len, forms), default=0)
    rest = b""
    for piece in pieces:
        if holds(rest + piece, forms):
            return True
        rest = (rest + piece)[-longest:] if longest else b""
    return False


def plan_id(parts: Iterable[str]) -> str:
    """Names exactly what was found: refs with oids, traces, messages and files."""
    every = sorted(parts)
    digest = hashlib.sha256("\n".join(every).encode("utf-8", "surrogateescape")).hexdigest()
    return f"purge:{len(every)}:{digest[:12]}"
