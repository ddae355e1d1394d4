"""Moments go by whole days, with the refs of their commits, in one transaction."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import Occasion
from devs_git.storage.git import refs
from devs_git.storage.moments import last_moment, make_moment, moment_store, prune_moments, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.support.moment_scene import maker, prune

pytestmark = pytest.mark.quick


@pytest.fixture
def here(repo: Path) -> Workspace:
    return Workspace.open(repo)


def moment_at(workspace: Workspace, time: str, text: str = "") -> str:
    """A moment of a changed file at a time such as `2026-11-01T10:00`."""
    (workspace.top / "new.txt").write_text(text or time)
    then = datetime.fromisoformat(time).replace(tzinfo=UTC)
    return make_moment.make(replace(maker(workspace), clock=lambda: then), Occasion("prompt")).moment_id


def listed(workspace: Workspace) -> list[str]:
    return [one.created_at[:16] for one in read_moments.list_moments(workspace.store_git, workspace.objects)]


def test_days_are_counted_without_reading_their_moments(here: Workspace) -> None:
    for time in ("2026-11-02T09:00", "2026-11-01T10:00", "2026-11-01T10:01", "2026-11-01T23:59"):
        moment_at(here, time)
    found = prune_moments.days(here.store_git)
    assert [(day.worktree, day.day, day.moments) for day in found] == [
        (".", "2026-11-01", 3),
        (".", "2026-11-02", 1),
    ]


def test_a_day_goes_with_the_refs_of_its_commits_and_the_others_stay(here: Workspace, git: Run) -> None:
    moment_at(here, "2026-11-01T10:00")
    git("commit", "-q", "--allow-empty", "-m", "between")
    newest = moment_at(here, "2026-11-02T10:00")
    old, *_ = prune_moments.days(here.store_git)
    assert prune(here.store_git, [old]) == 1
    assert listed(here) == ["2026-11-02T10:00"]
    assert read_moments.load(here.objects, newest)
    assert [ref for day in prune_moments.days(here.store_git) for ref, _ in day.refs if "11-01" in ref] == []


def test_a_linked_worktree_has_days_of_its_own(here: Workspace, git: Run, tmp_path: Path) -> None:
    git("worktree", "add", "-q", str(tmp_path / "beside"))
    beside = Workspace.open(tmp_path / "beside")
    moment_at(here, "2026-11-01T10:00")
    moment_at(beside, "2026-11-01T10:00")
    going = [day for day in prune_moments.days(here.store_git) if day.worktree == "beside"]
    assert [day.moments for day in going] == [1]
    assert prune(here.store_git, going) == 1
    assert [day.worktree for day in prune_moments.days(here.store_git)] == ["."]


def test_a_moment_that_was_made_meanwhile_stops_the_whole_deletion(here: Workspace) -> None:
    moment_at(here, "2026-11-01T10:00")
    moment_at(here, "2026-11-02T10:00")
    planned = prune_moments.days(here.store_git)
    moment_at(here, "2026-11-02T11:00")
    with pytest.raises(refs.RefMoved):
        prune(here.store_git, planned)
    assert len(listed(here)) == 3


def test_after_the_newest_moment_is_gone_the_same_state_makes_one_again(here: Workspace) -> None:
    moment_at(here, "2026-11-01T10:00", "same")
    assert last_moment.read(here.places).id
    prune(here.store_git, prune_moments.days(here.store_git))
    assert not last_moment.read(here.places).id
    again = moment_at(here, "2026-11-20T10:00", "same")
    assert read_moments.load(here.objects, again)
    assert listed(here) == ["2026-11-20T10:00"]


def test_the_note_of_the_newest_moment_stays_if_older_ones_go(here: Workspace) -> None:
    moment_at(here, "2026-11-01T10:00")
    newest = moment_at(here, "2026-11-02T10:00")
    prune(here.store_git, prune_moments.days(here.store_git)[:1])
    assert last_moment.read(here.places).id == newest


def test_a_day_whose_tree_is_gone_can_be_deleted(here: Workspace, git: Run) -> None:
    moment_at(here, "2026-11-01T10:00")
    (day,) = prune_moments.days(here.store_git)
    oid = dict(day.refs)["refs/devs/moments/states/main/2026-11-01"]
    (moment_store.folder(here.places.common) / "objects" / oid[:2] / oid[2:]).unlink()
    (broken,) = prune_moments.days(here.store_git)
    assert broken.moments == 0
    prune(here.store_git, [broken])
    assert git("for-each-ref", "refs/devs/moments") == ""
