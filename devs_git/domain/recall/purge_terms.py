"""What a purge searches for, in each form, and what it found.

A text is found as it is, and encoded as JSON once or twice, because payloads of clients contain JSON inside JSON. A file
is found by all its versions: as a whole, and by each line that is long enough.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Final

from devs_git.values import immutable

# The least characters of a text to search for.
SHORTEST: Final = 4
# The least characters of a whole file, and of one of its lines, to search for.
_WHOLE, _LINE = 6, 12
# The most lines of a file that are searched for one by one.
_LINES: Final = 1000


@immutable
class DroppedRef:
    """A ref of ours to delete, and its object. `kind` is backup, snapshot, preserved, checkpoint or branch."""

    ref: str
    oid: str
    kind: str


@immutable
class Remainder:
    """What still contains the text and is not ours to delete, and the command for it."""

    what: str
    command: str


def terms_of_file(contents: Iterable[bytes]) -> tuple[bytes, ...]:
    """What to search for, given the versions of a file."""
    found: dict[bytes, None] = {}
    for content in contents:
        whole = content.strip()
        if len(whole) >= _WHOLE:
            found[whole] = None
        lines = content.splitlines()
        if b"\0" not in content and len(lines) <= _LINES:
            found |= dict.fromkeys(line.strip() for line in lines if len(line.strip()) >= _LINE)
    return tuple(found)


def identifies_file(content: bytes) -> bool:
    """Whether a file's content is long enough to identify it."""
    return len(content.strip()) >= _WHOLE


def all_forms(texts: Iterable[bytes]) -> tuple[bytes, ...]:
    """Every form of the texts, without those that contain another one."""
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


def contains(data: bytes, forms: Iterable[bytes]) -> bool:
    """Whether the data contain one of the forms."""
    return any(form in data for form in forms)


def stream_contains(pieces: Iterable[bytes], forms: tuple[bytes, ...]) -> bool:
    """The same for data in pieces."""
    longest = max(map(len, forms), default=0)
    rest = b""
    for piece in pieces:
        if contains(rest + piece, forms):
            return True
        rest = (rest + piece)[-longest:] if longest else b""
    return False


def plan_id(parts: Iterable[str]) -> str:
    """An id for exactly what was found: refs with oids, traces, messages and files."""
    every = sorted(parts)
    digest = hashlib.sha256("\n".join(every).encode("utf-8", "surrogateescape")).hexdigest()
    return f"purge:{len(every)}:{digest[:12]}"
