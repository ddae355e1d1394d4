"""The untracked files that a move takes away: which ones, and how they looked. The move saves them in the backup first.

git has no record of untracked files. So a backup lists those that its operation brought back, with the oids of their
bytes: an undo of this operation takes them away again, unless somebody has changed them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.storage.git.program import Git, split_z
from devs_git.storage.ledger import devs_folder
from devs_git.storage.worktree import file_state, footprint, tree_difference
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.file_state import FileStates
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.raw_bytes import list_files
from devs_git.storage.worktree.survey import Survey
from devs_git.values import field, immutable

Marks = Mapping[str, tuple[int, ...]]


@immutable
class Untracked:
    """Untracked files that a move takes away. `marks` say how they looked; there is none for a file that is only saved.

    Those `in_the_way` are at, above or below paths that the move writes. The target has no file at the `removed` paths.
    """

    in_the_way: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    marks: Marks = field(default_factory=dict, repr=False)

    @property
    def saved(self) -> tuple[str, ...]:
        return (*self.in_the_way, *self.removed)

    @property
    def digest_input(self) -> tuple[str, ...]:
        """What a plan depends on: each file that is taken away, and how it looks."""
        return tuple(f"{path}\0{' '.join(map(str, mark))}" for path, mark in sorted(self.marks.items()))


@immutable
class Known:
    """What is known of untracked files. `brought`: those that an operation brought back, with the oids of their bytes.

    `there`: paths that existed in the state to return to, although it does not have them; folders end with a slash.
    """

    brought: Mapping[str, str] = field(default_factory=dict)
    there: Collection[str] = ()


NOTHING: Final = Known()


def choose(found: Survey, tree: str, plan: Footprint, mode: str | None, known: Known = NOTHING) -> Untracked:
    """The untracked files that a move to `tree` takes away. `mode`: `save`, `remove` or None, as a person typed it.

    `save`: those that are in the way. `remove`: all of them, but no file that git ignores now or would ignore with the
    ignore files of `tree`, and none in a nested repository. In each mode the unchanged files that an operation brought
    back, because the move takes the operation back.
    """
    top = found.git.where
    asked = [] if mode != "remove" else _outside(known.there, _listed(found.git, top))
    own = _unchanged(found, known.brought)
    mine = dict.fromkeys((*asked, *own))
    rest = mine.keys() - set(plan.obstacles.files) - set(plan.adds)
    rest -= footprint.find_ignored(found, tree, plan, rest - set(own))
    in_the_way = tuple(path for path in plan.obstacles.files if mode == "save" or path in mine)
    removed = tuple(path for path in mine if path in rest)
    marked = [path for path in (*in_the_way, *removed) if path in mine]
    return Untracked(in_the_way, removed, {path: file_state.mark_of(f"{top}/{path}") for path in marked})


def require_unchanged(marks: Marks, captured: FileStates) -> None:
    """PLAN_STALE if somebody wrote to one of the files between the plan and the capture."""
    written = [
        path
        for path, mark in marks.items()
        if path not in captured or (captured[path].mode, *captured[path].mark) != mark
    ]
    if written:
        raise file_state.changed_meanwhile(written, "Untracked files")


def brought_back(git: Git, new: State) -> dict[str, str]:
    """The untracked files of a state that a move brings back, with the oids of their bytes."""
    if new.index == new.worktree:
        return {}
    untracked = [c for c in tree_difference.changes(git, new.index, new.worktree) if c.new and not c.old]
    raw = list_files(git, new.raw) if untracked else {}
    return {c.path: raw[c.path].oid if c.path in raw else c.new for c in untracked}


def _unchanged(found: Survey, brought: Mapping[str, str]) -> list[str]:
    """Those of the files that are still untracked, and have the bytes with which they were brought back."""
    asked = [path for path in brought if path not in found.entries]
    seen = file_state.look(os.fspath(found.git.where), asked).files
    return [path for path, one in seen.items() if one.oid == brought[path]]


def _outside(there: Collection[str], paths: Sequence[str]) -> list[str]:
    folders = tuple(path for path in there if path.endswith("/"))
    return [path for path in paths if path not in there and not path.startswith(folders)]


def _listed(git: Git, top: Path) -> list[str]:
    """The untracked files that git does not ignore, without nested repositories and our own view."""
    paths = split_z(git.run("ls-files", "-o", "--exclude-standard", "-z"))
    ours = f"{devs_folder.NAME}/"
    return list(_outside_repositories(top, [p for p in paths if p[-1] != "/" and not p.startswith(ours)]))


def _outside_repositories(top: Path, paths: Sequence[str]) -> Iterator[str]:
    """git lists a nested repository as one folder, but the files of a bare one each by its name."""
    inside: dict[str, bool] = {"": False}

    def is_inside(folder: str) -> bool:
        if folder not in inside:
            inside[folder] = is_inside(folder.rpartition("/")[0]) or _is_repository(f"{top}/{folder}")
        return inside[folder]

    return (path for path in paths if not is_inside(path.rpartition("/")[0]))


def _is_repository(folder: str) -> bool:
    parts = ("HEAD", "objects", "refs")
    return os.path.lexists(f"{folder}/.git") or all(os.path.exists(f"{folder}/{one}") for one in parts)  # noqa: PTH110 - there may be thousands
