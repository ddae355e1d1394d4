"""completion and help on the command line."""

from __future__ import annotations

import click

from devs_git.domain.verbs import OTHER_COMMANDS
from devs_git.entrypoints import console
from devs_git.entrypoints.cli.groups import HELP, TableGroup

SHELLS = ("bash", "zsh", "fish")
_COMPLETION = f"""{OTHER_COMMANDS["completion"]}

\b
Example:
  eval "$(devs-git completion bash)"              # in ~/.bashrc
  eval "$(devs-git completion zsh)"               # in ~/.zshrc, after compinit
  devs-git completion fish | source               # in ~/.config/fish/config.fish
"""
_HELP = f"""{OTHER_COMMANDS["help"]}

\b
Example:
  devs-git help rewind
  git devs help task start
"""


@click.command(name="completion", help=_COMPLETION, context_settings=HELP)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    from devs_git.entrypoints.cli.completion import script

    console.write(script(shell), end="")
    return 0


@click.command(name="help", help=_HELP, context_settings=HELP)
@click.argument("words", nargs=-1, metavar="[COMMAND]")
@click.pass_context
def help(ctx: click.Context, words: tuple[str, ...]) -> int:  # noqa: A001 - the command's own name
    at = ctx.find_root()
    for word in words:
        found = at.command.get_command(at, word) if isinstance(at.command, TableGroup) else None
        if found is None:
            unknown = f"No such command: {' '.join(words)}."
            text = at.command.unknown(word) if isinstance(at.command, TableGroup) else unknown
            raise click.UsageError(text, ctx=ctx.find_root())
        at = click.Context(found, info_name=word, parent=at)
    console.write(at.get_help())
    return 0
