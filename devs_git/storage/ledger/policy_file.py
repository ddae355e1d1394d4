"""`devs-policy.yaml`, the proposed policy: in HEAD, in the working tree, and as `init` writes it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from devs_git.domain.checkpoints.commit_trailers import AGENTS
from devs_git.domain.gates.policy import FIRST, PROPOSED, Policy, parse
from devs_git.domain.ledger.events import IN_FORCE, LEDGER, NO_OID, Draft, Event, RefUpdate
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents
from devs_git.storage.git import bounded, locks, newest_objects, refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.store import LOCK, LOCK_SECONDS, Ledger, Tip
from devs_git.values import TYPE_CHECKING, Any, Final, immutable

if TYPE_CHECKING:
    from devs_git.domain.audit.findings import Action, Finding

_PROPOSED: Final = (
    "The proposed policy of this repository. The policy in force is policy.yaml in the ledger. A change here takes effect\n"
    "when an approver approves it. Commit this file: it tells clones which ledger belongs to this repository.\n"
    "To name approvers, replace the empty list below by entries with or without a key:\n"
    "  approvers:\n"
    "    - principal: ada@example.org\n"
    "      key: ssh-ed25519 AAAA..."
)
# It is part of the policy's file in the ledger: another text would give the same policy another oid.
_IN_FORCE: Final = f"The policy in force. Changes are proposed in {PROPOSED} and decided by an approver."


def read(top: Path, git: Git) -> dict[str, Any] | None:
    """The proposed policy at HEAD, else in the working tree; None if there is neither. POLICY_INVALID."""
    data = read_bytes(git, "HEAD")
    if data is not None:
        with telling_place(git, "HEAD"):
            return _load(data)
    data = read_tree(top)
    return None if data is None else _load(data)


def read_tree(top: Path) -> bytes | None:
    """The bytes of the file in the working tree; None if there is none. POLICY_INVALID."""
    try:
        return bounded.read_file(top / PROPOSED, limits.DOCUMENT, PROPOSED, "POLICY_INVALID")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DevsError(
            "POLICY_INVALID", f"{PROPOSED} cannot be read.", hint=f"See: ls -ld {PROPOSED}", field=PROPOSED
        ) from error


def uncommitted_findings(top: Path, git: Git) -> Iterator[Finding]:
    """For `doctor`: what is wrong with changes of the working tree, which nothing reads before they are committed."""
    from devs_git.domain.audit.findings import Finding

    try:
        committed, data = read_bytes(git, "HEAD"), read_tree(top)
        if None not in (committed, data) and data != committed:
            _load(data or b"")
    except DevsError as error:
        text = f"The changes of {PROPOSED} are not committed, and they are not valid: {error.message}"
        yield Finding(error.code, "warning", text, error.hint)


@contextlib.contextmanager
def telling_place(git: Git, commit: str) -> Iterator[None]:
    """POLICY_INVALID says that the policy was read from `commit`, not from the file that the person may have open."""
    try:
        yield
    except DevsError as error:
        if error.code != "POLICY_INVALID":
            raise
        raise DevsError(
            error.code,
            f"In the commit {_place(git, commit)}: {error.message}",
            hint=f"{error.hint.removesuffix('.')}. Then commit the correction.",
            **error.details,
        ) from error


def _place(git: Git, commit: str) -> str:
    """`HEAD (b951421)`, or the short oid of another commit."""
    short = ("rev-parse", "--short", "--quiet", "--verify", "--end-of-options")
    oid, head = (git.text(*short, rev, ok=(0, 1)) for rev in (commit, "HEAD"))
    return f"HEAD ({oid})" if oid == head else oid


def _load(data: bytes) -> dict[str, Any]:
    return yaml_documents.load(data, PROPOSED, "policy", code="POLICY_INVALID")


def is_in_force(record: Mapping[str, Any], tip: Tip) -> bool:
    """Whether a proposed policy has the same rules as the policy in force, whatever its comments are."""
    return as_in_force((tip.read(IN_FORCE) or b"").decode("utf-8", "replace")).encode() == in_force(record)


def as_in_force(text: str) -> str:
    """The text of a policy as the ledger would have it; an invalid policy as it is."""
    try:
        return in_force(_load(text.encode())).decode()
    except DevsError:
        return text


def check(data: bytes, name: str, tip: Tip, root: str = "") -> dict[str, Any]:
    """The record of a policy that may be in force in this ledger. POLICY_INVALID for any other.

    `root`: the first event of this ledger, if the caller has read it; to find it, git reads the whole ledger.
    """
    record = yaml_documents.load(data, name, "policy", code="POLICY_INVALID")
    proposed = parse(record)
    root = root or tip.ledger.git.text("rev-list", "--max-parents=0", tip.oid)
    if proposed.genesis != root:
        raise _refusal(
            "genesis",
            f"{name} names a different genesis than this ledger has.",
            f"Write: genesis: {root.replace(chr(10), ' or ')}",
        )
    for error in contradictions(proposed, name):
        raise error
    return record


def contradictions(policy: Policy, name: str) -> Iterator[DevsError]:
    """POLICY_INVALID for each problem that a schema cannot find: nobody could decide, or an agent could."""
    from devs_git.domain.belief import allowed
    from devs_git.domain.gates import deciders

    if policy.approval_minimum == "signed" and not any(one.key for one in policy.approvers):
        hint = "Give an approver a key, or nobody can decide."
        yield _refusal("approvers", f"{name} requires signed decisions, but names no key.", hint)
    agents = {deciders.principal(name) for name in (*AGENTS, *(one.principal for one in policy.agents))}
    keys = {allowed.same_key(one.key) for one in policy.agents if one.key}
    names = [deciders.principal(one.principal) for one in policy.approvers]
    for plain, one in zip(names, policy.approvers, strict=True):
        if plain in agents or (one.key and allowed.same_key(one.key) in keys):
            hint = "An agent must not decide: remove it from the approvers."
            yield _refusal("approvers", f"{name} names an agent as approver: {one.principal}.", hint)
        if names.count(plain) > 1:
            hint = "Names that differ only in case or Unicode form are one approver: keep one."
            yield _refusal("approvers", f"{name} names one approver twice: {one.principal}.", hint)


def _refusal(field: str, message: str, hint: str) -> DevsError:
    return DevsError("POLICY_INVALID", message, hint=hint, field=field)


def read_bytes(git: Git, commit: str) -> bytes | None:
    """The bytes of `devs-policy.yaml` in a commit; None if it has none. POLICY_INVALID if it is too large."""
    return bounded.document(git, f"{commit}:{PROPOSED}", "POLICY_INVALID")


@immutable
class NamedLedger:
    """The ledger that a tracked policy names; '' for a missing name. `record` is the policy, None if there is none."""

    genesis: str = ""
    first_policy: str = ""
    record: Mapping[str, Any] | None = None


def named_ledger(git: Git, commit: str) -> NamedLedger:
    """The ledger that `devs-policy.yaml` of a commit names. POLICY_INVALID."""
    data = read_bytes(git, commit)
    if data is None:
        return NamedLedger()
    with telling_place(git, commit):
        record = _load(data)
    return NamedLedger(record["genesis"], record.get(FIRST, ""), record)


def genesis(record: Mapping[str, Any] | None) -> str:
    """The genesis that a proposed policy names; '' for None."""
    return str(record["genesis"]) if record else ""


def in_force(record: Mapping[str, Any]) -> bytes:
    """The ledger's file for a policy. It does not contain the event of the first policy."""
    return yaml_documents.dump(_rules(record), "policy", comment=_IN_FORCE)


