"""Directives as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.text.plain_text import cut, printable
from devs_git.entrypoints.cli.texts import next_page
from devs_git.entrypoints.cli.texts.render import table, when
from devs_git.entrypoints.console import paint

if TYPE_CHECKING:
    from devs_git.commands import directive_add, directive_list, directive_withdraw


def add_text(result: directive_add.Result) -> str:
    completed = (
        f"{result.task_id} is completed, so no prompt hands it over. A new session gets it with the bundle: "
        f"devs-git resume {result.task_id}\n"
    )
    return (
        f"Directive {paint(result.directive_id, bold=True)} waits for the next prompt of an agent at work on "
        f"{result.task_id}.\n{completed if result.task_status == 'completed' else ''}To take it back: devs-git directive withdraw {result.directive_id}"
    )


def list_text(result: directive_list.Result) -> str:
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
    titles = ("DIRECTIVE_ID", "TASK", "STATE", "WRITTEN", "TEXT")
    text = "\n".join((table(rows, titles, leave=("WRITTEN", "STATE"), titles_in_pipes=True), *refused))
    return text + (next_page.line("directive list", result.next_cursor) if result.next_cursor else "")


def _state(row: directive_list.Row) -> str:
    if row.refused and row.state == "written":
        return "not sent"
    return f"{row.state} {row.tries} times" if row.state == "handed" and row.tries > 1 else row.state


def withdrawal_text(result: directive_withdraw.Result) -> str:
    if not result.event:
        return f"Directive {result.directive_id} was withdrawn before."
    got = f" An agent got it at {result.handed_at}, and may follow it." if result.handed_at else ""
    return f"Directive {result.directive_id} is withdrawn.{got}"
