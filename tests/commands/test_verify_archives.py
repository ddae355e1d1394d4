"""`verify` and `doctor` where checkpoints are archived: an honest archive is no finding, and a loss is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.commands import archive, doctor, task_result, verify
from devs_git.commands.verify import Result
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.archiving import archive_all, collect, numbered
from tests.support.git_calls import git
from tests.support.scene import Scene


@pytest.fixture
def scene(tasks: Tasks) -> Scene:
    return tasks({"10": {"b.txt": "b\n"}, "11": {"b.txt": "c\n"}})


def check(top: Path, judged: str = "", parts: tuple[str, ...] = ("repository",), commits: str = "") -> Result:
    request = verify.Request(parts, judged=judged, range=commits)
    return verify.run(Workspace.open(top), request)


def found(top: Path, judged: str = "") -> list[tuple[str, str, str]]:
    """All errors, and what is said of refs."""
    rows = check(top, judged).findings
    return [
        (one.code, one.severity, one.ref)
        for one in rows
        if one.severity == "error" or one.ref.startswith("refs/")
    ]


def judged_part(top: Path, judged: str) -> tuple[bool, bool]:
    """Whether a check that takes events as judged is green, and whether it took them."""
    result = check(top, judged)
    return result.ok, bool(result.taken)


@pytest.mark.quick
@pytest.mark.parametrize("with_tags", [False, True])
def test_archived_checkpoints_are_no_finding_after_git_deleted_their_tag_objects(
    scene: Scene, with_tags: bool
) -> None:
    judged = check(scene.top).judged
    archive_all(scene.top, with_tags=with_tags)
    assert len(numbered(scene.top)) == (0 if with_tags else 2)
    assert found(scene.top) == []
    assert judged_part(scene.top, judged) == (True, True)
    now = check(scene.top).judged
    scene.task("12", {"b.txt": "d\n"})
    assert judged_part(scene.top, now) == (True, True)
    assert check(scene.top, commits="HEAD~1..HEAD").ok
    assert [one for one in doctor.run(Workspace.open(scene.top), doctor.Request()).findings
            if one.code.startswith(("TAG", "REF", "HISTORY", "LEDGER"))] == []  # fmt: skip


@pytest.mark.quick
def test_a_clone_of_plain_git_that_has_the_archive_finds_nothing(scene: Scene, tmp_path: Path) -> None:
    judged = check(scene.top).judged
    archive_all(scene.top)
    fresh = tmp_path / "fresh"
    git("clone", "-q", f"file://{scene.top}", str(fresh))
    pairs = (
        "refs/heads/devs/ledger:refs/heads/devs/ledger",
        "refs/devs/checkpoints/*:refs/devs/checkpoints/*",
    )
    git("fetch", "-q", "origin", *pairs, where=fresh)
    assert found(fresh) == []
    assert judged_part(fresh, judged) == (True, True)


def test_an_archive_that_is_missing_is_found_with_the_way_out(scene: Scene) -> None:
    made = archive_all(scene.top, with_tags=False)
    git("update-ref", "-d", f"{ARCHIVES}/{made}", where=scene.top)
    assert found(scene.top) == [
        ("TAG_MISSING", "error", f"{ARCHIVES}/{made}"),
        ("TAG_MISSING", "error", "refs/devs/checkpoints/task-10/1"),
        ("TAG_MISSING", "error", "refs/devs/checkpoints/task-11/1"),
    ]
    fixes = [one.hint for one in check(scene.top).findings]
    assert all("devs-git sync" in fix for fix in fixes[:3])
    assert "devs-git archive --undo" in fixes[0]
    router.call("archive", Workspace.open(scene.top), archive.Request(undo=True))
    assert [ref for _, _, ref in found(scene.top)] == [f"refs/devs/checkpoints/task-1{n}/1" for n in (0, 1)]


def test_an_archive_that_is_missing_is_found_by_a_check_that_takes_older_events(scene: Scene) -> None:
    judged = check(scene.top).judged
    made = archive_all(scene.top)
    git("update-ref", "-d", f"{ARCHIVES}/{made}", where=scene.top)
    assert ("TAG_MISSING", "error", f"{ARCHIVES}/{made}") in found(scene.top, judged)


def test_a_newer_event_of_a_task_is_judged_with_the_archive_of_an_older_one(scene: Scene) -> None:
    archive_all(scene.top)
    judged = check(scene.top).judged
    router.call("task result", Workspace.open(scene.top), task_result.Request("10", "Done."))
    assert judged_part(scene.top, judged) == (True, True)


def test_an_archive_whose_ref_was_moved_is_found(scene: Scene) -> None:
    made = archive_all(scene.top)
    git("update-ref", f"{ARCHIVES}/{made}", f"{made}^1", where=scene.top)
    codes = {(code, ref) for code, _, ref in found(scene.top)}
    assert ("TAG_MOVED", f"{ARCHIVES}/{made}") in codes
    assert ("TAG_MISSING", "refs/devs/checkpoints/task-10/1") in codes


def test_an_archive_that_no_event_names_is_found_and_stands_for_nothing(scene: Scene) -> None:
    made = archive_all(scene.top)
    other = git("commit-tree", "-p", made, "-m", "other", f"{made}^{{tree}}", where=scene.top)
    git("update-ref", f"{ARCHIVES}/{other}", other, where=scene.top)
    assert found(scene.top) == [("TAG_MOVED", "error", f"{ARCHIVES}/{other}")]


def test_an_archive_that_an_event_took_back_may_still_be_here(scene: Scene) -> None:
    judged = check(scene.top).judged
    made = archive_all(scene.top)
    router.call("archive", Workspace.open(scene.top), archive.Request(undo=True))
    git("update-ref", f"{ARCHIVES}/{made}", made, where=scene.top)
    collect(scene.top)
    assert len(numbered(scene.top)) == 4
    assert found(scene.top) == []
    assert judged_part(scene.top, judged) == (True, True)
