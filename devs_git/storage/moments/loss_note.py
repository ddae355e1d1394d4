"""What was lost and not brought back yet: the file `note` of a worktree. A shell hook looks whether it is there.

The file `watched` has the moments from before a call that may destroy something, until the hook looked what is gone.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from devs_git.storage.git.files import replace_file
from devs_git.values import Any, Final, as_mapping, field, immutable

NOTE: Final = "note"
_WATCHED: Final = "watched"
# The same of calls in other worktrees, which may be gone.
ELSEWHERE: Final = "elsewhere"
_PLACES: Final = "elsewhere.places"
# The files for which a hook has something to say.
SAID: Final = (NOTE, ELSEWHERE)
# Losses that are kept, and paths of one that are looked at again.
_KEPT: Final = 20
PATHS: Final = 200


@immutable
class Watched:
    """One worktree before a call. `left` are ignored files and others that the moment does not have.

    `of` is the worktree in which the call runs, if it is remembered elsewhere, and `session` the one that calls.
    """

    git_dir: str
    top: str
    moment: str
    left: tuple[str, ...] = ()
    of: str = ""
    session: str = ""


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
    # Whether the whole worktree is gone.
    gone: bool = False

    @property
    def has_more(self) -> bool:
        """Whether it is more than branches."""
        return bool(self.files or self.staged or self.commits or self.stashes)


def watch(folder: Path, watched: Sequence[Watched]) -> None:
    """Remember the moments from before a call; an earlier call that still runs keeps its own."""
    _add(folder / _WATCHED, watched)


def watch_elsewhere(folder: Path, watched: Sequence[Watched]) -> None:
    """Remember them in another worktree, because that of the call may be removed."""
    _add(folder / ELSEWHERE, watched)
    _list_places(folder)


def _list_places(folder: Path) -> None:
    """Write the file in which each worktree has a file as long as it exists, one a line: a shell looks whether all do."""
    rows = _rows(folder / ELSEWHERE)
    if rows:
        lines = dict.fromkeys(f"{one.top}/.git\n" for one in rows if "\n" not in one.top)
        replace_file(folder / _PLACES, "".join(lines).encode("utf-8", "surrogateescape"))
    else:
        (folder / _PLACES).unlink(missing_ok=True)


def watches(folder: Path, session: str = "") -> bool:
    """Whether there are moments from before a call that may destroy something; of one session, or of any for ''."""
    return any(session in ("", one.session) for one in _rows(folder / _WATCHED))


def take_watched(folder: Path, session: str = "") -> tuple[Watched, ...]:
    """The moments from before the calls that ended, of one session or of all for ''. They are forgotten."""
    found = tuple(one for one in _rows(folder / _WATCHED) if session in ("", one.session))
    _forget(folder / _WATCHED, found)
    return found


def read_watched(folder: Path) -> tuple[Watched, ...]:
    """The moments from before all calls of which nobody looked yet what is gone."""
    return (*_rows(folder / _WATCHED), *_rows(folder / ELSEWHERE))


def unwatch(folder: Path, gone: Callable[[Watched], bool]) -> None:
    """Forget those that `gone` names."""
    for name in (_WATCHED, ELSEWHERE):
        _forget(folder / name, [one for one in _rows(folder / name) if gone(one)])
    _list_places(folder)


def _forget(file: Path, gone: Sequence[Watched]) -> None:
    rows = _rows(file)
    left = [as_mapping(one) for one in rows if one not in gone]
    if left and len(left) < len(rows):
        _write(file, left)
    elif not left:
        file.unlink(missing_ok=True)


def _add(file: Path, watched: Sequence[Watched]) -> None:
    known = {(one.git_dir, one.moment): one for one in (*_rows(file), *watched)}
    if known:
        _write(file, [as_mapping(one) for one in known.values()])


def _rows(file: Path) -> tuple[Watched, ...]:
    return tuple(
        Watched(
            row["git_dir"],
            row["top"],
            row["moment"],
            tuple(row["left"]),
            row.get("of", ""),
            row.get("session", ""),
        )
        for row in _read(file)
    )


def read(folder: Path) -> tuple[NotedLoss, ...]:
    """The losses that are noted, oldest first."""
    return tuple(
        NotedLoss(**row | {name: tuple(row[name]) for name in ("commits", "stashes", "told")})
        for row in _read(folder / NOTE)
    )


def write(folder: Path, losses: Sequence[NotedLoss]) -> None:
    """Replace the noted losses; without one the file goes."""
    if losses:
        _write(folder / NOTE, [as_mapping(one) for one in losses[-_KEPT:]])
    else:
        (folder / NOTE).unlink(missing_ok=True)


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
