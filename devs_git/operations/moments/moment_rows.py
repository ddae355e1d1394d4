"""Rows of moments for lists: what each was made for, and how many files changed since the one before it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from devs_git.domain.checkpoints.rows import MomentRow
from devs_git.domain.moments import named_moment, names
from devs_git.domain.moments.moment import Details, Moment
from devs_git.domain.moments.named_moment import Turn
from devs_git.domain.recall.session_points import SessionPoint
from devs_git.errors import DevsError
from devs_git.storage.git.comparisons.differences import count_files
from devs_git.storage.git.objects import EMPTY_TREE, Objects
from devs_git.storage.moments import moment_store, read_moments
from devs_git.storage.worktree import active_task
from devs_git.storage.worktree.backups import State
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog


@immutable
class ReadMoment:
    """A moment, and what is stored of it."""

    moment: Moment
    state: State
    details: Details


@immutable
class MomentFilter:
    """Which moments: those of sessions whose ids begin with `session`, made while `task` was active; '' for all."""

    session: str = ""
    task: str = ""


def newest_first(
    workspace: Workspace, wanted: MomentFilter, *, worktree: str | None = None
) -> Iterator[ReadMoment]:
    """The moments of all worktrees, or of one. Each is read only when it is asked for; what git pruned is left out."""
    # Opened once: to open a store takes longer than to read from it.
    own = moment_store.objects_of(workspace.objects)
    for one in read_moments.newest_first(workspace.store_git, workspace.objects, worktree=worktree):
        try:
            read = ReadMoment(one, *read_moments.read(own, one.id))
        except DevsError:
            continue
        if _fits(wanted, read.state, read.details):
            yield read


@immutable
class Neighbours:
    """The moments before and after one, of the same worktree."""

    before: Moment | None = None
    after: Moment | None = None


def neighbours(workspace: Workspace, moments: Collection[Moment]) -> dict[Moment, Neighbours]:
    """The neighbours of each of the moments."""
    found: dict[Moment, Neighbours] = {}
    for worktree in {one.worktree for one in moments}:
        wanted = {one for one in moments if one.worktree == worktree}
        after: Moment | None = None
        current: Moment | None = None
        here = read_moments.newest_first(workspace.store_git, workspace.objects, worktree=worktree)
        for one in itertools.chain(here, (None,)):
            if current and current in wanted:
                found[current] = Neighbours(one, after)
                wanted.remove(current)
            if not wanted:
                break
            after, current = current, one
    return found


def _fits(wanted: MomentFilter, state: State, details: Details) -> bool:
    if not details.occasion.session.startswith(wanted.session):
        return False
    return not wanted.task or active_task.task_of(state.active) == wanted.task


@immutable
class Told:
    """What the catalog tells of a moment: the turns of its session, the number of its own, the point of the conversation."""

    turns: Sequence[Turn] = ()
    number: int = 0
    point: SessionPoint | None = None


def ask_catalog(
    workspace: Workspace, found: Sequence[ReadMoment], *, points: bool = False
) -> dict[Moment, Told]:
    """What the catalog tells of each of the moments; nothing if it cannot be read. `points`: with their points."""
    if not (points or any(one.details.occasion.session for one in found)):
        return {}
    from devs_git.operations.recall import open_catalog
    from devs_git.storage.catalog.database import TROUBLE

    try:
        with open_catalog.open_catalog(workspace) as catalog:
            return _told(catalog, found, points=points)
    except TROUBLE:
        return {}


def _told(catalog: Catalog, found: Sequence[ReadMoment], *, points: bool) -> dict[Moment, Told]:
    from devs_git.operations.sessions import find_point
    from devs_git.storage.catalog.sessions import prompts

    sessions = {one.details.occasion.session for one in found} - {""}
    turns = {session: prompts.turns(catalog, session) for session in sorted(sessions)}
    made = []
    for one in found:
        own = turns.get(one.details.occasion.session, ())
        number = named_moment.number_of_turn(one.moment, own)
        made.append(find_point.MadeMoment(one.moment, one.details.occasion, own, number))
    at = find_point.of_moments(catalog, made) if points else {}
    return {one.moment: Told(one.turns, one.number, at.get(one.moment)) for one in made}


def rows(
    workspace: Workspace, found: Sequence[ReadMoment], told: Mapping[Moment, Told]
) -> tuple[MomentRow, ...]:
    """Their rows, with what the catalog told. One git counts the files of all."""
    near = neighbours(workspace, [one.moment for one in found])
    own = moment_store.objects_of(workspace.objects)
    trees = [_files_before(own, one, near[one.moment].before) for one in found]
    pairs = [(tree, one.state.worktree) for tree, one in zip(trees, found, strict=True) if tree]
    git = moment_store.with_objects(workspace.store_git, workspace.places.common)
    counts = count_files(git, list(dict.fromkeys(pairs)))
    return tuple(
        _row(one, near[one.moment], counts.get((tree, one.state.worktree)), told.get(one.moment, Told()))
        for tree, one in zip(trees, found, strict=True)
    )


def _row(one: ReadMoment, near: Neighbours, files: int | None, told: Told) -> MomentRow:
    occasion = one.details.occasion
    number, turns = told.number, told.turns
    return MomentRow(
        id=one.moment.id,
        name=names.short_name(one.moment.id),
        created_at=one.moment.created_at,
        kind=one.moment.kind,
        worktree=one.moment.worktree,
        session_id=occasion.session,
        turn=number,
        client=occasion.client,
        words=occasion.words or (turns[number - 1].words if number else ""),
        next_prompt=named_moment.next_prompt(number, turns, near.after),
        task_id=active_task.task_of(one.state.active),
        files_changed=files,
        previous=near.before.id if near.before else "",
    )


def _files_before(own: Objects, one: ReadMoment, before: Moment | None) -> str:
    """The tree of the files of the moment before; else that of HEAD; '' if it was pruned."""
    try:
        if before:
            return read_moments.read(own, before.id)[0].worktree
        head = one.state.head
        return own.read(head, "commit")[5:45].decode() if head else EMPTY_TREE
    except DevsError:
        return ""
