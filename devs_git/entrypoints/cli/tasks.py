"""Tasks, checkpoints, contracts and phases on the command line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from devs_git.domain.text import limits
from devs_git.entrypoints.cli.command import command, text_or_file
from devs_git.entrypoints.cli.rewind import PRESERVE, UNTRACKED
from devs_git.entrypoints.cli.terminal import style
from devs_git.entrypoints.cli.texts import task_text
from devs_git.entrypoints.cli.texts.render import path, plural, some_names, status_word, table, when
from devs_git.errors import invalid
from devs_git.storage.git import bounded

if TYPE_CHECKING:
    import devs_git.commands.contract_show
    import devs_git.commands.contract_start
    import devs_git.commands.phase_set
    import devs_git.commands.task_start
    from devs_git.domain.checkpoints.rows import LeftOut, Recorded
    from devs_git.domain.verbs import VerbRequest


def _start_text(result: devs_git.commands.task_start.Result) -> str:
    title = f": {result.title}" if result.title else ""
    return f"{style(result.task_id, bold=True)} is active in this worktree{title}"


def _checkpoint_text(row: Recorded) -> str:
    if not row.made:
        return f"Nothing changed since {row.task_id}@{row.number} ({row.commit[:10]}), so no checkpoint was made."
    completed = row.status == "completed"
    name = row.task_id if completed else f"{row.task_id}@{row.number}"
    kind = f"completed as devs/{row.task_id}, checkpoint {row.number}" if completed else "recorded"
    stat = f"{row.files_changed} file{'' if row.files_changed == 1 else 's'}, +{row.lines_added} -{row.lines_removed}"
    line = f"{style(name, bold=True)} {kind} at {row.commit[:10]} ({stat}): {row.message}"
    lines = [line, *(["Nothing changed since the task was started."] if row.nothing_new else [])]
    if row.before:
        lines.append(f"It was completed before, as {row.before}.")
    if found := row.new_files.count:
        lines.append(f"New files ({found}): {some_names(row.new_files.paths, found)}")
    lines += _left_out(row)
    if completed and not row.nothing_new:
        lines.append(f"To see what it changed: devs-git diff {row.task_id}")
    return "\n".join(lines)


def _left_out(row: Recorded) -> list[str]:
    """What of the session's files was not committed, and who else wrote it."""
    lines = [f"Left out, because others wrote it, too ({len(row.left_out)}):"] if row.left_out else []
    return lines + [f"  {path(one.path)}: {_others(one)}" for one in row.left_out]


def _others(one: LeftOut) -> str:
    named = [
        f"session {name}" if name in one.live else f"session {name}, which is no longer at work"
        for name in one.sessions
    ]
    unknown = ["a person or a program that devs-git does not know"] if one.unknown else []
    return "; ".join(named + unknown)


@command(
    "task start", text=_start_text, example='devs-git task start 10 --title "Parse dates" --plan @plan.md'
)
@click.argument("task_id", metavar="ID")
@click.option("--title", default="", help="The subject of the task, in one line.")
@click.option("--plan", default="", metavar="TEXT|@FILE", help="The plan, or @FILE to read it from a file.")
@click.option(
    "--contract",
    default="",
    metavar="NAME",
    help="The contract (line of work) of the task. Default: the branch.",
)
@click.option(
    "--agent",
    default="",
    metavar="ROLE",
    help="The agent's role: researcher, architect, developer or reviewer. Default: developer where a client runs, "
    "and none for a person.",
)
@click.option("--client", default="", metavar="NAME", help="The client: the program that runs the agent.")
@click.option(
    "--phase",
    default="",
    metavar="PHASE",
    help="research, specify, plan, execute or review. Default: the phase of the contract.",
)
@click.option("--parent", default="", metavar="ID", help="The task of which this one is a part.")
@click.option(
    "--spawned-by",
    default="",
    metavar="SESSION",
    help="The session that starts the task. Default: the session that runs this command.",
)
def task_start(*, plan: str, **options: str) -> VerbRequest:
    from devs_git.commands.task_start import Request

    return Request(plan=text_or_file(plan), **options)


@command("task status", text=task_text.status_text, example="devs-git task status 10")
@click.argument("task_id", metavar="[ID]", required=False)
def task_status(*, task_id: str | None) -> VerbRequest:
    from devs_git.commands.task_status import Request

    return Request(task_id)


_mine = click.option("--mine", is_flag=True, help="Commit the files that only one session wrote.")
_session = click.option(
    "--session",
    default="",
    metavar="ID",
    help="The session of --mine. Default: the one that runs this, else that of the newest prompt here.",
)


def _refuse_both(*, everything: bool, mine: bool, session: str) -> None:
    """INVALID_ARGUMENTS for options that contradict each other."""
    if everything and mine:
        raise invalid(
            "mine", "--all commits everything, and --mine only the files of one session: use one of them."
        )
    if session and not mine:
        raise invalid("session", "--session names the session of --mine.", hint="Add --mine.")


@command("task complete", text=_checkpoint_text, example='devs-git task complete --all -m "Dates are parsed"')
@click.argument("task_id", metavar="[ID]", required=False)
@click.option("-m", "--message", default="", help="Message of the commit and of the checkpoint.")
@click.option("-a", "--all", "everything", is_flag=True, help="Commit all that 'git add -A' would stage.")
@_mine
@_session
def task_complete(
    *, task_id: str | None, message: str, everything: bool, mine: bool, session: str
) -> VerbRequest:
    from devs_git.commands.task_complete import Request

    _refuse_both(everything=everything, mine=mine, session=session)
    return Request(task_id, message, everything, mine, session)


