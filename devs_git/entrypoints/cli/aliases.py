"""aliases: add our git aliases to the repository's configuration, or remove them. Nothing else is written."""

from __future__ import annotations

import click

from devs_git.domain.audit.findings import Action
from devs_git.domain.verbs import OTHER_COMMANDS
from devs_git.entrypoints import console, router
from devs_git.entrypoints.cli import answer
from devs_git.entrypoints.cli.groups import HELP
from devs_git.storage.git import aliases
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Result:
    """What was done with each alias."""

    actions: tuple[Action, ...]


def _help(name: str) -> str:
    return f"{OTHER_COMMANDS[name]}\n\n\b\nExample:\n  devs-git {name}"


def _show(actions: tuple[Action, ...], *, as_json: bool) -> int:
    lines = (f"{a.did:<8} {a.what}" + (f" ({a.detail})" if a.detail else "") for a in actions)
    console.write(answer.as_json(Result(actions)) if as_json else "\n".join(lines))
    return 0


@click.command(name="install", help=_help("aliases install"), context_settings=HELP)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def aliases_install(*, as_json: bool) -> int:
    workspace = Workspace.open()
    router.require_no_open_gate_for_agent("aliases install", workspace)
    return _show(aliases.install(workspace.git), as_json=as_json)


@click.command(name="uninstall", help=_help("aliases uninstall"), context_settings=HELP)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def aliases_uninstall(*, as_json: bool) -> int:
    workspace = Workspace.open()
    router.require_no_open_gate_for_agent("aliases uninstall", workspace)
    return _show(aliases.uninstall(workspace.git), as_json=as_json)
