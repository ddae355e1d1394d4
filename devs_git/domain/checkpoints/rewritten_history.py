"""Where the checkpoints are in a history that a program rewrote: by its map of commits, or by their trees.

Replaced checkpoints do not move. Checkpoints whose new place is unknown are listed, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.ledger.history import OUTDONE, Checkpoint
from devs_git.domain.ledger.ids import OID_FORM, checkpoint_ref
from devs_git.values import field, immutable, mutable

_LINE: Final = re.compile(rf"({OID_FORM}) ({OID_FORM})")
NONE: Final = "0" * 40
_SHOWN: Final = 3


@immutable
class State:
    """What this clone has: the commits with their `trees`, and the values of the numbered refs."""

    trees: Mapping[str, str]
    refs: Mapping[str, str]

    def ref(self, point: Checkpoint) -> str:
        """The value of the checkpoint's ref, or its tag if the ref is missing."""
        return self.refs.get(checkpoint_ref(point.task_id, point.number), point.tag)

    def stray(self, point: Checkpoint) -> bool:
        """Whether the checkpoint's commit has another tree, or is gone and its ref has a value that the ledger does not know."""
        tree = self.trees.get(point.commit)
        return tree != point.tree if tree else self.ref(point) != point.tag


@mutable
class Found:
    """`moves`: checkpoints with their new commits. `emptied`: checkpoints whose commits the new history left out. `unknown`:
    checkpoints without a known place, and the reason.
    """

    moves: list[tuple[Checkpoint, str]] = field(default_factory=list)
    emptied: list[Checkpoint] = field(default_factory=list)
    unknown: list[tuple[Checkpoint, str]] = field(default_factory=list)


def parse_map(text: str) -> dict[str, str]:
    """The old and new oids in a map of commits, one pair a line. Other lines are headings."""
    lines = (_LINE.fullmatch(line.strip()) for line in text.splitlines())
    return {line[1]: line[2] for line in lines if line}


def checkpoints_in_place(points: Iterable[Checkpoint]) -> list[Checkpoint]:
    """The checkpoints that nothing replaced, except another clone's completion."""
    return [point for point in points if not point.gone and point.replaced in ("", OUTDONE)]


def by_map(
    points: Iterable[Checkpoint], new_of: Mapping[str, str], state: State, there: Callable[[str], bool]
) -> Found:
    """The new places by the program's map, in which NONE is a commit that was left out. `there` says whether a tag object exists.

    If the texts of the ledger were rewritten, too, it has the new oids already.
    """
    found = Found()
    for point in checkpoints_in_place(points):
        old = point.commit
        new = new_of.get(old) or (old if old in state.trees else "")
        if new == NONE:
            new = state.ref(point) if state.ref(point) in state.trees else NONE
        if new == NONE:
            found.emptied.append(point)
        elif not new and state.stray(point):
            found.unknown.append((point, f"the map does not name its commit {old[:12]}"))
        elif new and new not in state.trees:
            found.unknown.append((point, f"its new commit {new[:12]} is not here"))
        elif new and ((new, state.trees[new]) != (old, point.tree) or not there(point.tag)):
            found.moves.append((point, new))
    return found


def by_trees(points: Iterable[Checkpoint], reached: Mapping[str, str], state: State) -> Found:
    """The new places by trees: `reached` are the commits of branches, with their trees.

    A checkpoint that no branch has, but whose commit is unchanged, moves only if exactly one commit has its tree.
    """
    commits: dict[str, list[str]] = {}
    for commit, tree in reached.items():
        commits.setdefault(tree, []).append(commit)
    found = Found()
    for point in checkpoints_in_place(points):
        stray = state.stray(point)
        if not stray and (point.commit in reached or not point.live or point.commit not in state.trees):
            continue
        same = commits.get(point.tree, [])
        if len(same) == 1:
            found.moves.append((point, same[0]))
        elif stray:
            found.unknown.append((point, _why(same)))
    return found


def _why(same: Collection[str]) -> str:
    if not same:
        return "no commit of a branch has its files"
    names = ", ".join(oid[:12] for oid in list(same)[:_SHOWN])
    return f"{len(same)} commits have its files: {names}{' …' if len(same) > _SHOWN else ''}"


def new_numbers(moves: Iterable[tuple[Checkpoint, str]], first: Callable[[str], int]) -> Iterator[int]:
    """The new number of each, in order. `first` gives the first free number of a task."""
    following: dict[str, int] = {}
    for point, _commit in moves:
        number = following.get(point.task_id) or first(point.task_id)
        following[point.task_id] = number + 1
        yield number
