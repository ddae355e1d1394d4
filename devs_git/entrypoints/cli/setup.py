"""Commands that set up or look after a repository."""

from __future__ import annotations

from typing import Final

import click

from devs_git.commands import init as init_verb
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.terminal import style

_COLOURS: Final = {"created": "green", "updated": "green", "removed": "yellow", "skipped": "yellow"}


def _init_text(result: init_verb.Result) -> str:
    lines = []
    for action in result.actions:
        did = style(f"{action.did:<8}", fg=_COLOURS.get(action.did))
        lines.append(f"{did} {action.what}" + (f" ({action.detail})" if action.detail else ""))
    lines.extend(f"next: {advice}" for advice in result.advice)
    return "\n".join(lines)


@command("init", text=_init_text, example="devs-git init\ndevs-git init --uninstall")
@click.option(
    "--uninstall", is_flag=True, help="Take hooks, view and exclude out; keep ledger, tags and policy."
)
def init(*, uninstall: bool) -> init_verb.Request:
    """Set up, or take out."""
    return init_verb.Request(uninstall=uninstall)
