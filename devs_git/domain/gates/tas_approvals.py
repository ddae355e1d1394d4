"""Which approvals of TAS texts each line of history has used. On one line an approval leads from a text to the next once.

Otherwise a commit could restore a text that a later approval replaced. A copy of a landing (rebased, squashed,
cherry-picked) is on another line, where the approval was not used. A commit that undoes an approved change without any
approval is a finding, and the approval can be used again after it.
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
    """A commit whose TAS may differ from a parent's. `parents` are the nearest such ancestors. `text` is the blob of the TAS,
    None for no TAS.
    """

    commit: str
    parents: tuple[str, ...]
    text: str | None


class Ways:
    """How approved revisions lead from text to text. Each revision is a bit, in the given order."""

    def __init__(self, revisions: Iterable[Revision]) -> None:
        self.revisions = tuple(revisions)
        self.steps: dict[str, list[tuple[int, str]]] = {}
        for number, one in enumerate(self.revisions):
            if one.before and one.after and one.after != one.before:
                self.steps.setdefault(one.before, []).append((1 << number, one.after))

    def way(self, old: str | None, new: str | None, among: int = -1) -> int:
        """The mask of approvals `among` which lead from `old` to `new`; 0 if none do. Of several ways the one whose newest
        approval is the oldest: landings that were squashed into one commit are older than later approvals.
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
        """For each of `stops`, parents first: the approvals that the lines below it have used, by the text of each line.

        `free` says whether a commit is older than the lock. It is called only if that matters.
        """
        texts: dict[str, str | None] = {}
        after: dict[str, int] = {}
        found: dict[str, Used] = {}
        for stop in stops:
            below: dict[str | None, int] = {}
            for parent in stop.parents:
                below[texts[parent]] = below.get(texts[parent], 0) | after[parent]
            texts[stop.commit], found[stop.commit] = stop.text, below
            # A merge with the text of one side uses nothing: that side did.
            taken = stop.text in below
            moved = {old: self._moved(used, old, stop.text, taken=taken) for old, used in below.items()}
            if moved != below and free(stop.commit):
                moved = below
            after[stop.commit] = reduce(or_, moved.values(), 0)
        return found

    def _moved(self, used: int, old: str | None, new: str | None, *, taken: bool) -> int:
        """What a line has used after a change from the text `old` to `new`."""
        if old == new or old is None or new is None:
            return used
        way = self.way(old, new, ~used)
        if way:
            return used if taken else used | way
        return used & ~self.way(new, old, used)
