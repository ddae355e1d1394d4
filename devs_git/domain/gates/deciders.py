"""Who may answer a gate, in words. Principals are compared without regard to case, in one Unicode form.

`domain/belief/allowed.py` decides whether an answer counts.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from devs_git.domain.gates.policy import Policy
from devs_git.domain.text.plain_text import printable

_MOST: Final = 10  # names in a sentence


def principal(text: str) -> str:
    """A principal in the form for comparison."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def who_decides(policy: Policy, mail: str) -> str:
    """Who may answer a gate, and what somebody else (`mail`) does, who can neither answer it nor take it back; '' without approvers."""
    names = [printable(one.principal, "") for one in policy.approvers]
    if not names:
        return ""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    said = f"Who may decide: {', '.join(names[:_MOST])}{more}."
    if principal(mail) in {principal(one.principal) for one in policy.approvers}:
        return said
    you = printable(mail, "") or "without a mail address"
    return f"{said} You are {you}. If they work in another clone, send the gate to them: devs-git sync"
