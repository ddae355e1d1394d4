"""Who wrote the files of this worktree that differ from HEAD: read from its moments and from the catalog."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from devs_git.domain.calls.edited_files import edited_files, may_write_any_file
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.moments.live_sessions import live_sessions
from devs_git.domain.moments.moment import Details
from devs_git.domain.moments.running_calls import Ended, calls_of
from devs_git.domain.moments.who_wrote import Call, Edit, Look, Writers, is_among, who_wrote
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.operations.moments.explained_changes import EditInput, Explained
from devs_git.storage.catalog.sessions import session_signs
from devs_git.storage.git.comparisons.tree_changes import Change, TreeEntry, compare_trees
from devs_git.storage.git.objects import EMPTY_TREE
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import moment_store, prompted, read_moments
from devs_git.values import field, immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.storage.catalog.database import Catalog
    from devs_git.storage.catalog.sessions.session_signs import ToolCall

# How long a hook may need after an edit until it notes the time.
_LATE: Final = timedelta(seconds=2)
# What a client may need from an edit until it calls the hook.
_EDIT: Final = timedelta(seconds=3)


@immutable
class Attribution:
    """The writers of each path that differs from HEAD. `live`: the sessions that are live and at work in this worktree.

    `seen`: when each session was seen last. `prompted`: the session of the newest prompt here.
    """

    writers: Mapping[str, Writers] = field(default_factory=dict)
    live: frozenset[str] = frozenset()
    seen: Mapping[str, str] = field(default_factory=dict)
    prompted: str = ""


@immutable
class _Shot:
    """A moment: its time, details, and the tree of its files."""

    at: str
    tree: str
    details: Details


def attribute(
    workspace: Workspace, catalog: Catalog, most: int, *, now: Collection[str] = (), least: int = 0
) -> Attribution:
    """Who wrote what, by the newest `most` moments of this worktree; nothing without moments.

    No files are compared if fewer than `least` live sessions were at work here. `now` are the paths that differ from HEAD now, if there may be newer changes than the newest moment: of these changes
    only edits are known. A folder of new files is one path, with a slash at the end.
    """
    head = workspace.head
    head_tree = workspace.store_git.text("rev-parse", f"{head}^{{tree}}") if head else EMPTY_TREE
    shots = _shots(workspace, head_tree, most)
    if not shots:
        return Attribution()
    calls = session_signs.calls_since(catalog, shots[0].at)
    inputs = dict(_edits(workspace, catalog, calls))
    edits = tuple(inputs)
    signs = _signs(catalog, shots, calls)
    with_moments = {shot.details.occasion.session for shot in shots}
    live = live_sessions(signs, session_signs.ends(catalog), workspace.clock())
    live &= with_moments | {edit.session for edit in edits}
    if len(live) < least:
        return Attribution({}, live, signs)
    steps = _steps(workspace, head_tree, shots)
    looks = _looks(shots, steps)
    explained = Explained(moment_store.objects_of(workspace.objects), looks, steps[1:], inputs)
    looks.append(Look(stamp(workspace.clock()), _edited_since(shots[-1].at, edits, now)))
    # A session without a moment here works in another worktree.
    running = _running(catalog, shots, [call for call in calls if call.session in with_moments])
    return Attribution(
        who_wrote(looks, running, edits, explained.explains),
        live,
        signs,
        _prompted(workspace, catalog, shots),
    )


def _shots(workspace: Workspace, head_tree: str, most: int) -> list[_Shot]:
    """The newest moments, oldest first, back to the last one at which all files were as in HEAD."""
    found: list[_Shot] = []
    listed = read_moments.list_of_worktree(workspace.store_git, workspace.objects, workspace.places)
    objects = moment_store.objects_of(workspace.objects)
    for moment in listed[:most]:
        try:
            state, details = read_moments.read(objects, moment.id)
        except DevsError:
            # It was pruned just now, and so were those before it.
            break
        found.append(_Shot(moment.created_at, state.worktree, details))
        if state.worktree == head_tree:
            break
    return found[::-1]


def _steps(workspace: Workspace, head_tree: str, shots: Sequence[_Shot]) -> Sequence[Sequence[Change]]:
    """First what differs between HEAD and the newest moment; then the changes of each moment to the one before."""
    trees = [head_tree, *(shot.tree for shot in shots)]
    pairs = [(head_tree, trees[-1]), *pairwise(trees)]
    git = moment_store.with_objects(workspace.store_git, workspace.places.common)
    try:
        return compare_trees(git, pairs)
    except GitFailed as error:
        raise DevsError(
            "CONFLICT",
            "Objects of a moment are missing, so devs-git does not know who wrote which file.",
            hint="See what is wrong: git fsck",
        ) from error


def _looks(shots: Sequence[_Shot], steps: Sequence[Sequence[Change]]) -> list[Look]:
    in_head = {change.path: change.old for change in steps[0]}
    return [_look(shot.at, changes, in_head) for shot, changes in zip(shots, steps[1:], strict=True)]


def _look(at: str, changes: Sequence[Change], in_head: Mapping[str, TreeEntry]) -> Look:
    """What a moment shows of the paths that differ from HEAD now."""
    ours = [change for change in changes if change.path in in_head]
    same = frozenset(change.path for change in ours if change.new == in_head[change.path])
    return Look(at, frozenset(change.path for change in ours), same)


def _running(catalog: Catalog, shots: Sequence[_Shot], calls: Sequence[ToolCall]) -> tuple[Call, ...]:
    made = [(shot.at, shot.details.occasion) for shot in shots]
    ended = tuple(_ended(catalog, calls))
    asked = _asked(catalog, {one.session for one in ended if not one.begun}, shots[0].at)
    return calls_of(made, ended, asked)


def _ended(catalog: Catalog, calls: Sequence[ToolCall]) -> Iterator[Ended]:
    for call in calls:
        client = CLIENTS.get(call.client)
        if client and may_write_any_file(client, call.tool, session_signs.input_of(catalog, call)):
            begun = _earlier(call.ended, call.duration_ms) if call.duration_ms is not None else ""
            yield Ended(call.session, call.call_id, begun, call.ended)


def _asked(catalog: Catalog, sessions: Iterable[str], since: str) -> list[tuple[str, str]]:
    """When the sessions said anything: a model asks for a call just before it begins."""
    return [
        (at, session) for session in sessions for at in session_signs.message_times(catalog, session, since)
    ]


def _earlier(at: str, milliseconds: int) -> str:
    return stamp(datetime.fromisoformat(at) - timedelta(milliseconds=milliseconds))


def _edits(
    workspace: Workspace, catalog: Catalog, calls: Sequence[ToolCall]
) -> Iterator[tuple[Edit, EditInput]]:
    top = os.path.realpath(workspace.top)
    for call in calls:
        client = CLIENTS.get(call.client)
        if call.failed or not client or call.tool not in (*client.edits, *client.patches):
            continue
        given = session_signs.input_of(catalog, call)
        named = edited_files(client, call.tool, given)
        folder = ""
        if not all(map(os.path.isabs, named)):
            folder = session_signs.folder_of(catalog, call, client.fields.folder)
        # The tool writes at its end, so a longer duration, which anybody may have told, explains nothing more.
        took = min(_EDIT, timedelta(milliseconds=call.duration_ms)) if call.duration_ms is not None else _EDIT
        begun = stamp(datetime.fromisoformat(call.ended) - took - _LATE)
        for name in named:
            for path in _below(top, os.path.join(folder or top, name)):  # noqa: PTH118
                yield Edit(call.session, path, begun, call.ended), EditInput(client, call.tool, given, name)


def _below(top: str, place: str) -> set[str]:
    """The path from the worktree's folder on, as git names it; two if the file is a link. Empty outside of the worktree."""
    folder, name = os.path.split(os.path.normpath(place))
    found = (os.path.join(os.path.realpath(folder), name), os.path.realpath(place))  # noqa: PTH118
    return {one[len(top) + 1 :] for one in found if one.startswith(f"{top}/")}


