"""What looks like a credential in a text, and the text without it.

The detector is Kingfisher, a library of the extra `devs-git[mask]`; `credentials.yaml` has the few forms that its own rules
leave out. It reads about 150 MB in a second. Nothing that it finds is looked up in the network.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devs_git.errors import DevsError

if TYPE_CHECKING:
    from kingfisher_sdk import Finding, Scanner

# How many bytes of a stream are kept back, because what follows may show that they are part of a secret: more than a
# private key has.
_OVERLAP: Final = 1 << 16
# How many bytes are read at once. A secret that the detector needs longer for is found in its parts, if at all.
_WINDOW: Final = 4 << 20
_RULES: Final = Path(__file__).with_name("credentials.yaml")
# Before each text, so that the detector does not take its first bytes for the mark of another encoding, in which the
# places of what it finds would be others.
_START: Final = b"\n"
# Start, end and kind of what looks like a credential.
Place = tuple[int, int, str]
# While one thread loads the detector, the others wait for it.
_LOADING: Final = threading.Lock()


def load_meanwhile() -> None:
    """Load the detector in a thread, while the caller reads what is asked about: it takes a quarter of a second."""
    if not _detector.cache_info().currsize:
        # Two threads that import at the same time wait for each other.
        with contextlib.suppress(ImportError):
            importlib.import_module("kingfisher_sdk")
        threading.Thread(target=_load).start()


def _load() -> None:
    # Without the detector, whoever asks is told so.
    with contextlib.suppress(DevsError), _LOADING:
        _detector()


@cache
def _detector() -> Scanner:
    """INVALID_ARGUMENTS if it is not installed."""
    # Imported late: only a verb that masks needs it. The first time its rules are compiled, which takes some seconds.
    try:
        from kingfisher_sdk import Rules, Scanner
    except ImportError as error:
        raise DevsError(
            "INVALID_ARGUMENTS",
            "Secrets are masked by a detector that is not installed.",
            hint="Run: pip install 'devs-git[mask]'",
            field="extra",
        ) from error
    return Scanner(Rules([_RULES]))


def holds_secret(text: str) -> bool:
    """Whether something in a text looks like a credential. INVALID_ARGUMENTS without the detector."""
    return bool(_found(text.encode("utf-8", "surrogatepass")))


def mask(text: str) -> str:
    """The text with `[masked:KIND]` in the place of each credential. INVALID_ARGUMENTS without the detector."""
    data = text.encode("utf-8", "surrogatepass")
    return _replaced(data, _found(data)).decode("utf-8", "surrogatepass")


def mask_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Mask an output that comes in pieces; a secret may lie across two of them. INVALID_ARGUMENTS without the detector."""
    # `done`: how many bytes of `held` are passed on already, and stay only to show what follows them.
    held, done = b"", 0
    for piece in pieces:
        held += piece
        if len(held) - done > _WINDOW:
            places = _found(held)
            end = _safe_end(held, places)
            yield _replaced(held[:end], places, done)
            start = max(end - _OVERLAP, 0)
            held, done = held[start:], end - start
    yield _replaced(held, _found(held), done)


def pieces_hold_secret(pieces: Iterable[bytes]) -> bool:
    """Whether there is a credential in an output that comes in pieces. INVALID_ARGUMENTS without the detector."""
    held = b""
    for piece in pieces:
        held = held[-_OVERLAP:] + piece
        if _found(held):
            return True
    return False


def _found(data: bytes) -> list[Place]:
    """All that looks like a credential, in its order; places that overlap are one."""
    if not data:
        return []
    with _LOADING:
        detector = _detector()
    places: list[Place] = []
    found = [(one.location["start_offset"], one) for one in detector.scan(_START + data) if one.visible]
    for start, one in sorted(found, key=_longest_first):
        first, last = max(start - len(_START), 0), one.location["end_offset"] - len(_START)
        if places and first < places[-1][1]:
            earlier = places.pop()
            places.append((earlier[0], max(earlier[1], last), earlier[2]))
        else:
            places.append((first, last, re.split("[./]", one.rule_id)[-1]))
    return places


def _longest_first(found: tuple[int, Finding]) -> tuple[int, int, str]:
    """By place; several rules can find the same text, and the name of the rule decides then."""
    start, one = found
    return start, -one.location["end_offset"], one.rule_id


def _replaced(data: bytes, places: list[Place], done: int = 0) -> bytes:
    """The data from `done` on, without the credentials."""
    parts = list[bytes]()
    for start, end, kind in places:
        if done < end <= len(data):
            parts += [data[done:start], f"[masked:{kind}]".encode()]
            done = end
    return b"".join([*parts, data[done:]])


def _safe_end(data: bytes, places: list[Place]) -> int:
    """Up to where a window can be passed on: the end of a line, if there is one, and within no credential."""
    last = len(data) - _OVERLAP
    # Some forms are told by their line.
    end = data.rfind(b"\n", last - _OVERLAP, last) + 1 or last
    return next((stop for start, stop, _kind in places if start < end < stop), end)
