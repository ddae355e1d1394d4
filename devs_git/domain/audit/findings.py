"""Results of setup and checks: what was done (`init`), and what is wrong and what fixes it (`doctor`, `verify`)."""

from __future__ import annotations

from collections.abc import Iterable

from devs_git.errors import CODES
from devs_git.values import Final, Literal, immutable

Did = Literal["created", "updated", "kept", "removed", "skipped"]
Severity = Literal["error", "warning"]
# Codes that only `doctor` and `verify` report. All others are also codes of refusals.
FOUND_ALONE: Final = frozenset(
    {
        "AGENT_HOOK_MISSING",
        "AGENT_HOOK_OFF",
        "AGENT_HOOK_OUTDATED",
        "AGENT_HOOK_UNTRUSTED",
        "CATALOG_DAMAGED",
        "CATALOG_UNUSABLE",
        "EXCLUDE_MISSING",
        "GIT_TOO_OLD",
        "HOOK_ADDED",
        "HOOK_EDITED",
        "HOOK_KEPT_MISSING",
        "HOOK_MISSING",
        "HOOK_NOT_CALLED",
        "HOOK_NOT_RUN",
        "HOOK_OUTDATED",
        "IDENTITY_MISSING",
        "INDEX_DAMAGED",
        "INDEX_WRONG",
        "JOURNAL_OPEN",
        "LEDGER_BEHIND",
        "LEDGER_CHECKED_OUT",
        "MOMENT_GAP",
        "POLICY_UNTRACKED",
        "REF_BROKEN",
        "REF_LOCKED",
        "REMOTE_HAS_MOMENTS",
        "REMOTE_PRUNES_MOMENTS",
        "REMOTE_TAKES_MOMENTS",
        "SCHEMA_INVALID",
        "SPOOL_REJECTED",
        "UNREADABLE",
        "UNRECORDED",
        "VERB_UNGUARDED",
        "VERB_UNLISTED",
        "VIEW_BLOCKED",
        "VIEW_STALE",
    }
)


@immutable
class Action:
    """One step of `init`: `what` (`hook post-commit`, `ledger`), what it `did`, and a `detail` if something is unusual."""

    what: str
    did: Did
    detail: str = ""


# The beginning of the name of a ledger's file in a finding.
IN_LEDGER: Final = "devs/ledger:"


@immutable
class Finding:
    """One thing that is wrong, in words, and the command that fixes it. Only an error makes a check exit with 1.

    `where` is the ref or commit in question, `file` a file, and `line` a line of it (0 for none). `cause` is another file,
    which cannot be read: if there is a finding about that file, this one is left out. ValueError for an unknown code.
    """

    code: str
    severity: Severity
    message: str
    fix: str = ""
    where: str = ""
    line: int = 0
    file: str = ""
    cause: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES and self.code not in FOUND_ALONE:
            raise ValueError(f"{self.code} is not in a table of codes")


def once(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings without repetitions: one is enough for each file of the ledger.

    Each part of `verify` that needs a damaged file reports it. The finding that names a line is returned.
    """
    every = list(found)
    files = {one.file for one in every if one.file}
    kept: dict[Finding | tuple[str, str], Finding] = {}
    for one in every:
        if one.cause in files:
            continue
        ours = one.file.startswith(IN_LEDGER)
        if ours and not one.where and any(one.file == other.file for other in kept.values()):
            continue
        key = (one.where, one.file) if ours else one
        if key not in kept or one.line > kept[key].line:
            kept[key] = one
    return tuple(kept.values())
