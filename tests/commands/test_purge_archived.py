"""`purge` where an archive has the secret: it deletes nothing until the checkpoints have refs of their own again."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import archive, purge, verify
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.archiving import archive_all, entries, numbered
from tests.support.clones import Pair, refs_of
from tests.support.planted_secret import PATH, SECRET, TEXT, gc, places, run_purge
from tests.support.refusals import refusal
from tests.support.scene import Scene


@pytest.fixture
def planted(initialised: Path) -> Path:
    """task-2 has the secret, and no branch has its commit any more. task-1 has it not."""
    scene = Scene(Workspace.open(initialised))
    scene.task("1", {"a.txt": "one\n"})
    scene.task("2", {"secret.env": SECRET})
    scene.git("-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", "HEAD~1")
    return initialised


@pytest.mark.quick(1)
@pytest.mark.parametrize("request_", [PATH, TEXT], ids=["path", "text"])
def test_an_archive_with_the_secret_is_not_dropped_whole(planted: Path, request_: purge.Request) -> None:
    made = archive_all(planted)
    before = entries(planted)
    assert before
    for dry_run in (True, False):
        error = refusal(partial(run_purge, planted, request_, dry_run=dry_run))
        assert (error.code, "devs-git archive --undo" in error.hint) == ("CONFLICT", True)
    assert entries(planted) == before
    router.call("archive", Workspace.open(planted), archive.Request(undo=True))
    result = run_purge(planted, request_)
    assert "checkpoint" in {one.kind for one in result.dropped}
    gc(planted)
    assert places(planted) == set()
    assert f"{ARCHIVES}/{made}" not in [one.ref for one in result.dropped]
    assert "refs/devs/checkpoints/task-1/1" in numbered(planted)
    found = verify.run(Workspace.open(planted), verify.Request(("repository",))).findings
    assert [one.code for one in found if one.severity == "error"] == []


def test_purge_from_an_event_does_not_take_an_archived_checkpoint_for_a_lost_one(planted: Path) -> None:
    archive_all(planted)
    shutil.rmtree(planted / ".git/devs/newest")
    gc(planted)
    point = next(iter(Workspace.open(planted).ledger.tip().history.checkpoints.values()))
    assert point.tag in entries(planted).values()
    request = purge.Request(event=point.event)
    error = refusal(partial(router.call, "purge", Workspace.open(planted), request))
    assert (error.code, "devs-git archive --undo" in error.hint) == ("CONFLICT", True)
    assert point.tag in entries(planted).values()


def test_a_clone_that_has_the_archive_does_not_bring_a_purged_checkpoint_back(pair: Pair) -> None:
    ann, bob = pair.ann, pair.bob
    scene = Scene(ann.opened)
    scene.task("1", {"a.txt": "one\n"})
    ann.git("push", "-q", "origin", "main")
    scene.task("2", {"secret.env": SECRET})
    ann.git("-c", "core.hooksPath=/dev/null", "reset", "-q", "--hard", "HEAD~1")
    archive_all(ann.top)
    ann.sync()
    bob.sync()
    ann.call("archive", archive.Request(undo=True))
    ann.call("purge", purge.Request("secret.env", folder=str(ann.top)))
    ann.sync()
    bob.sync()
    ann.sync()
    gc(ann.top)
    assert places(ann.top) == set()
    shared = [ref for ref in refs_of(pair.origin) if "task-2" in ref or ref.startswith(ARCHIVES)]
    assert shared == []
    assert "refs/devs/checkpoints/task-1/1" in refs_of(pair.origin)
