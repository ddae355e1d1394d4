"""The policy of a repository: its value, its defaults, and the record that `init` writes.

`devs-policy.yaml` (tracked) is the proposal; `policy.yaml` of the ledger is in force. Both have the same form, which
`schemas/policy.v1.schema.json` describes. What is missing has the default below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from devs_git.errors import DevsError
from devs_git.values import Any, Final, Literal, immutable

PROPOSED: Final = "devs-policy.yaml"
# Only in `devs-policy.yaml`: the oid of the event that set the first policy.
FIRST: Final = "first_policy"
Unbound = Literal["error", "warning", "ignore"]
Net = Literal["strict", "warn"]
_DEFAULTS: Final[dict[str, Any]] = {
    "approvers": [],
    "approval": {"minimum": "unsigned"},
    "tas": {"path": "TAS.md"},
    "retention": {"backups": "30d", "conversations": "90d"},
    "checkpoint_on_commit": True,
    "backup_limit": "2GiB",
    "recording": {"traces": True, "conversations": True},
}
# Defaults that `init` does not write into a new policy, because an older devs-git refuses a key that it does not know.
_UNWRITTEN: Final[dict[str, dict[str, Any]]] = {
    "retention": {"moments": "14d", "preserved": "30d", "spool": "30d"},
    "recording": {"moments": True},
}
# A command needs one or two of these patterns. To compile all of them would take half a millisecond at each start.
_SILENT: Final = rb"conversations[\"']?\s*:\s*false"
_EVERY: Final = rb"snapshot_every[\"']?\s*:\s*([0-9]{1,7})"
SNAPSHOT_EVERY: Final = 100
DAY: Final = 86400
_SHORTENS: Final = rb"(?m)^[^#\n]*\bshorten[\"']?\s*:\s*(?:true|True|TRUE)\b"
_WITHOUT_MOMENTS: Final = rb"(?m)^[^#\n]*\bmoments[\"']?\s*:\s*(?:false|False|FALSE)\b"
_STRICT_NET: Final = rb"(?m)^(?:[^#\n]*[{,]\s*)?[\"']?net[\"']?\s*:\s*[\"']?strict\b"
_SWITCH: Final = rb"(?m)^checkpoint_on_commit: +(true|false) *(?:#.*)?\r?$"


@immutable
class Approver:
    """Who may decide on a gate. `key` is an SSH public key, '' for none."""

    principal: str
    key: str = ""


@immutable
class Policy:
    """The policy in force. Spans are in seconds, sizes in bytes."""

    genesis: str
    approvers: tuple[Approver, ...]
    approval_minimum: str
    tas_path: str
    keep_backups: int
    keep_conversations: int
    checkpoint_on_commit: bool
    backup_limit: int
    record_conversations: bool
    # A shell command that is started when a gate is requested; '' for none.
    notify: str = ""
    # Principals and keys of agents: they never approve.
    agents: tuple[Approver, ...] = ()
    # Messages after which a conversation gets a snapshot; 0: never.
    snapshot_every: int = SNAPSHOT_EVERY
    # Whether a model sees long outputs of shells shortened, with the id of the trace.
    shorten_outputs: bool = False
    # How severe a commit that names no ledger event is for `verify`.
    unbound_commit: Unbound = "warning"
    # Whether hooks keep moments of worktrees, and for how many seconds they stay. Only whole days count.
    record_moments: bool = True
    keep_moments: int = 14 * DAY
    # How long `prune` leaves branches that a rewind preserved, and payloads of hooks that nobody could read.
    keep_preserved: int = 30 * DAY
    keep_spool: int = 30 * DAY
    # How long `prune` leaves traces; None: for ever.
    keep_traces: int | None = None
    # `strict`: a command is refused if it would destroy what no moment can hold. `warn`: the agent is told.
    net: Net = "warn"

    @property
    def days_of_moments(self) -> int:
        """For how many whole days before today moments stay."""
        return self.keep_moments // DAY


def first(genesis: str) -> dict[str, Any]:
    """The record of a repository's first policy. The defaults are written out, so that people can see and change them."""
    return {"genesis": genesis, **_DEFAULTS}


def parse(record: Mapping[str, Any]) -> Policy:
    """The policy in a record that fits the schema, with defaults. POLICY_INVALID for rules that a schema cannot have."""
    from devs_git.domain.text.quantities import size, span

    def part(section: str, name: str) -> Any:
        unwritten = _UNWRITTEN.get(section, {}).get(name)
        return record.get(section, {}).get(name, _DEFAULTS[section].get(name, unwritten))

    approvers = tuple(Approver(row["principal"], row.get("key", "")) for row in record.get("approvers", ()))
    names = [approver.principal for approver in approvers]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise DevsError(
            "POLICY_INVALID",
            f"The policy names the approver {twice} twice.",
            hint=f"Keep one of them in {PROPOSED}.",
            field="approvers",
        )
    return Policy(
        genesis=record.get("genesis", ""),
        approvers=approvers,
        approval_minimum=part("approval", "minimum"),
        tas_path=part("tas", "path"),
        keep_backups=span(part("retention", "backups")),
        keep_conversations=span(part("retention", "conversations")),
        checkpoint_on_commit=record.get("checkpoint_on_commit", _DEFAULTS["checkpoint_on_commit"]),
        backup_limit=size(record.get("backup_limit", _DEFAULTS["backup_limit"])),
        record_conversations=part("recording", "conversations"),
        snapshot_every=record.get("recording", {}).get("snapshot_every", SNAPSHOT_EVERY),
        shorten_outputs=record.get("recording", {}).get("shorten", False),
        notify=record.get("notify", ""),
        agents=tuple(Approver(row["principal"], row.get("key", "")) for row in record.get("agents", ())),
        unbound_commit=record.get("verify", {}).get("unbound_commit", "warning"),
        record_moments=part("recording", "moments"),
        keep_moments=span(part("retention", "moments")),
        keep_preserved=span(part("retention", "preserved")),
        keep_spool=span(part("retention", "spool")),
        keep_traces=span(record["retention"]["traces"]) if "traces" in record.get("retention", {}) else None,
        net=record.get("net", "warn"),
    )


def listens(data: bytes | None) -> tuple[bool, int]:
    """Whether a policy records conversations, and its `snapshot_every`, from its bytes: a git hook has no time for a YAML reader."""
    every = re.search(_EVERY, data or b"")
    return not re.search(_SILENT, data or b""), int(every[1]) if every else SNAPSHOT_EVERY


def shortens(data: bytes | None) -> bool:
    """Whether a policy says `recording: {shorten: true}`, from its bytes: a client's hook has no time for a YAML reader."""
    return bool(re.search(_SHORTENS, data or b""))


def moments_wanted(data: bytes | None) -> bool:
    """Whether a policy allows moments, from its bytes: a client's hook has no time for a YAML reader.

    Only `recording: {moments: false}` forbids them.
    """
    return not re.search(_WITHOUT_MOMENTS, data or b"")


def net_is_strict(data: bytes | None) -> bool:
    """Whether a policy says `net: strict`, from its bytes, for the same reason."""
    return bool(re.search(_STRICT_NET, data or b""))


def checkpoints_on_commit(data: bytes | None) -> bool | None:
    """The value of `checkpoint_on_commit` from a policy's bytes: a git hook asks at every commit.

    None if only a YAML reader can tell.
    """
    if data is None or b"checkpoint_on_commit" not in data:
        return bool(_DEFAULTS["checkpoint_on_commit"])
    found = re.findall(_SWITCH, data)
    return found == [b"true"] if len(found) == 1 and data.count(b"checkpoint_on_commit") == 1 else None
