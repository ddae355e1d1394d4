"""What `verify` says: one sentence, and each finding with its name, its meaning and the way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from devs_git.domain.audit.commit_kinds import describe
from devs_git.domain.audit.findings import Finding
from devs_git.domain.report.facts import Named, Report
from devs_git.entrypoints.cli.texts.report_page import html

# A repository with old commits has a warning for each: more of one code tell nothing new.
_MOST_OF_ONE: Final = 20
_MESSAGE: Final = 600


def sentence(report: Report) -> str:
    """The verdict as a paragraph."""
    errors = sum(one.severity == "error" for _, one in report.findings)
    warnings = len(report.findings) - errors
    looked = ", ".join(html.plural(count, what.removesuffix("s")) for what, count in report.counts.items())
    found = " and ".join(
        html.plural(count, noun) for count, noun in ((errors, "error"), (warnings, "warning")) if count
    )
    if errors:
        return f'<p class="verdict bad"><strong>NOT verified:</strong> {found}, listed under <a href="#findings">Findings</a>. {looked} were checked.</p>'
    tail = f'{found}, listed under <a href="#findings">Findings</a>' if found else "nothing is wrong"
    kind = "warn" if warnings else "good"
    return f'<p class="verdict {kind}"><strong>Verified:</strong> {looked} were checked; {tail}.</p>'


def section(report: Report) -> str:
    """The findings, the errors first."""
    kinds = describe(report.kinds) if report.counts.get("commits") and report.kinds else ""
    lines = [f"<p>Commits: {html.text(kinds, _MESSAGE)}.</p>"] if kinds else []
    lines += ["<p>verify found nothing.</p>"] if not report.findings else []
    lines += _articles(report.findings)
    return "".join(lines)


def _articles(findings: tuple[Named, ...]) -> Iterator[str]:
    every = Counter(one.code for _, one in findings)
    seen = Counter[str]()
    for name, one in findings:
        seen[one.code] += 1
        if seen[one.code] <= _MOST_OF_ONE:
            yield _article(name, one)
        if seen[one.code] == every[one.code] > _MOST_OF_ONE:
            more = every[one.code] - _MOST_OF_ONE
            yield f"<p>{more:,} more of {html.code(one.code)}. See them all: <code>devs-git verify</code></p>"


def _article(name: str, one: Finding) -> str:
    kind = "bad" if one.severity == "error" else "warn"
    line = f":{one.line}" if one.line else ""
    rows = (
        ("About", html.code(one.where) if one.where else ""),
        ("File", html.code(one.file + line) if one.file else ""),
        ("Way out", html.text(one.fix, _MESSAGE, "\n")),
    )
    return (
        f'<article id="{name}"><h3>{name} {html.code(one.code)} <span class="status {kind}">{one.severity}</span></h3>'
        f"<p>{html.name(one.message, _MESSAGE)}</p>{html.pairs(rows)}</article>"
    )
