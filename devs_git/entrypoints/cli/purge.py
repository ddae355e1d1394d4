"""purge, prune, archive and du on the command line: what is deleted, what a person has to do, how much space is taken."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

import click

from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts import upkeep_text
from devs_git.entrypoints.cli.texts.render import blocked_lines, path, plural
from devs_git.entrypoints.console import paint
from devs_git.errors import invalid

if TYPE_CHECKING:
    from collections.abc import ItemsView

    from devs_git.commands.purge import Result
    from devs_git.domain.verbs import VerbRequest

# The value of --text that means: read the text from standard input.
_STANDARD_INPUT: Final = "-"


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
    example="devs-git purge secret.env --dry-run\ndevs-git purge --text - --yes < secret.txt",
)
@click.argument("path", default="")
@click.option(
    "--text",
    default="",
    help="The text to delete. With -, it is read from standard input or asked for at a terminal, so that no shell "
    "history has it.",
)
@click.option(
    "--from",
    "event",
    default="",
    metavar="EVENT",
    help="Delete the checkpoints of this event that another clone deleted, or that are missing. sync and verify name it.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted, and what would remain.")
def purge(*, path: str, text: str, event: str, dry_run: bool) -> VerbRequest:
    """Delete a secret."""
    from devs_git.commands.purge import Request

    if text == _STANDARD_INPUT:
        text = terminal.ask_hidden("Text to delete") if sys.stdin.isatty() else _read_text()
        if not text:
            raise invalid("text", "Standard input has no text.")
    return Request(path, text, dry_run=dry_run, event=event)


@command(
    "prune",
    text=upkeep_text.prune_text,
    plan=upkeep_text.prune_text,
    example="devs-git prune --dry-run\ndevs-git prune --yes",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
def prune(*, dry_run: bool) -> VerbRequest:
    """Delete what is older than the policy keeps it."""
    from devs_git.commands.prune import Request

    return Request(dry_run)


@command(
    "archive",
    text=upkeep_text.archive_text,
    example="devs-git archive --dry-run\ndevs-git archive --older-than 7d --tags\ndevs-git archive --undo",
)
@click.option(
    "--older-than",
    default="30d",
    show_default=True,
    metavar="AGE",
    help="Archive tasks that were completed longer ago than this, such as 7d or 12h.",
)
@click.option(
    "--tags",
    is_flag=True,
    help="Archive their visible tags devs/task-<id>, too. git no longer shows these; devs-git still does.",
)
@click.option("--undo", is_flag=True, help="Make all refs again, and delete the archives.")
@click.option("--dry-run", is_flag=True, help="Only show how many refs would be archived.")
def archive(*, older_than: str, tags: bool, undo: bool, dry_run: bool) -> VerbRequest:
    """Keep the checkpoints of old tasks behind one ref."""
    from devs_git.commands.archive import Request

    return Request(older_than, tags, undo, dry_run)


@command("du", text=upkeep_text.du_text, example="devs-git du\ndevs-git du --json")
def du() -> VerbRequest:
    from devs_git.commands.du import Request

    return Request()


def _read_text() -> str:
    """The text from standard input, without one line end. INVALID_INPUT if it is too long."""
    from devs_git.domain.text import limits
    from devs_git.storage.git import bounded

    text = os.fsdecode(bounded.read(sys.stdin.buffer, limits.SECRET, "text"))
    return text.removesuffix("\n").removesuffix("\r")
