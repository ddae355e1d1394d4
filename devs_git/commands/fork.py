"""`fork`: a new task from a historical point, in a branch and a worktree of its own, with the conversation up to there.

The task, the worktree and the session that it comes from do not change.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from devs_git.domain.checkpoints import branch_names
from devs_git.domain.ledger import ids
from devs_git.domain.moments import names
from devs_git.domain.text.field_values import check_body, check_value
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.fork import make_fork
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

if TYPE_CHECKING:
    from devs_git.operations.fork.fork_point import ForkPoint

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
            raise invalid(
                "from_type",
                f"{self.from_type!r} is not a kind of point.",
                hint=f"The kinds are {', '.join(_KINDS)}.",
            )
        if self.to and self.to not in _CLIENTS:
            text = f"devs-git writes no session for {self.to!r}."
            raise invalid("to", text, hint=f"Use {' or '.join(_CLIENTS)}.")
        self._check_places()

    def _check_places(self) -> None:
        if "\0" in self.worktree:
            raise invalid("worktree", "The folder of the worktree contains a NUL character.")
        if self.no_worktree and (self.worktree or not self.create_branch):
            raise invalid(
                "no_worktree",
                "Without a worktree, only a branch is made. Leave out the folder, and set create_branch to true.",
            )
        if self.branch:
            branch_names.check(self.branch)
            if not self.create_branch:
                raise invalid("branch", "A name for the branch needs a branch.")


Point = make_fork.Point
Result = make_fork.Result


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
        raise invalid(
            "at" if asked.at else "at_message", "A time or a message goes only with a task alone.", hint=hint
        )
    return asked


def _is_bare(target: str) -> bool:
    return not (names.is_name(target) or "@" in target or ids.is_oid(target))


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_EXISTS, INVALID_BRANCH, GIT_RESET_FAILED (its commit is gone), CONFLICT (the folder), HISTORY_REWRITTEN."""
    point, request = find(workspace, request), _with_origin(request)
    wanted = make_fork.ForkRequest(
        name=request.name,
        plan=request.plan,
        branch=request.branch,
        create_branch=request.create_branch,
        worktree=_folder(request),
        no_worktree=request.no_worktree,
        message_id=request.at_message,
        to=request.to,
        conversation=request.conversation,
    )
    return make_fork.make(workspace, point, wanted)


def _folder(request: Request) -> str:
    """The folder of the worktree, as the caller names it; '' for the usual one."""
    if not request.worktree:
        return ""
    return os.path.abspath(os.path.join(request.folder, request.worktree))  # noqa: PTH100, PTH118 - as it is named


def _canonical(target: str) -> str:
    if names.is_name(target):
        names.parse(target)
        return target
    return str(ids.parse_target(target))
