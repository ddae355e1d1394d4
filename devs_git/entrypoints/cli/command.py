"""What all commands of the command line share: `--json`, `--repo`, `--yes`, and the question before a change."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, Final

import click

from devs_git.domain.verbs import CHANGES, VerbRequest, VerbResult, verb
from devs_git.entrypoints import console, router
from devs_git.entrypoints.cli import answer, candidates, terminal
from devs_git.entrypoints.cli.answer import Renderer
from devs_git.entrypoints.cli.groups import HELP, screen_options
from devs_git.errors import EXIT_NO, DevsError, invalid
from devs_git.values import replace
from devs_git.workspace import Workspace

Maker = Callable[..., VerbRequest]
# What `--yes` means where it does not skip the question.
_YES_HAS_NO_EFFECT: Final = "This has no effect here: devs-git always asks a person."
_YES: Final = {"gate approve": _YES_HAS_NO_EFFECT, "gate reject": _YES_HAS_NO_EFFECT}


def command(  # noqa: PLR0913 - keywords of a decorator, which say what a command has
    name: str,
    *,
    text: Renderer,
    example: str,
    notes: str = "",
    plan: Renderer | None = None,
    asks: Callable[[Workspace, Any], bool] = lambda _workspace, _request: True,
    exit_status: Callable[[Any], int] = lambda _result: 0,
) -> Callable[[Maker], click.Command]:
    """Make a click command for the verb `name`. The decorated function makes the verb's Request from the options.

    `notes` is a paragraph of the help. `text` renders the result, `plan` the result of a dry run. With `plan`, a person at
    a terminal sees it and is asked, unless `--yes` is given or `asks` says no for this request. Without a terminal nobody is asked, and a verb of tier 3 needs `--yes`. After each result,
    the request's `next_request` is called, until the reader is gone.
    """
    row = verb(name)

    def decorate(make: Maker) -> click.Command:
        @functools.wraps(make)
        def body(*, as_json: bool, repo: str | None, yes: bool = False, **options: Any) -> int:
            request = _request(make, made, options, as_json=as_json)
            workspace = answer.workspace_of(name, repo, quiet=as_json)
            # As with `git -C`, paths are relative to the folder in which the command works.
            if request.folder is not None:
                request = request.from_folder(os.path.abspath(repo or ""))  # noqa: PTH100 - keeps odd bytes
            # An override needs a person, so `--yes` does not skip its question.
            yes = yes and not request.override_reason
            if plan is not None and not request.dry_run and not yes:
                request = _ask(name, workspace, request, plan, asks)
            dry = request.dry_run
            shown = _with_plan_id(plan) if plan is not None and dry else text
            result = answer.give(name, workspace, request, answer.as_json if as_json else shown)
            return EXIT_NO if dry and result.blocked_by else exit_status(result)

        made = click.command(
            name=name.rsplit(maxsplit=1)[-1], help=_help(row.summary, notes, example), context_settings=HELP
        )(body)
        for param in made.params:
            param.type = candidates.TYPES.get(param.name or "", param.type)
        made.params.extend(_options(name))
        return made

    return decorate


def _options(name: str) -> list[click.Parameter]:
    """The options that the commands of all verbs have; `--yes` only where something changes."""
    options: list[click.Parameter] = [
        click.Option(["--json", "as_json"], is_flag=True, help="Print the result as JSON."),
        click.Option(["--repo"], type=click.Path(), help="The repository to work in."),
        *screen_options(hidden=True),
    ]
    if verb(name).tier >= CHANGES:
        options.append(click.Option(["--yes"], is_flag=True, help=_YES.get(name, "Do not ask first.")))
    return options


def _help(summary: str, notes: str, example: str) -> str:
    lines = "\n".join("  " + line for line in example.split("\n"))
    return "\n\n".join(filter(None, (summary, notes, f"\b\nExample:\n{lines}")))


def _request(make: Maker, made: click.Command, options: dict[str, Any], *, as_json: bool) -> VerbRequest:
    """The request of these options. A refusal names the option, and in JSON the field."""
    try:
        return make(**options)
    except DevsError as error:
        if as_json:
            raise
        from devs_git.entrypoints.cli.texts import option_names  # only a refusal needs it

        raise option_names.in_message(made, options, error) from error


def _with_plan_id(plan: Renderer) -> Renderer:
    """The text of a dry run, with the id of its plan. The question before a change does not need the id."""
    from devs_git.entrypoints.cli.texts.render import fold

    def text(result: VerbResult) -> str:
        last = f"\n  plan            {result.plan_id}" if result.plan_id else ""
        return fold(f"{plan(result)!s}{last}")

    return text


def _ask(
    name: str,
    workspace: Workspace,
    request: VerbRequest,
    plan: Renderer,
    asks: Callable[[Workspace, Any], bool],
) -> VerbRequest:
    """Show the plan and ask. Return the request with the id of the plan that was shown, so that no other plan is applied."""
    row = verb(name)
    if not terminal.interactive():
        if row.tier > CHANGES:
            raise DevsError(
                "INVALID_ARGUMENTS",
                f"'{name}' deletes recovery points, and there is no terminal to confirm that.",
                hint="Add --yes.",
                field="yes",
            )
        return request
    if not asks(workspace, request):
        return request
    with terminal.progress_line(workspace):
        planned: Any = router.call(name, workspace, request.as_dry_run())
    bound = request.bound_to(planned.plan_id) if planned.plan_id else request
    if not planned.needs_question:
        return bound
    from devs_git.entrypoints.cli.texts.render import fold

    blocked = planned.blocked_by
    if blocked:
        # The command says the first reason when it is refused.
        planned = replace(planned, blocked_by=blocked[1:])
    console.write(fold(str(plan(planned))))
    if blocked:
        return request
    terminal.ask("Continue?")
    return bound


def text_or_file(plan: str) -> str:
    """The text itself, or that of the file after `@`; INVALID_ARGUMENTS if it cannot be read."""
    if not plan.startswith("@"):
        return plan
    from devs_git.domain.text import limits
    from devs_git.storage.git import bounded

    try:
        return bounded.read_file(plan[1:], limits.TEXT, "plan").decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise invalid("plan", "The plan file cannot be read as UTF-8 text.") from error
