"""The commands of conversations and of directives, and `resume`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from devs_git.entrypoints.cli import answer, terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.rewind import PRESERVE, UNTRACKED
from devs_git.entrypoints.cli.texts import conversation_text, directive_text

if TYPE_CHECKING:
    from devs_git.commands.conversation_show import Result
    from devs_git.commands.resume import Listing
    from devs_git.commands.resume import Result as Resumed
    from devs_git.domain.verbs import VerbRequest


def _show_text(result: Result) -> str:
    wanted = click.get_current_context().params["format"]
    if wanted == "json":
        return answer.as_json(result)
    return conversation_text.table_text(result) if wanted == "table" else conversation_text.chat_text(result)


@command(
    "conversation show",
    text=_show_text,
    example="devs-git conversation show --task 10\ndevs-git conversation show --at task-10@2 --no-tool-results",
)
@click.option(
    "--session", default="", metavar="ID", help="Messages of one session. Default: the last session here."
)
@click.option("--task", default="", metavar="ID", help="Messages of one task, in all its sessions.")
@click.option("--at", default="", metavar="CHECKPOINT", help="Up to a checkpoint, such as task-10@2.")
@click.option("--snapshot", default="", metavar="ID", help="Up to a snapshot.")
@click.option("--message", default="", metavar="ID", help="Up to a message.")
@click.option(
    "--format",
    type=click.Choice(["chat", "json", "table"]),
    default="chat",
    show_default=True,
    help="The form of the output.",
)
@click.option("--no-tool-calls", is_flag=True, help="Leave out the arguments of tools.")
@click.option("--no-tool-results", is_flag=True, help="Leave out the results of tools.")
@click.option(
    "--system", is_flag=True, help="Also the client's own instructions at the beginning of a session."
)
@click.option(
    "-n", "--limit", type=int, default=200, show_default=True, help="The number of messages, from the end."
)
@click.option("--cursor", default="", help="Older messages: the next_cursor of an earlier answer.")
def conversation_show(*, no_tool_calls: bool, no_tool_results: bool, **options: Any) -> VerbRequest:
    from devs_git.commands.conversation_show import Request

    return Request(tool_calls=not no_tool_calls, tool_results=not no_tool_results, **options)


@command(
    "conversation import",
    text=conversation_text.import_text,
    example="devs-git conversation import ~/.claude/projects/-home-ada-repo/SESSION.jsonl",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--client",
    default="",
    metavar="NAME",
    help="The client that wrote the transcript, as `devs-git agent list` names it. Default: found from its content.",
)
@click.option(
    "--task",
    default="",
    metavar="ID",
    help="The task of the new messages. Default: the task that was active.",
)
def conversation_import(**options: Any) -> VerbRequest:
    from devs_git.commands.conversation_import import Request

    return Request(**options)


@command(
    "conversation rewind",
    text=conversation_text.rewind_text,
    plan=conversation_text.rewind_plan_text,
    example="devs-git conversation rewind --by-messages 4\ndevs-git conversation rewind --to 14:32 --code",
)
@click.option("--by-messages", type=int, metavar="N", help="Take back the last N messages.")
@click.option("--to-message", default="", metavar="ID", help="Keep this message, and take back all after it.")
@click.option(
    "--to",
    default="",
    metavar="TIME",
    help="Keep what was said until this time, such as 14:32 or '2 hours ago'.",
)
@click.option("--session", default="", metavar="ID", help="The session. Default: the last session here.")
@click.option("--contract", default="", metavar="NAME", help="The session that steers this contract.")
@click.option(
    "--code",
    is_flag=True,
    help="Bring the code back, too: to the newest moment or checkpoint that is not later than the message.",
)
@PRESERVE
@UNTRACKED
@click.option("--dry-run", is_flag=True, help="Only show what would happen; write nothing.")
@click.option("--force", is_flag=True, help="Rewind although the session is at work.")
def conversation_rewind(**options: Any) -> VerbRequest:
    from devs_git.commands.conversation_rewind import Request

    return Request(**options)


@command(
    "conversation snapshot",
    text=conversation_text.snapshot_text,
    example="devs-git conversation snapshot --task 10",
)
@click.option(
    "--session", default="", metavar="ID", help="The session to mark. Default: the last session here."
)
@click.option("--task", default="", metavar="ID", help="The last session of this task.")
def conversation_snapshot(**options: Any) -> VerbRequest:
    from devs_git.commands.conversation_snapshot import Request

    return Request(**options)


@command(
    "conversation snapshots",
    text=conversation_text.snapshots_text,
    example="devs-git conversation snapshots --task 10",
)
@click.option("--task", default="", metavar="ID", help="Only this task.")
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="The highest number of results.")
@click.option("--cursor", default="", help="The next page: the next_cursor of an earlier answer.")
def conversation_snapshots(**options: Any) -> VerbRequest:
    from devs_git.commands.conversation_snapshots import Request

    return Request(**options)


def _resume_text(result: Resumed | Listing) -> str:
    from devs_git.entrypoints.cli.texts.resume_text import resume_text

    return resume_text(result)


def _exit_status(result: Resumed | Listing) -> int:
    return getattr(result, "exit_code", None) or 0


@command(
    "resume",
    text=_resume_text,
    exit_status=_exit_status,
    example='devs-git resume\ndevs-git resume task-10 > bundle.md\ndevs-git resume task-10 --mode continue\ndevs-git resume task-10@2 --context "Use the new API."\n'
    "devs-git resume task-10 --mode clean_restart\n"
    "devs-git resume task-10 --mode from_checkpoint --checkpoint 2 --name 10b --plan 'Use the new API.'",
)
@click.argument("target", metavar="[TASK|CONTRACT]", required=False, default="")
@click.option(
    "--mode",
    default="",
    metavar="MODE",
    help="with_context: print what a new session needs to know. continue: its own session goes on. From an earlier "
    "state: clean_restart (where a task began), restart_phase (the first checkpoint of a contract's phase), from_checkpoint.",
)
@click.option(
    "--checkpoint", default="", metavar="TASK@N", help="The checkpoint to go on from. Of a task, N is enough."
)
@click.option(
    "--fork", is_flag=True, help="Begin a new task from the earlier state: this worktree stays as it is."
)
@click.option("--name", default="", metavar="ID", help="The id of the new task, or a title.")
@click.option("--plan", default="", metavar="TEXT", help="The plan of the new task.")
@PRESERVE
@UNTRACKED
@click.option(
    "--contract", is_flag=True, help="Take the contract with this name, also if a task has the same name."
)
@click.option("--context", default="", metavar="TEXT", help="What you want to tell the new session, too.")
@click.option("--to", default="", metavar="CLIENT", help="The client. Default: that of the last session.")
@click.option(
    "--tokens",
    type=int,
    default=20_000,
    show_default=True,
    help="About how many tokens the bundle has at most.",
)
@click.option("--force", is_flag=True, help="Go on although a session is at work on it.")
@click.option("--exec", "execute", is_flag=True, help="Also start the client, and end with its exit code.")
@click.option(
    "-n", "--limit", type=int, default=50, show_default=True, help="The number of rows of the list."
)
@click.option("--cursor", default="", help="Older rows: the next_cursor of an earlier answer.")
def resume(*, target: str, contract: bool, **options: Any) -> VerbRequest:
    if target:
        # The bundle says whether it holds a secret. What finds one is loaded longer than all the rest takes.
        from devs_git.storage.documents import secrets

        secrets.load_meanwhile()
    from devs_git.commands.resume import Request

    asks = terminal.choose if not target and terminal.interactive() and "--json" not in sys.argv else None
    options |= {"contract": target} if contract else {"target": target}
    return Request(choose=asks, **options)


@command(
    "directive add",
    text=directive_text.add_text,
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
    text=directive_text.list_text,
    example="devs-git directive list\ndevs-git directive list --task 11 --state handed --json",
)
@click.option("--task", "task_id", default="", metavar="ID", help="Only the directives of this task.")
@click.option(
    "--state", default="", metavar="STATE", help="Only those that are written, handed, seen or withdrawn."
)
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="The number of directives.")
@click.option("--cursor", default="", help="Older directives: the next_cursor of an earlier answer.")
def directive_list(**options: Any) -> VerbRequest:
    from devs_git.commands.directive_list import Request

    return Request(**options)


@command(
    "directive withdraw",
    text=directive_text.withdrawal_text,
    example="devs-git directive withdraw 20010203T040506-1a2b3c4d",
)
@click.argument("directive_id")
def directive_withdraw(*, directive_id: str) -> VerbRequest:
    from devs_git.commands.directive_withdraw import Request

    return Request(directive_id, at_terminal=terminal.interactive())
