"""What `sync` does with an archive that is damaged, and what it tells of archives on the command line."""

from __future__ import annotations

import subprocess

import pytest
from click.testing import CliRunner

from devs_git.commands import sync
from devs_git.domain.checkpoints.archives import archive_ref
from devs_git.domain.ledger.event_upkeep import CheckpointsUnarchived
from devs_git.domain.ledger.events import Draft
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.main import cli
from devs_git.operations.sync.archive_refs import Archives
from devs_git.values import replace
from tests.support.archiving import archive_all
from tests.support.clones import Pair


@pytest.mark.quick
def test_an_archive_that_an_event_took_back_stays_if_it_cannot_give_all_checkpoints_back(pair: Pair) -> None:
    """A file of it is damaged, and the remote has no refs. With the archive, git would delete the commits."""
    ann = pair.ann
    ann.task("10")
    made = archive_all(ann.top)
    event = ann.opened.event_of(CheckpointsUnarchived((made,)), "archive: forged", verb_name="archive")
    ann.opened.append(lambda _tip: Draft(event))
    blob = ann.git("ls-tree", "-r", "--format=%(objectname)", made).split()[0]
    for pack in sorted((ann.top / ".git/objects/pack").glob("*.pack")):
        data = pack.read_bytes()
        for file in pack.parent.glob(f"{pack.stem}.*"):
            file.unlink()
        subprocess.run(["git", "unpack-objects", "-q"], cwd=ann.top, input=data, check=True)
    (ann.top / ".git/objects" / blob[:2] / blob[2:]).unlink()
    steps = Archives(ann.opened, {}).updates_here(ann.opened.ledger.tip().history)
    assert archive_ref(made) not in [step.ref for step in steps]


def test_sync_names_ten_deleted_refs_and_counts_the_others(pair: Pair) -> None:
    for task in range(10, 17):
        pair.ann.task(str(task))
    pair.ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    archive_all(pair.ann.top)
    said = CliRunner().invoke(cli, ["sync", "--repo", str(pair.ann.top), "--yes"]).output
    assert said.count("deleted in origin: refs/") == 10
    assert "deleted in origin: 4 more refs\n" in said


def test_the_line_of_progress_says_that_refs_are_deleted_and_how_many_of_them_are_gone(pair: Pair) -> None:
    pair.ann.task("10")
    pair.ann.git("push", "-q", "origin", "main")
    pair.ann.sync()
    archive_all(pair.ann.top)
    heard: list[str] = []
    workspace = replace(pair.ann.opened, progress=lambda step, _done, _total: heard.append(step))
    router.call("sync", workspace, sync.Request())
    assert "deleting refs at origin, 0 of 2" in heard


def test_sync_says_why_it_does_not_take_an_archive_over(pair: Pair) -> None:
    rogue = pair.ann.git("rev-parse", "HEAD")
    pair.ann.sync()
    pair.ann.git("update-ref", archive_ref(rogue), rogue)
    for words in (["sync"], ["sync", "--dry-run"]):
        said = CliRunner().invoke(cli, [*words, "--repo", str(pair.ann.top), "--yes"]).output
        assert "no event names this archive, or it has a fault (see: devs-git verify tags)" in said
        assert archive_ref(rogue) in said
