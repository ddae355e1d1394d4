"""The commands of directives: add, list and withdraw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from devs_git.domain.text.plain_text import cut, printable
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts.render import table, when

if TYPE_CHECKING:
    import devs_git.commands.directive_add
    import devs_git.commands.directive_list
    import devs_git.commands.directive_withdraw
    from devs_git.domain.verbs import VerbRequest


def _add_text(result: devs_git.commands.directive_add.Result) -> str:
    return (
        f"Directive {terminal.style(result.directive_id, bold=True)} waits for the next prompt of an agent at work on "
        f"{result.task_id}.\nTo take it back: devs-git directive withdraw {result.directive_id}"
    )


def _list_text(result: devs_git.commands.directive_list.Result) -> str:
    if not result.directives:
        return "No directives."
    rows = [
        (row.directive_id, row.task_id, _state(row), when(row.written_at), printable(cut(row.text), ""))
        for row in result.directives
    ]
    refused = [
        f"{row.directive_id} is never handed over: {printable(row.refused, '')}"
        for row in result.directives
        if row.refused
    ]
    more = [f"There are more: devs-git directive list --cursor '{result.next_cursor}'"]
    lines = [*refused, *(more if result.next_cursor else ())]
    return "\n".join((table(rows, ("DIRECTIVE_ID", "TASK", "STATE", "WRITTEN", "TEXT")), *lines))


def _state(row: devs_git.commands.directive_list.Row) -> str:
    if row.refused and row.state == "written":
        return "not sent"
    return f"{row.state} {row.tries} times" if row.state == "handed" and row.tries > 1 else row.state


def _withdraw_text(result: devs_git.commands.directive_withdraw.Result) -> str:
    if not result.event:
        return f"Directive {result.directive_id} was withdrawn before."
    got = f" An agent got it at {result.handed_at}, and may follow it." if result.handed_at else ""
    return f"Directive {result.directive_id} is withdrawn.{got}"


@command(
    "directive add",
    text=_add_text,
    example="devs-git directive add task-11 'Use the new parser, not the old one.'\n"
    "devs-git directive add task-11 'Use the new parser.' --sign --key ~/.ssh/id_ed25519",
)
@click.argument("task_id", metavar="TASK")
@click.argument("text")
@click.option("--sign", is_flag=True, help="Sign it as an approver: then it counts in other clones, too.")
@click.option(
    "--key", default="", metavar="FILE", help="The SSH key for --sign. Default: the key of ssh-agent."
)
def directive_add(*, key: str, sign: bool, **options: Any) -> VerbRequest:
    from devs_git.commands.directive_add import Request

    return Request(**options, key=key, sign=sign or bool(key), at_terminal=terminal.interactive())


@command(
    "directive list",
    text=_list_text,
    example="devs-git directive list\ndevs-git directive list --task 11 --state handed --json",
)
@click.option("--task", "task_id", default="", metavar="ID", help="Only the directives of this task.")
@click.option(
    "--state", default="", metavar="STATE", help="Only those that are written, handed, seen or withdrawn."
)
@click.option("--limit", type=int, default=50, show_default=True, help="The number of directives.")
@click.option("--cursor", default="", help="Older directives: the next_cursor of an earlier answer.")
def directive_list(**options: Any) -> VerbRequest:
    from devs_git.commands.directive_list import Request

    return Request(**options)


@command(
    "directive withdraw", text=_withdraw_text, example="devs-git directive withdraw 20010203T040506-1a2b3c4d"
)
@click.argument("directive_id")
def directive_withdraw(*, directive_id: str) -> VerbRequest:
    from devs_git.commands.directive_withdraw import Request

    return Request(directive_id, at_terminal=terminal.interactive())