def _edited_since(at: str, edits: Iterable[Edit], now: Collection[str]) -> frozenset[str]:
    """The paths that were edited after the newest moment, of those that differ from HEAD now."""
    return frozenset(edit.path for edit in edits if edit.ended > at and is_among(edit.path, now))


def _signs(catalog: Catalog, shots: Sequence[_Shot], calls: Sequence[ToolCall]) -> dict[str, str]:
    """When each session was seen last. A moment at the end of a turn or of a session is no sign of more work."""
    found: dict[str, str] = {}
    made = ((shot.details.occasion, shot.at) for shot in shots)
    for session, at in (
        *((one.session, at) for one, at in made if one.session and one.kind != "stop"),
        *((call.session, call.ended) for call in calls),
    ):
        found[session] = max(at, found.get(session, ""))
    return {session: max(at, session_signs.last_message(catalog, session)) for session, at in found.items()}


def _prompted(workspace: Workspace, catalog: Catalog, shots: Sequence[_Shot]) -> str:
    """The session of the newest prompt, by the note of the hook, or else by transcripts and moments."""
    found = [
        (shot.at, shot.details.occasion.session) for shot in shots if shot.details.occasion.kind == "prompt"
    ]
    told = session_signs.last_prompt(catalog, workspace.places.worktree_id)
    return max((prompted.read(workspace.places), told, *found))[1]
