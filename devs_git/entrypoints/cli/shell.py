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
  devs-git help words
  devs-git help moment
"""


@click.command(name="completion", help=_COMPLETION, context_settings=HELP)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    from devs_git.entrypoints.cli.completion import script

    console.write(script(shell), end="")
    return 0


@click.command(name="help", help=_HELP, context_settings=HELP)
@click.argument("words", nargs=-1, metavar="[COMMAND|WORD]")
@click.pass_context
def help(ctx: click.Context, words: tuple[str, ...]) -> int:  # noqa: A001 - the command's own name
    from devs_git.entrypoints.cli.texts import words as vocabulary

    if words == (vocabulary.ALL,):
        console.write(vocabulary.listing())
        return 0
    meaning = vocabulary.line(words[0]) if len(words) == 1 else ""
    named = _named(ctx.find_root(), words, or_none=bool(meaning))
    if named is None:
        console.write(meaning)
        return 0
    says_it = isinstance(named.command, TableGroup)  # the help of a group has the line
    console.write(f"{meaning}\n\n" if meaning and not says_it else "", end="")
    console.write(named.get_help())
    return 0


def _named(root: click.Context, words: tuple[str, ...], *, or_none: bool) -> click.Context | None:
    """The context of the command that these words name. None for no command if `or_none`, else wrong usage."""
    at = root
    for word in words:
        group = at.command if isinstance(at.command, TableGroup) else None
        found = group.get_command(at, word) if group else None
        if found is None:
            if or_none:
                return None
            text = group.unknown(word) if group else f"No such command: {' '.join(words)}."
            # It may be a word of ours that is no command.
            more = "" if text.endswith("?") else " What the words of devs-git mean: devs-git help words"
            raise click.UsageError(text + more, ctx=root)
        at = click.Context(found, info_name=word, parent=at)
    return at
