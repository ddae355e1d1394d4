"""click groups made of the verb table. They import the file of a command only when it is called."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

import click

from devs_git.entrypoints import console
from devs_git.entrypoints.cli import overview
from devs_git.entrypoints.console import ignore_closed_pipe

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# The first word of a verb, and the file of this folder with its command.
FILES: Final = {
    "init": "setup",
    "doctor": "setup",
    "agent": "agents",
    "aliases": "aliases",
    "completion": "shell",
    "demo": "demo",
    "help": "shell",
    "hook": "setup",
    "task": "tasks",
    "contract": "tasks",
    "phase": "tasks",
    "directive": "conversations",
    "checkpoint": "tasks",
    "log": "log",
    "history": "log",
    "history-rewritten": "sync",
    "show": "log",
    "diff": "log",
    "status": "log",
    "why": "log",
    "purge": "purge",
    "prune": "purge",
    "archive": "purge",
    "du": "purge",
    "rewind": "rewind",
    "undo": "rewind",
    "resume": "conversations",
    "drop": "rewind",
    "fork": "rewind",
    "checkout": "rewind",
    "branch": "log",
    "restore": "rewind",
    "snapshot": "snapshots",
    "verify": "verify",
    "report": "verify",
    "gate": "gates",
    "sync": "sync",
    "trace": "traces",
    "mcp": "serve",
    "conversation": "conversations",
    "serve": "serve",
}
# What other tools call a command that has another name here.
OTHER_NAMES: Final = {
    "commit": ("checkpoint", "task complete"),
    "fetch": ("sync",),
    "pull": ("sync",),
    "push": ("sync",),
    "redo": ("undo",),
    "uninstall": ("init --uninstall", "agent install --uninstall"),
    "task finish": ("task complete",),
    "trace show": ("trace get",),
}
HELP: Final = {"help_option_names": ["-h", "--help"]}


def screen_options(*, hidden: bool = False) -> tuple[click.Option, ...]:
    """`--color` and `--no-pager`, as git has them before the name of a command. Ours may follow the name, too, and are then `hidden`."""
    colour = click.Option(
        ["--color"],
        type=click.Choice(console.COLOUR_CHOICES),
        expose_value=False,
        hidden=hidden,
        callback=lambda _context, _param, value: console.choose_colour(value) if value else None,
        help=overview.OPTIONS[overview.COLOUR],
    )
    pager = click.Option(
        ["--no-pager"],
        is_flag=True,
        expose_value=False,
        hidden=hidden,
        callback=lambda _context, _param, value: _no_pager() if value else None,
        help=overview.OPTIONS[overview.NO_PAGER],
    )
    return colour, pager


def _no_pager() -> None:
    from devs_git.entrypoints.cli.screen import paging  # only a person switches it off

    paging.switch_off()


def _load(name: str) -> click.Command:
    module = importlib.import_module("devs_git.entrypoints.cli." + FILES[name.split(maxsplit=1)[0]])
    command: click.Command = getattr(module, name.replace(" ", "_").replace("-", "_"))
    return command


class TableGroup(click.Group):
    """A group of the verb table: `task` holds `task start`, `task status` and the rest."""

    def __init__(self, *, prefix: str = "", summaries: dict[str, str], **options: Any) -> None:
        super().__init__(context_settings=HELP, **options)
        self.prefix = prefix
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self.summaries:
            return None
        full = f"{self.prefix} {cmd_name}".strip()
        inner = overview.below(full)
        if inner:
            return TableGroup(prefix=full, summaries=inner, name=cmd_name, help=self.summaries[cmd_name])
        return _load(full)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it; an unknown command is answered with those that were meant."""
        word = args[0]
        if word not in self.summaries and not word.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(self.unknown(word), ctx=ctx)
        return super().resolve_command(ctx, args)

    def unknown(self, word: str) -> str:
        """The refusal of a command that this group does not have. `start` without its group is `task start`."""
        from devs_git.domain.text import similar

        typed = f"{self.prefix} {word}".strip()
        meant = [f"{self.prefix} {one}".strip() for one in similar.to(word, self.summaries)]
        if not self.prefix:
            meant = overview.ending_with(word) or meant
        meant = [*OTHER_NAMES.get(typed, meant)]
        question = f" Did you mean {' or '.join(meant)}?" if meant else ""
        return f"No such command: {typed}.{question}"

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names from the table: click would import every command for its summary."""
        from click.shell_completion import CompletionItem

        rows = ((name, text) for name, text in self.summaries.items() if name.startswith(incomplete))
        items = [CompletionItem(name, help=text) for name, text in rows]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the word means that the commands share, if it is one of the vocabulary."""
        from devs_git.entrypoints.cli.texts import words  # only a reader of the help needs them

        if meaning := words.line(self.name or ""):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(meaning)
        else:
            super().format_help_text(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))


class Root(TableGroup):
    """The command `devs-git` itself. Its help is the overview."""

    def invoke(self, ctx: click.Context) -> Any:
        """End with 0 if the reader of the output is gone; click would end with 1, which means that a check says no."""
        with ignore_closed_pipe():
            return super().invoke(ctx)
        return 0

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        formatter.write(overview.text())
