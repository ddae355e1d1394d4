"""A repository without a ledger or a policy: whether one was ever here, and what `verify` and `doctor` say if not."""

from __future__ import annotations

from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.events import IN_FORCE, LEDGER
from devs_git.errors import DevsError
from devs_git.operations.setup import adopt_ledger
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import known_tips, policy_file
from devs_git.storage.ledger.store import LOCK, Ledger

NO_LEDGER: Final = "This repository has no devs-git ledger."
_NO_POLICY: Final = "The ledger of this repository has no policy yet."
_INIT: Final = "devs-git init"


def finding(text: str = NO_LEDGER) -> Finding:
    """NOT_INITIALIZED, with the command that helps."""
    return Finding("NOT_INITIALIZED", "error", text, _INIT, LEDGER)


def policy_findings(git: Git, tip: str) -> tuple[Finding, ...]:
    """NOT_INITIALIZED if the ledger at `tip` has no policy. GitFailed if git cannot read it."""
    return () if refs.read(git, f"{tip}:{IN_FORCE}") else (finding(_NO_POLICY),)


def no_trace_of_ledger(ledger: Ledger, *commits: str) -> bool:
    """Whether there is no trace of a ledger: devs-git wrote none here, no reflog, remote or commit names one, and no
    tracked policy in these `commits` ('' for none) does.
    """
    git, common = ledger.reader, ledger.common
    try:
        named = any(policy_file.named_ledger(git, commit).genesis for commit in commits if commit)
    except DevsError:
        return False  # the policy may name a ledger
    return not (
        named
        or (common / LOCK).exists()
        or known_tips.tips(git, common)
        or adopt_ledger.remote_has_ledger(git)
    )
