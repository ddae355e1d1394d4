"""The lines of a plan that fit a screen whatever its size: the first files and a count, and long lists as one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from devs_git.entrypoints.cli.texts.render import path, plural

if TYPE_CHECKING:
    from devs_git.commands import drop, restore, rewind, undo

_FILES: Final = 10  # files that a plan names
_NAMES: Final = 5  # tasks or branches that one line names
_WORDS: Final = (("added", "comes back"), ("modified", "changes"), ("deleted", "deletes"))


def files(plan: rewind.Plan | drop.Result | restore.Result | undo.Plan) -> list[str]:
    """The files that come back, change and are deleted: the first ten, then how many more there are."""
    found = _found(plan)
    named = [(word, name) for kind, word in _WORDS for name in found[kind]][:_FILES]
    lines = [f"  {word:14}  {path(name)}" for word, name in named]
    more = found["count"] - len(named)
    return lines + ([f"{'':18}and {plural(more, 'more file')}"] if more else [])


def count(plan: rewind.Plan | drop.Result | restore.Result | undo.Plan) -> str:
    """How many files come back, change and are deleted."""
    found = _found(plan)
    added, modified, deleted = (found[f"{kind}_count"] for kind, _ in _WORDS)
    return f"{plural(found['count'], 'file')} ({added} added, {modified} modified, {deleted} deleted)"


def _found(plan: rewind.Plan | drop.Result | restore.Result | undo.Plan) -> Mapping[str, Any]:
    return plan.files if isinstance(plan.files, dict) else plan.changes


def undone(points: Sequence[str]) -> str:
    """The tasks of the checkpoints that are undone; one checkpoint by its name."""
    tasks = _tasks(points)
    if not points:
        return "no checkpoint"
    if len(points) <= _NAMES:
        return ", ".join(points)
    return f"{_listed(tasks)} ({plural(len(points), 'checkpoint')})"


def stay_lines(result: rewind.Plan | rewind.Result) -> list[str]:
    """Why tasks after the target stay: one line for all that the same branches have."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in result.kept_by:
        groups.setdefault(tuple(row["branches"]), []).append(row["checkpoint"])
    return [_stay_line(_tasks(points), branches) for branches, points in groups.items()]


def _stay_line(tasks: Sequence[str], branches: Sequence[str]) -> str:
    who = f"{tasks[0]} stays" if len(tasks) == 1 else f"{len(tasks)} tasks stay"
    if len(branches) == 1:
        name = branches[0]
        return f"{who}: {name if name.startswith('worktree ') else f'branch {name}'} has {'it' if len(tasks) == 1 else 'them'}"
    return f"{who}: {_listed(branches)} have {'it' if len(tasks) == 1 else 'them'}"


def elsewhere(still_on: Mapping[str, str]) -> list[str]:
    """Which undone tasks a branch of a remote still has: one line a branch."""
    groups: dict[str, list[str]] = {}
    for point, branch in still_on.items():
        groups.setdefault(branch, []).append(point)
    return [f"{branch} still has {_listed(_tasks(points))}" for branch, points in groups.items()]


def _tasks(points: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(point.partition("@")[0] for point in points))


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMES
    shown = ", ".join(map(path, names[:_NAMES]))
    return f"{shown} and {more} more" if more > 0 else shown
