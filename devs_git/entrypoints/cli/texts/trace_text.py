"""Traces as text for people. Search hits are bold; no output can command the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devs_git.domain.recall.traces import MASKED, cut_text
from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints.cli.texts.render import blocked_lines, plural, table, unique_beginnings, when
from devs_git.entrypoints.console import for_person, on_terminal, paint

if TYPE_CHECKING:
    from devs_git.commands import trace_get, trace_import, trace_list, trace_prune, trace_search
    from devs_git.domain.recall.traces import TraceRow

_NAMED = 20  # ids in a line
_TITLES = ("ID", "TASK", "TOOL", "STATE", "SIZE", "WHEN", "NOTE")
_LEAVE = ("NOTE", "SIZE", "WHEN", "STATE")


def amount(size: int) -> str:
    """`12 B`, `3.4 kB`, `1.2 GB`."""
    value = float(size)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def _line(row: TraceRow, trace_id: str = "") -> tuple[str, ...]:
    failed = paint("failed", "red") if row.is_error else "ok" if row.is_error is False else "-"
    state = paint("rewound", "bright_black") if row.rewound else failed
    name, task = printable(row.tool_name, "") or "-", row.task_id or "-"
    cut = paint(cut_text(row.size, row.full_bytes), "yellow") if row.cut_by_client else ""
    masked = paint(MASKED, "yellow") if row.masked else ""
    return (
        paint(printable(trace_id or row.trace_id, ""), "yellow"),
        task,
        name,
        state,
        amount(row.size),
        when(row.created_at),
        ", ".join(filter(None, (cut, masked))),
    )


def _message(hit: trace_search.MessageHit) -> tuple[str, ...]:
    state = [paint("rewound", "bright_black")] if hit.rewound else []
    sender = " ".join([hit.role, *filter(None, [printable(hit.tool_name, "")]), *state])
    return (
        paint(printable(hit.message_id, ""), "yellow"),
        hit.task_id or "-",
        sender,
        when(hit.created_at),
    )


def list_text(result: trace_list.Result) -> str:
    if not result.traces:
        return "No traces found. To store one: devs-git trace put < output"
    ids = unique_beginnings([row.trace_id for row in result.traces], least=12)
    rows = [_line(row, name) for row, name in zip(result.traces, ids, strict=True)]
    return "\n".join(
        [
            table(rows, _TITLES, cuttable=("ID", "TOOL"), leave=_LEAVE),
            *_more_line(result),
        ]
    )


def search_text(result: trace_search.Result) -> str:
    # The result came from this module, so the import costs nothing.
    from devs_git.commands.trace_search import MessageHit

    lines = []
    for hit in result.hits:
        line = _message(hit) if isinstance(hit, MessageHit) else _line(hit)
        lines += ["  ".join(filter(None, line)), "    " + _snippet(hit)]
    if result.hits and on_terminal():
        lines.append("To read an output whole: devs-git trace get ID")
    if not result.complete:
        lines.append(
            "The deadline ended the search: these are the newest hits, not the best. Search for longer words."
        )
    if result.snippets_cut_short:
        lines.append(
            "The deadline ended the reading of long texts: some of these lines show only their beginning."
        )
    if result.left_out:
        lines.append(f"The query is too long: {plural(result.left_out, 'word')} of it were ignored.")
    return "\n".join([*(lines or ["No hits."]), *_more_line(result)])


def no_hits_text(result: trace_search.Result, query: str) -> str:
    """What to try instead: nothing in the answer tells that only whole words are found."""
    from devs_git.domain.recall import query as queries

    lines = [search_text(result)]
    if query:
        lines.append("A search finds whole words only. For words that begin with wor: wor*")
    for name in queries.unknown_filters(query):
        known = " ".join(f"{one}:" for one in queries.FILTERS)
        lines.append(f"{name}: is no filter, so it was searched as a word. The filters are {known}")
    return "\n".join(lines)


def _more_line(result: trace_list.Result | trace_search.Result) -> list[str]:
    return [f"More: --cursor {result.next_cursor}"] if result.next_cursor else []


def _snippet(hit: trace_search.Hit | trace_search.MessageHit) -> str:
    parts, done = [], 0
    for start, end in hit.highlights:
        if start >= done:
            parts += [
                printable(hit.snippet[done:start], ""),
                paint(printable(hit.snippet[start:end], ""), "red", bold=True),
            ]
            done = end
    return "".join([*parts, printable(hit.snippet[done:], "")])


def output_text(result: trace_get.Result, *, raw: bool, payload: bool) -> str | bytes:
    """The output's bytes unchanged for a pipe; on a terminal its text, with control characters as escapes.

    If the client had cut the output, standard error says so. A payload is as the client sent it.
    """
    from devs_git.entrypoints.cli.without_click import trace_get

    if not payload:
        trace_get.say_if_cut(result)
    if for_person() and not raw:
        return printable(result.fullOutput)
    return trace_get.raw(result)


def import_text(result: trace_import.Result) -> str:
    new, known = ("1 is" if number == 1 else f"{number} are" for number in (result.new, result.kept))
    lines = [f"Read {plural(result.traces, 'trace')}: {new} new, {known} already stored."]
    if result.messages:
        new = "1 is" if result.new_messages == 1 else f"{result.new_messages} are"
        lines.append(
            f"Read {plural(result.messages, 'message')} of {plural(result.sessions, 'session')}: {new} new."
        )
    if result.others:
        names = ", ".join(printable(name, "") for name in result.others[:_NAMED])
        more = f" and {len(result.others) - _NAMED} more" if len(result.others) > _NAMED else ""
        lines.append(f"Not imported, because other traces are stored under these ids: {names}{more}")
    return "\n".join(lines)


def prune_text(result: trace_prune.Result) -> str:
    verb = "Would delete" if result.dry_run else "Deleted"
    upto = f", up to {when(result.upto)}" if result.traces else ""
    line = f"{verb} {plural(result.traces, 'trace')} with {amount(result.bytes)} of output{upto}"
    return "\n".join([line, *blocked_lines(result)])
