"""Draws rows and the edges between them as lanes of lines, from the newest row at the top downwards.

Each row has one line with its mark. If its lane joins another one or splits, a second line below it shows that. Two lanes
never go to the same row, because the right one joins the left one at once. A line that crosses another has a gap on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

from devs_git.values import field, immutable, mutable

# The ways out of a sign: up, down, left, right.
_Ways = tuple[bool, bool, bool, bool]
_CORNERS: Final = {
    (True, True, False, True): "├|",
    (True, True, True, False): "┤|",
    (True, True, True, True): "┼+",
    (False, True, True, False): "╮.",
    (False, True, False, True): "╭.",
    (False, True, True, True): "┬.",
    (True, False, True, False): "╯'",
    (True, False, False, True): "╰'",
    (True, False, True, True): "┴'",
}


class Drawn(Protocol):
    """A row: its key, the keys of the rows to which its edges go, and whether it is live."""

    @property
    def key(self) -> str: ...
    @property
    def parents(self) -> tuple[str, ...]: ...
    @property
    def live(self) -> bool: ...


@immutable
class Style:
    """How it is drawn. `dim` gives the text a shade for what is not live. `most`: lanes that are shown, 0 for all."""

    ascii: bool = False
    dim: Callable[[str], str] = str
    most: int = 0

    def upright(self, *, live: bool) -> str:
        if live:
            return "|" if self.ascii else "│"
        return self.dim(":" if self.ascii else "┆")

    def corner(self, ways: _Ways) -> str:
        return _CORNERS[ways][self.ascii]

    @property
    def level(self) -> str:
        return "-" if self.ascii else "─"

    @property
    def cut(self) -> str:
        return "~" if self.ascii else "…"


@mutable
class _Lane:
    """A lane down to the row `to`. `begun`: a line is drawn in it already."""

    to: str
    live: bool
    begun: bool = True


@mutable
class _Lanes:
    style: Style
    live: dict[str, bool]
    lanes: list[_Lane | None] = field(default_factory=list)
    blocked: int = -1  # the lane that ended in the line before: a new one must not begin right below it

    def find(self, key: str) -> int:
        return next((at for at, lane in enumerate(self.lanes) if lane and lane.to == key), -1)

    def free(self, start: int = 0) -> int:
        """A free lane at `start` or right of it."""
        for at in range(start, len(self.lanes)):
            if self.lanes[at] is None and at != self.blocked:
                return at
        self.lanes += [None] * (start - len(self.lanes))
        at = len(self.lanes) + (self.blocked == len(self.lanes))
        self.lanes += [None] * (at + 1 - len(self.lanes))
        return at

    def row(self, row: Drawn, mark: str) -> tuple[str, str]:
        """The line of the row, and the line below it, '' for none."""
        at = self.find(row.key)
        if at < 0:
            at = self.free()
        self.lanes[at] = _Lane(row.key, row.live)
        line = self._line({at: mark}, at)
        self.blocked = -1
        before = [lane is not None and lane.begun for lane in self.lanes]
        touched = self._go_on(row, at)
        while self.lanes and self.lanes[-1] is None:
            self.lanes.pop()
        if len(touched) == 1:
            self.blocked = -1 if row.parents else at
            return line, ""
        return line, self._joints(before, touched, live=row.live)

    def _go_on(self, row: Drawn, at: int) -> set[int]:
        """Lead the lane `at` of the row to its parents; the lanes that its second line touches."""
        self.lanes[at] = None
        fresh = []
        touched = {at}
        for parent in row.parents:
            live, there = row.live and self.live[parent], self.find(parent)
            lane = self.lanes[there] if there >= 0 else None
            if lane is None:
                fresh.append(_Lane(parent, live))
                continue
            lane.live, lane.begun = lane.live or live, True
            touched.add(there)
            if there > at and len(row.parents) == 1:
                self.lanes[at], self.lanes[there] = lane, None
        for lane in fresh:
            place = at if self.lanes[at] is None else self.free(at + 1)
            self.lanes[place] = lane
            touched.add(place)
        return touched

    def _joints(self, before: Sequence[bool], touched: set[int], *, live: bool) -> str:
        left, right = min(touched), max(touched)
        signs = {}
        for at in range(left, right + 1):
            lane = self.lanes[at] if at < len(self.lanes) else None
            if at in touched:
                ways = (at < len(before) and before[at], lane is not None, at > left, at < right)
                signs[at] = self.style.corner(ways)
            elif lane is None or not lane.begun:
                signs[at] = self.style.level
            if at in signs and not (live or (lane and lane.live and at in touched)):
                signs[at] = self.style.dim(signs[at])
        level = self.style.level if live else self.style.dim(self.style.level)
        return self._line(signs, -1, dict.fromkeys(range(left, right), level))

    def _line(self, signs: dict[int, str], own: int, gaps: dict[int, str] | None = None) -> str:
        """All lanes; `signs` stand in place of some of them, and `gaps` right of some. The sign of `own` is never cut off."""
        count = max(len(self.lanes), *(at + 1 for at in signs))
        most = self.style.most or count
        shown = "".join(
            (signs.get(at) or self._sign(at)) + (gaps or {}).get(at, " ") for at in range(min(count, most))
        )
        if count > most:
            shown += self.style.cut + (signs[own] if own >= most else "")
        return shown.rstrip()

    def _sign(self, at: int) -> str:
        lane = self.lanes[at] if at < len(self.lanes) else None
        return self.style.upright(live=lane.live) if lane and lane.begun else " "


def draw(
    rows: Sequence[Drawn], mark: Callable[[str], str], style: Style, lead: str = ""
) -> Iterator[tuple[str, str]]:
    """For each row its line, which has its mark, and the line below it, '' for none. `lead`: the row whose lane is the first one."""
    drawn = _Lanes(style, {row.key: row.live for row in rows})
    if lead:
        drawn.lanes.append(_Lane(lead, live=True, begun=False))
    for row in rows:
        yield drawn.row(row, mark(row.key))
