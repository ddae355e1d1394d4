"""Refs that git takes for the ledger if a user types its short name, as in `git show devs/ledger:policy.yaml`.

git first looks for a file in the git directory, then below refs/, then for a tag, and only then for a branch.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.events import LEDGER
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git

_SHORT: Final = LEDGER.removeprefix("refs/heads/")
# Also tags with the short name of a remote branch: `origin/devs/ledger`. The last pattern is for `heads/devs/ledger`.
_PATTERNS: Final = (f"refs/{_SHORT}", f"refs/tags/**/{_SHORT}", f"refs/heads/**/heads/{_SHORT}")


def findings(git: Git, common: Path) -> Iterator[Finding]:
    """INVALID_BRANCH for each such ref, with the command that deletes it."""
    for name in refs.list_refs(git, *_PATTERNS):
        quoted = shlex.quote(name)
        fix = f"git update-ref -d {quoted}; if a remote has it: git push <remote> {shlex.quote(':' + name)}"
        yield _finding(name, fix)
    file = common / _SHORT
    if os.path.lexists(file):
        yield _finding(os.fspath(file), f"rm {shlex.quote(os.fspath(file))}")


def _finding(name: str, fix: str) -> Finding:
    text = f"If somebody types {_SHORT}, git may use {name} instead of the ledger, which is {LEDGER}."
    return Finding("INVALID_BRANCH", "error", text, fix, name)
