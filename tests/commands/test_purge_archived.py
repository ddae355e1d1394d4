"""`purge` where an archive has the secret: it deletes nothing until the checkpoints have refs of their own again."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import archive, purge, verify
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.archiving import FOLDER, archive_all, entries
from tests.support.planted_secret import PATH, TEXT, gc, places, plant, run_purge
from tests.support.refusals import refusal


@pytest.fixture
def planted(initialised: Path, tmp_path: Path) -> Path:
    return plant(initialised, tmp_path)


@pytest.mark.quick(1)
@pytest.mark.parametrize("request_", [PATH, TEXT], ids=["path", "text"])
def test_an_archive_with_the_secret_is_not_dropped_whole(planted: Path, request_: purge.Request) -> None:
    made = archive_all(planted)
    before = entries(planted)
    assert before
    for dry_run in (True, False):
        error = refusal("CONFLICT", lambda dry=dry_run: run_purge(planted, request_, dry_run=dry))
        assert "devs-git archive --undo" in error.hint
    assert entries(planted) == before
    router.call("archive", Workspace.open(planted), archive.Request(undo=True))
    result = run_purge(planted, request_)
    assert "checkpoint" in {one.kind for one in result.dropped}
    gc(planted)
    assert places(planted) == set()
    assert f"{FOLDER}/{made}" not in [one.ref for one in result.dropped]
    found = verify.run(Workspace.open(planted), verify.Request(("repository",))).findings
    assert [one.code for one in found if one.severity == "error"] == []


def test_purge_from_an_event_does_not_take_an_archived_checkpoint_for_a_lost_one(planted: Path) -> None:
    archive_all(planted)
    points = Workspace.open(planted).ledger.tip().history.checkpoints
    event = next(points[tag].event for tag in entries(planted).values() if not points[tag].gone)
    error = refusal("CONFLICT", lambda: run_purge(planted, purge.Request(event=event), event=event))
    assert "devs-git archive --undo" in error.hint
