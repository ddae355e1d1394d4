"""The files that only one session wrote: what `--mine` commits, and what it leaves out."""

from __future__ import annotations

from devs_git.domain.checkpoints.rows import LeftOut, Recorded
from devs_git.domain.moments.moment import Occasion
from devs_git.errors import DevsError, invalid
from devs_git.operations.checkpoint.commit_work import Choice
from devs_git.operations.moments import attribution
from devs_git.operations.moments.attribution import Attribution
from devs_git.operations.moments.moment_maker import maker_of
from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.storage.ledger.judged_note import keeps_moments
from devs_git.storage.moments import make_moment
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

# How many of the newest moments are looked at. Older ones matter only for files that are not committed for long.
MOST = 2000
_SHORTEST = 4


@immutable
class OwnFiles:
    """The files of a session that differ from HEAD: those that only it wrote, and those that others wrote, too."""

    session: str
    paths: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def choice(self) -> Choice:
        """What is committed."""
        return Choice(paths=self.paths)

    def add_to(self, done: Recorded) -> Recorded:
        """The result with the session and what was left out."""
        return replace(done, session=self.session, left_out=self.left_out)

    def require(self) -> None:
        """INVALID_ARGUMENTS if there is nothing to commit."""
        if not self.paths:
            names = ", ".join(repr(one.path) for one in self.left_out[:5])
            others = f" Others wrote these, too: {names}." if names else ""
            raise DevsError(
                "INVALID_ARGUMENTS",
                f"There is no file here that only the session {self.session} wrote.{others}",
                hint="To commit other files, stage them with git add, and leave out --mine.",
                field="mine",
                session=self.session,
                paths=[one.path for one in self.left_out[:100]],
            )


def find(workspace: Workspace, session: str, *, by_tool: bool = False) -> OwnFiles:
    """What a session wrote here: the named one, else that of the agent that runs this, else that of the newest prompt.

    `by_tool`: an agent asks, whose prompt may not be the newest. INVALID_ARGUMENTS if there is no such session, or if no
    moments are made here, so that nobody knows who wrote what.
    """
    if not keeps_moments(workspace.places.shared):
        raise invalid(
            "mine",
            "No moments are made in this repository, so devs-git does not know who wrote which file.",
            hint="Run: devs-git agent install. If that was done, see 'recording' in the policy. Or stage files with git add.",
        )
    workspace.ledger.require()
    # The newest changes must be in a moment, too.
    make_moment.make(maker_of(workspace), Occasion("call", words="devs-git: --mine"))
    with open_catalog(workspace) as catalog:
        found = attribution.attribute(workspace, catalog, MOST)
    return _own(found, session or _default(workspace, found, by_tool=by_tool))


def _own(found: Attribution, named: str) -> OwnFiles:
    session = _known(found, named)
    written = {path: one for path, one in found.writers.items() if session in one.sessions}
    others = {path: tuple(sorted(one.sessions - {session})) for path, one in written.items()}
    left_out = tuple(
        LeftOut(path, others[path], tuple(one for one in others[path] if one in found.live), writers.unknown)
        for path, writers in sorted(written.items())
        if others[path] or writers.unknown
    )
    alone = set(written) - {one.path for one in left_out}
    return OwnFiles(session, tuple(sorted(alone)), left_out)


def _default(workspace: Workspace, found: Attribution, *, by_tool: bool) -> str:
    """The session that the environment names, if an agent runs this; else that of the newest prompt."""
    here = max(workspace.agent_sessions, key=lambda one: found.seen.get(one, ""), default="")
    if not (here or found.prompted):
        raise invalid(
            "session",
            "No session of an agent is known in this worktree.",
            hint="Stage files with git add, and leave out --mine.",
        )
    if by_tool and not here and len(found.live) > 1:
        raise invalid(
            "session",
            f"Several sessions are at work in this worktree, and devs-git cannot know yours: {', '.join(sorted(found.live))}.",
            hint="Name yours as 'session', or run in your shell: devs-git checkpoint --mine",
        )
    return here or found.prompted


def _known(found: Attribution, named: str) -> str:
    """The session with this id, or the only one whose id begins so; `named` itself if nothing is known of it."""
    if named in found.seen or len(named) < _SHORTEST:
        return named
    begins = [one for one in found.seen if one.startswith(named)]
    if len(begins) > 1:
        raise invalid(
            "session", f"Several sessions have an id that begins with {named!r}: {', '.join(sorted(begins))}."
        )
    return begins[0] if begins else named
