"""Where the engine works: one worktree's git, places, objects and ledger, and whom it tells of its steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from devs_git.domain.ledger.events import Event
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.store import Ledger
from devs_git.values import immutable


@immutable
class Site:
    """`git` sees the worktree as its user does; `step` is told the name of each step before it is taken."""

    git: Git
    places: Places
    objects: Objects
    ledger: Ledger
    signature: Callable[[], str]
    step: Callable[[str], None]
    say: Callable[[str], None]
    failed_event: Callable[[str, str, str, str], Event]  # verb, operation, subject, code

    @property
    def top(self) -> Path:
        return Path(self.git.where)
