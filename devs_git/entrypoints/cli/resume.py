"""`resume` on the command line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from devs_git.domain.text import limits
from devs_git.entrypoints import console
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command

if TYPE_CHECKING:
    from devs_git.commands.resume import Listing, Result
    from devs_git.domain.verbs import VerbRequest


def _text(result: Result | Listing) -> str:
    from devs_git.entrypoints.cli.texts.resume_text import resume_text

    return resume_text(result)


def _choose(most: int) -> int:
    """The number that the person at this terminal types; Declined for anything else."""
    console.write(f"Which one? [1-{most}] ", end="")
    answer = sys.stdin.readline(limits.ANSWER.most).strip()
    if not answer.isdecimal() or not 1 <= int(answer) <= most:
        raise terminal.Declined
    return int(answer)


@command(
    "resume",
    text=_text,
    example='devs-git resume\ndevs-git resume task-10 > bundle.md\ndevs-git resume task-10@2 --context "Use the new API."',
)
@click.argument("target", metavar="[TASK|CONTRACT]", required=False, default="")
@click.option(
    "--mode", default="", metavar="MODE", help="with_context: print what a new session needs to know."
)
@click.option("--contract", is_flag=True, help="The name is a contract's, if a task has it, too.")
@click.option("--context", default="", metavar="TEXT", help="What you tell the new session besides.")
@click.option("--to", default="", metavar="CLIENT", help="The client. Default: that of the last session.")
@click.option(
    "--tokens", type=int, default=20_000, show_default=True, help="The most tokens of the bundle, about."
)
@click.option("--limit", type=int, default=50, show_default=True, help="The number of rows of the list.")
@click.option("--cursor", default="", help="Older rows: the next_cursor of an earlier answer.")
def resume(*, target: str, **options: str | int | bool) -> VerbRequest:
    from devs_git.commands.resume import Request

    asks = _choose if not target and terminal.interactive() and "--json" not in sys.argv else None
    return Request(target, choose=asks, **options)  # type: ignore[arg-type]
