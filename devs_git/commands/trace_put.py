"""`trace put`: store the whole output of one tool call. It also runs while a gate is open, and leaves no event."""

from __future__ import annotations

from typing import Final

from devs_git.domain.checkpoints.commit_trailers import work_of
from devs_git.domain.ledger import ids
from devs_git.domain.recall.traces import Trace
from devs_git.domain.text.plain_text import check_text
from devs_git.domain.verbs import VerbRequest
from devs_git.errors import invalid
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.catalog.bodies import Packed
from devs_git.storage.git.program import GitFailed
from devs_git.storage.worktree import active_task
from devs_git.values import immutable
from devs_git.workspace import Workspace

MOST_OF_A_NAME: Final = 400  # characters, of a tool, a session or an agent
# POSIX has 0 to 255, Windows 32 bits, and a killed child of Python a negative one.
EXIT_CODES: Final = range(-(1 << 31), 1 << 32)
MOST_OF_AN_ID: Final = 65_536  # characters; the primary key is not the place for an output


@immutable
class Request(VerbRequest):
    """`output`: bytes, text (stored as UTF-8), or packed bytes. Without `trace_id` the trace gets a UUID; without `task_id`
    it belongs to the active task. `exit_code` says whether the call failed, as `is_error` does. Without both nobody knows.
    """

    output: bytes | str | Packed
    trace_id: str = ""
    task_id: str = ""
    tool_name: str = ""
    input: str = ""
    session_id: str = ""
    agent: str = ""
    is_error: bool | None = None
    exit_code: int | None = None
    duration_ms: int | None = None

    def __post_init__(self) -> None:
        _require_id(self.trace_id)
        for name in ("tool_name", "session_id", "agent"):
            check_text(name, getattr(self, name), most=MOST_OF_A_NAME, allowed="")
        if self.task_id:
            object.__setattr__(self, "task_id", ids.task_id(self.task_id))
        if self.duration_ms is not None and not 0 <= self.duration_ms < 1 << 53:
            raise invalid("duration_ms", "The duration must be a number of milliseconds, at least 0.")
        if self.exit_code is not None and self.exit_code not in EXIT_CODES:
            raise invalid("exit_code", f"An exit code is a number from {EXIT_CODES[0]} to {EXIT_CODES[-1]}.")
        if self.exit_code is not None and self.is_error not in (None, self.exit_code != 0):
            raise invalid(
                "exit_code",
                "The exit code and is_error contradict each other: one of them says that the call failed.",
            )

    @property
    def has_failed(self) -> bool | None:
        return self.is_error if self.exit_code is None else self.exit_code != 0


def _require_id(trace_id: str) -> None:
    """Any text is an id: output escapes the characters that command a terminal."""
    if any("\ud800" <= char <= "\udfff" for char in trace_id):
        raise invalid("trace_id", "The trace id has bytes that are not UTF-8.")
    if len(trace_id) > MOST_OF_AN_ID:
        raise invalid("trace_id", f"A trace id has at most {MOST_OF_AN_ID} characters.")


@immutable
class Result:
    """`size` in bytes, `digest` the SHA-256 of the output."""

    traceId: str  # noqa: N815 - the contract's own spelling
    task_id: str
    size: int
    digest: str


def run(workspace: Workspace, request: Request) -> Result:
    """Store it in one transaction; a trace with the same id is replaced."""
    work = work_of(active_task.read(workspace.places))
    output = request.output.encode("utf-8", "replace") if isinstance(request.output, str) else request.output
    # Packed before the catalog is locked.
    packed = bodies.pack_output(output) if isinstance(output, bytes) else output
    trace = Trace(
        trace_id=request.trace_id or workspace.new_trace_id(),
        created_at=workspace.now(),
        output=b"",
        input=request.input,
        task_id=request.task_id or (work.task if work else ""),
        session_id=request.session_id,
        agent=request.agent or (work.agent if work else ""),
        tool_name=request.tool_name,
        is_error=request.has_failed,
        duration_ms=request.duration_ms,
        commit=_head(workspace),
    )
    with open_catalog.open_catalog(workspace) as catalog, fulltext.write_transaction(catalog):
        digest = traces.put(catalog, trace, workspace.progress, packed)
    return Result(trace.trace_id, trace.task_id, packed.size, digest)


def _head(workspace: Workspace) -> str:
    """HEAD's commit; '' if git cannot read it, because an output is stored also in a damaged repository."""
    try:
        return workspace.head
    except GitFailed:
        return ""
