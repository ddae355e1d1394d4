"""What was lost and not brought back yet: the file `note` of a worktree. A shell hook looks whether it is there.

The file `watched` has the moments from before a call that may destroy something, until the hook looked what is gone.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devs_git.storage.git.files import replace_file
from devs_git.values import as_mapping, field, immutable

_NOTE: Final = "note"
_WATCHED: Final = "watched"
# Losses that are kept, and paths of one that are looked at again.
_KEPT: Final = 20
PATHS: Final = 200


@immutable
class Watched:
    """One worktree before a call. `left` are ignored files and others that the moment does not have."""

    git_dir: str
    top: str
    moment: str
    left: tuple[str, ...] = ()


@immutable
class NotedLoss:
    """One loss. `said` is its sentence. What was lost shows that it is back; files and staged versions have mode and oid.

    `told` are the sessions that know it. `top` is the folder of its worktree.
    """

    created_at: str
    moment: str
    top: str
    said: str
    files: Mapping[str, str] = field(default_factory=dict)
    staged: Mapping[str, str] = field(default_factory=dict)
    commits: tuple[str, ...] = ()
    branches: Mapping[str, str] = field(default_factory=dict)
    stashes: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def watch(folder: Path, watched: Sequence[Watched], *, of: str = "") -> None:
    """Remember the moments from before a call; an earlier call that still runs keeps its own.

    `of`: the worktree in which the call runs, if the folder is that of another one.
    """
    file = folder / _name(of)
    known = {(one.git_dir, one.moment): one for one in (*_rows(file), *watched)}
    if known:
        _write(file, [as_mapping(one) for one in known.values()])


def take_watched(folder: Path, *, of: str = "") -> tuple[Watched, ...]:
    """The moments from before the call that ended. They are forgotten."""
    found = _rows(folder / _name(of))
    (folder / _name(of)).unlink(missing_ok=True)
    return found


def read_watched(folder: Path) -> tuple[Watched, ...]:
    """The moments from before all calls of which nobody looked yet what is gone."""
    return tuple(one for file in sorted(folder.glob(f"{_WATCHED}*")) for one in _rows(file))


def unwatch(folder: Path, gone: Collection[Watched]) -> None:
    """Forget these."""
    for file in folder.glob(f"{_WATCHED}*"):
        left = [as_mapping(one) for one in _rows(file) if one not in gone]
        if left:
            _write(file, left)
        else:
            file.unlink(missing_ok=True)


def _name(of: str) -> str:
    return f"{_WATCHED}.{of}" if of else _WATCHED


def _rows(file: Path) -> tuple[Watched, ...]:
    return tuple(
        Watched(row["git_dir"], row["top"], row["moment"], tuple(row["left"])) for row in _read(file)
    )


def read(folder: Path) -> tuple[NotedLoss, ...]:
    """The losses that are noted, oldest first."""
    return tuple(
        NotedLoss(**row | {name: tuple(row[name]) for name in ("commits", "stashes", "told")})
        for row in _read(folder / _NOTE)
    )


def write(folder: Path, losses: Sequence[NotedLoss]) -> None:
    """Replace the noted losses; without one the file goes."""
    if losses:
        _write(folder / _NOTE, [as_mapping(one) for one in losses[-_KEPT:]])
    else:
        (folder / _NOTE).unlink(missing_ok=True)


def _read(file: Path) -> list[dict[str, Any]]:
    """The rows of one of the files; none if it is missing, or was not written by us."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        rows = json.loads(file.read_text("utf-8", "surrogateescape"))
        if isinstance(rows, list):
            return [row for row in rows if isinstance(row, dict)]
    return []


def _write(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_file(file, json.dumps(rows).encode("utf-8", "surrogateescape"))
