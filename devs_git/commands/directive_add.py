"""`directive add`: what a person tells the agent of a task. The client's hook hands it over with the next prompt."""

from __future__ import annotations

from typing import Final

from devs_git.domain.directives.directive import State
from devs_git.domain.ledger import ids
from devs_git.domain.text import field_values, plain_text
from devs_git.domain.verbs import VerbRequest
from devs_git.operations.directives import write_directive
from devs_git.values import immutable
from devs_git.workspace import Workspace

LONGEST: Final = field_values.MAX_TEXT


@immutable
class Request(VerbRequest):
    """`sign`: an approver signs it, with the key in the file `key`, or with ssh-agent. Without it a person is at a terminal."""

    task_id: str
    text: str
    sign: bool = False
    key: str = ""
    at_terminal: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        plain_text.check_text("text", self.text, least=1, most=LONGEST)


@immutable
class Result:
    """`author`: who wrote it, or whose key signed it. `task_status`: active or completed."""

    directive_id: str
    task_id: str
    text: str
    state: State
    author: str
    written_at: str
    event: str
    task_status: str


def run(workspace: Workspace, request: Request) -> Result:
    """TASK_NOT_FOUND, CONFLICT if the task was rewound or dropped, TERMINAL_REQUIRED, UNKNOWN_SIGNER, BAD_SIGNATURE, SELF_APPROVAL."""
    if not request.sign:
        write_directive.require_person(workspace, "write a directive", at_terminal=request.at_terminal)
    key = request.key if request.sign else None
    done = write_directive.write(workspace, request.task_id, request.text, key=key)
    return Result(
        directive_id=done.record["directive_id"],
        task_id=request.task_id,
        text=request.text,
        state="written",
        author=done.author,
        written_at=done.event.finished,
        event=done.event.oid,
        task_status=done.task_status,
    )
