"""contract and phase on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.terminal import style
from devs_git.entrypoints.cli.texts.render import plural, status_word, table, when

if TYPE_CHECKING:
    import devs_git.commands.contract_show
    import devs_git.commands.contract_start
    import devs_git.commands.phase_set
    from devs_git.domain.verbs import VerbRequest


def _start_text(result: devs_git.commands.contract_start.Result) -> str:
    steered = f", steered by session {result.supervisor.session_id}" if result.supervisor else ""
    return f"Contract {style(result.contract, bold=True)} is started{steered}."


def _phase_text(result: devs_git.commands.phase_set.Result) -> str:
    what = result.task_id or f"Contract {result.contract}"
    before = f" (before: {result.before})" if result.before and result.before != result.phase else ""
    lines = [f"{what} is in the phase {style(result.phase, bold=True)}{before}."]
    lines += [f"{name} keeps a phase of its own." for name in result.keep_own]
    return "\n".join(lines)


def _show_text(result: devs_git.commands.contract_show.Result) -> str:
    supervisor = result.supervisor
    rows = [
        ("contract", style(result.contract, bold=True)),
        ("phase", result.phase or "none"),
        ("supervisor", f"{supervisor.session_id} ({result.state})" if supervisor else "none"),
        *((("started", when(result.started_at)),) if result.started_at else ()),
        ("messages", str(result.message_count)),
    ]
    tasks = [
        (task.task_id, status_word(task.status), task.phase, task.last_checkpoint, task.title)
        for task in result.spawned_tasks
    ]
    left_out = result.task_count - len(tasks)
    parts = [table(rows), table(tasks), f"and {plural(left_out, 'older task')}" if left_out else ""]
    if supervisor and result.message_count:
        parts.append(f"To read the messages: devs-git conversation show --session {supervisor.session_id}")
    return "\n".join(part for part in parts if part)


@command(
    "contract start",
    text=_start_text,
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


@command("contract show", text=_show_text, example="devs-git contract show release-2 --json")
@click.argument("name", required=False, default="")
@click.option(
    "--limit", type=int, default=50, show_default=True, help="The number of messages, and of tasks."
)
@click.option("--cursor", default="", help="Older messages: the next_cursor of an earlier answer.")
def contract_show(*, name: str, limit: int, cursor: str) -> VerbRequest:
    from devs_git.commands.contract_show import Request

    return Request(name, limit, cursor)


@command(
    "phase set", text=_phase_text, example="devs-git phase set execute\ndevs-git phase set review --task 10"
)
@click.argument("phase")
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
