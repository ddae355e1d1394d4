"""`devs-git trace get ID` into a pipe or a file, without click. Agents call it often, to read what they were told only in part.

The import of click would take longer than all the rest. Everything else (options, a terminal, a refusal) is left to the
command line.
"""

from __future__ import annotations

import contextlib
import sys

from devs_git.commands.trace_get import Request, Result
from devs_git.domain.recall.traces import MASKED, cut_text
from devs_git.entrypoints import console, router
from devs_git.entrypoints.console import exit_on_print_error
from devs_git.errors import EXIT_INTERRUPTED
from devs_git.values import replace
from devs_git.workspace import Workspace


def status(words: list[str]) -> int | None:
    """Print the output of the trace that `words` name and return the exit status; None if the command line has to do it."""
    ids = [word for word in words if word != "--raw"]
    if len(ids) != 1 or ids[0].startswith("-") or sys.stdout.isatty():
        return None
    try:
        result = _result(ids[0])
        with exit_on_print_error():
            console.write_bytes(raw(result) if result else b"")
    except KeyboardInterrupt:
        _say("The command was interrupted.")
        return EXIT_INTERRUPTED
    if result is None:
        return None
    say_if_cut(result)
    return 0


def _result(trace_id: str) -> Result | None:
    """The trace; None if the command line has to answer."""
    found: Result | None = None
    # Whatever is wrong, the command line runs into it again and reports it.
    with contextlib.suppress(Exception):
        found = router.call("trace get", replace(Workspace.open(), say=_say), Request(trace_id))
    return found


def _say(text: str) -> None:
    console.write(text, err=True)


def say_if_cut(result: Result) -> None:
    """Say on standard error that this is not the whole output: standard output has only its bytes."""
    if result.cut_by_client:
        _say(f"devs-git: {cut_text(result.size, result.full_bytes)}")
    if result.masked:
        _say(f"devs-git: {MASKED}")


def raw(result: Result) -> bytes:
    """The bytes of an output, unchanged."""
    if result.fullOutputBase64 is not None:
        import base64

        return base64.b64decode(result.fullOutputBase64)
    return result.fullOutput.encode()
