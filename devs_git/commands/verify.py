"""`verify`: check the ledger, tags, commits, TAS and policy, for CI. It reads only, and trusts no clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.audit.findings import Finding, Severity, once
from devs_git.domain.gates.gate_model import SIGNED
from devs_git.domain.gates.policy import PROPOSED
from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.verbs import VERBS, VerbRequest
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
from devs_git.values import field, immutable
from devs_git.workspace import Workspace

FORMATS: Final = ("text", "json", "github")
PARTS: Final = (*verify_parts.PARTS, "registry", "guard")
# CI needs the parts about the repository. `registry` and `guard` are about devs-git, and the same in each repository.
SEVERAL: Final[dict[str, tuple[str, ...]]] = {"repository": tuple(verify_parts.PARTS), "all": PARTS}
_SHALLOW: Final = Finding(
    "CONFLICT",
    "error",
    "This clone is shallow, and verify needs the whole history.",
    "git fetch --unshallow (in GitHub Actions: actions/checkout with fetch-depth: 0)",
)
_RANGE: Final = re.compile(r"(?P<base>.*?)\.\.(?P<head>[^.].*)?")


@immutable
class Request(VerbRequest):
    """`parts`: of PARTS or SEVERAL. `range`: `base..head`; '' for all that HEAD reaches.

    `require`: with `signed`, an unsigned decision that is newer than the base of the range is an error. `own_checks`: the
    checks of devs-git itself (`registry`, `guard`), which only the entry points can make.
    """

    parts: tuple[str, ...] = ("repository",)
    range: str = ""
    format: str = "text"
    require: str = ""
    own_checks: Mapping[str, Callable[[], Iterable[Finding]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in self.parts:
            if part not in (*PARTS, *SEVERAL):
                hint = "Use: " + ", ".join((*PARTS, *SEVERAL))
                raise invalid("parts", f"{part!r} is not a part that verify knows.", hint=hint)
        if self.range and not _RANGE.fullmatch(self.range):
            raise invalid("range", f"{self.range!r} is not a range.", hint="For example: origin/main..HEAD")
        if "..." in self.range:
            hint = "Use two dots: " + self.range.replace("...", "..")
            raise invalid("range", "A range with three dots is not supported.", hint=hint)
        if self.require not in ("", SIGNED):
            raise invalid("require", f"{self.require!r} cannot be required.", hint=f"Use: {SIGNED}")
        if self.format not in FORMATS:
            raise invalid("format", f"{self.format!r} is not a format.", hint="Use: " + ", ".join(FORMATS))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The parts in the order of their output."""
        wanted = {name for part in self.parts for name in SEVERAL.get(part, (part,))}
        return tuple(part for part in PARTS if part in wanted)


@immutable
class ReportedFinding:
    """One finding: its code, what it is about (`ref`: a ref or commit; `file` and `line`), and what to do (`hint`)."""

    code: str
    severity: Severity
    message: str
    hint: str
    ref: str
    file: str
    line: int


@immutable
class Result:
    """`ok`: no finding is an error. `checked`: how much was checked. `commits`: how many commits there are of each kind
    (see `domain/audit/commit_kinds.py`), if that part was checked.
    """

    ok: bool
    parts: tuple[str, ...]
    checked: dict[str, int]
    commits: dict[str, int]
    findings: tuple[ReportedFinding, ...]
    format: str


def run(workspace: Workspace, request: Request) -> Result:
    """All findings of the chosen parts. A shallow clone gives only one finding, because it lacks the history."""
    about_us = [part for part in request.chosen if part not in verify_parts.PARTS]
    about_it = [part for part in request.chosen if part in verify_parts.PARTS]
    found: list[Finding] = []
    checked: dict[str, int] = {}
    kinds: dict[str, int] = {}
    if about_it and reach.is_shallow(workspace.store_git):
        found.append(_SHALLOW)
    elif about_it:
        facts = _facts(workspace, request, found)
        if not facts.tip and not found:
            found.append(_absent(facts))
        found += audit_facts.run_part(_require_pin_readable, facts)
        for at, part in enumerate(about_it):
            workspace.progress(part, at, len(request.chosen))
            found += audit_facts.run_part(verify_parts.PARTS[part], facts) if facts.tip else ()
        if facts.tip and all(one.severity != "error" for one in found):
            found += audit_facts.run_part(_without_policy, facts)
        workspace.progress("", 1, 1)
        checked, kinds = _counts(facts, about_it), facts.kinds
    if about_us:
        checked["verbs"] = len(VERBS)
    for part in about_us:
        found += request.own_checks[part]() if part in request.own_checks else (_unavailable(part),)
    findings = tuple(
        ReportedFinding(f.code, f.severity, f.message, f.fix, f.where, f.file, f.line) for f in once(found)
    )
    ok = all(f.severity != "error" for f in found)
    return Result(ok, request.chosen, checked, kinds, findings, request.format)


def _absent(facts: Facts) -> Finding:
    if not_initialized.no_trace_of_ledger(facts.ledger, facts.base, facts.head):
        return not_initialized.finding()
    return Finding("LEDGER_MISSING", "error", "The ledger is not here.", FETCH, LEDGER)


def _without_policy(facts: Facts) -> Iterator[Finding]:
    yield from not_initialized.policy_findings(facts.git, facts.tip)


def _counts(facts: Facts, parts: list[str]) -> dict[str, int]:
    if not facts.tip:
        return {"events": 0}
    try:
        counts = {"events": len(facts.steps), "gates": len(facts.freezes.numbers)}
        return counts | ({"commits": len(facts.commits)} if "commits" in parts or "tas" in parts else {})
    except GitFailed:
        return {}


def _unavailable(part: str) -> Finding:
    return Finding(
        "INTERNAL", "error", f"This interface cannot verify {part}.", f"At a shell: devs-git verify {part}"
    )


def _facts(workspace: Workspace, request: Request, found: list[Finding]) -> Facts:
    git = workspace.git
    match = _RANGE.fullmatch(request.range)
    base = (match and match["base"]) or ""
    # A forge gives zeros as the base of a new branch.
    base = whole_history.resolve(git, base) if base.strip("0") else ""
    head = (match and match["head"]) or ""
    head = whole_history.resolve(git, head) if head else _read(git, "HEAD^{commit}", found)
    pinned = _pinned_ledger(workspace.store_git, base, head)
    return Facts(
        ledger=workspace.ledger,
        git=workspace.store_git,
        tip=_read(workspace.store_git, LEDGER, found),
        base=base,
        head=head,
        genesis=pinned.genesis,
        first_policy=pinned.first_policy,
        signed=request.require == SIGNED,
    )


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
