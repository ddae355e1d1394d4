"""`du` says what of devs-git takes how much, and what of it is old."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.commands import du, rewind
from devs_git.domain.moments.moment import Occasion
from devs_git.storage.moments import make_moment
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run, Tasks
from tests.support.moment_scene import maker
from tests.support.own_calls import devs_git
from tests.support.scene import Scene

pytestmark = pytest.mark.quick


@pytest.fixture
def two(tasks: Tasks) -> Scene:
    """Tasks 1 and 2 are completed."""
    return tasks({"1": {"a.txt": "one\n"}, "2": {"a.txt": "two\n"}})


def moment_at(workspace: Workspace, time: str) -> None:
    then = datetime.fromisoformat(time).replace(tzinfo=UTC)
    make_moment.make(replace(maker(workspace), clock=lambda: then), Occasion("prompt"))


def noise(seed: int, size: int) -> bytes:
    """Bytes that zlib cannot make smaller."""
    import random

    return random.Random(seed).randbytes(size)


def measured(workspace: Workspace) -> dict[str, du.Kind]:
    return {kind.kind: kind for kind in du.run(workspace, du.Request()).kinds}


def test_the_bytes_of_moments_are_those_of_their_store(two: Scene) -> None:
    here = two.workspace
    (two.top / "both.bin").write_bytes(noise(1, 300_000))
    two.git("add", "both.bin")
    two.git("commit", "-qm", "both")
    moment_at(here, "2026-11-01T10:00")
    (two.top / "both.bin").write_bytes(b"replaced\n")
    (two.top / "alone.bin").write_bytes(noise(2, 200_000))
    moment_at(here, "2026-11-01T11:00")
    moments = measured(here)["moments"]
    assert moments.count == 2
    assert 200_000 < moments.bytes < 300_000


def test_each_kind_is_counted_and_says_how_long_it_is_kept(two: Scene) -> None:
    moment_at(two.workspace, "2001-01-01T10:00")
    rewind.run(Workspace.open(two.top), rewind.Request("1"))
    result = du.run(Workspace.open(two.top), du.Request())
    kinds = {kind.kind: kind for kind in result.kinds}
    assert {
        name: kind.count for name, kind in kinds.items() if name in ("moments", "backups", "preserved")
    } == {
        "moments": 1,
        "backups": 1,
        "preserved": 1,
    }
    assert (kinds["moments"].keep, kinds["moments"].old) == (14 * 86400, 1)
    assert (kinds["backups"].keep, kinds["backups"].old) == (30 * 86400, 0)
    assert kinds["ledger"].keep == -1
    assert kinds["ledger"].bytes > 0
    assert result.days == (du.DayOfMoments(".", "2001-01-01", 1),)
    assert result.bytes == sum(kind.bytes for kind in result.kinds)


def test_it_is_a_table_for_people_and_json_for_programs(two: Scene, git: Run) -> None:
    moment_at(two.workspace, "2001-01-01T10:00")
    before = git("for-each-ref")
    shown = call(two.top, "du")
    assert shown.splitlines()[0].split() == ["KIND", "COUNT", "ON", "DISK", "KEPT", "FOR", "WHAT"]
    assert "moments" in shown
    assert "14 days, 1 older" in shown
    assert "2001-01-01  .  1 moment" in shown
    assert "devs-git prune" in shown
    said = json.loads(call(two.top, "du", "--json"))
    assert said["days"] == [{"worktree": ".", "day": "2001-01-01", "moments": 1}]
    assert {row["kind"] for row in said["kinds"]} >= {
        "moments",
        "backups",
        "preserved",
        "catalog",
        "spool",
        "private files",
    }
    assert git("for-each-ref") == before


def test_what_a_remote_has_of_the_ledger_is_no_other_use_of_it(two: Scene, tmp_path: Path) -> None:
    before = measured(two.workspace)["ledger"].bytes
    two.git("init", "-q", "--bare", str(tmp_path / "origin.git"))
    two.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    two.git("push", "-q", "origin", "devs/ledger")
    assert two.git("for-each-ref", "refs/remotes") != ""
    assert measured(Workspace.open(two.top))["ledger"].bytes == before > 0


def test_objects_that_git_cannot_read_are_unknown_and_not_an_error(two: Scene) -> None:
    moment_at(two.workspace, "2001-01-01T10:00")
    rewind.run(Workspace.open(two.top), rewind.Request("1"))
    for oid in two.git("for-each-ref", "--format=%(objectname)", "refs/devs/backup").split():
        (two.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert measured(Workspace.open(two.top))["backups"].bytes == -1


def call(top: Path, *words: str) -> str:
    return devs_git(*words, where=top)
