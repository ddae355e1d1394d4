"""What `sync` does with an archive that was taken back, if a part of it is damaged."""

from __future__ import annotations

import subprocess

import pytest

from devs_git.domain.checkpoints.archives import archive_ref
from devs_git.domain.ledger.event_upkeep import CheckpointsUnarchived
from devs_git.domain.ledger.events import Draft
from devs_git.operations.sync.archive_refs import Archives
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
