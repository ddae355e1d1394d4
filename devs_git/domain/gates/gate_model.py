"""Gates: the question of an agent, and the decision of a person.

A request never changes, and a decision is written once. The status follows from the two, and no file has it. A request
that breaks rules is refused once, with INVALID_ARGUMENTS and the names of all fields that break one: see `question`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from devs_git.domain.checkpoints.commit_trailers import AGENTS
from devs_git.domain.ledger import ids
from devs_git.domain.text.plain_text import check_text, cut
from devs_git.errors import DevsError, invalid
from devs_git.values import Any, Final, immutable

TAS_REVISION, MANUAL, POLICY_CHANGE = "TAS_REVISION", "MANUAL", "POLICY_CHANGE"
TYPES: Final = (TAS_REVISION, MANUAL, POLICY_CHANGE)
PENDING, APPROVED, REJECTED = "PENDING_APPROVAL", "APPROVED", "REJECTED"
STATUSES: Final = (PENDING, APPROVED, REJECTED)
UNSIGNED, SIGNED = "unsigned", "signed"
REQUESTED, RESOLVED = "gate.requested", "gate.resolved"
NO_APPROVER: Final = (
    "The policy names no approver yet. So each person at a terminal may decide, without a signature. To name approvers, "
    "edit devs-policy.yaml, commit it and ask: devs-git gate request --type POLICY_CHANGE --blocker TEXT"
)
# Characters of a blocker.
LEAST, MOST = 20, 2000
SECTION_MOST: Final = 200
PRINCIPAL: Final = re.compile(r"[^\s*?!,\"]{1,200}")
GATE_ID_FORM: Final = "[0-9A-Za-z][0-9A-Za-z-]{0,63}"
_GATE_ID: Final = re.compile(GATE_ID_FORM, re.ASCII)
# Stands for the id of the gate in a request, where only one gate is open. No id has a space.
ONLY_OPEN: Final = "the only open gate"
_KNOWN: Final = (
    "gate_type",
    "agent_id",
    "task_id",
    "blocker_description",
    "proposed_changes",
    "requested_by",
)
# Characters of a value that a message repeats.
_SAID: Final = 60
_ALL_OF_THESE: Final = f"Only a {TAS_REVISION} needs all of these. To ask something else: devs-git gate request --type {MANUAL} --blocker TEXT"
_KNOWN_CHANGES: Final = ("sections_to_modify", "rationale", "risk_assessment", "proposed_text")


@immutable
class Changes:
    """What a TAS revision would change. `proposed_text` is the whole TAS as it would be, or None."""

    sections_to_modify: tuple[str, ...]
    rationale: str
    risk_assessment: str
    proposed_text: str | None = None


@immutable
class Question:
    """What is asked. Only a TAS revision has `proposed_changes`, and must name agent and task."""

    gate_type: str
    agent_id: str
    task_id: str
    blocker_description: str
    proposed_changes: Changes | None = None
    requested_by: str = ""


def gate_id(text: str) -> str:
    """`text`, if it can be the id of a gate; else INVALID_ARGUMENTS (for a path or an option, for example)."""
    if not _GATE_ID.fullmatch(text):
        raise invalid("gate_id", f"{text!r} is not a gate id.", hint="See the gates: devs-git gate list")
    return text


def gate_name(text: str) -> str:
    """`text`, if it can name a gate: its id, the beginning of one, or ONLY_OPEN; else INVALID_ARGUMENTS."""
    return text if text == ONLY_OPEN else gate_id(text)


def question(record: Mapping[str, Any]) -> Question:
    """The question in `record`, the fields of a request. `type` may stand for `gate_type`."""
    fields = {("gate_type" if key == "type" else key): value for key, value in record.items()}
    _no_others(fields, _KNOWN, "")
    kind = _one_of("gate_type", fields.get("gate_type"), TYPES)
    revision = kind == TAS_REVISION
    agent, task, blocker, changes, by = _all_of(
        lambda: (
            _one_of("agent_id", fields.get("agent_id"), AGENTS) if revision or fields.get("agent_id") else ""
        ),
        lambda: _task(fields.get("task_id")) if revision or fields.get("task_id") else "",
        lambda: check_text("blocker_description", fields.get("blocker_description"), least=LEAST, most=MOST),
        lambda: _changes(fields.get("proposed_changes"), kind),
        lambda: _principal("requested_by", fields.get("requested_by") or ""),
        hint=_ALL_OF_THESE if revision else "",
    )
    return Question(kind, agent, task, blocker, changes, by)


def _all_of(*checks: Callable[[], Any], hint: str) -> list[Any]:
    """What the checks return. One refusal names each field that is refused, so that nobody has to ask once for each.

    `field` is the first of them, as if it were alone; if there are several, `fields` has all.
    """
    values, refused = [], []
    for check in checks:
        try:
            values.append(check())
        except DevsError as error:
            refused.append(error)
    if not refused:
        return values
    if len(refused) == 1:
        raise refused[0]
    fields = [name for one in refused for name in one.details.get("fields", [one.details["field"]])]
    lines = (
        one.message if "fields" in one.details else f"{one.message} {one.hint}".strip() for one in refused
    )
    raise DevsError("INVALID_ARGUMENTS", "\n".join(lines), hint=hint, field=fields[0], fields=fields)


def _task(value: Any) -> str:
    return ids.task_id(check_text("task_id", value, least=1, allowed=""))


def _principal(field: str, value: Any) -> str:
    name = check_text(field, value, allowed="")
    if name and not PRINCIPAL.fullmatch(name):
        raise invalid(field, f"{name!r} is not a principal.", hint="Use a mail address or a name.")
    return name


def _changes(value: Any, kind: str) -> Changes | None:
    top = "proposed_changes"
    if kind != TAS_REVISION:
        if value is not None:
            raise invalid(top, f"A gate of type {kind} has no proposed changes.")
        return None
    if value is None:
        raise invalid(top, f"{top} is missing.")
    if not isinstance(value, Mapping):
        raise invalid(top, f"{top} is not a mapping.")
    _no_others(value, _KNOWN_CHANGES, top + ".")
    text = value.get("proposed_text")
    found = _all_of(
        lambda: _sections(f"{top}.sections_to_modify", value.get("sections_to_modify")),
        lambda: check_text(f"{top}.rationale", value.get("rationale"), least=LEAST),
        lambda: check_text(f"{top}.risk_assessment", value.get("risk_assessment"), least=LEAST),
        lambda: None if text is None else check_text(f"{top}.proposed_text", text, least=1, allowed="\n\t\r"),
        hint=_ALL_OF_THESE,
    )
    return Changes(*found)


def _sections(field: str, value: Any) -> tuple[str, ...]:
    # () is what the command line passes if there is none.
    if value is None or value == ():
        raise invalid(field, f"{field} is missing.", hint="Name at least one section, such as 2.3.")
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise invalid(field, f"{field} is not a list.")
    if not value:
        raise invalid(field, f"{field} names no section.", hint="Name at least one, such as 2.3.")
    found = [
        check_text(f"{field}.{at}", name, least=1, most=SECTION_MOST, allowed="").strip()
        for at, name in enumerate(value)
    ]
    return tuple(dict.fromkeys(found))


def _one_of(field: str, value: Any, among: tuple[str, ...]) -> str:
    hint = "Use one of: " + ", ".join(among)
    if value is None or value == "":
        raise invalid(field, f"{field} is missing.", hint=hint)
    if not isinstance(value, str) or value not in among:
        raise invalid(field, f"{value!r} is not a valid {field}.", hint=hint)
    return value


def _no_others(value: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
    for key in value:
        if key not in known:
            raise unknown(f"{prefix}{key}", value[key], known)


def unknown(field: str, value: Any, known: Iterable[str]) -> DevsError:
    """INVALID_ARGUMENTS for a field that a request cannot have."""
    said = repr(value)
    shown = said if len(said) <= _SAID else f"{said[:_SAID]}…"
    text = f"A request has no field {field}; this one has {field}: {shown}."
    return invalid(field, text, hint="The fields are: " + ", ".join(known))


def blob_oid(data: bytes) -> str:
    """The oid that git gives these bytes."""
    import hashlib

    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@immutable
class Gate:
    """A gate as it is at a ledger tip: its request with the oid of the blob, and its decision, if there is one.

    `decision` is also None if the file is not a decision on this request. Then `flaw` is the reason.
    """

    gate_id: str
    request: Mapping[str, Any]
    request_oid: str
    decision: Mapping[str, Any] | None = None
    flaw: str = ""

    @property
    def status(self) -> str:
        """Derived. A status in a file has no effect."""
        return str(self.decision["decision"]) if self.decision else PENDING

    def text(self, key: str) -> str:
        return str(self.request.get(key) or "")

    @property
    def gate_type(self) -> str:
        return self.text("gate_type")

    @property
    def proposed_text(self) -> str | None:
        changes: Mapping[str, Any] = self.request.get("proposed_changes") or {}
        return changes.get("proposed_text")

    @property
    def sections(self) -> tuple[str, ...]:
        changes: Mapping[str, Any] = self.request.get("proposed_changes") or {}
        return tuple(changes.get("sections_to_modify") or ())


def flaw_of(decision: Mapping[str, Any], gate: str, request_oid: str, request: Mapping[str, Any]) -> str:
    """The code that says why a well-formed decision does not decide this request; '' if it does. Signatures are not checked."""
    if decision["gate_id"] != gate:
        return "REPLAYED"
    if decision["request"] != request_oid:
        return "STALE_REQUEST"
    for key in ("tas_before", "tas_after"):
        if decision.get(key) != request.get(key):
            return "STALE_REQUEST"
    return ""


def unknown_gate(gate: str) -> DevsError:
    return DevsError(
        "GATE_NOT_FOUND", f"There is no gate {gate}.", hint="See the gates: devs-git gate list", gate_id=gate
    )


def subject(asked: Question) -> str:
    """The event's subject: `gate: developer asks to revise TAS 2.3`."""
    who = asked.agent_id or "somebody"
    if asked.gate_type == POLICY_CHANGE:
        return f"gate: {who} asks to change the policy"
    if asked.proposed_changes is None:
        return f"gate: {who} asks: {cut(asked.blocker_description)}"
    return f"gate: {who} asks to revise TAS {', '.join(asked.proposed_changes.sections_to_modify)}"
