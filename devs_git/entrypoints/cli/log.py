"""log, history, show, diff, status and branch on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from devs_git.entrypoints.cli import answer
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts import log_text

if TYPE_CHECKING:
    import devs_git.commands.diff
    import devs_git.commands.history
    import devs_git.commands.log
    import devs_git.commands.why
    from devs_git.domain.verbs import VerbRequest


LEGEND: Final = (
    "The first column: @ HEAD is at this checkpoint; * HEAD has it; o HEAD does not have it; x it is rewound, replaced or "
    "dropped; . a moment. With --all also: < a rewind; > an undo; + a restore; - a drop. The status of a checkpoint: "
    "recorded, its task went on after it; completed, its task ended there. With --graph also: ? a gate; ! its decision; / a fork. The lines go down to "
    "what a row was built on; those of what was undone are dotted."
)


def _log_text(result: devs_git.commands.log.Result) -> str:
    shown = click.get_current_context().params
    if shown["graph"]:
        from devs_git.commands.log import GraphResult
        from devs_git.entrypoints.cli.texts import log_graph_text

        assert isinstance(result, GraphResult)
        return log_graph_text.graph_text(result, only_ascii=shown["ascii"])
    from devs_git.entrypoints.cli.texts import log_list_text

    return log_list_text.checkpoints_text(
        result,
        operations=shown["everything"],
        first_page=not (shown["cursor"] or shown["task"]),
    )


@command(
    "log",
    text=_log_text,
    notes=LEGEND,
    example="devs-git log --limit 5\ndevs-git log --task 10 --json\ndevs-git log --moments -n 50\n"
    "devs-git log --graph -n 30",
)
@click.option(
    "-n",
    "--limit",
    type=int,
    help="The number of checkpoints and moments; other rows do not count. Default: 20.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Show all checkpoints, and the operations between them."
)
@click.option("--graph", is_flag=True, help="Draw what was built on what; with operations, gates and forks.")
@click.option("--ascii", is_flag=True, help="Draw the graph with ASCII characters alone.")
@click.option("--task", default="", metavar="ID", help="Only what concerns this task.")
@click.option("--moments", is_flag=True, help="Show the moments between the checkpoints, too.")
@click.option(
    "--session",
    default="",
    metavar="ID",
    help="Show only the moments of this session; the beginning of its id is enough.",
)
@click.option("--cursor", default="", help="The next page: the next_cursor of an earlier answer.")
def log(*, limit: int | None, everything: bool, ascii: bool, **options: Any) -> VerbRequest:  # noqa: A002 - the option's name
    from devs_git.commands.log import MOST, Request

    if ascii and not options["graph"]:
        raise click.UsageError("--ascii says how a graph is drawn. Add --graph.")
    return Request((MOST if everything else 20) if limit is None else limit, **options)


def _history_text(result: devs_git.commands.history.Result) -> str:
    form = click.get_current_context().params["format"]
    if form == "json":
        return answer.as_json(result)
    return log_text.history_lines(result) if form == "jsonl" else log_text.history_text(result)


@command(
    "history",
    text=_history_text,
    example="devs-git history --task 10\ndevs-git history --type gate --type rewind --from '2 days ago'\n"
    "devs-git history --follow --format jsonl",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="TYPE",
    help="Only rows of this type: task, chat, checkpoint, phase, gate, rewind, file or repository.",
)
@click.option(
    "--subtype",
    "subtypes",
    multiple=True,
    metavar="SUBTYPE",
    help="Only rows of this subtype, such as forked.",
)
@click.option("--task", "task_id", default="", metavar="ID", help="Only this task.")
@click.option("--contract", default="", metavar="NAME", help="Only what belongs to this contract.")
@click.option("--phase", default="", metavar="PHASE", help="Only what was done in this phase.")
@click.option(
    "--agent", default="", metavar="ROLE", help="Only what an agent with this role did, such as developer."
)
@click.option(
    "--actor",
    default="",
    metavar="NAME",
    help="Only what this person or session did; a part of the name is enough.",
)
@click.option(
    "--from", "since", default="", metavar="TIME", help="Not before this time, such as '2 days ago'."
)
@click.option(
    "--to", "until", default="", metavar="TIME", help="Not after this time, such as 2026-11-23T14:30."
)
@click.option("-n", "--limit", type=int, default=50, show_default=True, help="The number of rows.")
@click.option("--cursor", default="", help="The next page: the next_cursor of an earlier answer.")
@click.option("--after", default="", metavar="EVENT", help="Only what came after this event, oldest first.")
@click.option("--follow", is_flag=True, help="Wait for new rows and print each. Ctrl-C ends.")
@click.option(
    "--format",
    type=click.Choice(["table", "json", "jsonl"]),
    default="table",
    show_default=True,
    help="jsonl: one row of JSON on each line.",
)
def history(**options: Any) -> VerbRequest:
    from devs_git.commands.history import Request

    return Request(**options)


@command(
    "show",
    text=log_text.show_text,
    example="devs-git show task-10\ndevs-git show task-10@3 --json\ndevs-git show moment:-1",
)
@click.argument("target")
def show(*, target: str) -> VerbRequest:
    from devs_git.commands.show import Request

    return Request(target)


def _diff_text(result: devs_git.commands.diff.Result) -> str | bytes:
    from devs_git.commands.diff import PatchResult
    from devs_git.entrypoints.cli.texts import diff_text

    return diff_text.patch_text(result) if isinstance(result, PatchResult) else diff_text.figures_text(result)


@command(
    "diff",
    text=_diff_text,
    example="devs-git diff task-10\ndevs-git diff task-10 --stat\ndevs-git diff task-10@2 --against main\n"
    "devs-git diff --before task-10\ndevs-git diff moment:-1\ndevs-git diff task-10 --json --patch",
)
@click.argument("target", required=False, default="")
@click.argument("until", required=False, default="")
@click.option(
    "--against",
    default="",
    help="Compare with this checkpoint, moment, snapshot, branch or commit, or with where a task began (task-10@0).",
)
@click.option(
    "--before",
    default="",
    metavar="TASK",
    help="Compare with where this task began: its work and all after it.",
)
@click.option("--stat", is_flag=True, help="Show the changed files with the numbers of lines.")
@click.option(
    "-p", "--patch", "--hunks", "hunks", is_flag=True, help="Show the changed lines, in --json, too."
)
@click.option("--word-diff", "words", is_flag=True, help="Mark changed words, and not only changed lines.")
@click.option(
    "--hunk-lines",
    type=int,
    default=2000,
    show_default=True,
    help="The highest number of changed lines in --json.",
)
def diff(  # noqa: PLR0913 - the options of the command
    *, target: str, until: str, against: str, before: str, stat: bool, hunks: bool, **options: Any
) -> VerbRequest:
    """TARGET: what a task changed, or a numbered checkpoint since the one before, or what changed since a moment or commit.

    TARGET UNTIL: from the one to the other.
    """
    from devs_git.commands.diff import NO_PATCH, Request
    from devs_git.domain.checkpoints import targets
    from devs_git.entrypoints.cli.texts import diff_text
    from devs_git.errors import invalid

    if sum(map(bool, (until, against, before))) > 1:
        raise invalid("against", "Name two ends, or one and --against or --before.")
    if before:
        target, until = targets.choose("", before), target
    as_json = click.get_current_context().params["as_json"]
    return Request(
        until or target,
        target if until else against,
        hunks=hunks and as_json,
        patch=NO_PATCH if as_json or stat else diff_text.form(),
        **options,
    )


def _why_text(result: devs_git.commands.why.Result) -> str:
    from devs_git.entrypoints.cli.texts.why_text import why_text

    return why_text(result)


@command("why", text=_why_text, example="devs-git why src/dates.py:12")
@click.argument("target", metavar="FILE:LINE")
def why(*, target: str) -> VerbRequest:
    from devs_git.commands.why import Request

    return Request(target)


@command("status", text=log_text.status_text, example="devs-git status --json")
def status() -> VerbRequest:
    from devs_git.commands.status import Request

    return Request()


@command(
    "branch",
    text=log_text.branch_text,
    example="devs-git branch task-10@2 -b try\ndevs-git branch --before task-10 -b try\ndevs-git branch moment:-1 -b try",
)
@click.argument("target", required=False, default="")
@click.option("--before", default="", metavar="TASK", help="Where this task began, in place of a target.")
@click.option("-b", "--name", required=True, help="The name of the new branch.")
def branch(*, target: str, before: str, name: str) -> VerbRequest:
    from devs_git.commands.branch import Request
    from devs_git.domain.checkpoints import targets

    if not (target or before):
        raise click.UsageError("Missing argument 'TARGET'.")
    return Request(targets.choose(target, before), name)
