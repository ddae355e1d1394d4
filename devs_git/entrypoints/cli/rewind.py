"""The commands that move the working tree: rewind, undo, drop, checkout, restore and fork."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command, text_or_file
from devs_git.entrypoints.cli.texts import move_text

if TYPE_CHECKING:
    import devs_git.commands.fork
    from devs_git.domain.verbs import VerbRequest

PRESERVE = click.option(
    "--preserve",
    metavar="branch|stash|discard",
    help="How to save the current state. discard: only in the backup, for undo.",
)
BRANCH_NAME = click.option(
    "--branch-name", metavar="NAME", help="The name of the branch of --preserve branch."
)
UNTRACKED = click.option(
    "--untracked",
    metavar="save|remove",
    help="save: save untracked files that are in the way, and continue. remove: save the untracked files that the target "
    "does not have, and take them away. A checkpoint has none, so all untracked files are taken away. Ignored files and nested "
    "repositories stay.",
)


@command(
    "rewind",
    text=move_text.rewind_text,
    plan=move_text.rewind_plan_text,
    example="devs-git rewind task-10\ndevs-git rewind task-10@3 --dry-run\ndevs-git rewind task-10 --preserve stash\n"
    "devs-git rewind --before task-10\ndevs-git rewind moment:-1",
)
@click.argument("target", required=False, default="")
@click.option(
    "--before",
    default="",
    metavar="TASK",
    help="Go back to where this task began, and undo the task itself, too.",
)
@PRESERVE
@BRANCH_NAME
@UNTRACKED
@click.option("--plan", "plan_id", metavar="ID", help="Apply exactly this plan of a dry run, or refuse.")
@click.option(
    "--override-gate",
    "override_reason",
    metavar="REASON",
    help="Rewind although a gate is open. Only a person at a terminal can do this; the ledger records the reason.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would happen; write nothing.")
@click.option("--force", is_flag=True, help="Rewind although another session is at work here.")
def rewind(*, target: str, before: str, **options: Any) -> VerbRequest:
    from devs_git.commands.rewind import Request
    from devs_git.domain.checkpoints import targets

    if not (target or before or options["plan_id"]) and terminal.interactive():
        from devs_git.entrypoints.cli import candidates

        target = candidates.choose_checkpoint(click.get_current_context().params.get("repo"))
    return Request(target=targets.choose(target, before), **options, at_terminal=terminal.interactive())


@command(
    "undo",
    text=move_text.undo_text,
    plan=move_text.undo_plan_text,
    notes="It also takes back conversation rewind, task abandon --rewind, and the rewind of resume. An undo of an undo brings "
    "back what the first one took back. A task abandon without --rewind moved no file, so task switch takes that back.",
    example="devs-git undo\ndevs-git undo 20010203T040506-1a2b3c4d --preserve branch",
)
@click.argument("op_id", required=False, default=None, metavar="[ID]")
@PRESERVE
@BRANCH_NAME
@UNTRACKED
@click.option("--dry-run", is_flag=True, help="Only show what would happen; write nothing.")
def undo(**options: Any) -> VerbRequest:
    from devs_git.commands.undo import Request

    return Request(**options)


@command(
    "drop",
    text=move_text.drop_text,
    plan=move_text.drop_plan_text,
    example="devs-git drop task-10 --dry-run\ndevs-git drop task-10",
)
@click.argument("task_id")
@click.option(
    "--override-gate",
    "override_reason",
    metavar="REASON",
    help="Drop the task although a gate is open. Only a person at a terminal can do this; the ledger records the reason.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would happen; write nothing.")
def drop(**options: Any) -> VerbRequest:
    from devs_git.commands.drop import Request

    return Request(**options, at_terminal=terminal.interactive())


@command("checkout", text=move_text.checkout_text, example="devs-git checkout main")
@click.argument("branch_name")
def checkout(**options: Any) -> VerbRequest:
    from devs_git.commands.checkout import Request

    return Request(**options)


@command(
    "restore",
    text=move_text.restore_text,
    plan=move_text.restore_text,
    # Files that somebody named are wanted. All files, and local changes, are asked for.
    asks=lambda _workspace, request: (
        request.worktree is None and (not request.paths or bool(request.preserve))
    ),
    example="devs-git restore task-10\ndevs-git restore task-10@3 -- src/dates.py\ndevs-git restore --before task-10 src/dates.py\ndevs-git restore moment:-1 -- src/dates.py\ndevs-git restore moment:3fa9c1d2 --worktree ../again\n"
    "devs-git restore task-10 src --preserve stash",
)
@click.argument("target", required=False, default="")
@click.argument("paths", nargs=-1)
@click.option("--before", default="", metavar="TASK", help="Where this task began, in place of a target.")
@click.option("--worktree", metavar="DIR", help="Make a worktree in this folder, in the state of a moment.")
@click.option(
    "--preserve",
    metavar="branch|stash|discard",
    help="How to save local changes that are in the way. Without it the restore is refused if there are any.",
)
@BRANCH_NAME
@click.option("--dry-run", is_flag=True, help="Only show what would happen; write nothing.")
def restore(*, target: str, paths: tuple[str, ...], before: str, **options: Any) -> VerbRequest:
    from devs_git.commands.restore import Request
    from devs_git.domain.checkpoints import targets

    if not (target or before):
        raise click.UsageError("Missing argument 'TARGET'.")
    if before and target:
        # All words are paths then.
        target, paths = "", (target, *paths)
    return Request(targets.choose(target, before), paths, **options)


def _fork_text(result: devs_git.commands.fork.Result) -> str:
    from devs_git.entrypoints.cli.texts import fork_text  # the others do not need it

    return fork_text.fork_text(result)


@command(
    "fork",
    text=_fork_text,
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
    help="With a task: the same for the time of this message. It is the last one of the new session.",
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
