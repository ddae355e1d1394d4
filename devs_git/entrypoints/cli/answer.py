"""Calls a verb and prints its result: in the terminal, with a pager if the text is long, or into a pipe. It does not import click."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from devs_git.domain.verbs import CHANGES, READS, VerbRequest, VerbResult, verb
from devs_git.entrypoints import console, router
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.console import exit_on_print_error
from devs_git.values import Any, plain
from devs_git.workspace import Workspace

Renderer = Callable[[Any], str | bytes]  # bytes are written unchanged


def workspace_of(name: str, repo: str | None = None, *, quiet: bool = False) -> Workspace:
    """The workspace in which the verb `name` works, with progress and messages on standard error. It warns if git calls no hooks.

    `repo`: its folder; None for the current one. `quiet`: without progress. Raises DevsError.
    """
    workspace = terminal.attach(Workspace.open(Path(repo) if repo else None), quiet=quiet)
    if warning := router.warning_of_hooks(name, workspace):
        workspace.say(warning)
    return workspace


def give(name: str, workspace: Workspace, request: VerbRequest, shown: Renderer) -> Any:
    """Call the verb and print its result as `shown` renders it. Then call the requests that follow, until the reader is gone.

    Return the last result; raises DevsError.
    """
    while True:
        with terminal.progress_line(workspace):
            result = _call(name, workspace, request)
        if isinstance(result, VerbResult) and result.not_believed:
            workspace.say(f"warning: {result.not_believed}")
        out = shown(result)
        goes_on = request.goes_on(result)
        with exit_on_print_error() as reader:
            if isinstance(out, bytes):
                console.write_bytes(out)
            elif verb(name).tier == READS and not goes_on and console.on_terminal():
                from devs_git.entrypoints.cli.screen import paging  # in a pipe nobody pages

                paging.show(out, workspace.git, name.split(maxsplit=1)[0])
            else:
                console.write(out)
        # A person may choose from what was shown.
        next_one = request.next_request(result) if goes_on and not reader.gone else None
        if next_one is None:
            return result
        request = next_one


def _call(name: str, workspace: Workspace, request: VerbRequest) -> Any:
    """Call the verb. If a person interrupts one that changes something, say what it did."""
    if verb(name).tier < CHANGES or request.dry_run:
        return router.call(name, workspace, request)
    from devs_git.domain.ledger.events import LEDGER
    from devs_git.storage.git import refs

    # The ref's own file: no git is started before the command.
    before = refs.loose(workspace.places.common, LEDGER)
    try:
        return router.call(name, workspace, request)
    except KeyboardInterrupt as stop:
        from devs_git.entrypoints.cli.texts import interruption

        # A verb that does more than to write events notes what it did.
        said = getattr(stop, "__notes__", [])
        workspace.say("\n".join(said) or interruption.tell(name, workspace, before))
        raise


def as_json(result: object) -> str:
    """The result as JSON."""
    return console.as_json(result if isinstance(result, dict) else plain(result))
