"""The command that starts a task from an earlier state."""

from __future__ import annotations

from shlex import join, quote
from typing import TYPE_CHECKING, Any

import click

from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.tasks import text_or_file
from devs_git.entrypoints.cli.texts.render import path, plural, short, when
from devs_git.entrypoints.console import exact, paint

if TYPE_CHECKING:
    import devs_git.commands.fork
    from devs_git.domain.verbs import VerbRequest


def _text(result: devs_git.commands.fork.Result) -> str:
    point, session = result.point, result.session
    lines = [
        f"{paint(result.task_id, bold=True)} begins at {_state(point.state)}: {short(point.commit)}, {when(point.created_at)}"
    ]
    if result.branch:
        lines.append(f"branch    {paint(result.branch, 'green')}")
    if result.worktree:
        lines.append(f"worktree  {path(result.worktree)}")
    if session:
        size = f"{plural(session.messages, 'message')}, about {session.tokens} tokens"
        lines.append(
            f"session   {session.session_id} of {session.client}: {size}, up to message {point.message_id}"
        )
    lines += [f"put there: {path(name)}" for name in result.placed]
    lines += [f"left out: {exact(one)}" for one in result.left_out]
    lines += [f"not guarded yet: {exact(one)}" for one in result.to_do]
    return "\n".join([*lines, f"Go on there: {_next(result)}"])


def _state(name: str) -> str:
    return name if "@" in name else short(name.removeprefix("moment:"))


def _next(result: devs_git.commands.fork.Result) -> str:
    if not result.worktree:
        return exact(f"git switch {result.branch} && devs-git task start {result.task_id}")
    start = f" && {join(result.start_command)}" if result.start_command else ""
    return exact(f"cd {quote(result.worktree)}{start}")


@command(
    "fork",
    text=_text,
    example="devs-git fork task-10@2 --name 10b\ndevs-git fork moment:-1 --name 10c --no-conversation\n"
    'devs-git fork task-10 --at "2 hours ago" --name 10d',
)
@click.argument("target")
@click.option(
    "--name",
    required=True,
    metavar="ID|TITLE",
    help="The id of the new task, or a title, of which an id is made.",
)
@click.option("--plan", default="", metavar="TEXT|@FILE", help="Its plan, or @FILE to read it from a file.")
@click.option(
    "--at",
    default="",
    metavar="TIME",
    help="With a task: its newest checkpoint or moment that is not after this time.",
)
@click.option(
    "--at-message",
    default="",
    metavar="ID",
    help="The same for the time of a message, which is the last that is kept.",
)
@click.option(
    "--branch", default="", metavar="NAME", help="The name of its branch. Default: the id of the task."
)
@click.option(
    "--worktree",
    default="",
    metavar="DIR",
    help="The folder of its worktree. Default: beside the repository.",
)
@click.option("--no-worktree", is_flag=True, help="Make only the branch.")
@click.option(
    "--to",
    default="",
    metavar="claude|codex",
    help="The client of the session. Default: that of the conversation.",
)
@click.option("--no-conversation", is_flag=True, help="Write no session.")
def fork(*, plan: str, no_conversation: bool, **options: Any) -> VerbRequest:
    from devs_git.commands.fork import Request

    return Request(plan=text_or_file(plan), conversation=not no_conversation, **options)
