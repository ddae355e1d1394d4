"""Start the client that goes on, at the terminal of the caller, and record how it ended."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

from devs_git.domain.recall.traces import Trace
from devs_git.errors import DevsError, invalid
from devs_git.operations.recall import open_catalog
from devs_git.storage.catalog import bodies, fulltext, traces
from devs_git.storage.hooks import client_programs
from devs_git.storage.ledger import devs_folder
from devs_git.workspace import Workspace

TOOL = "devs-git resume"


class Start(NamedTuple):
    """The words that start the client, and the folder in which. `task_id` and `session_id` are '' if there is none."""

    words: tuple[str, ...]
    folder: Path
    task_id: str
    session_id: str


def require_program(workspace: Workspace, client: str) -> None:
    """INVALID_ARGUMENTS {execute} if the client is not installed."""
    try:
        client_programs.find(client, workspace.places)
    except client_programs.NoAnswerError as error:
        raise _refusal(error) from error


def run(workspace: Workspace, start: Start) -> int:
    """Run the client until it ends, and return its exit status. A trace of the task says it. INVALID_ARGUMENTS {execute}."""
    # The client may read the view at once, and a rewind has changed what it shows.
    devs_folder.refresh(workspace.places, workspace.ledger)
    began = time.monotonic()
    try:
        status = client_programs.run_at_terminal(start.words, workspace.places, start.folder)
    except client_programs.NoAnswerError as error:
        raise _refusal(error) from error
    _record(workspace, start, status, int((time.monotonic() - began) * 1000))
    return status


def _refusal(error: Exception) -> DevsError:
    return invalid(
        "execute", f"The client cannot be started: {error}.", hint="Leave out --exec: the command is shown."
    )


def _record(workspace: Workspace, start: Start, status: int, duration: int) -> None:
    trace = Trace(
        trace_id=workspace.new_trace_id(),
        created_at=workspace.now(),
        output=b"",
        input=start.words[0],
        task_id=start.task_id,
        session_id=start.session_id,
        tool_name=TOOL,
        is_error=status != 0,
        duration_ms=duration,
    )
    packed = bodies.pack_output(f"{start.words[0]} ended with exit code {status}.\n".encode())
    with open_catalog.open_catalog(workspace) as catalog, fulltext.write_transaction(catalog):
        traces.put(catalog, trace, packed=packed)
