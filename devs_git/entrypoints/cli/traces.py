"""The trace commands: put, get, list, search, prune, export, import and ingest."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from devs_git.domain.text import limits
from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints import console
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts import trace_text
from devs_git.entrypoints.cli.texts.render import plural
from devs_git.entrypoints.console import for_person
from devs_git.errors import invalid
from devs_git.storage.git import bounded

if TYPE_CHECKING:
    import devs_git.commands.trace_export
    import devs_git.commands.trace_ingest
    import devs_git.commands.trace_search
    from devs_git.domain.verbs import VerbRequest


def _option_value(name: str) -> Any:
    context = click.get_current_context(silent=True)
    return context.params.get(name) if context else None


@command(
    "trace put",
    text=lambda result: printable(result.traceId, "") if for_person() else result.traceId,
    example="pytest 2>&1 | devs-git trace put --tool pytest\ndevs-git trace put --id build-7 --task 10 < build.log",
)
@click.option("--id", "trace_id", default="", metavar="ID", help="The id of the trace. Default: a new UUID.")
@click.option("--task", default="", metavar="ID", help="The task. Default: the active task.")
@click.option("--tool", default="", metavar="NAME", help="The tool that printed it.")
@click.option("--input", "given", default="", metavar="TEXT", help="The arguments of the tool.")
@click.option("--session", default="", metavar="ID", help="The agent's session.")
@click.option(
    "--agent",
    default="",
    metavar="ROLE",
    help="The agent that called the tool. Default: the agent of the active task.",
)
@click.option("--error", is_flag=True, help="The call failed.")
@click.option(
    "--exit-code", type=int, metavar="N", help="The exit code of the call: it failed unless N is 0."
)
@click.option("--duration-ms", type=int, metavar="N", help="The duration of the call.")
def trace_put(*, given: str, task: str, tool: str, session: str, error: bool, **options: Any) -> VerbRequest:
    from devs_git.commands.trace_put import Request
    from devs_git.storage.catalog import bodies

    output = bodies.pack_pieces(bounded.pieces(sys.stdin.buffer, limits.OUTPUT, "output"))
    return Request(
        output,
        task_id=task,
        tool_name=tool,
        input=given,
        session_id=session,
        is_error=error or None,
        **options,
    )


@command(
    "trace get",
    text=lambda result: trace_text.output_text(
        result, raw=bool(_option_value("raw")), payload=bool(_option_value("payload"))
    ),
    example="devs-git trace get build-7\ndevs-git trace get build-7 --raw > build.log",
)
@click.argument("trace_id", default="", metavar="ID")
@click.option("--raw", is_flag=True, help="Print the exact bytes, on a terminal, too.")
@click.option("--payload", is_flag=True, help="Print what the agent's hook sent instead of the output.")
@click.option("--offset", type=int, default=0, metavar="BYTES", help="The byte to begin at.")
@click.option("-n", "--limit", type=int, metavar="BYTES", help="The highest number of bytes.")
def trace_get(*, trace_id: str, raw: bool, payload: bool, offset: int, limit: int | None) -> VerbRequest:
    from devs_git.commands.trace_get import Request

    del raw  # the renderer reads it
    if not trace_id:
        raise click.UsageError("Missing argument 'ID'. List the ids: devs-git trace list")
    return Request(trace_id, offset, limit, payload)


@command(
    "trace list",
    text=trace_text.list_text,
    example="devs-git trace list --task 10\ndevs-git trace list --errors --limit 50 --json",
)
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="The highest number of results.")
@click.option("--task", default="", metavar="ID", help="Only this task.")
@click.option("--tool", default="", metavar="NAME", help="Only this tool.")
@click.option("--session", default="", metavar="ID", help="Only this session.")
@click.option("--agent", default="", metavar="ROLE", help="Only this agent.")
@click.option("--errors", is_flag=True, help="Only calls that failed.")
@click.option("--rewound", is_flag=True, help="Include rewound tasks.")
@click.option("--cursor", default="", help="The next page: the next_cursor of an earlier answer.")
def trace_list(**options: Any) -> VerbRequest:
    from devs_git.commands.trace_list import Request

    return Request(**options)


def _with_minus_words(made: click.Command) -> click.Command:
    """Let a word that begins with one hyphen exclude hits, if it is not the value of an option and not `-h`."""
    parse = made.parse_args
    options = [param for param in made.params if isinstance(param, click.Option) and not param.is_flag]
    valued = {name for option in options for name in option.opts}

    def parse_args(ctx: click.Context, args: list[str]) -> list[str]:
        other_args: list[str] = []
        words: list[str] = []
        ahead = iter(args)
        for arg in ahead:
            if arg == "--":
                words += ahead
            elif arg.startswith("-") and not arg.startswith("--") and arg != "-h":
                words.append(arg)
            else:
                other_args += [arg, *islice(ahead, int(arg in valued))]
        return parse(ctx, [*other_args, "--", *words])

    made.parse_args = parse_args  # type: ignore[method-assign]
    return made


def _search_text(result: devs_git.commands.trace_search.Result) -> str:
    query = " ".join(click.get_current_context().params["query"])
    return trace_text.search_text(result) if result.hits else trace_text.no_hits_text(result, query)


@_with_minus_words
@command(
    "trace search",
    text=_search_text,
    example="devs-git trace search TypeError src/a.py:12\ndevs-git trace search '\"connection refused\" task:10 since:2d -retry'\ndevs-git trace search --in messages 'why task:10'",
)
@click.argument("query", nargs=-1)
@click.option(
    "--in",
    "within",
    type=click.Choice(["traces", "messages"]),
    default="traces",
    show_default=True,
    help="What to search: traces or messages.",
)
@click.option("-n", "--limit", type=int, default=20, show_default=True, help="The highest number of results.")
@click.option("--rewound", is_flag=True, help="Include rewound tasks.")
@click.option("--system", is_flag=True, help="Among messages: include the client's own instructions.")
@click.option("--cursor", default="", help="The next page: the next_cursor of an earlier answer.")
@click.option(
    "--deadline",
    type=float,
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Stop the search after this time.",
)
def trace_search(*, query: tuple[str, ...], **options: Any) -> VerbRequest:
    from devs_git.commands.trace_search import Request

    return Request(" ".join(query), **options)


@command(
    "trace prune",
    text=trace_text.prune_text,
    plan=trace_text.prune_text,
    example="devs-git trace prune --older-than 90d --dry-run\ndevs-git trace prune --max-size 2GB --yes",
)
@click.option("--older-than", default="", metavar="SPAN", help="The age, such as 90d, 12h or 2w.")
@click.option(
    "--max-size",
    default="",
    metavar="SIZE",
    help="Delete the oldest traces until the catalog has at most this size.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
def trace_prune(*, older_than: str, max_size: str, dry_run: bool) -> VerbRequest:
    from devs_git.commands.trace_prune import Request

    return Request(older_than, max_size, dry_run)


def _export_text(result: devs_git.commands.trace_export.Result) -> str | bytes:
    text = f"Exported {plural(result.traces, 'trace')}"
    if result.messages:
        text += f", and {plural(result.messages, 'message')} of {plural(result.sessions, 'session')}"
    masked = [plural(result.masked, "trace")] if result.masked else []
    masked += ["messages"] if result.messages and not _option_value("raw") else []
    text += "."
    if masked:
        text += f" What looks like a secret is masked in {' and in '.join(masked)}; --raw exports it, too."
    if _option_value("output"):
        return text
    console.write(text, err=True)
    return b""


@command(
    "trace export",
    text=_export_text,
    example="devs-git trace export --output traces.jsonl.gz\ndevs-git trace export --task 10 > task-10.jsonl.gz",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write. Default: standard output. With a file the command waits for open gates.",
)
@click.option("--task", default="", metavar="ID", help="Only this task.")
@click.option("--raw", is_flag=True, help="Also export what looks like a secret. This asks first.")
@click.option("--yes", is_flag=True, help="With --raw: do not ask first.")
def trace_export(*, output: Path | None, task: str, raw: bool) -> VerbRequest:
    from devs_git.commands.trace_export import Request

    if output is None and (sys.stdout.isatty() or _option_value("as_json")):
        raise invalid(
            "output",
            "An export is binary data, which a terminal cannot show.",
            hint="Name a file: --output traces.jsonl.gz",
        )
    if raw and not _option_value("yes"):
        terminal.ask_for_secrets("the export")
    return Request(sys.stdout.buffer.write, task, output, raw)


@command(
    "trace import",
    text=trace_text.import_text,
    example="devs-git trace import traces.jsonl.gz",
)
@click.argument("file", type=click.File("rb"))
def trace_import(*, file: BinaryIO) -> VerbRequest:
    from devs_git.commands.trace_import import Request

    return Request(file)


def _ingest_text(result: devs_git.commands.trace_ingest.Result) -> str:
    rejected = f". {result.rejected} cannot be read; see: devs-git doctor" if result.rejected else "."
    return f"Stored {plural(result.ingested, 'payload')}{rejected}"


@command("trace ingest", text=_ingest_text, example="devs-git trace ingest")
def trace_ingest() -> VerbRequest:
    from devs_git.commands.trace_ingest import Request

    return Request()
