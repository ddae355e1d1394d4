"""What setting up says: what was done (`init`), and what is wrong and what mends it (`doctor`)."""

from __future__ import annotations

from typing import Literal

from devs_git.values import immutable

Did = Literal["created", "updated", "kept", "removed", "skipped"]
Severity = Literal["error", "warning"]


@immutable
class Action:
    """One thing that init looked after: `what` (`hook post-commit`, `ledger`), what it `did`, and why, if odd."""

    what: str
    did: Did
    detail: str = ""


@immutable
class Finding:
    """One thing that is wrong, in words, and the command that mends it. Only an error makes a check exit 1.

    `where` is the ref or commit that it is about; `file` a file and `line` a line of it (0: of none).
    """

    code: str
    severity: Severity
    message: str
    fix: str = ""
    where: str = ""
    line: int = 0
    file: str = ""
