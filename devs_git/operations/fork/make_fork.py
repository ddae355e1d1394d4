"""Make a fork from its point as a caller asks: name the task, choose the folder, and say what was made.

`fork` does it, and `resume` where it goes on in a new task.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from devs_git.domain.ledger import ids
from devs_git.domain.sessions.new_session import ClientSession
from devs_git.errors import DevsError
from devs_git.storage.ledger import task_files
from devs_git.values import immutable
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.operations.fork.fork_point import ForkPoint
    from devs_git.storage.ledger.store import Tip

_LONGEST_ID = 60


@immutable
class ForkRequest:
    """`name`: the id of the new task, or a title. `branch`: '' for the task's id. `worktree`: the whole path of its folder, ''
    for one beside the repository. `message_id`: the last message that is kept, '' for that of the point. `to`: the client, '' for that of the conversation.
    """

    name: str
    plan: str = ""
    branch: str = ""
    create_branch: bool = True
    worktree: str = ""
    no_worktree: bool = False
    message_id: str = ""
    to: str = ""
    conversation: bool = True


@immutable
class Point:
    """What was chosen. `state`: the checkpoint or moment, with its commit and time. `session_id`, `message_id`: where the
    conversation is cut, '' if there is none: this message is the last that was kept.
    """

    state: str
    commit: str
    created_at: str
    session_id: str
    message_id: str


@immutable
class Result:
    """The new task. `worktree` and `branch` are '' if they were not made, `session` is null if none was written.

    `start_command`: what starts the client with the session, to run in the worktree; () for none. `left_out`: what of the
    state or of the conversation is not there. `guarded`: gates reach the worktree, as far as devs-git can see; else `to_do`
    has what is missing. `placed`: the agents' project files that were put into the worktree.
    """

    task_id: str
    title: str
    forked_from: str
    parent: str
    point: Point
    branch: str
    worktree: str
    session: ClientSession | None
    start_command: tuple[str, ...]
    left_out: tuple[str, ...]
    guarded: bool
    to_do: tuple[str, ...]
    placed: tuple[str, ...]
    event: str


def make(workspace: Workspace, point: ForkPoint, wanted: ForkRequest) -> Result:
    """The codes of `fork_task.fork`; INVALID_ARGUMENTS {name} if no id can be made of the name."""
    # Late: the list of tools needs only the result.
    from devs_git.operations.fork import fork_task

    tip = workspace.ledger.require()
    task_id, title = name_in(tip, wanted.name)
    source = task_files.history_here(tip, point.task_id).tasks.get(point.task_id) if point.task_id else None
    new = fork_task.NewTask(
        task_id=task_id,
        title=title or (source.title if source else ""),
        plan=wanted.plan,
        branch=(wanted.branch or task_id) if wanted.create_branch else "",
        place=None if wanted.no_worktree else place(workspace, wanted.worktree, task_id),
        message_id=wanted.message_id,
        to=wanted.to,
        conversation=wanted.conversation,
    )
    made = fork_task.fork(workspace, point, new)
    cut = made.conversation
    return Result(
        task_id=task_id,
        title=new.title,
        forked_from=point.name,
        parent=point.task_id,
        point=Point(
            point.name,
            point.commit,
            point.created_at,
            cut.point.session_id if cut.point else "",
            cut.last or (cut.point.message_id if cut.point else ""),
        ),
        branch=new.branch,
        worktree=os.fspath(new.place) if new.place else "",
        session=cut.session,
        start_command=cut.start_command,
        left_out=made.left_out,
        guarded=not made.guard.lacking,
        to_do=made.guard.lacking,
        placed=made.guard.placed,
        event=made.event,
    )


def name_in(tip: Tip, name: str) -> tuple[str, str]:
    """The id of the new task, and its title: '' if the name is an id. An id that is made of a title is one that no task has."""
    try:
        return ids.task_id(name, field="name"), ""
    except DevsError:
        words = re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_ID].strip("-")
        if not words:
            raise
    bare = ids.task_id(words.removeprefix(ids.PREFIX) or words, field="name")
    number, made = 1, bare
    while made in task_files.history_for_start(tip, made).tasks:
        number += 1
        made = f"{bare}-{number}"
    return made, name


def place(workspace: Workspace, folder: str, task_id: str) -> Path:
    """The folder of the worktree: the one that is named, else one beside the repository."""
    from devs_git.operations.fork import fork_worktree

    return Path(folder) if folder else fork_worktree.default_place(workspace, task_id)
