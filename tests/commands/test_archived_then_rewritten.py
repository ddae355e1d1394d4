"""`history-rewritten` after the real git filter-repo, where checkpoints were archived before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from devs_git.commands import contract_start, doctor, history_rewritten, log, rewind, show, undo, verify
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.entrypoints import router
from devs_git.workspace import Workspace
from tests.support.archiving import archive_all, collect
from tests.support.filter_repo import MAP, filter_repo
from tests.support.scene import Scene, contents

PURGED = ("--invert-paths", "--path", "secret.env")


@pytest.fixture
def scene(initialised: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """task-1 without the secret, task-2 with it, task-3 of the secret alone, task-4 on top; all in one second."""
    now = datetime.now(UTC) + timedelta(seconds=5)
    for name in ("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(name, now.isoformat(timespec="seconds"))
    made = Scene(Workspace.open(initialised))
    made.task("1", {"a.txt": "one\n"})
    made.task("2", {"a.txt": "two\n", "secret.env": "TOKEN=hunter2\n"})
    made.task("3", {"secret.env": "TOKEN=hunter2\n" * 2})
    made.task("4", {"a.txt": "four\n"})
    for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.delenv(name)
    return made


def work_on(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event that is newer than all code.

    filter-repo writes what is older first, and follows an oid in a message only where it has written the commit of that oid
    before. So after this the events name the new commits.
    """
    later = datetime.now(UTC) + timedelta(seconds=10)
    monkeypatch.setenv("DEVS_GIT_CLOCK", later.isoformat(timespec="seconds"))
    router.call("contract-start", Workspace.open(top), contract_start.Request("later"))


def errors(top: Path) -> list[tuple[str, str]]:
    opened = Workspace.open(top)
    of_doctor = doctor.run(opened, doctor.Request()).findings
    of_verify = verify.run(opened, verify.Request(("repository",))).findings
    return [
        *((one.code, one.message) for one in of_doctor if one.severity == "error"),
        *((one.code, one.message) for one in of_verify if one.severity == "error"),
    ]


def is_told(top: Path) -> bool:
    found = doctor.run(Workspace.open(top), doctor.Request()).findings
    return "HISTORY_REWRITTEN" in [one.code for one in found]


def follow(top: Path, map_: str = MAP, *, dry_run: bool = False) -> history_rewritten.Result:
    request = history_rewritten.Request(map_, str(top), dry_run)
    result: history_rewritten.Result = router.call("history-rewritten", Workspace.open(top), request)
    return result


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [(), ("--preserve-commit-hashes",), ("--refs", "main")],
                         ids=["texts too", "all of it", "code branches only"])  # fmt: skip
@pytest.mark.parametrize("with_tags", [True, False], ids=["visible tags too", "numbers"])
@pytest.mark.parametrize("followed", [True, False], ids=["the ledger is newer", "in one second"])
def test_archived_checkpoints_move_with_their_messages(
    scene: Scene,
    options: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    *,
    with_tags: bool,
    followed: bool,
) -> None:
    before = scene.git("cat-file", "tag", "refs/devs/checkpoints/task-4/1").partition("\n\n")[2]
    archive_all(scene.top, with_tags=with_tags)
    if followed:
        work_on(scene.top, monkeypatch)
    filter_repo(scene.top, *PURGED, *options)
    assert is_told(scene.top)
    planned = follow(scene.top, dry_run=True)
    result = follow(scene.top)
    assert [(row.before, row.commit) for row in planned.moved] == [
        (row.before, row.commit) for row in result.moved
    ]
    # Nothing tells what was before a commit that was left out, if neither it nor a ref is here.
    left_out = "task-3" if with_tags and "--refs" not in options else ""
    moved = [f"task-{n}@2" for n in (2, 3, 4) if f"task-{n}" != left_out]
    assert [row.name for row in result.moved][-len(moved) :] == moved
    assert result.emptied == (("task-3@1",) if left_out else ())
    collect(scene.top)
    assert [code for code, _ in errors(scene.top)] == []
    after = scene.git("cat-file", "tag", "refs/devs/checkpoints/task-4/2").partition("\n\n")[2]
    assert after.splitlines()[0] == before.splitlines()[0]
    assert bool(scene.git("for-each-ref", ARCHIVES)) == ("--refs" in options)
    again = follow(scene.top)
    assert (again.moved, again.refs, again.event) == ((), (), "")
    opened = Workspace.open(scene.top)
    rows = [row for row in log.run(opened, log.Request()).checkpoints if row.status == "completed"]
    assert [row.task_id for row in rows] == [f"task-{n}" for n in (4, 3, 2, 1) if f"task-{n}" != left_out]
    assert [show.show_checkpoint(opened, show.Request(row.task_id)).commit for row in rows] == [
        r.commit for r in rows
    ]
    there = contents(scene.top)
    router.call("rewind", Workspace.open(scene.top), rewind.Request("task-2"))
    assert contents(scene.top)["a.txt"][1] == b"two\n"
    router.call("undo", Workspace.open(scene.top), undo.Request())
    assert contents(scene.top) == there


def test_without_a_map_archived_checkpoints_are_found_by_their_files(scene: Scene) -> None:
    made = archive_all(scene.top)
    changed = ("--message-callback", 'return message.replace(b"done", b"made")')
    filter_repo(scene.top, *changed, "--refs", "main", f"{ARCHIVES}/{made}")
    collect(scene.top)
    assert is_told(scene.top)
    result = follow(scene.top, "")
    assert len(result.moved) == 4
    collect(scene.top)
    assert errors(scene.top) == []
