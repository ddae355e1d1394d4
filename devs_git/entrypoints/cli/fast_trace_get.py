"""`devs-git trace get ID` into a pipe or a file: how an agent reads an output that was shortened, many times an hour.

Like the git hooks it does without click, which takes longer than everything else about it. Whatever is not as simple
as that (options, a terminal, a refusal) is the command line's to answer.
"""

from __future__ import annotations

import sys

from devs_git.commands.trace_get import Request, Result
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.texts import console
from devs_git.entrypoints.closed_pipe import exit_on_print_error
from devs_git.errors import EXIT_INTERRUPTED
from devs_git.values import replace
from devs_git.workspace import Workspace


def status(words: list[str]) -> int | None:
    """The exit status, once the output of the trace that `words` name is printed; None where nothing was."""
    ids = [word for word in words if word != "--raw"]
    if len(ids) != 1 or ids[0].startswith("-") or sys.stdout.isatty():
        return None
    try:
        data = _output(ids[0])
        with exit_on_print_error():
            console.write_bytes(data or b"")
    except KeyboardInterrupt:
        _say("The command was interrupted and did nothing more.")
        return EXIT_INTERRUPTED
    return None if data is None else 0


def _output(trace_id: str) -> bytes | None:
    """The whole output; None for whatever is to be told in full."""
    try:
        return raw(router.call("trace get", replace(Workspace.open(), say=_say), Request(trace_id)))
    except Exception:  # noqa: BLE001 - it comes again in the command line, which knows how to tell it
        return None


def _say(text: str) -> None:
    console.write(text, err=True)


def raw(result: Result) -> bytes:
    """The bytes of an output, as they were."""
    if result.fullOutputBase64 is not None:
        import base64

        return base64.b64decode(result.fullOutputBase64)
    return result.fullOutput.encode()
