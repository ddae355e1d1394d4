"""What storage needs of an opened repository: the workspace, seen from the layer below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from devs_git.domain.events import Draft, Event
from devs_git.storage.git_program import Git
from devs_git.storage.ledger import Ledger, Tip
from devs_git.storage.objects import Objects
from devs_git.storage.places import Places

if TYPE_CHECKING:
    from devs_git.storage.engine.site import Site


class Context(Protocol):
    """The parts of `Workspace` that steps shared by several commands use."""

    @property
    def places(self) -> Places: ...
    @property
    def git(self) -> Git: ...
    @property
    def store_git(self) -> Git: ...
    @property
    def objects(self) -> Objects: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def identity(self) -> tuple[str, str]: ...
    @property
    def say(self) -> Callable[[str], None]: ...
    def identified(self, git: Git) -> Git: ...
    def signature(self) -> str: ...
    def new_id(self, *parts: str) -> str: ...
    def append(self, build: Callable[[Tip], Draft]) -> Event: ...
    def event(
        self,
        kind: str,
        subject: str,
        *fields: tuple[str, str],
        verb_name: str,
        body: str = "",
        outcome: str = "ok",
    ) -> Event: ...


class Decider(Context, Protocol):
    """What deciding on a gate needs beyond that: who sits here, and the engine of any worktree."""

    @property
    def agent_variable(self) -> str: ...
    def new_nonce(self) -> str: ...
    def now(self) -> str: ...
    def site_of(self, places: Places) -> Site: ...
