"""What every command of the command line shares: `--json`, `--yes`, opening the workspace, errors, asking first."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from devs_git.domain.verbs import CHANGES, VerbRequest, VerbResult, verb
from devs_git.entrypoints import missing_hooks, router
from devs_git.entrypoints.cli import candidates, terminal
from devs_git.entrypoints.cli.groups import HELP
from devs_git.entrypoints.cli.texts import console
from devs_git.entrypoints.closed_pipe import exit_on_print_error
from devs_git.entrypoints.result_value import plain
from devs_git.errors import EXIT_NO, DevsError
from devs_git.workspace import Workspace

Maker = Callable[..., VerbRequest]
Renderer = Callable[[Any], str | bytes]  # bytes go out as they are
_ASKED: Final = "This changes nothing here: devs-git asks a person in any case."
_YES: Final = {"gate approve": _ASKED, "gate reject": _ASKED}


def command(
    name: str,
    *,
    text: Renderer,
    example: str,
    plan: Renderer | None = None,
    exit_status: Callable[[Any], int] = lambda _result: 0,
) -> Callable[[Maker], click.Command]:
    """A click command for verb `name`. The decorated function turns options into the verb's Request.

    `text` renders the result for people. With `plan`, a person at a terminal sees the plan (the result of the same
    request with `dry_run=True`) and is asked, unless `--yes`; in a pipe recoverable verbs go on, tier 3 needs `--yes`.
    After each result the `next_request` runs, as long as somebody reads.
    """
    row = verb(name)

    def decorate(make: Maker) -> click.Command:
        @functools.wraps(make)
        def body(*, as_json: bool, repo: str | None, yes: bool = False, **options: Any) -> int:
            request = make(**options)
            workspace = terminal.attach(Workspace.open(Path(repo) if repo else None))
            if warning := missing_hooks.warning_for(name, workspace):
                workspace.say(warning)
            # As with `git -C`, paths begin where the command works.
            if request.folder is not None:
                request = request.from_folder(os.path.abspath(repo or ""))  # noqa: PTH100 - odd bytes survive
            # An override is asked about even with `--yes`: that a person answers is the point.
            yes = yes and not request.override_reason
            if plan is not None and not request.dry_run and not yes:
                request = _ask(name, workspace, request, plan)
            dry = request.dry_run
            shown = plan if plan is not None and dry else text
            result = _call_and_print(name, workspace, request, as_text if as_json else shown)
            return EXIT_NO if dry and result.blocked_by else exit_status(result)

        params = [
            click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
            click.Option(["--repo"], type=click.Path(), help="Work on the repository there instead of here."),
        ]
        summary = f"{row.summary}\n\n\b\nExample:\n" + "\n".join("  " + line for line in example.split("\n"))
        if row.tier >= CHANGES:
            params.append(click.Option(["--yes"], is_flag=True, help=_YES.get(name, "Do not ask first.")))
        made = click.command(name=name.rsplit(maxsplit=1)[-1], help=summary, context_settings=HELP)(body)
        for param in made.params:
            param.type = candidates.TYPES.get(param.name or "", param.type)
        made.params.extend(params)
        return made

    return decorate


def _call_and_print(name: str, workspace: Workspace, request: VerbRequest, shown: Renderer) -> Any:
    """The result, printed; and those of the requests that follow it, for as long as somebody reads."""
    while True:
        with terminal.progress_line(workspace):
            result = router.call(name, workspace, request)
        if isinstance(result, VerbResult) and result.not_believed:
            workspace.say(f"warning: {result.not_believed}")
        out = shown(result)
        with exit_on_print_error() as reader:
            console.write(out) if isinstance(out, str) else console.write_bytes(out)
        next_one = request.next_request(result)
        if next_one is None or reader.gone:
            return result
        request = next_one


def as_text(result: object) -> str:
    """The result as JSON."""
    return console.as_json(result if isinstance(result, dict) else plain(result))


def _ask(name: str, workspace: Workspace, request: VerbRequest, plan: Renderer) -> VerbRequest:
    """Show the plan and ask; returns the request bound to the plan that was shown, so that no other is applied."""
    row = verb(name)
    if not terminal.interactive():
        if row.tier > CHANGES:
            raise DevsError(
                "INVALID_ARGUMENTS",
                f"'{name}' destroys recovery points, and there is no terminal to confirm that.",
                hint="Add --yes.",
                field="yes",
            )
        return request
    foreseen: VerbResult = router.call(name, workspace, request.as_dry_run())
    console.write(str(plan(foreseen)))
    if foreseen.blocked_by:
        return request
    terminal.ask("Go on?")
    return request.bound_to(foreseen.plan_id) if foreseen.plan_id else request
