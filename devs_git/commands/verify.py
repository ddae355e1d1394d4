"""`verify`: check the ledger, tags, commits, TAS and policy, for CI. It reads only, and trusts no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from devs_git.domain.audit.findings import Finding, Severity, once
from devs_git.domain.gates.gate_model import SIGNED
from devs_git.domain.ledger.ids import is_oid
from devs_git.domain.verbs import VERBS, VerbRequest
from devs_git.errors import invalid
from devs_git.operations.audit import check_repository, verify_parts
from devs_git.operations.audit.check_repository import Checked
from devs_git.values import WithoutCollector, field, immutable, replace
from devs_git.workspace import Workspace

FORMATS: Final = ("text", "json", "github")
PARTS: Final = (*verify_parts.PARTS, "registry", "guard")
# The parts that judge the ledger.
_WHOLE: Final = frozenset(("ledger", "tags", "schemas"))
# CI needs the parts about the repository. `registry` and `guard` are about devs-git, and the same in each repository.
SEVERAL: Final[dict[str, tuple[str, ...]]] = {"repository": tuple(verify_parts.PARTS), "all": PARTS}


@immutable
class Request(VerbRequest):
    """`parts`: of PARTS or SEVERAL. `range`: `base..head`; '' for all that HEAD reaches.

    `require`: with `signed`, an unsigned decision that is newer than the base of the range is an error. `judged`: the oid of an
    event up to which an earlier check judged the ledger (`Result.judged`), '' for none. `own_checks`: the checks of devs-git
    itself (`registry`, `guard`), which only the entry points can make.
    """

    parts: tuple[str, ...] = ("repository",)
    range: str = ""
    format: str = "text"
    require: str = ""
    judged: str = ""
    own_checks: Mapping[str, Callable[[], Iterable[Finding]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in self.parts:
            if part not in (*PARTS, *SEVERAL):
                hint = "Use: " + ", ".join((*PARTS, *SEVERAL))
                raise invalid("parts", f"{part!r} is not a part that verify knows.", hint=hint)
        check_repository.require_range(self.range)
        if self.require not in ("", SIGNED):
            raise invalid("require", f"{self.require!r} cannot be required.", hint=f"Use: {SIGNED}")
        if self.judged and not is_oid(self.judged):
            hint = "Take the field judged of an earlier devs-git verify --json."
            raise invalid("judged", f"{self.judged!r} is not the full oid of an event.", hint=hint)
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

    `judged`: the oid of the ledger's tip, if this check judged all of the ledger and found no error; a later check may take
    it. `taken`: how many events this check took as judged. `why_whole`: why it took none, although the caller named an event.
    """

    ok: bool
    parts: tuple[str, ...]
    checked: dict[str, int]
    commits: dict[str, int]
    findings: tuple[ReportedFinding, ...]
    format: str
    judged: str = ""
    taken: int = 0
    why_whole: str = ""


def run(workspace: Workspace, request: Request) -> Result:
    """All findings of the chosen parts. A shallow clone gives only one finding, because it lacks the history."""
    about_us = [part for part in request.chosen if part not in verify_parts.PARTS]
    done = _about_repository(workspace, request)
    found, checked = [*done.findings], {**done.counts}
    if about_us:
        checked["verbs"] = len(VERBS)
    for part in about_us:
        found += request.own_checks[part]() if part in request.own_checks else (_unavailable(part),)
    findings = tuple(
        ReportedFinding(f.code, f.severity, f.message, f.fix, f.where, f.file, f.line) for f in once(found)
    )
    ok = all(f.severity != "error" for f in found)
    judged = done.tip if ok and not done.taken and _WHOLE.issubset(request.chosen) else ""
    return Result(
        ok, request.chosen, checked, done.kinds, findings, request.format, judged, done.taken, done.why_whole
    )


def _about_repository(workspace: Workspace, request: Request) -> Checked:
    """What the parts about the repository found."""
    parts = [part for part in request.chosen if part in verify_parts.PARTS]
    if not parts:
        return Checked((), {}, {}, None)
    # What was read of a large ledger is gone before the collector looks again.
    with WithoutCollector():
        signed = request.require == SIGNED
        done = check_repository.check(workspace, parts, request.range, signed=signed, judged=request.judged)
        without = replace(done, facts=None)
        del done
    return without


def _unavailable(part: str) -> Finding:
    return Finding(
        "INTERNAL", "error", f"This interface cannot verify {part}.", f"At a shell: devs-git verify {part}"
    )
