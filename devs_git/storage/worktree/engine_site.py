"""The site of the engine: git, places, objects and ledger of one worktree, and where the engine reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from devs_git.storage.git.objects import Objects
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.store import Ledger
from devs_git.values import immutable


@immutable
class Site:
    """`git` runs with the user's own index. `actor` is who runs the command, `Name <mail>`.

    The engine calls `step` with the name of each step, before the step. `say` prints one line for the user.
    """

    git: Git
    places: Places
    objects: Objects
    ledger: Ledger
    actor: str
    step: Callable[[str], None]
    say: Callable[[str], None]

    @property
    def top(self) -> Path:
        return Path(self.git.where)
