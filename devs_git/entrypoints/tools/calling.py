"""One call of a tool, for MCP and HTTP: check the arguments, open the repository, call the router, store long output.

Results and errors are the same as with `--json` on the command line.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from devs_git.domain.calls.own_tools import COMPLETING
from devs_git.domain.recall.traces import is_long
from devs_git.entrypoints import router
from devs_git.entrypoints.bugs import as_devs_error
from devs_git.entrypoints.tools import texts
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import Tool
from devs_git.errors import DevsError, invalid
from devs_git.storage.documents import schemas
from devs_git.storage.git.places import locate_cached, worktrees
from devs_git.values import fields, immutable, plain, replace
from devs_git.workspace import Workspace

Progress = Callable[[str, int, int], None]
_WARNED: Final[set[tuple[Path, str]]] = set()


@immutable
class Answer:
    """A tool's answer. `value`: the result or the error's envelope. `trace_id`: the trace that has its text, or ''."""

    value: dict[str, Any]
    is_error: bool = False
    trace_id: str = ""

    @property
    def text(self) -> str:
        return json.dumps(self.value, ensure_ascii=False)


def call(name: str, arguments: dict[str, Any], where: Path, progress: Progress | None = None) -> Answer:
    """Call a tool in the worktree at `where`. It never raises: an error is an answer, too."""
    if name not in TOOLS:
        error = invalid("tool", "There is no such tool.", hint="List all: tools/list")
        return Answer(error.envelope(), is_error=True)
    tool = TOOLS[name]
    try:
        request = _checked_request(tool, arguments)
        workspace = _open(_worktree(tool, arguments, where), progress)
        _warn(tool, workspace)
        return _store_if_long(tool, arguments, workspace, _answer(tool, workspace, request))
    except DevsError as error:
        return _refusal(tool, error)
    except Exception as error:  # noqa: BLE001 - a bug becomes an answer and a log file
        return _refusal(tool, as_devs_error(error))


def _warn(tool: Tool, workspace: Workspace) -> None:
    """Write the warning of missing hooks to the server's log, once for each repository."""
    warning = router.warning_of_hooks(tool.verb_name, workspace)
    if warning and (workspace.places.common, warning) not in _WARNED:
        _WARNED.add((workspace.places.common, warning))
        logging.getLogger(__name__).warning(warning.removeprefix("warning: "))


def _answer(tool: Tool, workspace: Workspace, request: Any) -> Answer:
    """Call the verb: its result, or its refusal."""
    try:
        found = plain(router.call(tool.verb_name, workspace, request))
    except DevsError as error:
        return _refusal(tool, error)
    return Answer(
        texts.replace_lone_surrogates(_translate(tool, found) if found.get("blocked_by") else found)
    )


def _refusal(tool: Tool, error: DevsError) -> Answer:
    return Answer(texts.replace_lone_surrogates(_translate(tool, error.envelope())), is_error=True)


def _translate(tool: Tool, value: dict[str, Any]) -> dict[str, Any]:
    # Only refusals need this module, which imports the command line.
    from devs_git.entrypoints.tools import hints

    return hints.translate_answer(tool, value)


def _worktree(tool: Tool, arguments: dict[str, Any], where: Path) -> Path:
    """The worktree that the arguments name, with links resolved. INVALID_ARGUMENTS if it is not of this repository."""
    name = next((one.name for one in tool.params if one.worktree), "")
    if not arguments.get(name):
        return where
    here = Workspace.open(where)
    wanted = (here.top / str(arguments[name])).resolve()
    tops = [places.top for places in worktrees(here.store_git, here.places.common) if places.top]
    if wanted not in [top.resolve() for top in tops]:
        raise invalid(
            name, "This is neither this repository nor one of its worktrees.", hint="See: git worktree list"
        )
    return wanted


def _open(where: Path, progress: Progress | None) -> Workspace:
    """A workspace for this call only, because calls run on several threads."""
    workspace = Workspace(locate_cached(where))
    return replace(workspace, progress=progress) if progress else workspace


def _checked_request(tool: Tool, arguments: dict[str, Any]) -> Any:
    """The verb's Request. A refused argument has the code that the tool defines for it."""
    try:
        texts.check(tool, arguments)
        return _request(tool, arguments)
    except DevsError as error:
        error.code = tool.invalid if error.code == "INVALID_ARGUMENTS" else error.code
        raise


def _request(tool: Tool, arguments: dict[str, Any]) -> Any:
    """The verb's Request. INVALID_ARGUMENTS names the argument as the tool does."""
    names = {one.target: one.name for one in tool.params}
    for path, text in schemas.departures(schemas.shape(tool.input_schema()), arguments):
        raise invalid(".".join(map(str, path)) or "arguments", f"{text}.")
    kind = importlib.import_module(tool.verb.module).Request
    params = [one for one in tool.params if one.name in arguments and not one.worktree]
    given = {one.target: _value(arguments[one.name]) for one in params}
    for name, one in fields(kind).items():
        if name in names and name not in given and one.needed:
            raise invalid(names[name], f"{names[name]} is missing.")
    try:
        request = kind(**given, **tool.fixed)  # the Request checks its values
    except DevsError as error:
        field = error.details.get("field")
        if field in names:
            error.details["field"] = names[field]
        raise
    for param in tool.params:
        if param.required and arguments.get(param.name) == "":
            raise invalid(param.name, f"{param.name} is empty.")
    return request


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _store_if_long(tool: Tool, arguments: dict[str, Any], workspace: Workspace, answer: Answer) -> Answer:
    """Store a long answer as a trace and add its id, unless the tool only reads. If it cannot be stored, return the answer unchanged."""
    shows = tool.reads or tool.is_dry_run or arguments.get("dry_run")
    if shows or not is_long(answer.text):
        return answer
    from devs_git.commands import trace_put

    try:
        request = trace_put.Request(
            answer.text.encode(),
            task_id=_completed_task(tool, answer),
            tool_name=tool.name,
            input=json.dumps(arguments),
            is_error=answer.is_error,
        )
        stored = router.call("trace put", workspace, request)
    except (DevsError, OSError):
        return answer
    return replace(answer, trace_id=stored.traceId)


def _completed_task(tool: Tool, answer: Answer) -> str:
    """The task that the call completed, to which its trace belongs; '' for the active task."""
    return str(answer.value["task_id"]) if tool.name == COMPLETING and not answer.is_error else ""
