"""The whole page. It is never larger than `room.page_bytes`: patches are cut, and the page says how to see the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from devs_git.domain.report import room
from devs_git.domain.report.facts import Report, Task
from devs_git.entrypoints.cli.texts.report_page import (
    gate_articles,
    html,
    patch,
    task_articles,
    timeline_drawing,
    verdict,
)
from devs_git.entrypoints.cli.texts.report_page.style import STYLE
from devs_git.values import immutable

# A browser loads nothing and runs nothing, whatever a text of others contains.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# By this a later report knows that it may replace the file.
START: Final = '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="devs-git report">\n'
# Bytes for the rows of each table of a task: fewer if there is no room otherwise.
_TABLES: Final = (3000, 800, 0)


@immutable
class Page:
    """The bytes of the page, and the tasks whose patches are cut."""

    data: bytes
    cut: tuple[str, ...]


def render(report: Report) -> Page:
    """The page of a report."""
    most = room.page_bytes(len(report.tasks), len(report.gates))
    anchors = {one.task_id: f"task{at}" for at, one in enumerate(report.tasks, 1)}
    anchors |= {one.gate_id: f"gate{at}" for at, one in enumerate(report.gates, 1)}
    top, bottom = _above(report, anchors), _below(report, anchors)
    frame = len(top.encode()) + len(bottom.encode())
    for rows in _TABLES:
        heads = [task_articles.head(one, anchors, rows) for one in report.tasks]
        used = frame + sum(map(_size, heads, report.tasks))
        if used <= most:
            break
    patches = [_readable(one) for one in report.tasks]
    whole = [patch.render(text, most) for text in patches]
    given = room.shares([len(shown.encode()) for shown, _ in whole], most - used)
    parts, cut = [], []
    for task, head, text, (shown, fits), share in zip(
        report.tasks, heads, patches, whole, given, strict=True
    ):
        if len(shown.encode()) > share:
            shown, fits = patch.render(text, share)  # noqa: PLW2901 - what is shown of this patch
        complete = fits and not task.difference.cut
        cut += [] if complete or not task.difference.files else [task.task_id]
        parts.append(head + task_articles.tail(task.difference, shown, whole=complete))
    body = "\n".join((top, _titled("tasks", "Tasks", parts, "No task is chosen."), bottom))
    return Page(body.encode("utf-8", "replace"), tuple(cut))


def _size(head: str, task: Task) -> int:
    """The bytes of a task without its patch."""
    return len(head.encode()) + len(task_articles.tail(task.difference, "", whole=False).encode()) + len("\n")


def _readable(task: Task) -> str:
    """The patch without the end that was read only to find secrets across the cut."""
    difference = task.difference
    return difference.patch[: room.shown_bytes(len(difference.patch), cut=difference.cut)]


def _above(report: Report, anchors: Mapping[str, str]) -> str:
    title = f"Report on {html.text(report.repository)}"
    branch = f"{html.name(report.branch)}, " if report.branch else ""
    facts = (
        ("About", html.name(report.scope)),
        ("Branch", f"{branch}commit {html.code(report.head)}" if report.head else branch),
        ("Ledger", html.code(report.ledger)),
        ("Made", f"{html.when(report.made_at)} UTC by devs-git {html.word(report.version)}"),
        ("Tasks", _by_status(one.status for one in report.tasks)),
        ("Gates", _by_status(one.status for one in report.gates)),
        ("Secrets", "What looks like a secret is masked." if report.masked else "Nothing is masked."),
    )
    links = "".join(
        f'<li><a href="#{name}">{label}</a></li>'
        for name, label in (
            ("findings", "Findings"),
            ("timeline", "Timeline"),
            ("tasks", "Tasks"),
            ("gates", "Gates"),
        )
    )
    return (
        f'{START}<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1>"
        f'{verdict.sentence(report)}{html.pairs(facts)}<nav aria-label="Parts of this page"><ul class="lanes">{links}</ul></nav></header>\n<main>\n'
        f"{_titled('findings', 'Findings', [verdict.section(report)])}\n"
        f"{_titled('timeline', 'Timeline', [timeline_drawing.section(report.marks, report.rows_left_out, anchors)])}"
    )


def _below(report: Report, anchors: Mapping[str, str]) -> str:
    shown = [gate_articles.article(one, anchors, report.findings) for one in report.gates]
    return (
        f'{_titled("gates", "Gates", shown, "No gate was asked.")}\n</main>\n<footer><p class="dim">The page says what this clone '
        "had when it was made. To check again, in a clone: <code>devs-git verify</code></p></footer>\n</body>\n</html>\n"
    )


def _titled(name: str, title: str, parts: list[str], nothing: str = "") -> str:
    return f'<section id="{name}"><h2>{title}</h2>\n{chr(10).join(parts) or f"<p>{nothing}</p>"}\n</section>'


def _by_status(statuses: Iterable[str]) -> str:
    counted = Counter(statuses)
    total = sum(counted.values())
    each = ", ".join(f"{count:,} {html.word(status)}" for status, count in sorted(counted.items()))
    return f"{total:,} ({each})" if total else "none"
