"""If a git is killed after it moved refs and before it deleted others, the ledger is right, and old tags still exist."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from devs_git.commands import rewind
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.entrypoints import router
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git, GitFailed
from devs_git.workspace import Workspace
from tests.support.scene import Scene

pytestmark = pytest.mark.quick

TAGS = "refs/tags/devs"
LEDGER = "refs/heads/devs/ledger"


def test_what_was_still_to_be_deleted_is_deleted(worked: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = refs.transaction
    killed: list[str] = []

    def half(git: Git, updates: Sequence[RefUpdate], message: str) -> None:
        if killed or not any(one.ref == LEDGER for one in updates):
            whole(git, updates, message)
            return
        killed.extend(one.ref for one in updates if one.new == NO_OID)
        whole(git, [one for one in updates if one.new != NO_OID], message)
        raise GitFailed(("update-ref",), -9, "")

    monkeypatch.setattr(refs, "transaction", half)
    router.call("rewind", Workspace.open(worked.top), rewind.Request("task-10", preserve="discard"))
    assert {f"{TAGS}/task-11", f"{TAGS}/task-12"} <= {*killed}
    assert set(refs.list_refs(worked.workspace.store_git, TAGS)) == {f"{TAGS}/task-10"}