@command("task switch", text=task_text.switch_text, example="devs-git task switch 10")
@click.argument("task_id", metavar="ID")
def task_switch(*, task_id: str) -> VerbRequest:
    from devs_git.commands.task_switch import Request

    return Request(task_id)


@command(
    "task abandon",
    text=task_text.abandon_text,
    plan=task_text.abandon_plan_text,
    asks=lambda _workspace, request: request.rewind,
    example="devs-git task abandon\ndevs-git task abandon 10 --rewind",
    notes="Its id stays taken. Without --rewind, no file changes, and task switch makes the task active again. With --rewind, "
    "the files go back, and undo brings files and task back.",
)
@click.argument("task_id", metavar="[ID]", required=False)
@click.option("--rewind", is_flag=True, help="Go back to where the task began, too, as rewind --before does.")
@PRESERVE
@UNTRACKED
@click.option("--plan", "plan_id", metavar="ID", help="Apply exactly this plan of a dry run, or refuse.")
@click.option("--dry-run", is_flag=True, help="Only show what --rewind would do; write nothing.")
@click.option("--force", is_flag=True, help="Go back although another session is at work here.")
def task_abandon(**options: Any) -> VerbRequest:
    from devs_git.commands.task_abandon import Request

    return Request(**options)


@command(
    "task result",
    text=lambda done: f"The result of {done.task_id} is recorded.",
    example="devs-git task result 10 < result.md",
)
@click.argument("task_id", metavar="ID")
def task_result(*, task_id: str) -> VerbRequest:
    from devs_git.commands.task_result import Request

    try:
        text = bounded.read(sys.stdin.buffer, limits.TEXT, "text").decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid("text", "The result is not UTF-8 text.") from error
    return Request(task_id, text)


@command("checkpoint", text=_checkpoint_text, example='devs-git checkpoint --all -m "Half of it works"')
@click.option("-m", "--message", default="", help="Message of the commit and of the checkpoint.")
@click.option("-a", "--all", "everything", is_flag=True, help="Commit all that 'git add -A' would stage.")
@_mine
@_session
def checkpoint(*, message: str, everything: bool, mine: bool, session: str) -> VerbRequest:
    from devs_git.commands.checkpoint import Request

    _refuse_both(everything=everything, mine=mine, session=session)
    return Request(message, everything, mine, session)


def _contract_start_text(result: devs_git.commands.contract_start.Result) -> str:
    steered = f", steered by session {result.supervisor.session_id}" if result.supervisor else ""
    return f"Contract {style(result.contract, bold=True)} is started{steered}."


def _phase_text(result: devs_git.commands.phase_set.Result) -> str:
    what = result.task_id or f"Contract {result.contract}"
    before = f" (before: {result.before})" if result.before and result.before != result.phase else ""
    lines = [f"{what} is in the phase {style(result.phase, bold=True)}{before}."]
    lines += [f"{name} keeps a phase of its own." for name in result.keep_own]
    return "\n".join(lines)


def _contract_show_text(result: devs_git.commands.contract_show.Result) -> str:
    supervisor = result.supervisor
    state = result.state if result.message_count else "devs-git has read no message of it"
    rows = [
        ("contract", style(result.contract, bold=True)),
        ("phase", result.phase or "none"),
        ("supervisor", f"{supervisor.session_id} ({state})" if supervisor else "none"),
        *((("started", when(result.started_at)),) if result.started_at else ()),
        ("messages", str(result.message_count)),
    ]
    tasks = [
        (task.task_id, status_word(task.status), task.phase, task.last_checkpoint, task.title)
        for task in result.spawned_tasks
    ]
    left_out = result.task_count - len(tasks)
    shown = table(tasks, ("TASK", "STATUS", "PHASE", "CHECKPOINT", "TITLE"), leave=("PHASE", "CHECKPOINT"))
    parts = [table(rows), shown, f"and {plural(left_out, 'older task')}" if left_out else ""]
    if supervisor and result.message_count:
        parts.append(f"To read the messages: devs-git conversation show --session {supervisor.session_id}")
    return "\n".join(part for part in parts if part)


@command(
    "contract start",
    text=_contract_start_text,
    example="devs-git contract start release-2 --supervisor 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9",
)
@click.argument("name")
@click.option(
    "--supervisor",
    default="",
    metavar="SESSION",
    help="The session that steers it. Default: the session that runs this command.",
)
def contract_start(*, name: str, supervisor: str) -> VerbRequest:
    from devs_git.commands.contract_start import Request

    return Request(name, supervisor)


@command("contract show", text=_contract_show_text, example="devs-git contract show release-2 --json")
@click.argument("name", required=False, default="")
@click.option(
    "-n", "--limit", type=int, default=50, show_default=True, help="The number of messages, and of tasks."
)
@click.option("--cursor", default="", help="Older messages: the next_cursor of an earlier answer.")
def contract_show(*, name: str, limit: int, cursor: str) -> VerbRequest:
    from devs_git.commands.contract_show import Request

    return Request(name, limit, cursor)


@command(
    "phase set", text=_phase_text, example="devs-git phase set execute\ndevs-git phase set review --task 10"
)
@click.argument("phase", metavar="{research|specify|plan|execute|review}")
@click.option(
    "--contract",
    default="",
    metavar="NAME",
    help="The contract. Default: that of the active task, else the one named like the branch.",
)
@click.option(
    "--task", "task_id", default="", metavar="ID", help="Only this task, whatever its contract says."
)
def phase_set(*, phase: str, contract: str, task_id: str) -> VerbRequest:
    from devs_git.commands.phase_set import Request

    return Request(phase, contract, task_id)
