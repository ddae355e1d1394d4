"""Find the moment that a person names: `moment:-1`, `moment:14:32`, `moment:<session>/3`, `snapshot/NAME` …"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from devs_git.domain.ledger.event_branches import SnapshotCreated
from devs_git.domain.moments import named_moment, names
from devs_git.domain.moments.moment import Moment
from devs_git.domain.moments.named_moment import Turn
from devs_git.domain.moments.names import AtTime, Back, ById, OfSnapshot, OfTurn
from devs_git.errors import DevsError
from devs_git.operations.checkpoint import snapshots
from devs_git.operations.checkpoint.snapshots import Snapshot
from devs_git.storage.git.objects import Objects
from devs_git.storage.moments import moment_store, read_moments
from devs_git.workspace import Workspace, local_time


def resolve(workspace: Workspace, text: str, *, field: str = "target") -> Moment:
    """The moment with this name. `field`: the argument that has the name, for refusals.

    MOMENT_NOT_FOUND; SNAPSHOT_NOT_FOUND; INVALID_ARGUMENTS if the text is no name, names several, or a time that lies ahead.
    """
    named = names.parse(text, field=field)
    if isinstance(named, Back | AtTime):
        return _of_worktree(workspace, named, field)
    moments = read_moments.list_moments(workspace.store_git, workspace.objects)
    if isinstance(named, OfSnapshot):
        return _of_snapshot(workspace, named, moments)
    if not moments:
        named_moment.require_some(moments, moments)
    if isinstance(named, ById):
        return named_moment.begin_with(named, moments, field=field)
    return _of_turn(workspace, named, moments, field)


def _of_worktree(workspace: Workspace, named: Back | AtTime, field: str) -> Moment:
    here = _here(workspace)
    if isinstance(named, Back):
        return named_moment.count_back(named, here)
    last = names.last_instant(named, workspace.clock(), local_time, field=field)
    return named_moment.newest_until(last, here)


def _here(workspace: Workspace) -> tuple[Moment, ...]:
    """The moments of this worktree; MOMENT_NOT_FOUND if there is none."""
    found = read_moments.list_of_worktree(workspace.store_git, workspace.objects, workspace.places)
    if not found:
        every = read_moments.list_moments(workspace.store_git, workspace.objects)
        named_moment.require_some(every, found)
    return found


def _of_turn(workspace: Workspace, named: OfTurn, moments: Sequence[Moment], field: str) -> Moment:
    from devs_git.operations.recall import open_catalog
    from devs_git.storage.catalog.sessions import prompts

    with open_catalog.open_catalog(workspace) as catalog:
        sessions = prompts.sessions_beginning_with(catalog, named.session)
        session = named_moment.one_session(named, sessions, field=field)
        turn = named_moment.turn_of(named, session, prompts.turns(catalog, session))
    found = named_moment.before_turn(turn, moments, session_of(workspace.objects))
    if found is None:
        raise named_moment.not_found(
            f"There is no moment before turn {named.turn} of the session {session}, which began at {turn.said_at}."
        )
    return found


def session_of(objects: Objects) -> Callable[[Moment], str]:
    """A function that reads for which session a moment was made; '' if nobody can say."""
    own = moment_store.objects_of(objects)

    @cache
    def session(moment: Moment) -> str:
        try:
            return read_moments.read(own, moment.id)[1].occasion.session
        except DevsError:
            return ""

    return session


def _of_snapshot(workspace: Workspace, named: OfSnapshot, moments: Sequence[Moment]) -> Moment:
    """The moment that `snapshot create` made with the branch, or the one before if nothing had changed since."""
    found = snapshots.list_snapshots(workspace.store_git)
    snapshot = next((one for one in found if one.name == named.branch), None)
    if snapshot is None:
        raise DevsError(
            "SNAPSHOT_NOT_FOUND", f"There is no {named.branch}.", hint="List them: devs-git snapshot list"
        )
    moment_id = _recorded_moment(workspace, snapshot)
    for one in moments:
        if one.id == moment_id:
            return one
    raise named_moment.not_found(
        f"There is no moment of {named.branch}: devs-git did not make one, or it was pruned.",
        hint=f"Its files are on that branch: devs-git restore {named.branch}",
    )


def _recorded_moment(workspace: Workspace, snapshot: Snapshot) -> str:
    """The id of the moment that the ledger names for a snapshot; '' if it names none."""
    for event in workspace.ledger.newest_first():
        if event.type == SnapshotCreated.type and not event.failed:
            made = SnapshotCreated.of(event)
            if (made.branch, made.commit) == (snapshot.name, snapshot.commit):
                return made.moment
    return ""


def turns_here(workspace: Workspace, most: int) -> tuple[Turn, ...]:
    """The last turns in this worktree, newest first; none if the catalog cannot be read."""
    from devs_git.operations.recall import open_catalog
    from devs_git.storage.catalog.database import TROUBLE
    from devs_git.storage.catalog.sessions import prompts

    try:
        with open_catalog.open_catalog(workspace) as catalog:
            return prompts.last_turns(catalog, workspace.places.worktree_id, most)
    except TROUBLE:
        return ()


def begin_of_turn(workspace: Workspace, text: str, *, field: str = "target") -> Moment:
    """As `resolve`, but `moment:-1` is the state before the last turn of this worktree, `moment:-2` before the one before it.

    Moments are also made during a turn and at its end. Who asks what the last turn did does not mean those. The last
    `snapshot create` counts as the beginning of a turn; where there was no turn, each moment does.
    """
    named = names.parse(text, field=field)
    if not isinstance(named, Back):
        return resolve(workspace, text, field=field)
    here = _here(workspace)
    # Several turns may have begun with the same state.
    turns = turns_here(workspace, 10 * named.count + 50)
    begins = named_moment.begins_of_turns(here, turns, session_of(workspace.objects))
    return named_moment.count_back(named, begins or here)
