"""purge on the command line: what is deleted, what a person has to do, and how to finish."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts.console import paint
from devs_git.entrypoints.cli.texts.render import blocked_lines, path, plural

if TYPE_CHECKING:
    from collections.abc import ItemsView

    from devs_git.commands.purge import Result
    from devs_git.domain.verbs import VerbRequest


def _purge_text(result: Result) -> str:
    if not (result.dropped or result.traces or result.messages or result.files or result.lost):
        lines = ["devs-git has stored it nowhere."]
    else:
        lines = ["Would purge:" if result.dry_run else "Purged:"]
        lines += [f"  {one.kind}  {path(one.ref)}" for one in result.dropped]
        lines += [f"  {plural(result.traces, 'trace')}"] if result.traces else []
        lines += (
            [f"  the text of {plural(result.messages, 'message')} (position and time are kept)"]
            if result.messages
            else []
        )
        lines += [f"  file  {path(one)}" for one in result.files]
        lines += [
            f"  {name}: it is missing here, and sync will not ask other clones for it any more"
            for name in result.lost
        ]
        if any(one.kind == "backup" for one in result.dropped):
            lines.append("The operations of these backups can no longer be undone.")
    if result.left:
        lines.append(paint("These places of yours still have it:", "yellow"))
        lines += [
            f"  {path(what)}{f' ({count} times)' if count > 1 else ''}: {done}"
            for (what, done), count in _once(result)
        ]
    if not result.dry_run and result.event:
        lines.append(f"No ref of devs-git has it any more. To delete the objects: {result.finish}")
        lines.append("Then run devs-git sync for the remotes, and run this purge in each other clone.")
    return "\n".join([*lines, *blocked_lines(result)])


def _once(result: Result) -> ItemsView[tuple[str, str], int]:
    return Counter((one.what, one.command) for one in result.left).items()


@command(
    "purge",
    text=_purge_text,
    plan=_purge_text,
    example='devs-git purge secret.env --dry-run\ndevs-git purge --text "hunter2-and-more" --yes',
)
@click.argument("path", default="")
@click.option("--text", default="", help="The text to delete, wherever it is.")
@click.option(
    "--from",
    "event",
    default="",
    metavar="EVENT",
    help="Delete the checkpoints that this event no longer keeps; sync and verify name the event.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted, and what would remain.")
def purge(*, path: str, text: str, event: str, dry_run: bool) -> VerbRequest:
    """Delete a secret."""
    from devs_git.commands.purge import Request

    return Request(path, text, dry_run=dry_run, event=event)
