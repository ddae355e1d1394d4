"""The REST routes. Each calls a tool of the table and has some of its arguments in the path. No route decides a gate.

A route whose tool does not exist is left out. Schemas and the OpenAPI document come from the tool.
"""

from __future__ import annotations

import re
from typing import Any, Final

from devs_git.domain.ledger import ids
from devs_git.entrypoints.tools.params import ANY_TASK, LINE, LONG, PRESERVE, text_schema
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import TEXT, Param, Tool
from devs_git.errors import invalid
from devs_git.values import field, immutable

PREFIX: Final = "/api/v1"
COMPLETED: Final = "completed"
MOST: Final = {"limit": 500, "hunk_lines": 20_000}
_NUMBER: Final = ids.NUMBER_FORM
# The variable parts of paths: description and pattern.
PARTS: Final = {
    "id": ("The id of the task: 10 or task-10.", ids.TASK_FORM),
    "contract": ("The name of a contract. A slash in it is `%2F`.", ".{1,200}"),
    "n": ("The number of one of the task's checkpoints.", _NUMBER),
    "point": (f"The number of one of the task's checkpoints, or `{COMPLETED}`.", f"({_NUMBER}|{COMPLETED})"),
}


@immutable
class RestRoute:
    """One route.

    `fills`: arguments of the tool that come from the path. `adds`: fields of the body that the route itself reads.
    `hides`: arguments of the tool that make no sense here, or that the route reads itself. `operation`: the operationId, if the tool has several routes.
    """

    method: str
    path: str
    tool_name: str
    fills: dict[str, str] = field(default_factory=dict)
    status: int = 200
    adds: tuple[Param, ...] = ()
    hides: tuple[str, ...] = ()
    operation: str = ""

    @property
    def tool(self) -> Tool:
        return TOOLS[self.tool_name]

    @property
    def path_names(self) -> tuple[str, ...]:
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    def params(self) -> tuple[Param, ...]:
        """The parameters in the query or the body."""
        taken = (*self.fills, *self.hides)
        return (*(one for one in self.tool.params if one.name not in taken), *self.adds)

    def schema(self, one: Param) -> dict[str, Any]:
        """The schema of one parameter, with the lower limits of HTTP."""
        return {**one.schema, **({"maximum": MOST[one.name]} if one.name in MOST else {})}

    def arguments(self, path: dict[str, str], given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of the tool. INVALID_ARGUMENTS for an invalid path."""
        known = {name: _canonical(name, text) for name, text in path.items()}
        own = {one.name for one in self.adds}
        if "id" in known:
            known["id"] += _checkpoint_in(known["id"], {key: given[key] for key in given if key in own})
        as_text = {name: str(given[name]) for name in own.intersection(given, self.hides)}
        rest = {key: value for key, value in given.items() if key not in own} | as_text
        for name, known_as in _RENAMED.items():
            if name in given and name in own:
                if known_as in given:
                    raise invalid(name, f"{name} and {known_as} are the same: give one of them.")
                rest[known_as] = given[name]
        point = "@" + known["point"] if known.get("point", COMPLETED) != COMPLETED else ""
        filled = {name: text.format(**{**known, "point": point}) for name, text in self.fills.items()}
        if rest.get("plan_id"):  # the plan names its target
            _same_task(known["id"], str(rest["plan_id"]))
            filled = {}
        return {**rest, **filled}


def _canonical(name: str, text: str) -> str:
    """A part of a path in its canonical form. INVALID_ARGUMENTS if it is invalid."""
    if name == "id":
        return ids.task_id(text, field="id")
    if name == "contract":
        return text
    if not re.fullmatch(PARTS["point" if name == "point" else "n"][1], text, re.ASCII):
        also = f" or {COMPLETED!r}" if name == "point" else ""
        raise invalid(name, f"This is not the number of a checkpoint{also}.")
    return text


def _checkpoint_in(task: str, given: dict[str, Any]) -> str:
    """What follows the task in the name of the checkpoint that a body names: `@3`, `@<oid>` or ''. INVALID_ARGUMENTS."""
    named = [name for name in _CHECKPOINTS if name in given]
    if len(named) > 1:
        raise invalid(named[1], f"{named[0]} and {named[1]} both name a checkpoint: give one of them.")
    if not named:
        return ""
    text = str(given[named[0]])
    if named[0] == "checkpoint_sha" and not ids.is_oid(text):
        raise invalid(named[0], f"{text!r} is not the whole oid of a commit or of a tag.")
    if "@" not in text and not text.startswith(ids.PREFIX):
        text = f"{task}@{text}"
    target = ids.parse_target(text, field=named[0])
    if target.task != task:
        raise invalid(named[0], f"This is no checkpoint of {task}.")
    return str(target).removeprefix(task)


def _same_task(target: str, plan_id: str) -> None:
    task = target.partition("@")[0]
    if plan_id.partition(":")[0].partition("@")[0] != task:
        raise invalid("plan_id", f"This plan does not belong to {task}.")


_TASK: Final = "/mesh/tasks/{id}"
# A field of a route that is an argument of its tool under another name.
_RENAMED: Final = {
    "task": "task_id",
    "preserve_mode": "preserve",
    "task_name": "new_task_name",
    "plan": "new_task_plan",
}
_ONE_TASK: Final = Param("task", ANY_TASK, "The same as task_id.")
_DAEMON: Final = Param("target_daemon_id", TEXT, "Accepted, and has no effect.")
# Fields of a body that name a checkpoint of the task in the path.
_CHECKPOINTS: Final = ("number", "checkpoint_id", "checkpoint_sha")
_ALL: Final = (
    RestRoute("GET", "/timeline", "get_history", adds=(_ONE_TASK,)),
    RestRoute(
        "GET",
        "/contracts/{contract}/history",
        "get_history",
        {"contract": "{contract}"},
        adds=(_ONE_TASK,),
        operation="get_contract_history",
    ),
    RestRoute(
        "GET",
        "/contracts/{contract}/supervisor/conversation",
        "show_contract",
        {"contract": "{contract}"},
        operation="get_supervisor_conversation",
    ),
    RestRoute(
        "POST",
        "/contracts/{contract}/supervisor/conversation/rewind",
        "rewind_conversation",
        {"contract": "{contract}"},
        hides=("session_id",),
    ),
    RestRoute("GET", f"{_TASK}/checkpoints", "list_checkpoints", {"task_id": "{id}"}),
    RestRoute("GET", f"{_TASK}/checkpoints/{{point}}/diff", "checkpoint_diff", {"checkpoint": "{id}{point}"}),
    RestRoute(
        "GET",
        f"{_TASK}/conversation",
        "get_conversation",
        {"task_id": "{id}"},
        hides=("checkpoint", "snapshot_id", "message_id"),
    ),
    RestRoute("GET", f"{_TASK}/conversation/snapshots", "list_conversation_snapshots", {"task_id": "{id}"}),
    RestRoute(
        "POST",
        f"{_TASK}/conversation/snapshots",
        "create_conversation_snapshot",
        {"task_id": "{id}"},
        status=201,
    ),
    RestRoute(
        "POST",
        f"{_TASK}/rewind",
        "rewind_to_task",
        {"task_id": "{id}"},
        adds=(
            Param(
                "number",
                {"type": "integer", "minimum": 1},
                "The number of the checkpoint. Default: the completion of the task.",
            ),
            Param(
                "checkpoint_id",
                {"type": ["integer", "string"], "minimum": 1, "pattern": f"^({ids.TARGET_FORM})$"},
                "The same: its number, its name (task-10@3), or its oid.",
            ),
            Param(
                "checkpoint_sha",
                text_schema(ids.OID_FORM),
                "The same: the oid of its commit or of its tag.",
            ),
            Param("preserve_mode", PRESERVE.schema, "The same as preserve."),
            _DAEMON,
        ),
    ),
    RestRoute(
        "POST",
        f"{_TASK}/continue",
        "resume_task",
        {"task_id": "{id}"},
        hides=("limit", "cursor", "contract"),
        operation="continue_task",
    ),
    RestRoute(
        "POST",
        "/contracts/{contract}/supervisor/resume",
        "resume_task",
        {"contract": "{contract}"},
        hides=("limit", "cursor", "task_id"),
        operation="resume_supervisor",
    ),
    RestRoute(
        "POST",
        f"{_TASK}/checkpoints/{{n}}/branch",
        "branch_from_checkpoint",
        {"checkpoint": "{id}@{n}"},
        status=201,
    ),
    RestRoute(
        "POST",
        f"{_TASK}/fork",
        "fork_task",
        {"task_id": "{id}"},
        status=201,
        hides=("fork_from_value",),
        adds=(
            Param(
                "fork_from_value",
                {"type": ["integer", "string"]},
                "A checkpoint's number, name or oid; a time; or the id of a message.",
            ),
            _DAEMON,
        ),
    ),
    RestRoute(
        "POST",
        f"{_TASK}/checkpoints/{{n}}/resume",
        "fork_task",
        {"task_id": "{id}@{n}"},
        status=201,
        adds=(
            Param("task_name", LINE, "The id of the new task, or a title.", required=True),
            Param("plan", LONG, "Its plan."),
            _DAEMON,
        ),
        hides=(
            "new_task_name",
            "new_task_plan",
            "fork_from_type",
            "fork_from_value",
            "create_branch",
            "branch_name",
        ),
        operation="resume_from_checkpoint",
    ),
)
ROUTES: Final = tuple(route for route in _ALL if route.tool_name in TOOLS)
