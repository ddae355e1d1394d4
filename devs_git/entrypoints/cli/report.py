"""report on the command line: it writes the page, and says in a line what is on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from devs_git.domain.text import quantities
from devs_git.entrypoints import console
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts.render import path, plural
from devs_git.errors import invalid
from devs_git.values import replace

if TYPE_CHECKING:
    from devs_git.commands.report import Result
    from devs_git.domain.verbs import VerbRequest

_STANDARD_OUTPUT: Final = Path("-")


def _report_text(result: Result) -> str | bytes:
    verdict = "verified" if result.ok else "NOT verified"
    found = ", ".join(
        plural(count, noun)
        for count, noun in ((result.errors, "error"), (result.warnings, "warning"))
        if count
    )
    what = f"{plural(result.tasks, 'task')}, {plural(result.gates, 'gate')}; {verdict}{f' ({found})' if found else ''}"
    if result.cut:
        what += (
            f". The patches of {plural(len(result.cut), 'task')} are cut; the page says how to see the rest"
        )
    if result.output:
        return f"Wrote {path(result.output)} ({quantities.in_words(result.bytes)}): {what}."
    console.write(f"{what}.", err=True)
    return b""


@command(
    "report",
    text=_report_text,
    example="devs-git report\ndevs-git report --range origin/main..HEAD -o - > report.html\ndevs-git report --task 10 -o task-10.html",
    notes="The page needs no server, no script and nothing from elsewhere. It exits with 0 also if verify finds something: "
    "the page says so.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write; - is standard output. Default: devs-git-report.html, with the name of the task or contract. "
    "A file is replaced only if it is a report. With a file the command waits for open gates.",
)
@click.option("--task", default="", help="Only this task and its gates.")
@click.option("--contract", default="", help="Only the tasks of this contract, and their gates.")
@click.option(
    "--range",
    metavar="BASE..HEAD",
    default="",
    help="Only tasks and gates of these commits. verify judges these commits alone.",
)
@click.option("--raw", is_flag=True, help="Also show what looks like a secret. This asks first.")
@click.option("--yes", is_flag=True, help="With --raw: do not ask first.")
def report(
    *,
    output: Path | None,
    task: str,
    contract: str,
    range: str,  # noqa: A002 - its name
    raw: bool,
) -> VerbRequest:
    from devs_git.commands.report import Request
    from devs_git.entrypoints.cli.texts.report_page import page

    to_stream, given = output == _STANDARD_OUTPUT, click.get_current_context().params
    if to_stream and given.get("as_json"):
        raise invalid(
            "output",
            "Standard output cannot have both the page and JSON.",
            hint="Name a file: -o report.html",
        )
    if raw and not given.get("yes"):
        terminal.ask_for_secrets("the report")
    request = Request(console.write_bytes, page.render, page.START, None, task, contract, range, raw)
    if to_stream:
        return request
    return replace(request, output=output or Path(f"{request.scope.file_name}.html"))
