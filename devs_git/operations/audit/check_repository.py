"""The check of a repository, which `verify` prints and `report` shows: all findings of the parts that somebody chose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.gates.policy import PROPOSED
from devs_git.domain.ledger.events import LEDGER
from devs_git.errors import DevsError, invalid
from devs_git.operations.audit import verify_parts
from devs_git.operations.audit.verify_parts import FETCH
from devs_git.operations.rewind import reach
from devs_git.operations.setup import not_initialized
from devs_git.storage.documents import tas_file
from devs_git.storage.git import bounded, refs
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.ledger import audit_facts, policy_file, unknown_ledger, whole_history
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.storage.ledger.policy_file import NamedLedger
from devs_git.values import WithoutCollector, immutable, replace
from devs_git.workspace import Workspace

_RANGE: Final = re.compile(r"(?P<base>.*?)\.\.(?P<head>[^.].*)?")
# What each part is for a person who waits.
_WHAT: Final = {"ledger": "the ledger", "tas": "the TAS", "policy": "the policy", "schemas": "records"}
# What is found in the same way whether or not older events are taken as judged. It is common in honest changes.
_EXACT: Final = (("UNBOUND_COMMIT", "warning"), ("UNBOUND_COMMIT", "error"), ("POLICY_INVALID", "warning"))
_SHALLOW: Final = Finding(
    "CONFLICT",
    "error",
    "This clone is shallow, and verify needs the whole history.",
    "git fetch --unshallow (in GitHub Actions: actions/checkout with fetch-depth: 0)",
)


@immutable
class Checked:
    """`facts` is None for a shallow clone, which gives only one finding. `kinds`: how many commits there are of each kind.

    `tip` is that of the ledger, '' for none. `taken`: how many events were taken as judged. `why_whole`: why none was, although
    the caller named one.
    """

    findings: tuple[Finding, ...]
    counts: dict[str, int]
    kinds: dict[str, int]
    facts: Facts | None
    tip: str = ""
    taken: int = 0
    why_whole: str = ""


def require_range(text: str) -> None:
    """INVALID_ARGUMENTS {range} if a text is not `base..head`."""
    if text and not _RANGE.fullmatch(text):
        raise invalid("range", f"{text!r} is not a range.", hint="For example: origin/main..HEAD")
    if "..." in text:
        hint = "Use two dots: " + text.replace("...", "..")
        raise invalid("range", "A range with three dots is not supported.", hint=hint)


def check(
    workspace: Workspace, parts: Sequence[str], commits: str, *, signed: bool, judged: str = ""
) -> Checked:
    """All findings of these `parts` for a range of `commits`, as `require_range` allows it; '' for all that HEAD reaches.

    `signed`: an unsigned decision that is newer than the base of the range is an error. `judged`: the oid of an event up to
    which an earlier check found no error, '' for none. If nothing is found without these events, they are not judged again.
    """
    if reach.is_shallow(workspace.store_git):
        return Checked((_SHALLOW,), {}, {}, None)
    with WithoutCollector():
        found: list[Finding] = []
        facts = _facts(workspace, commits, found, signed=signed)
        if not facts.tip and not found:
            found.append(_absent(facts))
        if not judged or found:
            return _check(workspace, parts, facts, found)
        done = _check_after(workspace, parts, replace(facts, judged=judged, kinds={}))
        return done if done.taken else replace(_check(workspace, parts, facts, []), why_whole=done.why_whole)


def _check_after(workspace: Workspace, parts: Sequence[str], facts: Facts) -> Checked:
    """The result if the events up to `facts.judged` are taken as judged; only `why_whole` if the whole ledger must be judged."""
    try:
        taken = len(facts.steps) - len(facts.new_steps)
    except (DevsError, GitFailed):
        return Checked((), {}, {}, None, why_whole="A part of it cannot be read.")
    if not taken:
        return Checked((), {}, {}, None, why_whole=f"Event {facts.judged[:12]} is not in it.")
    done = _check(workspace, parts, facts, [])
    if any((one.code, one.severity) not in _EXACT for one in done.findings):
        return Checked((), {}, {}, None, why_whole="There are findings.")
    return replace(done, taken=taken)


def _check(workspace: Workspace, parts: Sequence[str], facts: Facts, found: list[Finding]) -> Checked:
    found += audit_facts.run_part(_require_pin_readable, facts)
    for part in parts:
        workspace.progress(f"checking {_WHAT.get(part, part)}", 0, 0)
        found += audit_facts.run_part(verify_parts.PARTS[part], facts) if facts.tip else ()
    if facts.tip and all(one.severity != "error" for one in found):
        found += audit_facts.run_part(_without_policy, facts)
    workspace.progress("", 1, 1)
    return Checked(tuple(found), _counts(facts, parts), facts.kinds, facts, facts.tip)


def _absent(facts: Facts) -> Finding:
    if not_initialized.no_trace_of_ledger(facts.ledger, facts.base, facts.head):
        return not_initialized.finding()
    return Finding("LEDGER_MISSING", "error", "The ledger is not here.", FETCH, LEDGER)


def _without_policy(facts: Facts) -> Iterator[Finding]:
    yield from not_initialized.policy_findings(facts.git, facts.tip)


def _counts(facts: Facts, parts: Sequence[str]) -> dict[str, int]:
    if not facts.tip:
        return {"events": 0}
    try:
        counts = {"events": len(facts.steps), "gates": len(facts.freezes.numbers)}
        return counts | ({"commits": len(facts.commits)} if "commits" in parts or "tas" in parts else {})
    except GitFailed:
        return {}


def _facts(workspace: Workspace, commits: str, found: list[Finding], *, signed: bool) -> Facts:
    git = workspace.git
    match = _RANGE.fullmatch(commits)
    base = (match and match["base"]) or ""
    # A forge gives zeros as the base of a new branch.
    base = whole_history.resolve(git, base) if base.strip("0") else ""
    head = (match and match["head"]) or ""
    head = whole_history.resolve(git, head) if head else _head(workspace, found)
    pinned = _pinned_ledger(workspace.store_git, base, head)
    return Facts(
        ledger=workspace.ledger,
        git=workspace.store_git,
        tip=_read(workspace.store_git, LEDGER, found),
        base=base,
        head=head,
        genesis=pinned.genesis,
        first_policy=pinned.first_policy,
        signed=signed,
        progress=workspace.progress,
    )


def _head(workspace: Workspace, found: list[Finding]) -> str:
    """The commit of HEAD, '' before the first commit. If a commit should be there, and git cannot read it, that is added to `found`."""
    git, places = workspace.git, workspace.places
    head = _read(git, "HEAD^{commit}", found)
    # git says of a missing commit and of a damaged branch the same as of a branch without commits.
    if not head and not found:
        branch = refs.branch(places.git_dir)
        if refs.read(git, "HEAD") or (branch and refs.has_file(places.common, f"refs/heads/{branch}")):
            error = GitFailed(("rev-parse",), 1, "HEAD names no commit that is here")
            found.append(audit_facts.unreadable(error))
    return head


def _read(git: Git, name: str, found: list[Finding]) -> str:
    """The oid of `name`, '' if there is none. If git cannot read it, that is added to `found`."""
    try:
        return refs.read(git, name)
    except GitFailed as error:
        found.append(audit_facts.unreadable(error))
        return ""


def _require_pin_readable(facts: Facts) -> Iterator[Finding]:
    """GitFailed if the tracked policy, which names the genesis, is missing from the object store."""
    oid = "" if facts.genesis else tas_file.blob(facts.git, facts.base or facts.head, PROPOSED)
    if oid:
        bounded.require_blob(facts.git, oid)
    yield from ()


def _pinned_ledger(git: Git, base: str, head: str) -> NamedLedger:
    """The ledger that the tracked policy names at the base of the range, because the change under test may alter the policy.

    Without a base, the policy of the remote's default branch counts first, because HEAD may be such a change.
    """
    try:
        if base:
            return policy_file.named_ledger(git, base)
        _, tracked = unknown_ledger.read_named_ledger(git)
        return tracked if tracked.genesis or not head else policy_file.named_ledger(git, head)
    except DevsError:
        # The part `policy` reports that it cannot be read.
        return NamedLedger()
