"""`fork`: a new task from a historical point, in a branch and a worktree of its own, with the conversation up to there.

The task, the worktree and the session that it comes from do not change.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from devs_git.domain.checkpoints import branch_names
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import History
from devs_git.domain.moments import names
from devs_git.domain.text.field_values import check_body, check_value
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import DevsError, invalid
from devs_git.operations.fork.fork_session import ForkSession
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.operations.fork.fork_point import ForkPoint

_LONGEST_ID = 60
_CLIENTS = ("claude", "codex")
_KINDS = ("checkpoint", "timestamp", "message_id")


@immutable
class Request(VerbRequest):
    """`target`: `task-10`, `task-10@2`, `task-10@0` (where it began), an oid, or a moment. `name`: the id of the new task, or a title.

    `at`: a time, and `at_message`: the id of a message; both need a bare task. `from_type` and `from_value` say the same in
    two fields. `branch`: '' for the task's id. `worktree`: its folder, '' for one beside the repository. `to`: the client of
    the session, '' for that of the conversation.
    """

    target: str
    name: str
    plan: str = ""
    at: str = ""
    at_message: str = ""
    branch: str = ""
    create_branch: bool = True
    worktree: str = ""
    no_worktree: bool = False
    to: str = ""
    conversation: bool = True
    from_type: str = ""
    from_value: str = ""
    folder: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", _canonical(self.target))
        check_value("name", self.name)
        check_body("plan", self.plan)
        if self.from_type not in ("", *_KINDS):
            raise invalid("from_type", "There is no such kind.", hint=f"The kinds are {', '.join(_KINDS)}.")
        if self.to and self.to not in _CLIENTS:
            text = f"devs-git writes no session for {self.to!r}."
            raise invalid("to", text, hint=f"Use {' or '.join(_CLIENTS)}.")
        self._check_places()

    def _check_places(self) -> None:
        if "\0" in self.worktree:
            raise invalid("worktree", "The folder of the worktree contains a NUL character.")
        if self.no_worktree and (self.worktree or not self.create_branch):
            raise invalid("no_worktree", "Without a worktree there is only the branch.")
        if self.branch:
            branch_names.check(self.branch)
            if not self.create_branch:
                raise invalid("branch", "A name for the branch needs a branch.")


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
    session: ForkSession | None
    start_command: tuple[str, ...]
    left_out: tuple[str, ...]
    guarded: bool
    to_do: tuple[str, ...]
    placed: tuple[str, ...]
    event: str


def find(workspace: Workspace, request: Request) -> ForkPoint:
    """The point that the request names."""
    # Late, as in `run`: the list of tools needs only the request and the result.
    from devs_git.operations.fork import fork_point

    asked = _with_origin(request)
    if asked.at_message:
        from devs_git.operations.fork.fork_session import time_of_message

        return fork_point.newest_until(workspace, asked.target, time_of_message(workspace, asked.at_message))
    if asked.at:
        from devs_git.domain.timeline import spoken_times
        from devs_git.workspace import local_time

        time = spoken_times.time_of("at", asked.at, workspace.clock(), local_time)
        return fork_point.newest_until(workspace, asked.target, time)
    return fork_point.find(workspace, asked.target)


def _with_origin(request: Request) -> Request:
    """The request with what `from_type` and `from_value` stand for. INVALID_ARGUMENTS if its fields contradict each other."""
    kind, value = request.from_type or ("checkpoint" if request.from_value else ""), request.from_value
    if kind and not value:
        raise invalid("from_value", "The value is missing.")
    if kind == "checkpoint":
        return replace(request, target=f"{request.target}@{value}" if value.isdecimal() else value)
    asked = request
    if kind:
        asked = replace(request, at=value) if kind == "timestamp" else replace(request, at_message=value)
    if asked.at and asked.at_message:
        raise invalid("at_message", "Give a time or a message, and not both.")
    if (asked.at or asked.at_message) and not _is_bare(asked.target):
        hint = "Give the task alone: devs-git fork task-10 --at TIME"
        raise invalid("at" if asked.at else "at_message", "This goes with a bare task.", hint=hint)
    return asked


def _is_bare(target: str) -> bool:
    return not (names.is_name(target) or "@" in target or ids.is_oid(target))


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_EXISTS, INVALID_BRANCH, GIT_RESET_FAILED (its commit is gone), CONFLICT (the folder), HISTORY_REWRITTEN."""
    from devs_git.operations.fork import fork_task

    point, request = find(workspace, request), _with_origin(request)
    history = workspace.ledger.require().here
    task_id, title = _name(history, request.name)
    source = history.tasks.get(point.task_id)
    new = fork_task.NewTask(
        task_id=task_id,
        title=title or (source.title if source else ""),
        plan=request.plan,
        branch=(request.branch or task_id) if request.create_branch else "",
        place=None if request.no_worktree else _place(workspace, request, task_id),
        message_id=request.at_message,
        to=request.to,
        conversation=request.conversation,
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


def _canonical(target: str) -> str:
    if names.is_name(target):
        names.parse(target)
        return target
    return str(ids.parse_target(target))


def _name(history: History, name: str) -> tuple[str, str]:
    """The id of the new task, and its title: '' if the name is an id. An id that is made of a title is one that no task has."""
    try:
        return ids.task_id(name, field="name"), ""
    except DevsError:
        words = re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_ID].strip("-")
        if not words:
            raise
    bare = ids.task_id(words.removeprefix(ids.PREFIX) or words, field="name")
    number, made = 1, bare
    while made in history.tasks:
        number += 1
        made = f"{bare}-{number}"
    return made, name


def _place(workspace: Workspace, request: Request, task_id: str) -> Path:
    from devs_git.operations.fork import fork_worktree

    if request.worktree:
        return Path(os.path.abspath(os.path.join(request.folder, request.worktree)))  # noqa: PTH100, PTH118 - as it is named
    return fork_worktree.default_place(workspace, task_id)
