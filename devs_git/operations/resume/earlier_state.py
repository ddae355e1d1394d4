"""Go on from an earlier state: bring the code there, by a rewind or by a fork, and write the session that goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from devs_git.domain.checkpoints.plan_id import Options
from devs_git.domain.ledger.history import Checkpoint
from devs_git.errors import DevsError
from devs_git.operations.fork import make_fork
from devs_git.operations.resume import native_session
from devs_git.operations.resume.native_session import ResumedSession
from devs_git.operations.rewind import go_back
from devs_git.storage.git.places import Places
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from devs_git.operations.sessions.write_session import Target, WrittenSession
    from devs_git.storage.catalog.database import Catalog

_REFUSAL = "GIT_RESET_FAILED"


@immutable
class Way:
    """How to get to the point. `fork`: the new task, None for a rewind, to which `preserve` and `untracked` belong.

    `session_id`: the session that is cut at the point and written, for the client `to` ('' for its own); '' for none.
    """

    point: Checkpoint
    fork: make_fork.ForkRequest | None = None
    preserve: str | None = None
    untracked: str | None = None
    session_id: str = ""
    to: str = ""


class Outcome(NamedTuple):
    """What was done. One of `rewind` and `fork` is None; `session` is None if no session was written."""

    rewind: go_back.Result | None
    fork: make_fork.Result | None
    session: ResumedSession | None


def go(workspace: Workspace, catalog: Catalog, way: Way) -> Outcome:
    """Both the code and the session, or neither. The codes of a rewind or of a fork; MESSAGE_NOT_FOUND; those of `write_session`."""
    return _fork(workspace, catalog, way, way.fork) if way.fork else _rewind(workspace, catalog, way)


def require_here(workspace: Workspace, places: Places | None) -> None:
    """CONFLICT if the work is in another worktree: a rewind moves the files of this one."""
    if places is None or places.worktree_id == workspace.places.worktree_id:
        return
    raise DevsError(
        "CONFLICT",
        f"This work is in another worktree, {places.top or places.worktree_id}.",
        hint="Run the command there, or leave that worktree as it is: --fork --name ID",
    )


def _rewind(workspace: Workspace, catalog: Catalog, way: Way) -> Outcome:
    from devs_git.storage.git import refs
    from devs_git.storage.worktree import move_tree

    wanted = go_back.CodeRequest(Options(way.point.name, way.preserve, None, way.untracked))
    branch = refs.branch(workspace.places.git_dir)
    with (
        move_tree.translate_failures(_REFUSAL),
        move_tree.worktree_lock(workspace.site, alone=True) as site,
    ):
        plan = go_back.make_plan(workspace, site, wanted)
        if way.session_id:
            site.step("session")
        with _session(workspace, catalog, way, (site.top, branch)) as written:
            moved = go_back.rewind(workspace, site, wanted, plan, go_back.Cause("resume"))
    go_back.note_what_is_back(workspace, moved)
    return Outcome(moved, None, native_session.session_of(written) if written else None)


def _fork(workspace: Workspace, catalog: Catalog, way: Way, wanted: make_fork.ForkRequest) -> Outcome:
    from devs_git.operations.fork import fork_point

    point = fork_point.find(workspace, way.point.name)
    task_id, _title = make_fork.name_in(workspace.ledger.require(), wanted.name)
    top = make_fork.place(workspace, wanted.worktree, task_id)
    with _session(workspace, catalog, way, (top, wanted.branch or task_id)) as written:
        made = make_fork.make(workspace, point, wanted)
    return Outcome(None, made, native_session.session_of(written) if written else _fork_session(made))


def _fork_session(made: make_fork.Result) -> ResumedSession | None:
    """The session that the fork wrote itself."""
    if made.session is None:
        return None
    one = made.session
    return ResumedSession(
        one.client,
        one.session_id,
        one.file,
        one.messages,
        one.tokens,
        written=True,
        left_out=made.left_out,
    )


@contextlib.contextmanager
def _session(
    workspace: Workspace, catalog: Catalog, way: Way, place: tuple[Path, str]
) -> Iterator[WrittenSession | None]:
    """The session, cut at the point and written for a worktree and its branch. If what follows is refused, the session is removed again."""
    if not way.session_id:
        yield None
        return
    from devs_git.operations.sessions import write_session

    cut = write_session.Point(way.session_id, _last_message(catalog, way))
    target: Target = write_session.Target(place[0], f"devs: back to {way.point.name}", place[1])
    with write_session.write_for(workspace, catalog, cut, target, way.to) as written:
        yield written


def _last_message(catalog: Catalog, way: Way) -> str:
    kept = cut_of(catalog, way.point, way.session_id)
    if kept is None:
        raise DevsError(
            "MESSAGE_NOT_FOUND",
            f"Nothing that was said in the session until {way.point.name} is known here.",
            hint="Import its transcript: devs-git conversation import FILE",
            session_id=way.session_id,
        )
    return kept[0]


def cut_of(catalog: Catalog, point: Checkpoint, session_id: str) -> tuple[str, int] | None:
    """The id of the last message of a session that a checkpoint has, and how many it has. The checkpoint says it, else its time.

    None if the session had no message then.
    """
    from devs_git.operations.sessions import find_point
    from devs_git.storage.catalog.sessions import points

    said = find_point.of_checkpoint(catalog, point.tag) if point.tag else None
    if said is None or said.session_id != session_id:
        said = points.at_time(catalog, session_id, point.created_at)
    return (said.message_id, said.message_count) if said else None
