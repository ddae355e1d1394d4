"""verify: prove to CI that ledger, tags, commits and gates are what they claim; reads only, believes no clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from devs_git.domain import audit_commits, audit_ledger, audit_merges, audit_tags, following
from devs_git.domain.audit_ledger import Freezes, Step
from devs_git.domain.events import LEDGER
from devs_git.domain.gates import SIGNED
from devs_git.domain.policy import PROPOSED
from devs_git.domain.report import Finding
from devs_git.errors import DevsError, invalid
from devs_git.storage import audit_gates, auditing, documents, proposal, refs
from devs_git.storage.engine import reach
from devs_git.workspace import Workspace

FORMATS: Final = ("text", "json", "github")
_RANGE: Final = re.compile(r"(?P<base>.*?)\.\.(?P<head>[^.].*)?")


@dataclass(frozen=True)
class Request:
    """`parts` of PARTS or `all`; `range` is `base..head` (default: all that HEAD reaches).

    `require` is `signed` where an unsigned decision is to be a finding.
    """

    parts: tuple[str, ...] = ("all",)
    range: str = ""
    format: str = "text"
    require: str = ""

    def __post_init__(self) -> None:
        for part in self.parts:
            if part != "all" and part not in PARTS:
                raise invalid(
                    "parts", f"{part!r} is nothing to verify.", hint="Use: " + ", ".join((*PARTS, "all"))
                )
        if self.range and not _RANGE.fullmatch(self.range):
            raise invalid("range", f"{self.range!r} is no range.", hint="For example: origin/main..HEAD")
        if self.require not in ("", SIGNED):
            raise invalid("require", f"{self.require!r} cannot be required.", hint=f"Use: {SIGNED}")
        if self.format not in FORMATS:
            raise invalid("format", f"{self.format!r} is no format.", hint="Use: " + ", ".join(FORMATS))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The parts in the order in which they are told."""
        return tuple(part for part in PARTS if part in self.parts or "all" in self.parts)


@dataclass(frozen=True)
class Result:
    """`ok`: no finding is an error. `checked` says how much was looked at."""

    ok: bool
    parts: tuple[str, ...]
    checked: dict[str, int]
    findings: tuple[Finding, ...]
    format: str


def run(workspace: Workspace, request: Request) -> Result:
    """Every finding of the chosen parts; a shallow clone is CONFLICT, for it cannot prove anything."""
    if reach.is_shallow(workspace.store_git):
        raise DevsError(
            "CONFLICT",
            "This clone is shallow: history that is not here cannot be verified.",
            hint="git fetch --unshallow (in GitHub Actions: actions/checkout with fetch-depth: 0)",
        )
    facts = _Facts(workspace, request)
    found = tuple(finding for part in request.chosen for finding in PARTS[part](facts))
    checked = {
        "events": len(facts.steps),
        "commits": len(facts.commits) if "commits" in request.chosen else 0,
    }
    return Result(all(f.severity != "error" for f in found), request.chosen, checked, found, request.format)


@dataclass(frozen=True)
class _Facts:
    """What several parts look at, read once."""

    workspace: Workspace
    request: Request

    @cached_property
    def tip(self) -> str:
        return refs.read(self.workspace.store_git, LEDGER)

    @cached_property
    def steps(self) -> list[Step]:
        return auditing.steps(self.workspace.ledger, self.tip) if self.tip else []

    @cached_property
    def freezes(self) -> tuple[Freezes, list[Finding]]:
        return audit_ledger.freezes(self.steps)

    @cached_property
    def span(self) -> tuple[str, str]:
        """Oids of base ('' for none) and head."""
        git = self.workspace.git
        match = _RANGE.fullmatch(self.request.range)
        base = auditing.resolve(git, match["base"]) if match and match["base"] else ""
        return base, auditing.resolve(git, (match and match["head"]) or "HEAD")

    @cached_property
    def pinned(self) -> str:
        """The genesis that the tracked policy names, at the base of the range: not the change under test's word."""
        git = self.workspace.git
        rev = self.span[0] or "HEAD"
        status, data = git.attempt("cat-file", "blob", f"{rev}:{PROPOSED}", ok=(0, 128))
        return proposal.genesis(documents.load(data, PROPOSED, code="POLICY_INVALID")) if status == 0 else ""

    @cached_property
    def commits(self) -> list[audit_commits.Bound]:
        base, head = self.span
        return auditing.commits(self.workspace.store_git, head, base)


def _ledger(facts: _Facts) -> Iterator[Finding]:
    yield from audit_ledger.roots(facts.steps, facts.pinned)
    kept = audit_ledger.superseded(facts.steps)
    for step in facts.steps:
        yield from audit_ledger.mutations(step, kept)
    yield from audit_merges.judge(facts.steps, kept.values())
    yield from facts.freezes[1]
    if facts.steps:
        signed = facts.request.require == SIGNED
        genesis = facts.steps[0].event.oid
        yield from audit_gates.judge(facts.workspace.ledger, facts.steps, genesis, signed=signed)


def _tags(facts: _Facts) -> Iterator[Finding]:
    if facts.tip:
        found = auditing.typed_refs(facts.workspace.store_git, *following.FOLDERS)
        yield from audit_tags.judge(facts.workspace.ledger.tip().history, found)


def _commits(facts: _Facts) -> Iterator[Finding]:
    steps = facts.steps
    witness = audit_commits.Witness(
        freezes=facts.freezes[0],
        parents={step.event.oid: step.event.parents for step in steps},
        heads=auditing.heads(facts.workspace.ledger, steps),
        recorded={
            step.event.get("Devs-Commit"): step.event.oid for step in steps if step.event.get("Devs-Tag")
        },
        landed=audit_gates.landed(facts.workspace.ledger, facts.workspace.store_git, facts.commits),
    )
    yield from audit_commits.judge(facts.commits, witness)


PARTS: Final[dict[str, Callable[[_Facts], Iterator[Finding]]]] = {
    "ledger": _ledger,
    "tags": _tags,
    "commits": _commits,
}
