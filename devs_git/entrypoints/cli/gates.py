"""The gate commands: request, list, show, approve, reject and wait."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from devs_git.domain.gates.gate_model import APPROVED, ONLY_OPEN, REJECTED, TAS_REVISION, unknown
from devs_git.domain.text import limits, quantities
from devs_git.domain.text.limits import Limit
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import Maker, command
from devs_git.entrypoints.cli.texts import gate_text
from devs_git.errors import EXIT_CONFLICT, EXIT_NO, invalid

if TYPE_CHECKING:
    from devs_git.domain.verbs import VerbRequest

EXITS: Final = {APPROVED: 0, REJECTED: EXIT_NO}  # of `gate wait`; a timeout is EXIT_CONFLICT

_ASK: Final = """devs-git gate request --type TAS_REVISION --agent architect --task task-10 \\
  --blocker "Section 2.3 rules out what the task needs." --section 2.3 \\
  --rationale "Without it no date can be parsed." --risk "Readers of the old format break."
devs-git gate request --from - < request.yaml"""


@command("gate request", text=gate_text.request_text, example=_ASK)
@click.option(
    "--type", "gate_type", metavar="TYPE", help="TAS_REVISION (the default), MANUAL or POLICY_CHANGE."
)
@click.option(
    "--agent",
    "agent_id",
    metavar="ROLE",
    help="The role that asks: researcher, architect, developer, reviewer.",
)
@click.option("--task", "task_id", metavar="ID", help="The task that cannot continue.")
@click.option(
    "--blocker", "blocker_description", metavar="TEXT", help="What blocks the task, 20 to 2000 characters."
)
@click.option(
    "--section",
    "sections",
    multiple=True,
    metavar="NAME",
    help="A section of the TAS, by number or heading. You may repeat this option.",
)
@click.option("--rationale", metavar="TEXT", help="Why the TAS should change, 20 characters or more.")
@click.option("--risk", metavar="TEXT", help="What could go wrong, 20 characters or more.")
@click.option("--proposal", metavar="FILE", help="The whole TAS after the change.")
@click.option(
    "--requested-by", metavar="PRINCIPAL", help="Who must not approve this: the mail address of whoever asks."
)
@click.option(
    "--from", "source", metavar="-|FILE", help="Read the whole request as YAML or JSON; - is standard input."
)
def gate_request(*, source: str | None, **options: Any) -> VerbRequest:
    from devs_git.commands.gate_request import Request

    if source is None:
        return Request(**_fields(**options))
    kind = options.pop("gate_type")
    if given := next((name for name, value in options.items() if value), None):
        raise invalid(
            given, "With --from, only --type may be given, because the request is read from the file."
        )
    record = _from(source)
    stated = record.setdefault("gate_type", kind or TAS_REVISION)
    if kind and kind != stated:
        raise invalid("gate_type", f"--type says {kind}, and the request says {stated!r}.")
    return Request(**record)


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
    has_changes = any(value not in (None, ()) for value in changes.values())
    return rest | {"proposed_changes": changes if has_changes or rest["gate_type"] == TAS_REVISION else None}


def _bytes(field: str, name: str, limit: Limit = limits.DOCUMENT) -> bytes:
    from devs_git.storage.git import bounded

    try:
        if name == "-":
            return bounded.read(sys.stdin.buffer, limit, field)
        return bounded.read_file(name, limit, field)
    except OSError as error:
        raise invalid(field, f"The file cannot be read: {error.strerror}.") from error


def _text(field: str, name: str) -> str:
    try:
        return _bytes(field, name).decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid(field, "The text is not UTF-8.") from error


def _from(source: str) -> dict[str, Any]:
    from devs_git.commands.gate_request import Request
    from devs_git.storage.documents import yaml_documents
    from devs_git.values import fields

    record = yaml_documents.load_any(_bytes("from", source), "the request")
    if "type" in record:
        if "gate_type" in record:
            raise invalid("gate_type", "The request has both type and gate_type.", hint="Remove one of them.")
        record["gate_type"] = record.pop("type")
    known = set(fields(Request))
    if other := next((key for key in record if key not in known), None):
        raise unknown(other, record[other], sorted(known))
    return record


@command(
    "gate list",
    text=gate_text.list_text,
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
@click.option("-n", "--limit", type=int, default=200, show_default=True, help="The number of gates.")
@click.option("--cursor", default="", help="The next page: the next_cursor of an earlier answer.")
def gate_list(**options: Any) -> VerbRequest:
    from devs_git.commands.gate_list import Request

    return Request(**options)


_GATE_ID: Final = click.argument("gate_id", metavar="[ID]", required=False, default=ONLY_OPEN)


@command(
    "gate show", text=gate_text.show_text, example="devs-git gate show 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9"
)
@_GATE_ID
def gate_show(*, gate_id: str) -> VerbRequest:
    from devs_git.commands.gate_show import Request

    return Request(gate_id)


def _proof(make: Maker) -> Maker:
    """Add the options that sign a decision or bring its signature."""
    for option in (
        click.option(
            "--signed",
            metavar="FILE",
            help="The bytes that were signed. Default: FILE of --signature without .sig.",
        ),
        click.option(
            "--signature", metavar="FILE", help="A signature made elsewhere, such as bytes.txt.sig."
        ),
        click.option("--print-bytes", is_flag=True, help="Print the bytes to sign, and decide nothing."),
        click.option("--key", default="", metavar="FILE", help="The SSH key for --sign."),
        click.option(
            "--sign", is_flag=True, help="Sign with your SSH key: the key of ssh-agent, or the key of --key."
        ),
    ):
        make = option(make)
    return make


def _answer(
    *, signature: str | None, signed: str | None, key: str, sign: bool, **rest: Any
) -> dict[str, Any]:
    if signed and not signature:
        raise invalid("signed", "--signed needs --signature.")
    if signature:
        without_suffix = signature.removesuffix(".sig")
        if not signed and without_suffix == signature:
            raise invalid("signed", "The bytes that were signed are needed.", hint="Add: --signed FILE")
        rest["signature"] = _bytes("signature", signature, limits.SIGNATURE)
        rest["signed"] = _bytes("signed", signed or without_suffix, limits.SIGNATURE)
    return rest | {"key": key, "sign": sign or bool(key), "ask": terminal.question()}


@command(
    "gate approve",
    text=gate_text.approval_text,
    example="devs-git gate approve 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9 --reason 'As we said'\n"
    "devs-git gate approve 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9 --sign --key ~/.ssh/id_ed25519",
)
@_GATE_ID
@click.option("--reason", default="", metavar="TEXT", help="The reason. The agent reads it.")
@_proof
def gate_approve(**options: Any) -> VerbRequest:
    from devs_git.commands.gate_approve import Request

    return Request(**_answer(**options))


@command(
    "gate reject",
    text=gate_text.decision_text,
    example="devs-git gate reject 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9 --reason 'Use the old format'",
)
@_GATE_ID
@click.option("--reason", default="", metavar="TEXT", help="The reason (required). The agent reads it.")
@_proof
def gate_reject(**options: Any) -> VerbRequest:
    from devs_git.commands.gate_reject import Request

    return Request(**_answer(**options))


@command(
    "gate wait",
    text=gate_text.wait_text,
    example="devs-git gate wait 0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9 --timeout 10min",
    exit_status=lambda result: EXITS.get(result.status, EXIT_CONFLICT),
)
@_GATE_ID
@click.option(
    "--timeout", metavar="SPAN", help="Seconds, or a span such as 10min; then exit 4. Default: none."
)
def gate_wait(*, gate_id: str, timeout: str | None) -> VerbRequest:
    from devs_git.commands.gate_wait import Request

    return Request(gate_id, None if timeout is None else _seconds(timeout))


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return quantities.span(text)
    except ValueError as error:
        raise invalid("timeout", str(error)) from error
