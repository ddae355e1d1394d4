"""`fork` as text for people."""

from __future__ import annotations

from shlex import join, quote
from typing import TYPE_CHECKING

from devs_git.entrypoints.cli.texts.render import path, plural, short, when
from devs_git.entrypoints.console import exact, paint

if TYPE_CHECKING:
    import devs_git.commands.fork


def fork_text(result: devs_git.commands.fork.Result) -> str:
    """What was made, what is missing, and the command to go on there."""
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
    lines += [f"added     {path(name)}" for name in result.placed]
    lines += [f"left out  {exact(one)}" for one in result.left_out]
    lines += [f"to do     {exact(one)}" for one in result.to_do]
    return "\n".join([*lines, f"Go on there: {_next(result)}"])


def _state(name: str) -> str:
    return name if "@" in name else f"moment:{short(name.removeprefix('moment:'))}"


def _next(result: devs_git.commands.fork.Result) -> str:
    if not result.worktree:
        return exact(f"git switch {result.branch} && devs-git task start {result.task_id}")
    start = f" && {join(result.start_command)}" if result.start_command else ""
    return exact(f"cd {quote(result.worktree)}{start}")
