"""The commits of work that go to a remote with checkpoints: a person may not expect that a sync publishes code."""

from __future__ import annotations

from collections.abc import Sequence

from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.storage.git.program import Git
from devs_git.storage.git.remotes.remote_repository import RemoteRefs


def count(git: Git, steps: Sequence[RefUpdate], there: RemoteRefs) -> int:
    """How many commits the new values of `steps` reach, and none of the remote's branches and refs as this clone has them."""
    new = [step.new for step in steps if step.new != NO_OID]
    has = [f"^{oid}" for oid in (*there.branches.values(), *there.devs.values())]
    if not new:
        return 0
    # The remote may have objects that this clone lacks: git leaves these names out.
    words = ("rev-list", "--count", "--ignore-missing", "--stdin")
    return int(git.run(*words, stdin="\n".join((*new, *has, "")).encode()))
