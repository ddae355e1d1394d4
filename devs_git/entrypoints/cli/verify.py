"""verify on the command line: findings as text, as JSON, or as GitHub annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from devs_git.domain.audit.commit_kinds import describe
from devs_git.domain.audit.ledger_shape import legible
from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints.cli import answer, terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts.render import plural
from devs_git.errors import EXIT_NO

if TYPE_CHECKING:
    from devs_git.commands.verify import ReportedFinding, Result
    from devs_git.domain.verbs import VerbRequest


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
    if result.format == "github":
        lines.append(f"::notice title=devs-git verify::{last.replace('%', '%25')}")
    return "\n".join([*lines, last])


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
@click.option("--format", metavar="text|json|github", default="text", help="The format of the findings.")
def verify(parts: tuple[str, ...], **options: Any) -> VerbRequest:
    from devs_git.commands.verify import Request
    from devs_git.entrypoints import selfcheck

    own_checks = {"registry": selfcheck.registry, "guard": selfcheck.guard}
    return Request(parts=parts or ("repository",), own_checks=own_checks, **options)
