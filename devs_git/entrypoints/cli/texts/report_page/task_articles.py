"""The tasks: each with who did it and when, its checkpoints, its files with their sums, and its patch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.report.facts import ChangedFile, Difference, Task
from devs_git.entrypoints.cli.texts.report_page import html

# The most rows of the table of checkpoints, and of that of files, of one task.
_ROWS: Final = 40
_COLOURS: Final = {"completed": "good", "active": "warn"}
_FIRST_LINE: Final = 160


def head(task: Task, anchors: Mapping[str, str], room: int) -> str:
    """The article of a task up to its patch; `tail` ends it. `room`: bytes of HTML for the rows of each of its tables."""
    colour = _COLOURS.get(task.status, "dim")
    return (
        f'<article id="{anchors[task.task_id]}"><h3>{html.name(task.task_id)}: {html.name(task.title or "without a title")}'
        f'<span class="status {colour}">{html.word(task.status)}</span></h3>'
        f"{html.pairs(_facts(task, anchors))}{_points(task, room)}{_files(task.difference, room)}"
    )


def tail(difference: Difference, shown: str, *, whole: bool) -> str:
    """The patch, as far as it is `shown`, and the end of the article."""
    if difference.missing:
        return f'<p class="dim">{html.text(difference.missing)}</p></article>'
    if not difference.files:
        return '<p class="dim">It changed no file.</p></article>'
    rest = f'<p class="warn">The patch is cut here. The whole: {html.code(difference.command)}</p>'
    names = f"{html.text(difference.from_name)} to {html.text(difference.to_name)}"
    return (
        f"<details><summary>Patch from {names}</summary><pre>{shown}</pre></details>"
        f"{'' if whole else rest}</article>"
    )


def _facts(task: Task, anchors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "Who", ", ".join(filter(None, (html.name(task.actor) if task.actor else "", html.word(task.agent))))
    done = task.points[-1].at if task.points and task.status == "completed" else ""
    begun = html.when(task.started_at)
    yield "When", f"{begun} to {html.when(done)} UTC" if done else f"{begun} UTC" if begun else ""
    yield "Contract", html.name(task.contract) if task.contract else ""
    yield "Phase", html.word(task.phase)
    yield "Parent", html.link(task.parent, anchors)
    yield "Forked from", html.name(task.forked_from) if task.forked_from else ""


def _points(task: Task, room: int) -> str:
    rows = (
        (
            html.name(one.name),
            html.word(one.status),
            html.when(one.at),
            html.name(one.message, _FIRST_LINE),
            f"+{one.additions} −{one.deletions}",
            html.oid(one.commit),
            html.name(one.branch, 60),
        )
        for one in reversed(task.points)
    )
    titles = ("Name", "Status", "When", "Message", "Lines", "Commit", "Branch")
    more = f"See all: {html.code(f'devs-git log --all --task {task.task_id}')}"
    return _table("Checkpoints, newest first", titles, rows, count=len(task.points), more=more, room=room)


def _files(difference: Difference, room: int) -> str:
    files = difference.files
    if not files:
        return ""
    added, removed = sum(one.additions for one in files), sum(one.deletions for one in files)
    caption = f"{html.plural(len(files), 'file')}, {html.plural(added, 'line')} added, {removed:,} removed"
    rows = ((_path(one), html.word(one.action), *_lines(one)) for one in files)
    more = f"See all: {html.code(f'{difference.command} --stat')}"
    titles = ("File", "Change", "Added", "Removed")
    return _table(caption, titles, rows, count=len(files), more=more, room=room)


def _path(one: ChangedFile) -> str:
    path = html.code(one.path)
    return f"{html.code(one.old_path)} → {path}" if one.old_path else path


def _lines(one: ChangedFile) -> tuple[str, str]:
    return ("binary", "binary") if one.binary else (str(one.additions), str(one.deletions))


def _table(  # noqa: PLR0913 - what a table has
    caption: str,
    titles: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    *,
    count: int,
    more: str,
    room: int,
) -> str:
    """A table of as many rows as there is room for; and how many of the `count` are left out."""
    shown: list[tuple[str, ...]] = []
    used = 0
    for row in rows:
        used += sum(len(cell.encode()) + len("<td></td>") for cell in row)
        if used > room or len(shown) == _ROWS:
            break
        shown.append(row)
    left = count - len(shown)
    note = f'<p class="dim">{left:,} more. {more}</p>' if left else ""
    return (html.table(caption, titles, shown) if shown else f"<p>{caption}</p>" if count else "") + note
