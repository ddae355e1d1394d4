"""Gates on the command line: ask, look, answer, wait."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click

from devs_git.domain.gates import TAS_REVISION
from devs_git.entrypoints import gate_text
from devs_git.entrypoints.cli.command import command
from devs_git.errors import invalid

_ASK: Final = """devs-git gate request --type TAS_REVISION --agent architect --task task-10 \\
  --blocker "Section 2.3 rules out what the task needs." --section 2.3 \\
  --rationale "Without it no date can be parsed." --risk "Readers of the old format break."
devs-git gate request --from - < request.yaml"""


@command("gate request", text=gate_text.requested, example=_ASK)
@click.option(
    "--type", "gate_type", metavar="TYPE", help="TAS_REVISION (the default), MANUAL or POLICY_CHANGE."
)
@click.option(
    "--agent", "agent_id", metavar="ROLE", help="Who asks: researcher, architect, developer, reviewer."
)
@click.option("--task", "task_id", metavar="ID", help="The task that cannot go on.")
@click.option(
    "--blocker", "blocker_description", metavar="TEXT", help="What stands in the way, 20 to 2000 characters."
)
@click.option(
    "--section",
    "sections",
    multiple=True,
    metavar="NAME",
    help="A section of the TAS, by number or heading; may stand several times.",
)
@click.option("--rationale", metavar="TEXT", help="Why the TAS should change, 20 characters or more.")
@click.option("--risk", metavar="TEXT", help="What could go wrong, 20 characters or more.")
@click.option("--proposal", metavar="FILE", help="The whole TAS as it would be.")
@click.option(
    "--requested-by", metavar="PRINCIPAL", help="Who must not approve this: the mail address of whoever asks."
)
@click.option(
    "--from", "source", metavar="-|FILE", help="Read the whole request as YAML or JSON; - is standard input."
)
def gate_request(*, source: str | None, **options: Any) -> Any:
    from devs_git.commands.gate_request import Request

    if source is None:
        return Request(**_fields(**options))
    if given := next((name for name, value in options.items() if value), None):
        raise invalid(given, "The request is read from --from; no other option goes with it.")
    return Request(**_from(source))


def _fields(
    *, sections: tuple[str, ...], rationale: str | None, risk: str | None, proposal: str | None, **rest: Any
) -> dict[str, Any]:
    rest["gate_type"] = rest["gate_type"] or TAS_REVISION
    changes = {
        "sections_to_modify": sections,
        "rationale": rationale,
        "risk_assessment": risk,
        "proposed_text": None if proposal is None else _text("proposed_changes.proposed_text", proposal),
    }
    told = any(value not in (None, ()) for value in changes.values())
    return rest | {"proposed_changes": changes if told or rest["gate_type"] == TAS_REVISION else None}


def _bytes(field: str, name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise invalid(field, f"The file cannot be read: {error.strerror}.") from error


def _text(field: str, name: str) -> str:
    try:
        return _bytes(field, name).decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid(field, "The text is not UTF-8.") from error


def _from(source: str) -> dict[str, Any]:
    from dataclasses import fields

    from devs_git.commands.gate_request import Request
    from devs_git.storage import documents

    record = documents.load_any(_bytes("from", source), "the request")
    if "type" in record:
        record["gate_type"] = record.pop("type")
    known = {field.name for field in fields(Request)}
    if other := next((key for key in record if key not in known), None):
        raise invalid(other, f"{other} is not known.", hint="Known are: " + ", ".join(sorted(known)))
    return record


@command(
    "gate list",
    text=gate_text.listed,
    example="devs-git gate list\ndevs-git gate list --status APPROVED --json",
)
@click.option(
    "--type", "gate_type", default="", metavar="TYPE", help="Only TAS_REVISION, MANUAL or POLICY_CHANGE."
)
@click.option(
    "--status",
    default="PENDING_APPROVAL",
    metavar="STATUS",
    help="APPROVED, REJECTED or ALL instead of those that wait.",
)
def gate_list(**options: str) -> Any:
    from devs_git.commands.gate_list import Request

    return Request(**options)


@command("gate show", text=gate_text.page, example="devs-git gate show 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9")
@click.argument("gate_id")
def gate_show(*, gate_id: str) -> Any:
    from devs_git.commands.gate_show import Request

    return Request(gate_id)
