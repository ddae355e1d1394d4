"""Moments that were not made, and why: `gap` has those of which nobody was told yet, `gaps` the others. One line each.

The hook of a client tells of them, and `status` and `doctor` show those of the last day.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.git import bounded
from devs_git.storage.git.files import replace_file
from devs_git.values import immutable

if TYPE_CHECKING:
    from datetime import datetime

    from devs_git.domain.audit.findings import Finding
    from devs_git.storage.git.places import Places

_NEW: Final = "gap"
_TOLD: Final = "gaps"
# Lines that are kept.
_KEPT: Final = 50


@immutable
class Gap:
    """`created_at`: when the moment should have been made (UTC, as in a moment), `kind`: of which kind, `reason`: a clause."""

    created_at: str
    kind: str
    reason: str


def add(folder: Path, gap: Gap) -> None:
    """Note a gap in the worktree's folder for moments. OSError."""
    line = f"{gap.created_at} {gap.kind} {' '.join(gap.reason.split())}\n"
    with (folder / _NEW).open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(line)


def take_new(folder: Path) -> tuple[Gap, ...]:
    """The gaps of which nobody was told yet; from now on they count as told."""
    new = _read(folder / _NEW)
    if new:
        kept = [*_read(folder / _TOLD), *new][-_KEPT:]
        replace_file(folder / _TOLD, "".join(map(_line, kept)).encode("utf-8", "surrogateescape"))
        (folder / _NEW).unlink(missing_ok=True)
    return new


def since(folder: Path, time: str) -> tuple[Gap, ...]:
    """All gaps since a time, oldest first."""
    return tuple(gap for gap in (*_read(folder / _TOLD), *_read(folder / _NEW)) if gap.created_at >= time)


def of_last_day(folder: Path, now: datetime) -> tuple[Gap, ...]:
    """All gaps of the last 24 hours, oldest first."""
    from datetime import timedelta

    from devs_git.domain.text.times import stamp

    return since(folder, stamp(now - timedelta(days=1)))


def findings(places: Places, now: datetime) -> Iterator[Finding]:
    """A warning where moments were not made in the last day, or cannot be made, although the policy wants them."""
    from devs_git.domain.audit.findings import Finding
    from devs_git.storage.ledger import judged_note

    if not judged_note.keeps_moments(places.shared):
        return
    folder = places.moments
    found = of_last_day(folder, now)
    if found:
        newest = found[-1]
        text = (
            f"{len(found)} moment(s) of the last day could not be made, the newest at {newest.created_at[:19]}Z "
            f"({newest.kind}), because {newest.reason}."
        )
        yield Finding("MOMENT_GAP", "warning", text, "devs-git snapshot create")
    place = folder if folder.exists() else folder.parent
    if place.exists() and not (place.is_dir() and os.access(place, os.W_OK)):
        text = f"No moment can be made, because {place.name} in the git directory is no folder, or cannot be written."
        yield Finding("MOMENT_GAP", "warning", text, 'ls -ld "$(git rev-parse --git-dir)"/devs/*')


def _line(gap: Gap) -> str:
    return f"{gap.created_at} {gap.kind} {gap.reason}\n"


def _read(file: Path) -> tuple[Gap, ...]:
    with contextlib.suppress(OSError, DevsError):
        text = bounded.read_file(file, limits.DOCUMENT, file.name).decode("utf-8", "surrogateescape")
        lines = text.splitlines()[-_KEPT:]
        parts = (line.split(" ", 2) for line in lines)
        return tuple(Gap(*words) for words in parts if len(words) == 3)
    return ()
