"""How large a page may be, and how its room is shared among the patches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

# Bytes of a page with up to a hundred tasks and a hundred gates, and for each one more.
_PAGE: Final = 1_000_000
_USUAL: Final = 100
_EACH: Final = 10_000
# What stands behind the cut of a patch is read, too: a secret that the cut would divide is found whole.
_BEHIND: Final = 64 << 10


def page_bytes(tasks: int, gates: int) -> int:
    """The most bytes of a page with so many tasks and gates."""
    return _PAGE + (max(tasks - _USUAL, 0) + max(gates - _USUAL, 0)) * _EACH


def patch_bytes(tasks: int) -> int:
    """The most bytes of one patch that are read: a few times its share of the page."""
    return max(4 * _PAGE // max(tasks, 4), 1 << 15) + _BEHIND


def shown_bytes(patch: int, *, cut: bool) -> int:
    """How many bytes of a patch that was read may be shown."""
    return max(patch - _BEHIND, 0) if cut else patch


def shares(wanted: Sequence[int], room: int) -> tuple[int, ...]:
    """How many bytes each patch gets. Small ones are whole, and the large ones share what these leave."""
    found = [0] * len(wanted)
    left = max(room, 0)
    for done, at in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        found[at] = min(wanted[at], left // (len(wanted) - done))
        left -= found[at]
    return tuple(found)
