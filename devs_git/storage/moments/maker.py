"""What a moment is made with: the worktree, and the moment before."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from devs_git.domain.moments.moment import Details
from devs_git.errors import DevsError
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.moments import moment_store
from devs_git.storage.moments.seen_changes import Seen
from devs_git.storage.worktree.backups import State
from devs_git.values import field, immutable


def refuse_foreign(folder: Path) -> None:
    """CONFLICT if the folder has anything but files, such as a link or a pipe: devs-git would write elsewhere, or wait for ever."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                raise DevsError(
                    "CONFLICT",
                    f"{entry.name!r} in devs/moments of the git directory is not a file",
                    hint="Check what it is, then remove it.",
                )


@immutable
class Maker:
    """The worktree of which moments are made. `git` runs with the user's index, `store` without the caller's variables.

    `limit` returns the bytes that the policy allows for one moment; it is called only if much is new. The maker calls
    `step` with the name of each step, before the step.
    """

    git: Git
    store: Git
    places: Places
    objects: Objects
    limit: Callable[[], int]
    clock: Callable[[], datetime]
    step: Callable[[str], None] = field(default=lambda _name: None)
    # What the hook saw just before, if it looked.
    seen: Seen | None = None

    @property
    def moments(self) -> Git:
        """git for the refs of moments."""
        return moment_store.refs_of(self.store, self.places.common)

    @property
    def folder(self) -> Path:
        return self.places.moments


@immutable
class KnownMoment:
    """The moment before. `same_index`: the user's index is still the one that this moment has.

    `doubted`: the private index may know more than this moment, so it does not tell which files are new.
    """

    state: State
    details: Details
    same_index: bool
    doubted: bool = False
