"""An archive that is killed, or made by two processes at once, loses no checkpoint, and the next one finishes it."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from pathlib import Path

import pytest

from devs_git.commands import archive, checkpoint, task_complete, task_start
from devs_git.domain.checkpoints.wanted_refs import NUMBERED
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.errors import DevsError
from devs_git.operations.archive import archive_checkpoints
from devs_git.operations.checkpoint import named_checkpoint
from devs_git.storage.ledger.archived import archives
from devs_git.storage.ledger.index import NAME
from devs_git.workspace import CLOCK, Workspace
from tests.operations.rewind.test_rewind_scope import folded_whole, outcome
from tests.support import killed_work, repository_copy
from tests.support.archive_twins import collect
from tests.support.clones import Clone

NOW = archive.Request("0s")


@pytest.fixture
def clone(initialised: Path) -> Clone:
    """Two completed tasks with two checkpoints each."""
    clone = Clone(initialised)
    for task in ("10", "11"):
        clone.call("task start", task_start.Request(task))
        (clone.top / "a.txt").write_text(task)
        clone.call("checkpoint", checkpoint.Request("one", everything=True))
        (clone.top / "a.txt").write_text(f"{task} two")
        clone.call("task complete", task_complete.Request(message="two", everything=True))
    return clone


def numbered(clone: Clone) -> dict[str, str]:
    rows = clone.git("for-each-ref", "--format=%(refname) %(objectname)", NUMBERED).splitlines()
    return dict(row.split(" ") for row in rows if ARCHIVES not in row)


def kept(clone: Clone) -> dict[str, str]:
    """The numbered refs that are here, or in an archive without faults."""
    git = clone.opened.store_git
    sound = [oid for oid in archives.oids(git) if not archives.examine(git, oid).faults]
    found = {ref: tag for ref, tag in archives.entries(git, sound) if ref.startswith(NUMBERED)}
    return found | numbered(clone)


@pytest.mark.quick
def test_a_killed_archive_loses_no_checkpoint_and_the_next_one_finishes_it(
    clone: Clone, tmp_path: Path
) -> None:
    before, at, killed = numbered(clone), 0, True
    assert len(before) == 4
    while killed:
        copy = Clone(tmp_path / f"copy-{at}")
        repository_copy.folder(clone.top, copy.top)
        killed = killed_work.run(partial(archive.run, copy.opened, NOW), at)
        collect(copy.top)
        assert kept(copy) == before, at
        copy.call("archive", NOW)
        collect(copy.top)
        assert (numbered(copy), kept(copy)) == ({}, before), at
        assert copy.trouble() == [], at
        at += 5
    assert at > 10


def test_an_archive_that_another_process_has_just_written_is_a_conflict(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, opened = numbered(clone), clone.opened
    plan = archive_checkpoints.make_plan(opened, opened.now(), with_tags=False)
    monkeypatch.setenv(CLOCK, "2030-01-01T00:00:00Z")
    made = archives.write(
        opened.store_git, opened.objects, plan.new, (opened.signature(), "archive: 4 refs of old tasks")
    )
    clone.git("update-ref", f"{ARCHIVES}/{made}", made)
    with pytest.raises(DevsError) as refused:
        archive_checkpoints.carry_out(opened, plan)
    assert refused.value.code == "CONFLICT"
    assert kept(clone) == before
    monkeypatch.delenv(CLOCK)
    clone.call("archive", NOW)
    assert (numbered(clone), kept(clone)) == ({}, before)


def test_two_archives_at_once_lose_no_checkpoint(clone: Clone) -> None:
    before = numbered(clone)
    child = os.fork()
    if not child:
        try:
            archive.run(Workspace.open(clone.top), NOW)
        finally:
            os._exit(0)
    with contextlib.suppress(DevsError):
        archive.run(clone.opened, NOW)
    os.waitpid(child, 0)
    assert kept(clone) == before
    clone.call("archive", NOW)
    collect(clone.top)
    assert (numbered(clone), kept(clone)) == ({}, before)


@pytest.mark.quick
def test_nothing_is_archived_while_a_gate_is_open(clone: Clone) -> None:
    clone.ask()
    with pytest.raises(DevsError) as refused:
        clone.call("archive", NOW)
    assert refused.value.code == "GATE_BLOCKED"
    assert len(numbered(clone)) == 4


def test_an_amend_moves_a_checkpoint_that_only_an_archive_has(clone: Clone) -> None:
    clone.call("archive", archive.Request("0s", tags=True))
    collect(clone.top)
    clone.git("commit", "-q", "--amend", "-m", "amended")
    assert clone.git("rev-parse", "devs/task-11^{commit}") == clone.git("rev-parse", "HEAD")
    assert list(numbered(clone)) == ["refs/devs/checkpoints/task-11/3"]


@pytest.mark.parametrize("target", ["task-10", "task-10@1", "task-11^"])
def test_with_an_index_what_passes_archived_checkpoints_does_not_read_the_whole_ledger(
    clone: Clone, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = outcome(clone.opened, target)
    clone.call("archive", archive.Request("0s", tags=True))
    collect(clone.top)
    (clone.opened.ledger.common / NAME).touch()
    folded = folded_whole(monkeypatch)
    found = outcome(clone.opened, target)
    assert (found["id"], found["effect"]) == (whole["id"], whole["effect"])
    opened = clone.opened
    assert named_checkpoint.confirm(opened.store_git, opened.ledger.tip(), target.rstrip("^")).tag
    assert folded == []
