"""`why`: from a line of a file to its commit, its task, the message that led to it, and the gate that allowed it. Tier 0."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from devs_git.domain.gates.gate_model import APPROVED, Gate
from devs_git.domain.verbs import VerbRequest, VerbResult
from devs_git.errors import DevsError, invalid
from devs_git.operations.recall import open_catalog
from devs_git.operations.rewind import restored_tree
from devs_git.operations.timeline import change_messages, commit_task, line_commit
from devs_git.operations.timeline.commit_task import CommitTask
from devs_git.operations.timeline.line_commit import Origin
from devs_git.storage.catalog.messages import Place
from devs_git.storage.git import failures
from devs_git.storage.git.program import GitFailed
from devs_git.storage.ledger import gate_files
from devs_git.storage.ledger.index import listing
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace

_LONGEST = 2_000


@immutable
class Request(VerbRequest):
    """`target` is `FILE:LINE`; the file is relative to `folder`."""

    target: str
    folder: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[^\0]+:[1-9][0-9]{0,8}", self.target):
            raise invalid(
                "target", "Name a line of a file.", hint="For example: devs-git why src/dates.py:12"
            )

    @property
    def place(self) -> tuple[str, int]:
        """The file and the number of the line."""
        name, _, number = self.target.rpartition(":")
        return name, int(number)


@immutable
class WhyMessage:
    """A message of a session; of a long one only the beginning. `tools`: the tools that it called."""

    message_id: str
    session_id: str
    role: str
    content: str
    tools: tuple[str, ...]
    created_at: str


@immutable
class WhyGate:
    """The gate that a person approved for the task before the change, or that the commit itself names."""

    gate_id: str
    gate_type: str
    blocker_description: str
    reviewer: str
    reason: str
    resolved_at: str


@immutable
class Result(VerbResult):
    """What is not known is '' or None. `found_by`: how the task was found: the commit is its `checkpoint`; a `trailer` of the
    commit names it; a checkpoint has the same `tree` or the same `patch`; or the commit is a `squash` of all its commits.

    `message` is the prompt that led to the line, `call` the message that called the tool which wrote it.
    """

    path: str
    line: int
    text: str
    commit: str
    author: str
    summary: str
    task_id: str
    title: str
    checkpoint: str
    found_by: str
    message: WhyMessage | None
    call: WhyMessage | None
    gate: WhyGate | None
    not_believed: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """NOT_INITIALIZED; INVALID_ARGUMENTS for a line that git does not find; CONFLICT if a partial clone lacks its history."""
    tip = workspace.ledger.require()
    workspace.require_believed()
    name, line = request.place
    (path,) = restored_tree.below_top(workspace.top, request.folder, (name,)) or ("",)
    try:
        origin = line_commit.find(workspace, path, line)
        found = commit_task.find(workspace.store_git, tip, origin) if origin.commit else CommitTask()
    except GitFailed as error:
        if not error.lacks_objects:
            raise
        # Also the patches of checkpoints that HEAD does not have are compared.
        command = f"git log -p --full-diff --all -- {shlex.quote(path)} >/dev/null"
        raise failures.partial_refusal(command) from error
    with open_catalog.open_or_empty(workspace) as catalog:
        tag = found.point.tag if found.point else ""
        led = (
            change_messages.find(catalog, found.task_id, tag, origin)
            if found.task_id
            else change_messages.ChangeMessages()
        )
    task = listing.of_tasks(tip, found.task_id).tasks.get(found.task_id) if found.task_id else None
    return Result(
        path=path,
        line=line,
        text=origin.text,
        commit=origin.commit,
        author=origin.author if origin.commit else "",
        summary=origin.summary if origin.commit else "",
        task_id=found.task_id,
        title=task.title if task else "",
        checkpoint=found.point.name if found.point else "",
        found_by=found.by,
        message=_said(led.prompt),
        call=_said(led.call),
        gate=_gate(workspace, tip, origin, found),
        not_believed=workspace.why_not_believed(),
    )


def _said(place: Place | None) -> WhyMessage | None:
    if place is None:
        return None
    message = place.message
    return WhyMessage(
        message_id=message.id,
        session_id=place.session_id,
        role=message.role,
        content=(message.content or "")[:_LONGEST],
        tools=tuple(call.name for call in message.tool_calls or ()),
        created_at=message.timestamp or "",
    )


def _gate(workspace: Workspace, tip: Tip, origin: Origin, found: CommitTask) -> WhyGate | None:
    """The gate that the commit names, else the last one that was approved for the task before its checkpoint."""
    if not origin.commit:
        return None
    form = "--format=%(trailers:key=Gate-Id,valueonly)"
    named = workspace.store_git.text("show", "-s", form, origin.commit, "--").split()
    gates = [gate for gate in _approved(tip, named or gate_files.all_ids(tip)) if gate.decision]
    if not named:
        until = found.point.created_at if found.point else "~"
        gates = [
            gate
            for gate in gates
            if found.task_id and gate.text("task_id") == found.task_id and _resolved_at(gate) <= until
        ]
    newest = max(gates, key=_resolved_at, default=None)
    return _allowed(newest) if newest else None


def _approved(tip: Tip, names: Iterable[str]) -> Iterable[Gate]:
    for name in names:
        try:
            gate = gate_files.find(tip, name)
        except DevsError:
            # A trailer may name any gate, and anybody may have written a request.
            continue
        if gate.status == APPROVED:
            yield gate


def _resolved_at(gate: Gate) -> str:
    return str((gate.decision or {}).get("resolved_at", ""))


def _allowed(gate: Gate) -> WhyGate:
    decision = gate.decision or {}
    return WhyGate(
        gate_id=gate.gate_id,
        gate_type=gate.gate_type,
        blocker_description=gate.text("blocker_description"),
        reviewer=str(decision.get("reviewer_id", "")),
        reason=str(decision.get("resolution_reason") or ""),
        resolved_at=_resolved_at(gate),
    )
