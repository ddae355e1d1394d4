"""history, show, status and branch as text for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

from devs_git.entrypoints.cli.texts.render import (
    next_page_line,
    path,
    plural,
    short,
    state_words,
    status_word,
    table,
    when,
)
from devs_git.entrypoints.console import on_terminal, paint
from devs_git.values import TYPE_CHECKING, plain

if TYPE_CHECKING:
    from devs_git.commands import branch, diff, history, show, status
    from devs_git.domain.checkpoints.rows import TaskPage

SHOWN = 10  # paths of each kind that `status` lists


def history_text(result: history.Result) -> str:
    """One line for each row. The short id of an event is enough for `git show`."""
    rows = [
        (
            when(event.created_at),
            paint(event.id if event.event_type == "chat" else short(event.id), "yellow"),
            f"{event.event_type} {event.event_subtype}".rstrip(),
            event.task_id or "-",
            event.actor.partition(" <")[0] or "-",
            event.subject,
        )
        for event in result.events
    ]
    more = next_page_line("history", result.next_cursor) if result.more else ""
    titles = ("WHEN", "EVENT", "TYPE", "TASK", "WHO", "WHAT")
    return (table(rows, titles, leave=("WHO", "EVENT", "TASK", "WHEN")) or "No events.") + more


def history_lines(result: history.Result) -> str:
    """One row of JSON on each line."""
    return "\n".join(json.dumps(plain(event)) for event in result.events)


def show_text(result: show.Result | show.MomentResult) -> str:
    from devs_git.commands import show

    if not isinstance(result, show.MomentResult):
        return _checkpoint_text(result)
    from devs_git.entrypoints.cli.texts.moment_text import moment_text

    return moment_text(result)


def _checkpoint_text(result: show.Result) -> str:
    parts = [*_checkpoint_parts(result)] if result.tag else []
    parts += _page_lines(result.task) if result.task else []
    parts += [*_names_of_git(result)] if result.tag else []
    return "\n\n".join(part for part in parts if part)


def _checkpoint_parts(result: show.Result) -> Iterator[str]:
    """What was done, when, by whom and to which files: what a person asks first."""
    rows = [
        ("status", state_words(result.state)),
        *((("replaced by", result.replaced_by),) if result.replaced_by else ()),
        ("made", when(result.created_at)),
        ("author", result.author),
        ("branch", result.branch or "none (detached HEAD)"),
        ("changed", f"{plural(result.files_changed, 'file')}, +{result.lines_added} -{result.lines_removed}"),
    ]
    title = result.task.title if result.task else ""
    yield f"{paint(result.name, bold=True)}  {title or result.message}"
    yield from (table(rows), result.body, _sums(result), result.way_back)


def _sums(result: show.Result) -> str:
    rows = [
        (status_word(one.action), f"+{one.lines_added} -{one.lines_removed}", path(one.path))
        for one in result.files[:SHOWN]
    ]
    left = result.files_changed - len(rows)
    more = f"\nand {left} more: devs-git diff {result.name} --stat" if left > 0 else ""
    return table(rows) + more


def _names_of_git(result: show.Result) -> Iterator[str]:
    """The hashes and refs, which programs have in JSON, and the trailers."""
    yield table(
        [
            ("commit", result.commit),
            ("parents", " ".join(result.parents) or "none"),
            ("tree", result.tree),
            ("tag", result.tag),
            ("ref", result.ref),
        ]
    )
    yield "\n".join(f"{line.key}: {line.value}" for line in result.trailers)


def _page_lines(page: TaskPage) -> list[str]:
    """What a task is, and what belongs to it, each kind with its newest ones."""
    facts = (
        ("task", f"{page.task_id} {page.title}".rstrip()),
        ("status", status_word(page.status)),
        ("started", when(page.started_at)),
        ("agent", page.agent),
        ("contract", page.contract),
        ("phases", ", ".join(f"{one.phase} since {when(one.since)}" for one in page.phases)),
        ("parent", page.parent),
        ("forked from", page.forked_from),
        ("started by", page.spawned_by),
        ("plan", page.plan),
        ("result", page.result),
    )
    points = [
        (one.name, one.state, short(one.commit), f"+{one.lines_added} -{one.lines_removed}", one.message)
        for one in page.checkpoints
    ]
    outputs = [(one.trace_id, one.tool_name, when(one.created_at)) for one in page.traces]
    said = [(one.role, when(one.created_at), " ".join(one.content.split())[:80]) for one in page.messages]
    gates = [(one.gate_id, one.status, one.blocker_description[:80]) for one in page.gates]
    forks = [(one.task_id, one.status, one.title) for one in page.forks]
    parts = [(one.task_id, one.status, one.title) for one in page.children if one not in page.forks]
    kinds: tuple[tuple[str, Sequence[tuple[str, ...]], int], ...] = (
        ("Checkpoints", points, page.checkpoint_count),
        ("Outputs of tools", outputs, page.trace_count),
        ("Messages", said, page.message_count),
        ("Gates", gates, len(gates)),
        ("Forks", forks, len(forks)),
        ("Tasks that are parts of it", parts, len(parts)),
    )
    lines = [table([(name, value) for name, value in facts if value])]
    for title, rows, count in kinds:
        titles = [""] * len(rows[0]) if rows else []
        lines += [f"{title} ({count}):\n{table(rows, titles)}"] if rows else []
    return lines


def status_text(result: status.Result) -> str:
    head = f" at {short(result.head)}" if result.head else ", without a commit yet"
    lines = [
        f"On {paint(result.branch, bold=True) if result.branch else 'a detached HEAD'}{head}",
        f"Active task: {result.active_task or 'none'}",
        f"Open gates: {', '.join(result.open_gates) or 'none'}{_decided(result)}"
        if result.initialized
        else "There is no ledger here, so devs-git does not know which gates are open. See: devs-git doctor",
    ]
    lines += _standing(result)
    lines += _last_moment(result)
    lines += [f"Unfinished operation: {name}. Run: devs-git doctor" for name in result.journals]
    lines += result.lost
    lines += _gaps(result)
    lines += [
        f"directive {one.directive_id} waits for {one.task_id}: {one.text}" for one in result.directives
    ]
    if result.unrecorded:
        lines.append(f"{plural(len(result.unrecorded), 'commit')} not recorded yet. Run: devs-git doctor")
    for title, found in (("Staged", result.staged), ("Not staged", result.unstaged)):
        lines += _some(title, [f"{status_word(item.action)} {path(item.path)}" for item in found])
    lines += _some("Untracked", [path(name) for name in result.untracked])
    lines += _some("Unmerged", [path(name) for name in result.unmerged])
    lines += unknown_files_lines(result)
    shared = [f"{path(one.path)}: sessions {', '.join(one.sessions)}" for one in result.shared]
    lines += _some("Written by several sessions that are at work", shared)
    return "\n".join(lines + (["No files changed."] if result.clean else []))


def _decided(result: status.Result) -> str:
    """How many gates are no longer open."""
    count = result.gates - len(result.open_gates)
    return f" ({plural(count, 'gate')} decided before)" if count > 0 else ""


def _standing(result: status.Result) -> list[str]:
    """What is in progress, what is recorded, what hooks miss, and where undo would go."""
    lines = []
    if result.under_way:
        lines.append(f"{result.under_way.capitalize()} is in progress. To end it: {result.under_way_end}")
    if result.traces:
        lines.append(
            f"Outputs of tools: {result.traces if result.traces > 0 else 'unknown. Run: devs-git doctor'}"
        )
    # On a terminal the warning of each command has just said it.
    if not (on_terminal() and on_terminal(sys.stderr)):
        lines += [f"Hook: {one.message} Run: {one.fix}" for one in result.hooks]
    if goal := result.undo:
        to = f", back to {short(goal.commit)}" if goal.commit else ""
        what = goal.subject.replace(": ", " ", 1)
        lines.append(f"Undo would take back: {what}, {when(goal.created_at)}{to}")
    if name := result.abandoned:
        lines.append(f"{name} was abandoned. To take it up again: devs-git task switch {name}")
    return lines


def _last_moment(result: status.Result) -> list[str]:
    if not result.last_moment:
        return []
    from devs_git.entrypoints.cli.texts.moment_text import last_moment_line

    return [last_moment_line(result.last_moment)]


def _gaps(result: status.Result) -> list[str]:
    if not result.gaps:
        return []
    from devs_git.entrypoints.cli.texts.moment_text import gaps_line

    return [gaps_line(result.gaps)]


def unknown_files_lines(result: diff.Result | status.Result) -> list[str]:
    """The files of which only a filter could say whether they changed, by filter."""
    lines = []
    for name in dict.fromkeys(one.filter for one in result.not_told):
        files = [path(one.path) for one in result.not_told if one.filter == name]
        lines += _some(
            f"Unknown whether these changed: only the filter {name!r} of this repository shows that", files
        )
    return lines


def _some(title: str, items: list[str]) -> list[str]:
    if not items:
        return []
    more = [f"  and {len(items) - SHOWN} more"] if len(items) > SHOWN else []
    return [f"{title} ({len(items)}):", *(f"  {item}" for item in items[:SHOWN]), *more]


def branch_text(result: branch.Result) -> str:
    return f"Branch {result.branch} is at {result.task_id}@{result.number}, {short(result.commit)}. HEAD has not moved."
