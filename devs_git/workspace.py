"""One repository, opened for one command, with clock, identity, randomness and the stores.

No other module asks the system for these. `DEVS_GIT_CLOCK` (an ISO time) fixes the clock and derives ids from the ledger,
so that a demo prints the same everywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.storage.git.places import Places, locate
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed, of_store
from devs_git.values import TYPE_CHECKING, Final, field, immutable, replace

if TYPE_CHECKING:
    from devs_git.domain.gates.policy import Policy
    from devs_git.domain.ledger.event_header import Content
    from devs_git.domain.ledger.events import Draft, Event
    from devs_git.storage.git.objects import Objects
    from devs_git.storage.ledger.store import Ledger, Tip
    from devs_git.storage.worktree.engine_site import Site

CLOCK: Final = "DEVS_GIT_CLOCK"
FALLBACK: Final = ("devs-git", "devs-git@localhost")


def system_clock() -> datetime:
    """The current time in UTC, or that of `DEVS_GIT_CLOCK`."""
    fixed = os.environ.get(CLOCK)
    return datetime.fromisoformat(fixed).astimezone(UTC) if fixed else datetime.now(UTC)


def local_time(moment: datetime) -> datetime:
    """A time in the person's time zone. One without a zone is of the person's clock."""
    return moment.astimezone()


@immutable
class Workspace:
    """A worktree of one repository, or a bare repository. `progress` is called in long steps: what, done, total."""

    places: Places
    clock: Callable[[], datetime] = system_clock
    progress: Callable[[str, int, int], None] = field(default=lambda _what, _done, _total: None)
    say: Callable[[str], None] = field(default=lambda _text: None)
    dry_run: bool = False  # nothing is written, not even what can be made again
    offline: bool = False  # for reading: git asks no remote, and starts no program that the repository names

    @classmethod
    def open(cls, where: Path | None = None) -> Workspace:
        """The workspace around `where` (default: here); NOT_A_REPOSITORY, GIT_NOT_FOUND."""
        return cls(locate(where or Path()))

    @cached_property
    def started(self) -> str:
        return self.now()

    def start(self, at: str = "") -> Workspace:
        """Set `started`, which events have in `Devs-Started`, to this time or to now; returns the workspace itself."""
        vars(self)["started"] = at or self.now()
        return self

    @property
    def top(self) -> Path:
        """The worktree's root; NOT_A_REPOSITORY if there is no worktree."""
        if self.places.top is None:
            hint = "Run the command in one of its worktrees."
            raise DevsError("NOT_A_REPOSITORY", "This repository has no working tree here.", hint=hint)
        return self.places.top

    @cached_property
    def git(self) -> Git:
        """git in this worktree, with what its user has (replace refs, GIT_INDEX_FILE)."""
        tree = {"GIT_WORK_TREE": os.fspath(self.places.top)} if self.places.top else {}
        env = {"GIT_DIR": os.fspath(self.places.git_dir), **tree}
        git = Git(self.places.top or self.places.git_dir, env, offline=self.offline)
        if not self.offline:
            return git
        from devs_git.storage.git import filters

        return filters.without(git)

    @cached_property
    def store_git(self) -> Git:
        """git for ledger, checkpoints and backups: without the caller's repository variables and without replace refs."""
        return of_store(self.places.common, offline=self.offline)

    @cached_property
    def objects(self) -> Objects:
        from devs_git.storage.git.objects import Objects

        return Objects(self.places.common / "objects")

    @cached_property
    def ledger(self) -> Ledger:
        from devs_git.storage.ledger.store import Ledger  # not needed to read the catalog

        sign, now = self.signature, self.now
        return Ledger(
            self.store_git, self.objects, self.places.common, sign, now, self.with_identity, not self.dry_run
        )

    @cached_property
    def identity(self) -> tuple[str, str]:
        """Name and mail address as git uses them; ours if the machine has none, so that no event is lost."""
        from devs_git.domain.ledger.events import one_line

        try:
            ident = self.git.with_config("user.useConfigOnly=false").text("var", "GIT_COMMITTER_IDENT")
        except GitFailed:
            return FALLBACK
        match = re.fullmatch(r"(.*) <(.*)> \d+ [+-]\d+", ident)
        return (one_line(match[1]) or FALLBACK[0], match[2] or FALLBACK[1]) if match else FALLBACK

    def with_identity(self, git: Git) -> Git:
        """`git` with an identity for reflogs and commits, also if the machine has none."""
        return git.with_env(GIT_COMMITTER_NAME=self.identity[0], GIT_COMMITTER_EMAIL=self.identity[1])

    def signature(self) -> str:
        """`Name <mail> seconds +0000` for objects that devs-git writes without git."""
        return f"{self.actor} {int(self.clock().timestamp())} +0000"

    @cached_property
    def policy(self) -> Policy:
        """The policy in force by the rule of belief; the defaults if there is no ledger. POLICY_INVALID, LEDGER_MUTATED …"""
        from devs_git.storage.ledger import gate_files

        self.require_believed()
        return gate_files.policy_of(self.ledger.tip())

    def require_believed(self, *, behind: bool = False) -> None:
        """Raises if the rule of belief forbids the ledger. `behind`: an older ledger than the last one is allowed.

        The result is noted, also by a command that reads, but not in a dry run: else each command would judge the whole
        ledger again until one writes.
        """
        if (tip := self.ledger.tip().oid) not in ("", self.ledger.checked_tip):
            from devs_git.storage.ledger import checked_tip

            checked_tip.require(self.ledger, tip, note=not self.dry_run, behind=behind)

    def why_not_believed(self) -> str:
        """Why the ledger cannot be trusted, for commands that show it all the same; '' if it can."""
        try:
            self.require_believed()
        except DevsError as error:
            way_out = error.hint if error.code == "HISTORY_REWRITTEN" else "See: devs-git verify ledger"
            return f"{error.code}: {error.message} {way_out}"
        return ""

    @property
    def checkpoint_on_commit(self) -> bool:
        """Whether each commit of a task becomes a checkpoint. A hook asks this, so no YAML reader is imported."""
        from devs_git.domain.gates.policy import checkpoints_on_commit
        from devs_git.domain.ledger.events import IN_FORCE, LEDGER
        from devs_git.storage.git import bounded

        self.require_believed()
        plain = checkpoints_on_commit(bounded.document(self.store_git, f"{LEDGER}:{IN_FORCE}"))
        return self.policy.checkpoint_on_commit if plain is None else plain

    @property
    def head(self) -> str:
        """The oid of HEAD's commit; '' before the first commit. GitFailed if git cannot read it."""
        from devs_git.storage.git import refs

        return refs.read(self.git, "HEAD^{commit}")

    @property
    def actor(self) -> str:
        return "{} <{}>".format(*self.identity)

    def new_id(self, *parts: str) -> str:
        """An operation id that sorts by time: `20010203T040506-1a2b3c4d`."""
        moment = self.clock().astimezone(UTC).strftime("%Y%m%dT%H%M%S")
        return f"{moment}-{self._random_bytes(4, (moment, self.places.worktree_id), parts).hex()}"

    def new_gate_id(self) -> str:
        """A UUID (version 4) as text."""
        import uuid

        random = self._random_bytes(16, ("gate", self.started, self.places.worktree_id))
        return str(uuid.UUID(bytes=random, version=4))

    def new_trace_id(self) -> str:
        """A UUID (version 4) as text; always random, because to store a trace does not move the ledger."""
        import uuid

        return str(uuid.uuid4())

    def new_nonce(self) -> str:
        """32 hexadecimal digits that no other decision has."""
        return self._random_bytes(16, ("nonce", self.started)).hex()

    def _random_bytes(self, size: int, before: tuple[str, ...], after: tuple[str, ...] = ()) -> bytes:
        """Random bytes; if the clock is fixed, bytes derived from the ledger."""
        if CLOCK not in os.environ:
            return os.urandom(size)
        import hashlib

        seed = "\0".join((*before, self.ledger.tip().oid, *after))
        return hashlib.sha256(seed.encode()).digest()[:size]

    def now(self) -> str:
        return stamp(self.clock())

    @cached_property
    def agent_variable(self) -> str:
        """The environment variable that shows that an agent runs here; '' if there is none."""
        from devs_git.domain.clients import environment

        return environment.sign_of(os.environ)

    @property
    def agent_sessions(self) -> tuple[str, ...]:
        """The sessions of agents that run this command, as the environment names them."""
        return tuple(self.named_agent_sessions)

    @property
    def named_agent_sessions(self) -> dict[str, str]:
        """The same sessions, each with the name of its client."""
        from devs_git.domain.clients import environment

        return environment.named_sessions_in(os.environ)

    def event(
        self,
        kind: str,
        subject: str,
        *fields: tuple[str, str],
        verb_name: str,
        body: str = "",
        outcome: str = "ok",
    ) -> Event:
        """An event of this command: its own fields, then format, verb, actor, tier, times and outcome.

        The ledger writes a new `Devs-Finished`.
        """
        from devs_git.domain.ledger.event_header import Header
        from devs_git.domain.ledger.events import Event, non_empty
        from devs_git.domain.verbs import verb

        header = Header(
            verb=verb_name,
            actor=self.actor,
            tier=verb(verb_name).tier,
            worktree=self.places.worktree_id,
            started=self.started,
            finished=self.now(),
            outcome=outcome,
        )
        return Event(kind, subject, (*non_empty(*fields), *header.fields()), body)

    def event_of(self, content: Content, subject: str, *, verb_name: str, outcome: str = "ok") -> Event:
        """The event of this command with this content."""
        return self.event(content.type, subject, *content.fields(), verb_name=verb_name, outcome=outcome)

    def append(self, build: Callable[[Tip], Draft]) -> Event:
        """Write one event to the ledger; NOT_INITIALIZED if there is no ledger."""
        if not self.places.shared.is_dir():  # else `append` would make this folder for its lock
            self.ledger.require()

        def on_a_ledger(tip: Tip) -> Draft:
            if not tip.oid:
                self.ledger.require()
            return build(tip)

        return self.ledger.append(on_a_ledger)

    @property
    def site(self) -> Site:
        """The current worktree, for the engine that moves trees. Its steps call `progress`."""
        from devs_git.storage.worktree.engine_site import Site

        self.top  # noqa: B018 - raises if there is no worktree
        progress = self.progress
        return Site(
            git=self.with_identity(self.git),
            places=self.places,
            objects=self.objects,
            ledger=self.ledger,
            actor=self.actor,
            step=lambda name: progress(name, 0, 0),
            say=self.say,
        )

    def site_of(self, places: Places) -> Site:
        """The same for another worktree of this repository, without the variables of this one."""
        if places == self.places:
            return self.site
        site = replace(self, places=places).site
        return replace(site, git=replace(site.git, unset=REPOSITORY_VARIABLES))
