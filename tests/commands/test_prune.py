"""`prune` deletes what is older than the policy keeps it, and nothing that an undo within its time needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devs_git.commands import prune, rewind, snapshot_create, undo
from devs_git.domain.ledger.events import Draft
from devs_git.domain.moments.moment import Occasion
from devs_git.errors import DevsError
from devs_git.storage.moments import make_moment, prune_moments, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Tasks
from tests.support.moment_scene import maker
from tests.support.scene import Scene, contents
from tests.support.terminal_person import at_terminal

NOW = "2026-11-23T12:00:00+00:00"
At = Callable[[str], Workspace]


@pytest.fixture
def two(tasks: Tasks) -> Scene:
    """Tasks 1 and 2 are completed."""
    return tasks({"1": {"a.txt": "one\n"}, "2": {"a.txt": "two\n"}})


@pytest.fixture
def at(two: Scene, monkeypatch: pytest.MonkeyPatch) -> At:
    """`at("2026-11-01")`: the workspace at noon of this day."""

    def move(day: str) -> Workspace:
        monkeypatch.setenv("DEVS_GIT_CLOCK", day if "T" in day else f"{day}T12:00:00+00:00")
        return Workspace.open(two.top)

    return move


def counts(result: prune.Result) -> dict[str, int]:
    return {kind.kind: kind.count for kind in result.kinds if kind.count}


def kept(result: prune.Result) -> dict[str, str]:
    return {one.name: one.reason for kind in result.kinds for one in kind.kept}


def run(workspace: Workspace, plan_id: str = "") -> prune.Result:
    return prune.run(workspace, prune.Request(plan_id=plan_id))


def plan(workspace: Workspace) -> prune.Result:
    return prune.run(workspace, prune.Request(dry_run=True))


def rewound(workspace: Workspace, branch_name: str | None = None) -> str:
    """Rewind to task 1; the id of the operation."""
    done = rewind.run(workspace, rewind.Request("1", branch_name=branch_name))
    assert isinstance(done, rewind.Result)
    return done.rewind_id


def moment(workspace: Workspace) -> None:
    """A moment of a changed file, at the time of the workspace."""
    (workspace.top / "new.txt").write_text(workspace.now())
    make_moment.make(replace(maker(workspace), clock=workspace.clock), Occasion("prompt"))


def policy(workspace: Workspace, retention: Mapping[str, str]) -> None:
    text = json.dumps({"genesis": "0" * 40, "retention": retention}).encode()
    event = workspace.event("policy.set", "policy: x", verb_name="init")
    workspace.append(lambda _tip: Draft(event, (("policy.yaml", text),)))


@pytest.mark.quick
def test_moments_older_than_fourteen_whole_days_go_and_all_others_stay(at: At) -> None:
    for day in ("2026-10-01", "2026-11-08", "2026-11-09", "2026-11-23"):
        moment(at(day))
    done = run(at("2026-11-23"))
    assert counts(done) == {"moments": 2}
    left = prune_moments.days(at("2026-11-23").store_git)
    assert [day.day for day in left] == ["2026-11-09", "2026-11-23"]


def test_the_policy_says_how_long_moments_stay_and_today_always_stays(two: Scene, at: At) -> None:
    for day in ("2026-11-21", "2026-11-22", "2026-11-23"):
        moment(at(day))
    policy(two.workspace, {"moments": "1d"})
    assert counts(plan(at("2026-11-23"))) == {"moments": 1}
    policy(two.workspace, {"moments": "0d"})
    assert counts(run(at("2026-11-23"))) == {"moments": 2}
    assert [day.day for day in prune_moments.days(two.workspace.store_git)] == ["2026-11-23"]


@pytest.mark.quick
def test_the_moment_of_a_snapshot_stays_as_long_as_the_snapshot(two: Scene, at: At) -> None:
    moment(at("2026-10-01T08:00:00+00:00"))
    (two.top / "new.txt").write_text("saved")
    made = snapshot_create.run(at("2026-10-01"), snapshot_create.Request("on the first"))
    moment(at("2026-10-02"))
    shown = plan(at(NOW))
    assert counts(shown) == {"moments": 2}
    assert kept(shown) == {". 2026-10-01": f"{made.branch} needs a moment of it"}
    assert counts(run(at(NOW), shown.plan_id)) == {"moments": 2}
    here = at(NOW)
    assert [one.id for one in read_moments.list_moments(here.store_git, here.objects)] == [made.moment]
    two.git("reflog", "expire", "--expire=now", "--all")
    two.git("gc", "-q", "--prune=now")
    state, _ = read_moments.load(here.objects, made.moment)
    two.git("rev-list", "--objects", made.moment, state.head)
    assert counts(run(at(NOW))) == {}
    two.git("branch", "-qD", made.branch)
    assert counts(run(at(NOW))) == {"moments": 1}


@pytest.mark.quick
def test_a_dry_run_changes_nothing_and_its_plan_is_carried_out(two: Scene, at: At) -> None:
    moment(at("2026-10-01"))
    here = at(NOW)
    before = two.git("for-each-ref")
    shown = plan(here)
    assert (shown.dry_run, shown.event, counts(shown)) == (True, "", {"moments": 1})
    assert two.git("for-each-ref") == before
    done = run(here, shown.plan_id)
    event = next(here.ledger.events())
    assert (event.oid, event.type, event.get("Devs-Tier")) == (done.event, "pruned", "3")
    assert event.all("Devs-Pruned") == ("1 moment",)
    assert event.all("Devs-Dropped") == ()


@pytest.mark.quick
def test_another_plan_than_the_one_that_was_shown_is_refused(at: At) -> None:
    moment(at("2026-10-01"))
    shown = plan(at(NOW))
    moment(at("2026-10-02"))
    with pytest.raises(DevsError) as caught:
        run(at(NOW), shown.plan_id)
    assert caught.value.code == "PLAN_STALE"


def test_where_nothing_is_old_nothing_is_written(two: Scene, at: At) -> None:
    moment(at("2026-11-22"))
    before = two.git("for-each-ref")
    done = run(at(NOW))
    assert (counts(done), done.event, two.git("for-each-ref")) == ({}, "", before)


@pytest.mark.quick
def test_an_old_backup_goes_and_its_undo_says_so(two: Scene, at: At) -> None:
    rewound(at("2026-01-01"))
    done = run(at(NOW))
    assert counts(done) == {"backups": 1, "preserved": 1}
    assert two.git("for-each-ref", "refs/devs/backup", "refs/heads/devs/preserved") == ""
    dropped = next(at(NOW).ledger.events()).all("Devs-Dropped")
    assert sorted(line.split("/")[1] for line in dropped) == ["devs", "heads"]
    with pytest.raises(DevsError) as caught:
        undo.run(at(NOW), undo.Request())
    assert (caught.value.code, "pruned" in caught.value.message) == ("NOTHING_TO_UNDO", True)


@pytest.mark.quick
def test_what_an_undo_within_its_time_needs_stays(two: Scene, at: At) -> None:
    before = contents(two.top)
    rewound(at("2026-01-01"))
    undo.run(at("2026-01-02"), undo.Request())
    rewound(at("2026-11-01"))
    # The branch of the first rewind went with its undo.
    assert counts(run(at(NOW))) == {"backups": 2}
    two.git("reflog", "expire", "--expire=now", "--all")
    two.git("gc", "-q", "--prune=now")
    undo.run(at(NOW), undo.Request())
    assert contents(two.top) == before


def test_a_backup_with_an_older_time_stays_if_a_younger_undo_goes_back_over_it(at: At) -> None:
    first = rewound(at("2026-11-01"))
    second = undo.run(at("2026-01-01"), undo.Request())  # the clock was set back
    done = run(at(NOW))
    assert counts(done) == {}
    assert kept(done) == {second.undo_id: "the undo of a newer operation needs it"}
    undo.run(at(NOW), undo.Request(op_id=first))


def test_the_backup_that_knows_a_branch_of_a_rewind_stays_with_the_branch(two: Scene, at: At) -> None:
    done = rewound(at("2026-01-01"), "mine")
    found = run(at(NOW))
    assert kept(found) == {done: "the branch mine is as the operation left it"}
    two.git("branch", "-qD", "mine")
    assert counts(run(at(NOW))) == {"backups": 1}


def test_the_backup_of_an_interrupted_operation_stays(two: Scene, at: At) -> None:
    done = rewound(at("2026-01-01"))
    journal = two.top / ".git/devs/journal"
    journal.mkdir(exist_ok=True)
    (journal / f"{done}.json").write_text("{}")
    assert kept(plan(at(NOW))) == {done: "its operation was interrupted"}


def test_a_preserved_branch_that_moved_or_is_checked_out_stays(two: Scene, at: At, tmp_path: Path) -> None:
    moved = rewound(at("2026-01-01"))
    two.git("branch", "-f", f"devs/preserved/{moved}", "HEAD~1")
    undo.run(at("2026-01-01"), undo.Request())
    open_ = rewound(at("2026-01-02"))
    two.git("worktree", "add", "-q", str(tmp_path / "look"), f"devs/preserved/{open_}")
    undo.run(at("2026-01-02"), undo.Request())
    gone = rewound(at("2026-01-03"))
    done = run(at(NOW))
    assert kept(done) == {moved: "it has moved since a rewind left it", open_: "it is checked out"}
    left = two.git("branch", "--list", "devs/preserved/*", "--format=%(refname)")
    assert gone not in left
    assert moved in left


def test_payloads_that_could_not_be_read_go_after_their_time(two: Scene, at: At) -> None:
    rejected = two.top / ".git/devs/spool/rejected"
    rejected.mkdir(parents=True)
    for name, age in (("old.claude.PostToolUse", 40), ("new.claude.PostToolUse", 1)):
        (rejected / name).write_text("{")
        then = datetime.fromisoformat(NOW).astimezone(UTC).timestamp() - age * 86400
        os.utime(rejected / name, (then, then))
    assert counts(run(at(NOW))) == {"spool": 1}
    assert [path.name for path in rejected.iterdir()] == ["new.claude.PostToolUse"]


def test_a_thousand_refs_go_in_one_transaction(two: Scene, at: At) -> None:
    here = at(NOW)
    commit = two.git("commit-tree", "-m", "x", "HEAD^{tree}").strip()
    old = subprocess.run(
        ["git", "commit-tree", "-m", "x", "HEAD^{tree}"],
        cwd=two.top, env={**os.environ, "GIT_COMMITTER_DATE": "@1700000000 +0000"},
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    lines = [f"create refs/devs/backup/20260101T000000-{number:08x} {old}\n" for number in range(1000)]
    subprocess.run(["git", "update-ref", "--stdin"], cwd=two.top, input="".join(lines), text=True, check=True)
    two.git("update-ref", "refs/devs/backup/20261101T000000-00000000", commit)
    watched = two.top / ".git/hooks/reference-transaction"
    watched.write_text('#!/bin/sh\n[ "$1" != committed ] || { cat; echo end; } >>"$GIT_DIR/seen"\n')
    watched.chmod(0o755)
    began = time.monotonic()
    assert counts(run(here)) == {"backups": 1000}
    assert time.monotonic() - began < 10
    seen = (two.top / ".git/seen").read_text()
    ours = [block for block in seen.split("end\n") if "refs/devs/backup" in block]
    assert [block.count("refs/devs/backup/") for block in ours] in ([1000], [1000, 1000])
    assert "refs/heads/devs/ledger" in ours[-1]


@pytest.mark.quick
def test_without_a_terminal_it_needs_yes_and_at_a_terminal_it_asks(two: Scene, at: At) -> None:
    moment(at("2026-10-01"))
    at(NOW)
    child = [sys.executable, "-m", "devs_git", "prune"]
    refused = subprocess.run(
        child, cwd=two.top, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    assert (refused.returncode, "Add --yes." in refused.stderr) == (3, True)
    status, shown = at_terminal(two.top, "prune", typed="n\n")
    assert (status != 0, "Would delete 1 moment older than 14 days" in shown) == (True, True)
    status, shown = at_terminal(two.top, "prune", typed="y\n")
    assert (status, "Deleted 1 moment older than 14 days" in shown) == (0, True)
