"""What setting up says: what was done (`init`), and what is wrong and what mends it (`doctor`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from devs_git.errors import CODES
from devs_git.values import immutable

Did = Literal["created", "updated", "kept", "removed", "skipped"]
Severity = Literal["error", "warning"]
# Codes that `doctor` and `verify` find and no command refuses with; the others are those of refusals.
FOUND_ALONE: Final = frozenset(
    {
        "AGENT_HOOK_MISSING",
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
        "JOURNAL_OPEN",
        "LEDGER_BEHIND",
        "LEDGER_CHECKED_OUT",
        "POLICY_UNTRACKED",
        "REF_BROKEN",
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
    """One thing that init looked after: `what` (`hook post-commit`, `ledger`), what it `did`, and why, if odd."""

    what: str
    did: Did
    detail: str = ""


# How the name of a file of the ledger begins in a finding.
IN_LEDGER: Final = "devs/ledger:"


@immutable
class Finding:
    """One thing that is wrong, in words, and the command that mends it. Only an error makes a check exit 1.

    `where` is the ref or commit that it is about; `file` a file and `line` a line of it (0: of none). `cause` is another
    file, which cannot be read and is why: where that is a finding, this one is none. ValueError for a code of no table.
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
    """The findings without those that say the same, or that tell of a file of the ledger which another tells of already.

    Each part of `verify` that needs a damaged file finds it; it is damaged once. The one that names a line is kept.
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
