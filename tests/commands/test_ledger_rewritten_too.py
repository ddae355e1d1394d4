"""`git filter-repo` without `--refs`, with seconds between commits: commits keep the oids of old events, so these come back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from devs_git.commands import doctor, history_rewritten, rewind, undo, verify
from devs_git.entrypoints import router
from devs_git.storage.git import refs
from devs_git.workspace import Workspace
from tests.support.filter_repo import MAP, filter_repo
from tests.support.scene import Scene

PURGED = ("--invert-paths", "--path", "secret.env")
LEDGER = "refs/heads/devs/ledger"


@pytest.fixture
def scene(initialised: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Three tasks, of which the second brought the secret, a rewind and an undo; the newest event is the newest commit."""
    made = Scene(Workspace.open(initialised))
    steps: tuple[Callable[[], object], ...] = (
        lambda: made.task("1", {"a.txt": "one\n"}),
        lambda: made.task("2", {"a.txt": "two\n", "secret.env": "TOKEN=hunter2-and-more\n"}),
        lambda: made.task("3", {"a.txt": "three\n"}),
        lambda: router.call("rewind", Workspace.open(made.top), rewind.Request("task-2")),
        lambda: router.call("undo", Workspace.open(made.top), undo.Request()),
    )
    start = datetime.now(UTC) - timedelta(minutes=1)
    for number, step in enumerate(steps):
        now = (start + timedelta(seconds=5 * number)).isoformat(timespec="seconds")
        for name in ("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            monkeypatch.setenv(name, now)
        step()
    for name in ("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name)
    return made


def follow(scene: Scene, *, dry_run: bool = False) -> history_rewritten.Result:
    request = history_rewritten.Request(MAP, str(scene.top), dry_run)
    result: history_rewritten.Result = router.call("history-rewritten", Workspace.open(scene.top), request)
    return result


def forget_second_names(scene: Scene) -> None:
    """As in a large ledger, of which devs-git keeps no second names of old events."""
    for path in (scene.top / ".git/devs/newest").iterdir():
        path.unlink()


def errors(scene: Scene) -> list[str]:
    opened = Workspace.open(scene.top)
    proven, whole = verify.run(opened, verify.Request()), doctor.run(opened, doctor.Request())
    told = [one.code for one in proven.findings if one.severity == "error"]
    return told + [one.code for one in whole.findings if one.severity == "error"]


def gone(scene: Scene, oid: str) -> bool:
    return not scene.workspace.ledger.git.says("cat-file", "-e", oid)


@pytest.mark.quick
def test_the_old_events_are_built_again_and_commits_still_name_them(scene: Scene) -> None:
    old = scene.git("rev-parse", LEDGER)
    forget_second_names(scene)
    filter_repo(scene.top, *PURGED)
    assert gone(scene, old)
    assert [row.before for row in follow(scene).moved] == ["task-2@1", "task-3@1"]
    assert scene.git("rev-parse", f"{LEDGER}^") == old
    assert errors(scene) == []
    assert "missing" not in scene.git("fsck", "--connectivity-only", "--no-dangling")


def test_a_dry_run_moves_no_ref_and_plans_the_same(scene: Scene) -> None:
    forget_second_names(scene)
    filter_repo(scene.top, *PURGED)
    before = refs.list_refs(scene.workspace.store_git)
    planned = follow(scene, dry_run=True)
    assert refs.list_refs(scene.workspace.store_git) == before
    done = follow(scene)
    assert [row.commit for row in planned.moved] == [row.commit for row in done.moved]
    assert (planned.refs, planned.lost) == (done.refs, done.lost)


def test_whoever_stopped_after_the_ledger_came_back_goes_on(scene: Scene) -> None:
    old = scene.git("rev-parse", LEDGER)
    filter_repo(scene.top, *PURGED)
    follow(scene, dry_run=True)
    scene.git("update-ref", LEDGER, old)
    assert len(follow(scene).moved) == 2
    assert errors(scene) == []


def test_changed_texts_of_the_ledger_stay_changed(scene: Scene) -> None:
    """Also while second names of all old events are here."""
    old = scene.git("rev-parse", LEDGER)
    filter_repo(scene.top, *PURGED, "--message-callback", 'return message.replace(b"done", b"made")')
    assert len(follow(scene).moved) == 2
    assert scene.git("rev-parse", f"{LEDGER}^") != old


def test_a_map_that_a_person_wrote_brings_in_no_other_event(scene: Scene) -> None:
    old = scene.git("rev-parse", LEDGER)
    forget_second_names(scene)
    filter_repo(scene.top, *PURGED)
    path = scene.top / MAP
    rewritten = scene.git("rev-parse", f"{LEDGER}~1")
    lines = [line.split() for line in path.read_text().splitlines()]
    path.write_text("".join(f"{'1' * 40 if new == rewritten else before} {new}\n" for before, new in lines))
    follow(scene)
    assert gone(scene, old)
