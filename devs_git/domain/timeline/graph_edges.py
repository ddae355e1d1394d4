"""The edges of the graph of `log`: from each row to the rows on which it was built."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from devs_git.domain.checkpoints.rows import GraphRow
from devs_git.domain.timeline.graph_marks import CHECKPOINT, HEAD, Mark
from devs_git.values import field, mutable

Near = Mapping[str, tuple[str, ...]]
# Steps that are made to find out whether one parent of a merge is an ancestor of the other. Beyond them both edges stay.
_STEPS: Final = 1000


def nearest(parents: Iterable[tuple[str, Sequence[str]]], marked: Collection[str]) -> Near:
    """For each commit its nearest ancestors among `marked`, in the order of its parents.

    `parents`: each commit with its parents, children before their parents, as `git rev-list --topo-order --parents` has them.
    """
    found: dict[str, tuple[str, ...]] = {}
    for commit, above in reversed(list(parents)):
        near = dict.fromkeys(
            one for parent in above for one in ((parent,) if parent in marked else found.get(parent, ()))
        )
        found[commit] = _without_ancestors(tuple(near), found) if len(near) > 1 else tuple(near)
    return found


def _without_ancestors(near: tuple[str, ...], found: Near) -> tuple[str, ...]:
    """`near` without those that are ancestors of another of them."""
    below, seen, steps = [one for start in near for one in found.get(start, ())], set[str](), 0
    while below and steps < _STEPS:
        one = below.pop()
        steps += 1
        if one not in seen:
            seen.add(one)
            below += found.get(one, ())
    return tuple(one for one in near if one not in seen)


@mutable
class _Standing:
    """What stands at a commit, while the marks are read from the oldest to the newest.

    `marked`: the commits of all marks. `later`: a mark that made the commit, although it may not have been read yet. `made`: the
    newest one that was read. `came`: the operation or fork by which a branch came to the commit; the next
    checkpoint of that branch is built on it. `newest_on`: the newest checkpoint of a branch.
    """

    near: Near
    marked: Collection[str]
    later: Mapping[str, str]
    made: dict[str, str] = field(default_factory=dict)
    came: dict[tuple[str, str], str] = field(default_factory=dict)
    newest_on: dict[str, str] = field(default_factory=dict)

    def parents(self, mark: Mark) -> list[str]:
        """The keys of the rows on which `mark` was built."""
        # A branch that comes to a commit stands there, whatever came there before.
        branch = mark.branch if mark.makes or mark.kind == HEAD else ""
        found = self._keys_at(self._under(mark), branch) if mark.commit else []
        if mark.kind == CHECKPOINT and not found and mark.commit not in self.near:
            # git cannot say it, because the commit is gone. The ledger has the order.
            found = [key for key in (self.newest_on.get(mark.branch),) if key]
        return list(dict.fromkeys([*found, *([mark.answers] if mark.answers else [])]))

    def _under(self, mark: Mark) -> Sequence[str]:
        """The commits among `marked` on which it stands: its own if something stands there already, else the nearest."""
        came = (mark.commit, mark.branch) in self.came
        stands = came or mark.commit in self.made if mark.makes else mark.commit in self.marked
        return (mark.commit,) if stands else self.near.get(mark.commit, ())

    def _keys_at(self, commits: Sequence[str], branch: str) -> list[str]:
        """What stands at these commits, or at the nearest ancestors of one at which nothing stands for this branch."""
        found, left = [], list(reversed(commits))
        while left:
            commit = left.pop()
            came = self.came.get((commit, branch)) if branch else None
            key = came or self.made.get(commit) or self.later.get(commit)
            if key:
                found.append(key)
            else:
                left += reversed(self.near.get(commit, ()))
        return found

    def put(self, mark: Mark) -> None:
        for place in (
            [place for place, key in self.came.items() if key == mark.answers] if mark.answers else ()
        ):
            del self.came[place]
        if mark.makes:
            self.made[mark.commit] = mark.key
            self.came.pop((mark.commit, mark.branch), None)
        elif mark.commit and mark.kind != HEAD:
            self.came[mark.commit, mark.branch] = mark.key
        if mark.kind == CHECKPOINT:
            self.newest_on[mark.branch] = mark.key


def connect(marks: Sequence[Mark], near: Near, *, whole: bool = True) -> tuple[GraphRow, ...]:
    """The rows with their edges. Each row stands above the rows on which it was built; otherwise the order stays.

    `whole`: no older rows were left out.
    """
    made = {mark.commit: mark.key for mark in marks if mark.makes}
    standing = _Standing(near, {mark.commit for mark in marks}, made)
    parents: dict[str, list[str]] = {}
    for mark in reversed(marks):
        parents[mark.key] = [key for key in standing.parents(mark) if key != mark.key]
        standing.put(mark)
    by_key = {mark.key: mark for mark in marks if mark.kind != HEAD or parents[mark.key]}
    order = list(_in_order(_with_head_raised(list(by_key.values()), parents), parents))
    place = {key: at for at, key in enumerate(order)}
    found = []
    for at, key in enumerate(order):
        mark, below = by_key[key], tuple(one for one in parents[key] if place.get(one, -1) > at)
        older = not whole and bool(mark.commit) and not below
        found.append(GraphRow(key, mark.kind, below, mark.live, older))
    return tuple(found)


def _with_head_raised(marks: Sequence[Mark], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The keys of the marks, with HEAD right above the first row on which it was built."""
    keys = [mark.key for mark in marks if mark.kind != HEAD]
    for head in (mark.key for mark in marks if mark.kind == HEAD):
        keys.insert(next((at for at, key in enumerate(keys) if key in parents[head]), 0), head)
    return keys


def _in_order(keys: Sequence[str], parents: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The keys, each before its parents, otherwise in the given order. A circle is cut where the order breaks it first."""
    place = {key: at for at, key in enumerate(keys)}
    waits = Counter(parent for key in keys for parent in parents[key])
    ready, left = [at for at, key in enumerate(keys) if not waits[key]], dict(place)
    while left:
        key = keys[heapq.heappop(ready) if ready else next(iter(left.values()))]
        if left.pop(key, None) is None:
            continue
        yield key
        for parent in filter(left.__contains__, parents[key]):
            waits[parent] -= 1
            if not waits[parent]:
                heapq.heappush(ready, place[parent])
