"""Which archives count for `sync`: a ref at the commit of its name, which an event names."""

from __future__ import annotations

import pytest

from devs_git.domain.checkpoints.archives import archive_ref, choose
from devs_git.operations.sync import archive_refs
from devs_git.storage.git import refs
from devs_git.storage.ledger.archived import archives
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Tasks

pytestmark = pytest.mark.quick


def test_for_sync_a_ref_that_is_not_at_the_commit_of_its_name_is_no_archive() -> None:
    one, other = "1" * 40, "2" * 40
    assert archive_refs.in_refs({archive_ref(one): other, archive_ref(other): other}) == [other]
    assert archive_refs.in_refs({archive_ref(one): other}) == []


def test_for_sync_an_archive_that_no_event_names_stands_for_nothing(tasks: Tasks) -> None:
    scene = tasks({"1": {"a.txt": "one\n"}})
    workspace = Workspace.open(scene.top)
    before = refs.list_refs(workspace.store_git, "refs/devs/checkpoints", "refs/tags/devs")
    history = workspace.ledger.tip().history
    wanted = choose(history, before, "9999", with_tags=True)
    made = archives.write(workspace.store_git, workspace.objects, wanted, (workspace.signature(), "x"))
    held = {archive_ref(made): made}
    assert archive_refs.Archives(workspace, held).archived_here(history, held) == frozenset()
    named = replace(history, archives={made: "1" * 40})
    assert archive_refs.Archives(workspace, held).archived_here(named, held) == {
        (e.ref, e.tag) for e in wanted
    }
