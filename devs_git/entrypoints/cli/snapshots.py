"""The snapshot commands: create, list, open and prune."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import click

from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts.render import (
    blocked_lines,
    next_page_line,
    path,
    plural,
    short,
    table,
    when,
)
from devs_git.entrypoints.console import paint

if TYPE_CHECKING:
    import devs_git.commands.snapshot_create
    import devs_git.commands.snapshot_list
    import devs_git.commands.snapshot_open
    import devs_git.commands.snapshot_prune
    from devs_git.domain.verbs import VerbRequest


def _create_text(result: devs_git.commands.snapshot_create.Result) -> str:
    count = plural(result.files_changed, "path")
    saved = (
        f"Saved as {paint(result.branch, 'green')} at {short(result.commit)}: {count} different from HEAD."
    )
    return "\n".join(
        [
            saved,
            *(f"Not saved, because it is another git repository: {path(name)}" for name in result.left_out),
        ]
    )


def _list_text(result: devs_git.commands.snapshot_list.Result) -> str:
    rows = [
        (paint(one.name, "green"), short(one.commit), when(one.created_at), one.message)
        for one in result.snapshots
    ]
    more = next_page_line("snapshot list", result.next_cursor)
    titles = ("SNAPSHOT", "COMMIT", "WHEN", "MESSAGE")
    return (
        table(rows, titles, cuttable=("SNAPSHOT", "MESSAGE"), leave=("COMMIT", "WHEN"))
        or "No snapshots. Make one: devs-git snapshot create"
    ) + more


def _open_text(result: devs_git.commands.snapshot_open.Result) -> str:
    return (
        f"{result.snapshot} is {'open' if result.opened else 'already open'} at {path(result.path)}\n"
        f"To close it: git worktree remove {path(quote(result.path))}"
    )


def _prune_text(result: devs_git.commands.snapshot_prune.Result) -> str:
    verb = "Would delete" if result.dry_run else "Deleted"
    lines = [f"{verb} {plural(len(result.snapshots), 'snapshot')}"]
    lines += [
        f"  {one.name} {short(one.commit)} {when(one.created_at)}  {one.message}" for one in result.snapshots
    ]
    lines += [f"  kept: {path(one.name)}, {one.reason}" for one in result.kept]
    return "\n".join([*lines, *blocked_lines(result)])


@command(
    "snapshot create",
    text=_create_text,
    example='devs-git snapshot create\ndevs-git snapshot create -m "before lunch"',
)
@click.option("-m", "--message", default="", help="A description of this state, in one line.")
def snapshot_create(*, message: str) -> VerbRequest:
    from devs_git.commands.snapshot_create import Request

    return Request(message)


@command("snapshot list", text=_list_text, example="devs-git snapshot list --json")
@click.option("-n", "--limit", type=int, default=200, show_default=True, help="The number of snapshots.")
@click.option("--cursor", default="", help="The next page: the next_cursor of an earlier answer.")
def snapshot_list(*, limit: int, cursor: str) -> VerbRequest:
    from devs_git.commands.snapshot_list import Request

    return Request(limit, cursor)


@command("snapshot open", text=_open_text, example="devs-git snapshot open edit-2026-01-31-0900 --at ../look")
@click.argument("name")
@click.option(
    "--at",
    default="",
    metavar="FOLDER",
    help="The folder to open it in. Default: a folder inside the git directory.",
)
def snapshot_open(*, name: str, at: str) -> VerbRequest:
    from devs_git.commands.snapshot_open import Request

    return Request(name, at)


@command(
    "snapshot prune",
    text=_prune_text,
    plan=_prune_text,
    example="devs-git snapshot prune --older-than 30d --dry-run\ndevs-git snapshot prune --older-than 30d --yes",
)
@click.option("--older-than", required=True, metavar="SPAN", help="The age, such as 30d, 12h or 2w.")
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
def snapshot_prune(*, older_than: str, dry_run: bool) -> VerbRequest:
    from devs_git.commands.snapshot_prune import Request

    return Request(older_than, dry_run)