def _rules(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != FIRST}


def first_event(git: Git, tip: str) -> str:
    """The event that set the first policy of a ledger that was judged; '' if there is none."""
    events = git.text("rev-list", "--topo-order", "--reverse", "--full-history", tip, "--", IN_FORCE)
    return events.partition("\n")[0]


def write(top: Path, policy: bytes, first: str) -> Action:
    """Write `devs-policy.yaml` with the policy in force, unless the file exists.

    `first` is the event of the first policy, which tells clones that this is the right ledger.
    """
    from devs_git.domain.audit.findings import Action

    record = yaml_documents.load(policy, IN_FORCE, "policy", code="POLICY_INVALID")
    named = {"genesis": record["genesis"], FIRST: first} if first else {}
    data = yaml_documents.dump({**named, **record}, "policy", comment=_PROPOSED)
    # Not `replace_file`: a proposal that somebody made meanwhile must stay.
    try:
        descriptor = os.open(top / PROPOSED, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return Action(PROPOSED, "kept")
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
    return Action(PROPOSED, "created")


def begin_ledger(ledger: Ledger, genesis: Draft, policy: Callable[[str], Draft]) -> tuple[Event, Event]:
    """Write a ledger's first two events in one transaction. `policy` gets the oid of the genesis. RefMoved if there is a ledger."""
    with locks.hold(ledger.common / LOCK, wait=LOCK_SECONDS):
        with ledger.objects.record_writes() as notes:
            root = ledger.write_commit(Tip(ledger, ""), genesis)
            event = ledger.write_commit(Tip(ledger, root.oid), policy(root.oid))
        newest_objects.keep(ledger.common, notes)
        refs.transaction(ledger.git, (RefUpdate(LEDGER, event.oid, NO_OID),), f"devs: {root.subject}")
        ledger.note_checked(event.oid)
    return root, event
