"""verify and report on the command line: findings as text, as JSON, as GitHub annotations, or on a page with all that was done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from devs_git.domain.audit.commit_kinds import describe
from devs_git.domain.audit.ledger_shape import legible
from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints import console
from devs_git.entrypoints.cli import answer, terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts.render import path, plural
from devs_git.errors import EXIT_NO, invalid
from devs_git.values import replace

if TYPE_CHECKING:
    from devs_git.commands.report import Result as ReportResult
    from devs_git.commands.verify import ReportedFinding, Result
    from devs_git.domain.verbs import VerbRequest

_STANDARD_OUTPUT: Final = Path("-")


def _verify_text(result: Result) -> str:
    if result.format == "json":
        return answer.as_json(result)
    lines = [_annotation(f) if result.format == "github" else _line(f) for f in result.findings]
    looked = ", ".join(
        plural(count, what.removesuffix("s")) for what, count in result.checked.items() if count
    )
    verdict = "verified" if result.ok else "NOT verified"
    kinds = f": {describe(result.commits)}" if result.checked.get("commits") and result.commits else ""
    last = f"{verdict}: {', '.join(result.parts)} ({looked or 'nothing to check'}{kinds})"
    told = [last, _taken(result)] if result.taken or result.why_whole else [last]
    if result.format == "github":
        lines += [f"::notice title=devs-git verify::{line.replace('%', '%25')}" for line in told]
    return "\n".join([*lines, *told[::-1]])


def _taken(result: Result) -> str:
    """What the option --judged did."""
    if result.why_whole:
        return f"The option --judged left nothing out. {result.why_whole}"
    events = plural(result.taken, "event")
    return f"Taken as judged: {events}. Tags of tasks that no newer event names were not looked at."


def _line(finding: ReportedFinding) -> str:
    colour = "red" if finding.severity == "error" else "yellow"
    head = terminal.style(f"{finding.severity} {finding.code}", fg=colour, bold=True)
    at = f"{legible(finding.file)}:{finding.line}: " if finding.line else ""
    place = "" if finding.message.startswith(at) else at
    line = f"{head} {place}{printable(finding.message, '')}"
    return f"{line}\n    {finding.hint}" if finding.hint else line


def _annotation(finding: ReportedFinding) -> str:
    """GitHub reads `::error file=…,line=…,title=…::message`; line ends and colons in values are escaped."""

    def value(text: str) -> str:
        return (
            text.replace("%", "%25")
            .replace("\r", "%0D")
            .replace("\n", "%0A")
            .replace(":", "%3A")
            .replace(",", "%2C")
        )

    file = f"file={value(finding.file)}," if finding.file else ""
    place = f"{file}line={finding.line}," if finding.line else file
    message = (
        f"{printable(finding.message, '')} {finding.hint}".strip().replace("%", "%25").replace("\n", "%0A")
    )
    return f"::{finding.severity} {place}title={value(finding.code)}::{message}"


@command(
    "verify",
    text=_verify_text,
    example="devs-git verify\ndevs-git verify --range origin/main..HEAD --format github commits tags",
    exit_status=lambda result: 0 if result.ok else EXIT_NO,
)
@click.argument("parts", nargs=-1, metavar="[ledger|tags|commits|tas|policy|schemas|registry|guard|all]...")
@click.option(
    "--range", metavar="BASE..HEAD", default="", help="The commits to check. Default: all commits of HEAD."
)
@click.option("--require", metavar="signed", default="", help="Decisions must be signed.")
@click.option(
    "--judged",
    metavar="OID",
    default="",
    help="Do not judge this event and those before it again, nor the tags of tasks that no newer event names. Take OID from "
    "the field judged of an earlier verify --json that you trust. If anything is found, or the ledger does not have this "
    "event, the whole ledger is judged.",
)
@click.option("--format", metavar="text|json|github", default="text", help="The format of the findings.")
def verify(parts: tuple[str, ...], **options: Any) -> VerbRequest:
    from devs_git.commands.verify import Request
    from devs_git.entrypoints import selfcheck

    own_checks = {"registry": selfcheck.registry, "guard": selfcheck.guard}
    return Request(parts=parts or ("repository",), own_checks=own_checks, **options)


def _report_text(result: ReportResult) -> str | bytes:
    from devs_git.domain.text import quantities

    verdict = "verified" if result.ok else "NOT verified"
    found = ", ".join(
        plural(count, noun)
        for count, noun in ((result.errors, "error"), (result.warnings, "warning"))
        if count
    )
    what = f"{plural(result.tasks, 'task')}, {plural(result.gates, 'gate')}; {verdict}{f' ({found})' if found else ''}"
    if result.cut:
        what += (
            f". The patches of {plural(len(result.cut), 'task')} are cut; the page says how to see the rest"
        )
    if result.output:
        wrote = f"Wrote {path(result.output)} ({quantities.in_words(result.bytes)}): {what}."
        in_work = "git does not ignore this file, so task complete --all would commit it."
        return f"{wrote}\n{in_work}" if result.would_be_committed else wrote
    console.write(f"{what}.", err=True)
    return b""


@command(
    "report",
    text=_report_text,
    example="devs-git report\ndevs-git report --range origin/main..HEAD -o - > report.html\ndevs-git report --task 10 -o task-10.html",
    notes="The page needs no server, no script and nothing from elsewhere. It exits with 0 also if verify finds something: "
    "the page says so.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write; - is standard output. Default: devs-git-report.html, with the name of the task or contract. "
    "A file is replaced only if it is a report. With a file the command waits for open gates.",
)
@click.option("--task", default="", metavar="ID", help="Only this task and its gates.")
@click.option(
    "--contract", default="", metavar="NAME", help="Only the tasks of this contract, and their gates."
)
@click.option(
    "--range",
    metavar="BASE..HEAD",
    default="",
    help="Only tasks and gates of these commits. verify judges these commits alone.",
)
@click.option("--raw", is_flag=True, help="Also show what looks like a secret. This asks first.")
@click.option("--yes", is_flag=True, help="With --raw: do not ask first.")
def report(
    *,
    output: Path | None,
    task: str,
    contract: str,
    range: str,  # noqa: A002 - its name
    raw: bool,
) -> VerbRequest:
    from devs_git.commands.report import Request
    from devs_git.entrypoints.cli.texts.report_page import page

    to_stream, given = output == _STANDARD_OUTPUT, click.get_current_context().params
    if to_stream and given.get("as_json"):
        raise invalid(
            "output",
            "Standard output cannot have both the page and JSON.",
            hint="Name a file: -o report.html",
        )
    if raw and not given.get("yes"):
        terminal.ask_for_secrets("the report")
    request = Request(console.write_bytes, page.render, page.START, None, task, contract, range, raw)
    if to_stream:
        return request
    return replace(request, output=output or Path(f"{request.scope.file_name}.html"))
