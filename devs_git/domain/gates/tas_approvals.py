"""Which approvals of TAS texts each line of history has used: on one line an approval leads from a text to the next once.

Else a text that a later approval changed would come back by a commit that nobody was asked about. A copy of a landing
(rebased, squashed, cherry-picked) stands on another line, where the approval was not used. Who takes an approved change
back without any approval is told so, and the first approval leads there again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from heapq import heappop, heappush
from operator import or_

from devs_git.domain.gates.tas_lock import Revision
from devs_git.values import immutable

Used = Mapping[str | None, int]


@immutable
class Stop:
    """A commit at which the TAS may be another than at a parent's. `parents` are the nearest such commits below it; `text` is
    its blob, None where there is no TAS.
    """

    commit: str
    parents: tuple[str, ...]
    text: str | None


class Ways:
    """From text to text by approved revisions, each a bit in the order in which they are given."""

    def __init__(self, revisions: Iterable[Revision]) -> None:
        self.revisions = tuple(revisions)
        self.steps: dict[str, list[tuple[int, str]]] = {}
        for number, one in enumerate(self.revisions):
            if one.before and one.after and one.after != one.before:
                self.steps.setdefault(one.before, []).append((1 << number, one.after))

    def way(self, old: str | None, new: str | None, among: int = -1) -> int:
        """The approvals of a way by those `among`, all if not said; 0 where there is none. Of several the way whose newest
        approval is the oldest: landings that were squashed into one commit are older than what was approved afterwards.
        """
        seen: set[str | None] = set()
        waiting: list[tuple[int, int, str, int]] = [(0, 0, old or "", 0)]
        while waiting:
            newest, length, at, taken = heappop(waiting)
            if at == new and taken:
                return taken
            if at in seen:
                continue
            seen.add(at)
            for bit, after in self.steps.get(at, ()):
                if bit & among and after not in seen:
                    heappush(waiting, (max(newest, bit), length + 1, after, taken | bit))
        return 0

    def used(self, stops: Iterable[Stop], free: Callable[[str], bool]) -> dict[str, Used]:
        """For each of `stops`, parents first, the approvals that the lines below it have used, by the text they come to.

        `free` says whether a commit is from before anybody had to be asked; it is asked only where that matters.
        """
        texts: dict[str, str | None] = {}
        after: dict[str, int] = {}
        found: dict[str, Used] = {}
        for stop in stops:
            below: dict[str | None, int] = {}
            for parent in stop.parents:
                below[texts[parent]] = below.get(texts[parent], 0) | after[parent]
            texts[stop.commit], found[stop.commit] = stop.text, below
            # What a merge takes over from one side that side used.
            taken = stop.text in below
            moved = {old: self._moved(used, old, stop.text, taken=taken) for old, used in below.items()}
            if moved != below and free(stop.commit):
                moved = below
            after[stop.commit] = reduce(or_, moved.values(), 0)
        return found

    def _moved(self, used: int, old: str | None, new: str | None, *, taken: bool) -> int:
        """What a line has used that goes on from the text `old` to `new`."""
        if old == new or old is None or new is None:
            return used
        way = self.way(old, new, ~used)
        if way:
            return used if taken else used | way
        return used & ~self.way(new, old, used)
