"""A transaction of refs that a hook refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.storage.git import refs
from devs_git.storage.git.program import GitFailed
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick


def test_the_error_of_a_transaction_that_a_hook_refuses_is_not_its_own_cause(repo: Path) -> None:
    hook = repo / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n[ $1 != prepared ]\n")
    hook.chmod(0o755)
    here = Workspace.open(repo)
    with pytest.raises(GitFailed) as refused:
        refs.transaction(here.git, (RefUpdate("refs/heads/x", here.head, NO_OID),), "x")
    assert refused.value.__cause__ is not refused.value
