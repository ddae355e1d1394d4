"""Snapshots: local branches `snapshot/…`, each one commit on top of what HEAD was."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from devs_git.domain.text.times import stamp_of
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.values import immutable

BRANCHES: Final = "refs/heads/"
PREFIX: Final = "snapshot/"
_FORMAT: Final = "%00".join(
    f"%({field})"
    for field in (
        "refname",
        "objectname",
        "tree",
        "parent",
        "committerdate:unix",
        "contents:subject",
        "worktreepath",
    )
)


@immutable
class Snapshot:
    """One branch below `snapshot/`. `parent` is '' before the first commit. `checked_out`: some worktree has it."""

    name: str
    commit: str
    tree: str
    parent: str
    created_at: str
    message: str
    checked_out: bool


def list_snapshots(git: Git) -> tuple[Snapshot, ...]:
    """All snapshots, newest first."""
    out = git.run("for-each-ref", f"--format={_FORMAT}%00", BRANCHES + PREFIX)
    fields = [os.fsdecode(part).lstrip("\n") for part in out.split(b"\0")][:-1]
    rows = [fields[at : at + 7] for at in range(0, len(fields), 7)]
    found = [(int(row[4] or 0), row) for row in rows]
    return tuple(_snapshot(seconds, row) for seconds, row in sorted(found, reverse=True))


def commit_of(git: Git, name: str) -> str:
    """The commit of the snapshot `snapshot/NAME`; SNAPSHOT_NOT_FOUND."""
    commit = refs.commit_of(git, f"{BRANCHES}{name}")
    if commit:
        return commit
    raise DevsError("SNAPSHOT_NOT_FOUND", f"There is no {name}.", hint="List them: devs-git snapshot list")


def _snapshot(seconds: int, row: list[str]) -> Snapshot:
    return Snapshot(
        name=row[0].removeprefix(BRANCHES),
        commit=row[1],
        tree=row[2],
        parent=row[3].partition(" ")[0],
        created_at=stamp_of(seconds),
        message=row[5],
        checked_out=bool(row[6]),
    )


def names(moment: datetime) -> Iterator[str]:
    """`snapshot/edit-2001-02-03-0405` (the time is UTC), then the same with -2, -3 …"""
    base = PREFIX + moment.astimezone(UTC).strftime("edit-%Y-%m-%d-%H%M")
    yield base
    number = 2
    while True:
        yield f"{base}-{number}"
        number += 1


def free_name(moment: datetime, taken: Iterable[str]) -> str:
    """The first of `names` that is not among the refs `taken` (full names)."""
    used = set(taken)
    return next(name for name in names(moment) if BRANCHES + name not in used)
