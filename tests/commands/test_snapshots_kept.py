"""Snapshots are listed, looked into, and pruned only when they are old and still what they were."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import snapshot_create, snapshot_list, snapshot_open, snapshot_prune
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.conftest import Moulded

Make = Callable[..., str]
NOW = "2026-03-01T12:00:00+00:00"


@pytest.fixture
def three(request: pytest.FixtureRequest, moulded: Moulded, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Snapshots of 40, 31 and 1 days ago; the clock stands at 1 March 2026."""
    top = moulded("three snapshots", lambda: request.getfixturevalue("_three"))
    monkeypatch.setenv("DEVS_GIT_CLOCK", NOW)
    return Workspace.open(top)


@pytest.fixture
def _three(ledgered: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in ("2026-01-20", "2026-01-29", "2026-02-28"):
        monkeypatch.setenv("DEVS_GIT_CLOCK", f"{day}T12:00:00+00:00")
        (ledgered.top / "new").write_text(day)
        snapshot_create.run(Workspace.open(ledgered.top), snapshot_create.Request(f"on {day}"))


def names(workspace: Workspace) -> list[str]:
    return [one.name for one in snapshot_list.run(workspace, snapshot_list.Request()).snapshots]


@pytest.mark.quick
def test_list_is_newest_first_and_says_when_and_what(three: Workspace, git: Make) -> None:
    newest = snapshot_list.run(three, snapshot_list.Request()).snapshots[0]
    assert names(three) == [
        "snapshot/edit-2026-02-28-1200",
        "snapshot/edit-2026-01-29-1200",
        "snapshot/edit-2026-01-20-1200",
    ]
    assert (newest.created_at, newest.message) == ("2026-02-28T12:00:00.000Z", "on 2026-02-28")
    assert (newest.commit, newest.parent) == (git("rev-parse", newest.name), git("rev-parse", "HEAD"))


def test_open_makes_a_detached_worktree_once_and_disturbs_nothing(
    three: Workspace, git: Make, repo: Path
) -> None:
    before = git("status", "--porcelain"), git("rev-parse", "HEAD")
    opened = snapshot_open.run(three, snapshot_open.Request("edit-2026-01-20-1200"))
    assert (Path(opened.path) / "new").read_text() == "2026-01-20"
    assert git("rev-parse", "--abbrev-ref", "HEAD", where=Path(opened.path)) == "HEAD"
    assert (git("status", "--porcelain"), git("rev-parse", "HEAD")) == before
    assert next(three.ledger.events()).type == "snapshot.opened"
    again = snapshot_open.run(three, snapshot_open.Request("snapshot/edit-2026-01-20-1200"))
    assert (again.path, again.opened, opened.opened) == (opened.path, False, True)
    at = repo.parent / "look here"
    there = snapshot_open.run(three, snapshot_open.Request("edit-2026-01-20-1200", str(at)))
    assert (there.path, (at / "new").read_text()) == (str(at), "2026-01-20")


def test_open_refuses_a_folder_that_is_taken_and_a_name_that_is_not_there(
    three: Workspace, repo: Path
) -> None:
    taken = repo.parent / "taken"
    taken.mkdir()
    (taken / "x").write_text("mine")
    for request, code in (
        (snapshot_open.Request("edit-2026-01-20-1200", str(taken)), "CONFLICT"),
        (snapshot_open.Request("nothing"), "SNAPSHOT_NOT_FOUND"),
    ):
        with pytest.raises(DevsError) as caught:
            snapshot_open.run(three, request)
        assert caught.value.code == code
        assert str(repo.parent) not in caught.value.message
    assert (taken / "x").read_text() == "mine"


def test_prune_deletes_old_ones_in_one_event_and_a_dry_run_none(three: Workspace, git: Make) -> None:
    before = git("for-each-ref")
    plan = snapshot_prune.run(three, snapshot_prune.Request("30d", dry_run=True))
    assert [one.name for one in plan.snapshots] == [
        "snapshot/edit-2026-01-29-1200",
        "snapshot/edit-2026-01-20-1200",
    ]
    assert git("for-each-ref") == before
    done = snapshot_prune.run(three, snapshot_prune.Request("30d", plan_id=plan.plan_id))
    assert done.snapshots == plan.snapshots
    assert names(three) == ["snapshot/edit-2026-02-28-1200"]
    event = next(three.ledger.events())
    assert (event.oid, event.type, event.get("Devs-Tier")) == (done.event, "snapshot.pruned", "3")
    assert event.all("Devs-Pruned") == tuple(f"{one.name} {one.commit}" for one in plan.snapshots)
    again = snapshot_prune.run(three, snapshot_prune.Request("30d"))
    assert (again.snapshots, again.event, again.dry_run) == ((), "", False)


@pytest.mark.quick
def test_prune_applies_only_the_plan_that_was_shown(three: Workspace, git: Make) -> None:
    plan = snapshot_prune.run(three, snapshot_prune.Request("30d", dry_run=True))
    git("branch", "-qD", "snapshot/edit-2026-01-20-1200")
    with pytest.raises(DevsError) as caught:
        snapshot_prune.run(three, snapshot_prune.Request("30d", plan_id=plan.plan_id))
    assert caught.value.code == "PLAN_STALE"


@pytest.mark.quick
def test_prune_leaves_what_was_worked_on_is_checked_out_or_is_not_ours(
    three: Workspace, git: Make, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "new").unlink()
    git("checkout", "-q", "snapshot/edit-2026-01-20-1200")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-30T00:00:00Z")
    mine = git("commit-tree", "HEAD^{tree}", "-p", "snapshot/edit-2026-01-29-1200", "-m", "mine")
    git("branch", "-f", "snapshot/edit-2026-01-29-1200", mine)
    git("branch", "snapshot/by-hand", mine)
    done = snapshot_prune.run(three, snapshot_prune.Request("0s"))
    assert [one.name for one in done.snapshots] == ["snapshot/edit-2026-02-28-1200"]
    assert {one.name: one.reason for one in done.kept} == {
        "snapshot/by-hand": "it has moved, or was not made by 'snapshot create'",
        "snapshot/edit-2026-01-29-1200": "it has moved, or was not made by 'snapshot create'",
        "snapshot/edit-2026-01-20-1200": "it is checked out",
    }
    assert len(names(three)) == 3


def test_in_a_pipe_prune_needs_yes(three: Workspace, repo: Path) -> None:
    call = [sys.executable, "-m", "devs_git", "snapshot", "prune", "--older-than", "30d", "--json"]
    refused = subprocess.run(call, cwd=repo, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    assert (refused.returncode, json.loads(refused.stdout)["field"]) == (3, "yes")
    assert len(names(three)) == 3
    done = subprocess.run(
        [*call, "--yes"], cwd=repo, capture_output=True, check=True, stdin=subprocess.DEVNULL
    )
    assert len(json.loads(done.stdout)["snapshots"]) == 2


def test_a_span_that_is_none_is_refused() -> None:
    with pytest.raises(DevsError, match="not a span"):
        snapshot_prune.Request("soon")
