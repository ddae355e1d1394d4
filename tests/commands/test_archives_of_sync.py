"""Which archives count for `sync`: a ref at the commit of its name, which an event names."""

from __future__ import annotations

import pytest

from devs_git.domain.checkpoints.archives import archive_ref, choose
from devs_git.domain.ledger.event_upkeep import CheckpointsUnarchived
from devs_git.domain.ledger.events import Draft
from devs_git.domain.ledger.ids import checkpoint_ref
from devs_git.operations.sync import archive_refs
from devs_git.storage.git import refs
from devs_git.storage.ledger.archived import archives
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.archiving import archive_all
from tests.support.git_calls import git

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


def test_for_sync_an_archive_of_the_remote_with_a_fault_takes_no_ref_away(tasks: Tasks) -> None:
    scene = tasks({"1": {"a.txt": "one\n"}})
    made = archive_all(scene.top)
    forged = git("commit-tree", "-m", "keeps no commit", f"{made}^{{tree}}", where=scene.top)
    workspace = Workspace.open(scene.top)
    for archive, stands in ((made, True), (forged, False)):
        history = replace(workspace.ledger.tip().history, archives={archive: "1" * 40})
        there = {archive_ref(archive): archive}
        new, stand_for = archive_refs.Archives(workspace, there).to_push(history, {})
        assert (new, bool(stand_for)) == ((), stands)


def test_for_sync_an_archive_of_the_remote_goes_after_its_checkpoints_have_refs_there(tasks: Tasks) -> None:
    scene = tasks({"1": {"a.txt": "one\n"}})
    made = archive_all(scene.top)
    workspace = Workspace.open(scene.top)
    event = workspace.event_of(CheckpointsUnarchived((made,)), "archive: forged", verb_name="archive")
    workspace.append(lambda _tip: Draft(event))
    history, there = workspace.ledger.tip().history, {archive_ref(made): made}
    numbered = dict([*archives.entries(workspace.store_git, [made])])
    for held, gone in ((there, []), (numbered | there, [archive_ref(made)])):
        steps = archive_refs.Archives(workspace, held).to_delete(history, (), frozenset())
        assert [step.ref for step in steps] == gone


def test_for_sync_a_ref_of_the_remote_stays_if_the_ledger_has_no_such_checkpoint(tasks: Tasks) -> None:
    scene = tasks({"1": {"a.txt": "one\n"}})
    made = archive_all(scene.top)
    workspace = Workspace.open(scene.top)
    numbered = dict([*archives.entries(workspace.store_git, [made])])
    strange = {checkpoint_ref("task-2", 1): next(iter(numbered.values()))}
    there = archive_refs.Archives(workspace, numbered | strange | {archive_ref(made): made})
    archived = frozenset((numbered | strange).items())
    steps = there.to_delete(workspace.ledger.tip().history, (), archived)
    assert {step.ref for step in steps} == numbered.keys()
