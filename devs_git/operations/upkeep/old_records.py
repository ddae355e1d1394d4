"""Finds conversations and traces of the catalog that are older than the policy allows, and what keeps some of them. Reads only."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta

from devs_git.domain.checkpoints.retention import Kept, Outdated
from devs_git.domain.gates.policy import Policy
from devs_git.domain.moments import names
from devs_git.domain.recall.conversation import main_session
from devs_git.domain.recall.traces import TraceRow
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.storage.catalog import prune_sessions, prune_traces
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import written_files
from devs_git.storage.moments import read_moments
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class _Needed:
    """Checkpoints (by tag) and main sessions that stay, each with the reason."""

    tags: Mapping[str, str]
    sessions: Mapping[str, str]


def find(workspace: Workspace, catalog: Catalog, backups: Collection[str]) -> tuple[Outdated, ...]:
    """What is older than its time, by kind. `backups`: the operations whose backup stays."""
    policy = workspace.policy
    bound = _before(workspace, policy.keep_conversations)
    sessions = _old_sessions(catalog, bound)
    snapshots = prune_sessions.old_snapshots(catalog, bound)
    traces = []
    if policy.keep_traces is not None:
        traces = prune_traces.older(catalog, _before(workspace, policy.keep_traces))
    needed = _needed(workspace, catalog, backups) if sessions or snapshots or traces else _Needed({}, {})
    conversations = _conversations(workspace, catalog, sessions, needed)
    going = set(conversations.rows)
    found = (conversations, _snapshots(policy, snapshots, going, needed), _written(policy, catalog, bound))
    return found if policy.keep_traces is None else (*found, _traces(policy.keep_traces, traces, needed))


def _needed(workspace: Workspace, catalog: Catalog, backups: Collection[str]) -> _Needed:
    from devs_git.domain.recall import needed_sessions  # only where something is old

    tip = workspace.ledger.tip()
    # Another clone has the backups of its own operations, for as long as we have ours.
    since = _before(workspace, workspace.policy.keep_backups)
    operations = tip.history.operations
    undoable = {event.op_id for event in operations if event.finished >= since} | set(backups)
    tags = needed_sessions.needed_checkpoints((tip.history, tip.here), undoable)
    named = needed_sessions.sessions_of_checkpoints(tip.history)
    cut = needed_sessions.cut_sessions(operations, undoable)
    forked = needed_sessions.sessions_of_forks((tip.history, tip.here))
    forked |= dict(_sessions_of_forks(workspace, catalog))
    return _Needed(tags, cut | forked | needed_sessions.reasons_to_keep(named, tags))


def _sessions_of_forks(workspace: Workspace, catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The session of each moment, and of each beginning of a task, at which a live fork began, with the reason why it stays."""
    for name, task_id in fork_moments(workspace).items():
        with contextlib.suppress(DevsError):  # nobody has this moment any more
            _, details = read_moments.look_up(workspace.objects, name)
            yield main_session(details.occasion.session), f"{task_id} was forked from a moment of it"
    for name, task_id in _fork_points(workspace).items():
        task = workspace.ledger.tip().history.tasks.get(name.removesuffix("@0"))
        if task and name.endswith("@0"):
            from devs_git.domain.ledger.event_contracts import session_in
            from devs_git.storage.catalog.sessions import points

            said = points.in_worktree(catalog, task.worktree, task.started_at)
            began = (session_in(task.spawned_by)[1], said.session_id if said else "")
            yield from ((main_session(one), f"{task_id} was forked from {name}") for one in began if one)


def fork_moments(workspace: Workspace) -> dict[str, str]:
    """The ids of the moments at which live forks began, each with the task of a fork."""
    return {
        name.removeprefix(names.PREFIX): task_id
        for name, task_id in _fork_points(workspace).items()
        if name.startswith(names.PREFIX)
    }


def _fork_points(workspace: Workspace) -> dict[str, str]:
    from devs_git.domain.recall import needed_sessions

    tip = workspace.ledger.tip()
    return needed_sessions.fork_points((tip.history, tip.here))


def _old_sessions(catalog: Catalog, bound: str) -> list[str]:
    """Sessions of which nothing was read since. A session and those of its subagents are old together."""
    seen = prune_sessions.last_seen(catalog)
    young = {main_session(name) for name, at in seen.items() if at >= bound}
    return [name for name in seen if main_session(name) not in young]


def _conversations(workspace: Workspace, catalog: Catalog, old: Sequence[str], needed: _Needed) -> Outdated:
    going = tuple(name for name in old if main_session(name) not in needed.sessions)
    kept = (
        Kept(name, needed.sessions[main_session(name)])
        for name in old
        if main_session(name) in needed.sessions
    )
    ours = workspace.places.transcripts
    files = (file for name in going for file in prune_sessions.transcripts(catalog, name))
    return Outdated(
        "conversations",
        workspace.policy.keep_conversations,
        len(going),
        going,
        tuple(kept),
        # The client deletes its own transcripts. Nobody but us deletes those that our plug-in wrote.
        files=tuple(os.fspath(file) for file in files if file.parent == ours),
        rows=going,
    )


def _snapshots(
    policy: Policy, old: Sequence[tuple[str, str, str]], sessions: Collection[str], needed: _Needed
) -> Outdated:
    """Old snapshots, without those that go with their session."""
    going = tuple(name for name, session, tag in old if session not in sessions and tag not in needed.tags)
    return Outdated("conversation snapshots", policy.keep_conversations, len(going), rows=going)


def _written(policy: Policy, catalog: Catalog, bound: str) -> Outdated:
    """Old sessions that we wrote for clients. One with which somebody went on is the person's, and stays."""
    old = [file for file in written_files.list_files(catalog) if file.at < bound]
    going = tuple(os.fspath(file.path) for file in old if file.is_ours)
    kept = (Kept(os.fspath(file.path), "somebody has gone on with it") for file in old if not file.is_ours)
    return Outdated(
        "written sessions", policy.keep_conversations, len(going), going, tuple(kept), files=going, rows=going
    )


def _traces(seconds: int, old: Sequence[TraceRow], needed: _Needed) -> Outdated:
    """Old traces, without those of sessions that stay for a checkpoint: their messages refer to traces."""
    going = tuple(row.trace_id for row in old if row.session_id not in needed.sessions)
    return Outdated("traces", seconds, len(going), rows=going)


def _before(workspace: Workspace, seconds: int) -> str:
    """The stamp of the time so many seconds ago; '' before the first year, and nothing is older than that."""
    try:
        return stamp(workspace.clock() - timedelta(seconds=seconds))
    except OverflowError:
        return ""
